/* Which variable must go before each row without a diagonal.
 *
 * The multiplier of a constraint has a zero on the diagonal, so it is no pivot until a variable of it has gone; and each
 * variable that goes makes one multiplier a pivot, not all that it is linked to. So every such row is matched with a
 * variable of its own in the same piece of the graph, and waits for it. Rows for which there is none wait for the cut
 * that made the piece. An order that does not know of this makes columns wait in the fronts, which fills the factors. */
#include "ldl.h"

#include <stdlib.h>
#include <string.h>

/* The entry that links the two must be at least this part of the largest in the row. */
#define SOUND 1e-3

typedef struct {
    const Graph *graph;
    const int *separator;
    int *partner; /* of rows: their variable; of variables: their row; or -1 */
    int *visited, round;
} Matching;

static int may_match(const Matching *m, int row, int link)
{
    const Graph *g = m->graph;
    int j = g->to[link];

    /* Neighbours outside of cuts lie in the same piece. */
    return !g->weak[j] && m->separator[j] < 0 && g->size[link] >= SOUND * g->largest[row];
}

/* The free variable with the fewest links, for that one goes early; or -1. */
static int free_variable(const Matching *m, int row)
{
    const Graph *g = m->graph;
    int k, best = -1, fewest = 0;

    for (k = g->start[row]; k < g->start[row + 1]; k++) {
        int j = g->to[k], links = g->start[j + 1] - g->start[j];
        if (m->partner[j] < 0 && may_match(m, row, k) && (best < 0 || links < fewest)) {
            best = j;
            fewest = links;
        }
    }
    return best;
}

/* Finds a variable for a row, where others may change theirs, to a depth that a stack bears. */
static int augment(Matching *m, int row, int depth)
{
    const Graph *g = m->graph;
    int k, j = free_variable(m, row);

    for (k = g->start[row]; j < 0 && depth > 0 && k < g->start[row + 1]; k++) {
        int taken = g->to[k];
        if (m->visited[taken] == m->round || !may_match(m, row, k))
            continue;
        m->visited[taken] = m->round;
        if (augment(m, m->partner[taken], depth - 1))
            j = taken;
    }
    if (j < 0)
        return 0;
    m->partner[j] = row;
    m->partner[row] = j;
    return 1;
}

/* Writes the partner of each vertex, or -1. Rows without one join the cut above their piece. */
int ldl_partners(const Graph *graph, const int *cut_above, int *separator, int *partner)
{
    int n = graph->vertices, i;
    Matching m = {graph, separator, partner, calloc(n + 1, sizeof(int)), 0};

    if (!m.visited)
        return LDL_NO_MEMORY;
    memset(partner, -1, (n + 1) * sizeof(int));
    for (i = 0; i < n; i++)
        if (graph->weak[i] && separator[i] < 0 && partner[i] < 0) {
            m.round++;
            augment(&m, i, 30);
        }
    for (i = 0; i < n; i++)
        if (graph->weak[i] && separator[i] < 0 && partner[i] < 0 && cut_above[i] >= 0)
            separator[i] = cut_above[i];
    free(m.visited);
    return LDL_DONE;
}
