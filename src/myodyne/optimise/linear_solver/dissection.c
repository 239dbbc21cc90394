/* Cuts a long graph into short pieces.
 *
 * Rows of optimal control are a chain in time, perhaps closed to a ring: the vertices at one distance from an end of it
 * separate what comes before from what comes after. Separators are eliminated last, the first cut at the very end. */
#include "ldl.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const Graph *graph;
    int *part, *level, *queue; /* part: which piece a vertex belongs to */
    int *separator, *above, separators, parts, leaf;
} Cuts;

/* Levels of a piece around a vertex, breadth first; returns how many vertices were reached, and the last one's level. */
static int spread(Cuts *c, int from, int *depth)
{
    const Graph *g = c->graph;
    int part = c->part[from], head = 0, tail = 0, k;

    c->queue[tail++] = from;
    c->level[from] = 0;
    c->part[from] = -part - 2; /* seen; turned back below */
    while (head < tail) {
        int i = c->queue[head++];
        for (k = g->start[i]; k < g->start[i + 1]; k++) {
            int j = g->to[k];
            if (c->part[j] == part) {
                c->part[j] = -part - 2;
                c->level[j] = c->level[i] + 1;
                c->queue[tail++] = j;
            }
        }
    }
    *depth = c->level[c->queue[tail - 1]];
    for (k = 0; k < tail; k++)
        c->part[c->queue[k]] = part;
    return tail;
}

/* Starts from an end of the piece: the farthest vertex from the farthest vertex, as long as it gets farther. */
static int spread_from_an_end(Cuts *c, int from, int *depth)
{
    int count = spread(c, from, depth), tries;

    for (tries = 0; tries < 4; tries++) {
        int k = count - 1, best = c->queue[k], before = *depth;
        const int *start = c->graph->start;

        for (; k >= 0 && c->level[c->queue[k]] == *depth; k--) {
            int i = c->queue[k];
            if (start[i + 1] - start[i] < start[best + 1] - start[best])
                best = i;
        }
        count = spread(c, best, depth);
        if (*depth <= before)
            break;
    }
    return count;
}

/* Whether a vertex has a neighbour one level further out in its piece. */
static int touches_next(const Cuts *c, int i)
{
    const Graph *g = c->graph;
    int k;

    for (k = g->start[i]; k < g->start[i + 1]; k++)
        if (c->part[g->to[k]] == c->part[i] && c->level[g->to[k]] == c->level[i] + 1)
            return 1;
    return 0;
}

/* The level whose outward side is the thinnest cut among those that leave a fair part on either side; or -1. */
static int best_level(const Cuts *c, int count, int depth, int *total, int *cut)
{
    int k, level, sum = 0, before = 0, best = -1;
    double least = 0;

    memset(total, 0, (depth + 1) * sizeof(int));
    memset(cut, 0, (depth + 1) * sizeof(int));
    for (k = 0; k < count; k++) {
        int i = c->queue[k];
        total[c->level[i]]++;
        sum++;
        if (touches_next(c, i))
            cut[c->level[i]]++;
    }
    for (level = 0; level < depth; level++) {
        int inside = before + total[level] - cut[level], outside = sum - before - total[level];
        int smaller = inside < outside ? inside : outside;
        if (5 * smaller > sum) {
            double cost = cut[level] * (1 + 0.5 * (sum - 2.0 * smaller) / sum);
            if (best < 0 || cost < least) {
                best = level;
                least = cost;
            }
        }
        before += total[level];
    }
    return best;
}

/* Cuts the piece of a vertex in two, if it is large and long enough. Returns whether it did. */
static int cut_piece(Cuts *c, int from, int *first, int *second, int *total, int *cut)
{
    int depth, count = spread_from_an_end(c, from, &depth), k, level;
    int inner, outer;

    if (count <= c->leaf || depth < 2)
        return 0;
    level = best_level(c, count, depth, total, cut);
    if (level < 0)
        return 0;
    for (k = 0; k < count; k++) {
        int i = c->queue[k];
        if (c->level[i] == level && touches_next(c, i))
            c->separator[i] = c->separators;
    }
    c->separators++;
    inner = c->parts++;
    outer = c->parts++;
    *first = *second = -1;
    for (k = 0; k < count; k++) {
        int i = c->queue[k];
        c->above[i] = c->separators - 1;
        if (c->separator[i] >= 0) {
            c->part[i] = -1;
        } else if (c->level[i] <= level) {
            c->part[i] = inner;
            *first = i;
        } else {
            c->part[i] = outer;
            *second = i;
        }
    }
    return 1;
}

/* Writes the number of the cut each vertex is in, or -1; earlier cuts have smaller numbers. Of all others, writes the cut
 * that made their piece, or -1. Returns how many cuts there are, or -1 without memory. Pieces of at most that size stay
 * whole. Vertices that are in cut 0 beforehand belong to it and to no piece. */
int ldl_dissect(const Graph *graph, int leaf, int *separator, int *cut_above)
{
    int n = graph->vertices, i, k;
    Cuts c = {graph, NULL, NULL, NULL, separator, cut_above, 0, 1, leaf};
    int *block = malloc(6 * (size_t)(n + 1) * sizeof(int));
    int *pending, *total, *cut, waiting;

    if (!block)
        return -1;
    c.part = block;
    c.level = block + (n + 1);
    c.queue = block + 2 * (size_t)(n + 1);
    total = block + 3 * (size_t)(n + 1);
    cut = block + 4 * (size_t)(n + 1);
    pending = block + 5 * (size_t)(n + 1);
    for (i = 0; i < n; i++) {
        c.part[i] = separator[i] >= 0 ? -1 : 0;
        cut_above[i] = -1;
        if (separator[i] >= c.separators)
            c.separators = separator[i] + 1;
    }
    for (i = 0; i < n; i++) {
        if (c.part[i] < 0)
            continue;
        waiting = 0;
        pending[waiting++] = i;
        while (waiting > 0) {
            int from = pending[--waiting], first, second;
            if (c.part[from] < 0)
                continue;
            if (cut_piece(&c, from, &first, &second, total, cut)) {
                /* A part may fall into several pieces; each is found from one of its vertices. */
                if (first >= 0)
                    pending[waiting++] = first;
                if (second >= 0)
                    pending[waiting++] = second;
            } else {
                int depth, count = spread(&c, from, &depth);
                for (k = 0; k < count; k++)
                    c.part[c.queue[k]] = -2 - c.parts; /* finished */
                c.parts++;
            }
        }
    }
    free(block);
    return c.separators;
}
