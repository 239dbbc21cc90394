/* Cuts a long graph into short pieces.
 *
 * Rows of optimal control are a chain in time, perhaps closed to a ring: the vertices at one distance from an end of it
 * separate what comes before from what comes after. Cuts are eliminated last, the first one at the very end. */
#include "dissection.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const Graph *graph;
    Dissection *d;
    int *part, *level, *queue; /* part: which piece a vertex belongs to, negative when that is finished */
    int *total, *thickness;    /* by level */
    int parts;
    Refinement refinement;
} Cutting;

void ldl_dissection_free(Dissection *dissection)
{
    free(dissection->block);
    memset(dissection, 0, sizeof *dissection);
}

/* Levels of a piece around a vertex, breadth first, into the queue; returns how many vertices were reached. */
static int spread(Cutting *c, int from, int *depth)
{
    const Graph *g = c->graph;
    int part = c->part[from], head = 0, tail = 0, k;

    c->queue[tail++] = from;
    c->level[from] = 0;
    c->part[from] = INT_MIN; /* seen; turned back below */
    while (head < tail) {
        int i = c->queue[head++];
        for (k = g->start[i]; k < g->start[i + 1]; k++) {
            int j = g->to[k];
            if (c->part[j] == part) {
                c->part[j] = INT_MIN;
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
static int spread_from_an_end(Cutting *c, int from, int *depth)
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
static int touches_next(const Cutting *c, int i)
{
    const Graph *g = c->graph;
    int k;

    for (k = g->start[i]; k < g->start[i + 1]; k++)
        if (c->part[g->to[k]] == c->part[i] && c->level[g->to[k]] == c->level[i] + 1)
            return 1;
    return 0;
}

/* The level whose outward side is the thinnest cut among those that leave a fair part on either side; or -1. */
static int best_level(const Cutting *c, int count, int depth)
{
    int k, level, before = 0, best = -1;
    double least = 0;

    memset(c->total, 0, (depth + 1) * sizeof(int));
    memset(c->thickness, 0, (depth + 1) * sizeof(int));
    for (k = 0; k < count; k++) {
        int i = c->queue[k];
        c->total[c->level[i]]++;
        if (touches_next(c, i))
            c->thickness[c->level[i]]++;
    }
    for (level = 0; level < depth; level++) {
        int inside = before + c->total[level] - c->thickness[level], outside = count - before - c->total[level];
        int smaller = inside < outside ? inside : outside;
        if (5 * smaller > count) {
            double cost = c->thickness[level] * (1 + 0.5 * (count - 2.0 * smaller) / count);
            if (best < 0 || cost < least) {
                best = level;
                least = cost;
            }
        }
        before += c->total[level];
    }
    return best;
}

/* Cuts the piece of a vertex in two, if it is large and long enough. Returns whether it did, and a vertex of either. */
static int cut_piece(Cutting *c, int from, int leaf, int *first, int *second)
{
    Dissection *d = c->d;
    unsigned char *side = c->refinement.side;
    int depth, count = spread_from_an_end(c, from, &depth), k, level, found[2] = {-1, -1};

    if (count <= leaf || depth < 2)
        return 0;
    level = best_level(c, count, depth);
    if (level < 0)
        return 0;
    for (k = 0; k < count; k++) {
        int i = c->queue[k];
        side[i] = c->level[i] > level ? OUTSIDE : c->level[i] == level && touches_next(c, i) ? CUT : INSIDE;
    }
    ldl_refine_cut(&c->refinement, c->queue, count);
    d->parent[d->cuts] = d->above[from];
    d->size[d->cuts] = count;
    for (k = 0; k < count; k++) {
        int i = c->queue[k];
        if (side[i] == CUT) {
            d->cut[i] = d->cuts;
            c->part[i] = -1;
        } else {
            d->above[i] = d->cuts;
            c->part[i] = c->parts + side[i];
            found[side[i]] = i;
        }
        side[i] = ELSEWHERE;
    }
    d->cuts++;
    c->parts += 2;
    *first = found[0];
    *second = found[1];
    return 1;
}

/* Cuts piece after piece, beginning with that of a vertex. A side may fall into several pieces; the others are found
 * when the caller comes to one of their vertices. */
static void cut_all(Cutting *c, int from, int leaf, int *pending)
{
    int waiting = 0, k;

    pending[waiting++] = from;
    while (waiting > 0) {
        int first, second, i = pending[--waiting];
        if (cut_piece(c, i, leaf, &first, &second)) {
            if (first >= 0)
                pending[waiting++] = first;
            if (second >= 0)
                pending[waiting++] = second;
        } else {
            int depth, count = spread(c, i, &depth);
            for (k = 0; k < count; k++)
                c->part[c->queue[k]] = -1;
        }
    }
}

/* Dissects a graph down to pieces of a size. Hubs make the first cut. */
int ldl_dissect(const Graph *graph, int leaf, Dissection *d)
{
    int n = graph->vertices, i, hubs = -1;
    size_t each = (size_t)n + 1;
    int *work = calloc(15 * each, sizeof(int));
    Cutting c = {0};

    d->block = malloc(4 * each * sizeof(int));
    c.refinement.side = malloc(each);
    /* The sides of vertices are not needed before the first cut: until then the hubs are marked there. */
    if (c.refinement.side)
        hubs = ldl_hubs(graph, c.refinement.side);
    if (!work || !d->block || hubs < 0) {
        free(work);
        free(c.refinement.side);
        return LDL_NO_MEMORY;
    }
    d->cut = d->block;
    d->above = d->block + each;
    d->parent = d->block + 2 * each;
    d->size = d->block + 3 * each;
    c.graph = c.refinement.graph = graph;
    c.d = d;
    c.part = work;
    c.level = work + each;
    c.queue = work + 2 * each;
    c.total = work + 3 * each;
    c.thickness = work + 4 * each;
    c.parts = 1;
    c.refinement.near[0] = work + 5 * each;
    c.refinement.near[1] = work + 6 * each;
    c.refinement.locked = work + 7 * each;
    c.refinement.member = work + 8 * each;
    c.refinement.where = work + 9 * each;
    c.refinement.moved = work + 10 * each;      /* two numbers per vertex */
    c.refinement.moved_from = work + 12 * each; /* likewise */
    for (i = 0; i < n; i++) {
        d->cut[i] = c.refinement.side[i] ? 0 : -1;
        d->above[i] = -1;
        c.part[i] = c.refinement.side[i] ? -1 : 0;
        c.refinement.side[i] = ELSEWHERE;
    }
    d->hubs = hubs > 0 ? 0 : -1;
    if (hubs > 0) {
        d->parent[0] = -1;
        d->size[0] = INT_MAX;
        d->cuts = 1;
    }
    for (i = 0; i < n; i++)
        if (c.part[i] >= 0)
            cut_all(&c, i, leaf, work + 14 * each);
    free(work);
    free(c.refinement.side);
    return LDL_DONE;
}
