/* Cuts a graph into pieces along the numbers of its rows.
 *
 * Unknowns of optimal control are numbered along time, and a row without a diagonal, a constraint, belongs in the middle
 * of the unknowns it has. At any place in that line, the vertices before it that have a neighbour behind it are a cut, and
 * so are those behind it that have one before it. Where a collocation interval has many points, no vertex is far from
 * any other by the number of links, and distances (dissection.c) do not show where the thin places are; the line does:
 * they are the nodes, between which only states go. */
#include "dissection.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double at;
    int vertex;
} Placed;

typedef struct {
    const Graph *graph;
    Dissection *d;
    int *line;                   /* vertices in their order; pieces are runs of it */
    int *rank;                   /* of each vertex: its place in the line, or -1 when it is in a cut */
    int *before, *behind;        /* by place in a piece: how many vertices a cut there would hold */
    int *kept;
} Line;

static int by_place(const void *a, const void *b)
{
    const Placed *one = a, *other = b;

    if (one->at != other->at)
        return one->at < other->at ? -1 : 1;
    return one->vertex - other->vertex;
}

/* Puts all vertices but hubs into a line; returns how many, or -1 without memory. */
static int draw(Line *line, const unsigned char *hub)
{
    const Graph *g = line->graph;
    int n = g->vertices, i, k, count = 0;
    Placed *placed = malloc((n + 1) * sizeof *placed);

    if (!placed)
        return -1;
    for (i = 0; i < n; i++) {
        double sum = 0, links = 0;

        line->rank[i] = -1;
        if (hub[i])
            continue;
        for (k = g->start[i]; k < g->start[i + 1] && g->weak[i]; k++)
            if (!g->weak[g->to[k]] && !hub[g->to[k]]) {
                sum += g->to[k];
                links++;
            }
        placed[count].at = links ? sum / links : i;
        placed[count++].vertex = i;
    }
    qsort(placed, count, sizeof *placed, by_place);
    for (i = 0; i < count; i++) {
        line->line[i] = placed[i].vertex;
        line->rank[placed[i].vertex] = i;
    }
    free(placed);
    return count;
}

/* The places of the first and the last neighbour of a vertex within its piece, itself included. */
static void reach(const Line *line, int place, int *first, int *last)
{
    const Graph *g = line->graph;
    int i = line->line[place], k;

    *first = *last = place;
    for (k = g->start[i]; k < g->start[i + 1]; k++) {
        int other = line->rank[g->to[k]];
        if (other < 0)
            continue;
        if (other < *first)
            *first = other;
        if (other > *last)
            *last = other;
    }
}

/* The place behind which a cut is thinnest, among those that leave a fair part on either side; or -1. */
static int thinnest(Line *line, int begin, int end)
{
    int count = end - begin, place, best = -1, before = 0, behind = 0;
    double least = 0;

    memset(line->before, 0, (count + 1) * sizeof(int));
    memset(line->behind, 0, (count + 1) * sizeof(int));
    for (place = begin; place < end; place++) {
        int first, last;

        reach(line, place, &first, &last);
        line->before[place - begin]++;
        line->before[last - begin]--;
        line->behind[first - begin]++;
        line->behind[place - begin]--;
    }
    for (place = 0; place < count - 1; place++) {
        int smaller = place + 1 < count - place - 1 ? place + 1 : count - place - 1, thin;
        double cost;

        before += line->before[place];
        behind += line->behind[place];
        thin = before < behind ? before : behind;
        cost = thin * (1 + 0.5 * (count - 2.0 * smaller) / count);
        if (5 * smaller > count && (best < 0 || cost < least)) {
            best = begin + place;
            least = cost;
        }
    }
    return best;
}

/* Cuts a piece in two behind a place; returns where the second begins. The cut itself leaves the line. */
static void cut_behind(Line *line, int begin, int *end, int place, int *second)
{
    Dissection *d = line->d;
    int number = d->cuts++, sides[2] = {0, 0}, side, i, put = begin, first, last, kept = 0;

    for (i = begin; i < *end; i++) {
        reach(line, i, &first, &last);
        sides[0] += i <= place && last > place;
        sides[1] += i > place && first <= place;
    }
    side = sides[1] < sides[0];
    d->parent[number] = d->above[line->line[begin]];
    d->size[number] = *end - begin;
    for (i = begin; i < *end; i++) {
        reach(line, i, &first, &last);
        line->kept[i] = side ? !(i > place && first <= place) : !(i <= place && last > place);
    }
    for (i = begin; i < *end; i++) {
        int vertex = line->line[i];
        if (i == place + 1)
            *second = put;
        if (line->kept[i]) {
            d->above[vertex] = number;
            line->rank[vertex] = put;
            line->line[put++] = vertex;
            kept++;
        } else {
            d->cut[vertex] = number;
            line->rank[vertex] = -1;
        }
    }
    *end = begin + kept;
}

/* Cuts piece after piece down to a size. */
static void cut_pieces(Line *line, int count, int leaf, int *pending)
{
    int waiting = 0;

    pending[waiting++] = 0;
    pending[waiting++] = count;
    while (waiting > 0) {
        int end = pending[--waiting], begin = pending[--waiting], second = 0;
        int place = end - begin > leaf ? thinnest(line, begin, end) : -1;

        if (place < 0)
            continue;
        cut_behind(line, begin, &end, place, &second);
        pending[waiting++] = begin;
        pending[waiting++] = second;
        pending[waiting++] = second;
        pending[waiting++] = end;
    }
}

/* Dissects a graph along the numbers of its rows, down to pieces of a size. Hubs make the first cut. */
int ldl_dissect_along(const Graph *graph, int leaf, Dissection *d)
{
    int n = graph->vertices, i, hubs = -1, count = -1;
    size_t each = (size_t)n + 1;
    int *work = malloc(8 * each * sizeof(int));
    unsigned char *hub = malloc(each);
    Line line = {graph, d, work, work + each, work + 2 * each, work + 3 * each, work + 4 * each};

    d->block = malloc(4 * each * sizeof(int));
    if (work && hub && d->block)
        hubs = ldl_hubs(graph, hub);
    if (hubs >= 0)
        count = draw(&line, hub);
    if (count >= 0) {
        d->cut = d->block;
        d->above = d->block + each;
        d->parent = d->block + 2 * each;
        d->size = d->block + 3 * each;
        d->hubs = hubs > 0 ? 0 : -1;
        for (i = 0; i < n; i++) {
            d->cut[i] = hub[i] ? 0 : -1;
            d->above[i] = -1;
        }
        if (hubs > 0) {
            d->parent[0] = -1;
            d->size[0] = INT_MAX;
            d->cuts = 1;
        }
        cut_pieces(&line, count, leaf, work + 5 * each);
    }
    free(work);
    free(hub);
    return count < 0 ? LDL_NO_MEMORY : LDL_DONE;
}
