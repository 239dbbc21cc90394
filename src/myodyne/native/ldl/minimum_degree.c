/* An order of elimination that fills little: always the vertex with the fewest neighbours.
 *
 * Eliminated vertices are kept as elements, each the list of vertices it links, so the graph never grows; the number of
 * neighbours is bounded from above instead of counted (Amestoy, Davis & Duff 1996). Vertices with the same neighbours
 * are merged and eliminated together. */
#include "ldl.h"

#include <stdlib.h>
#include <string.h>

enum { LIVE, MERGED, ELEMENT, ABSORBED };
/* Vertices of cuts are not eliminated at all, rows without a diagonal not before their partner. */
enum { LATER = 1, NOT_YET };

typedef struct {
    int n;
    int *start, *elements, *variables; /* of each live vertex: first its elements, then its variables */
    int *list;                         /* the lists of vertices */
    int *weight, *degree, *state, *mark, *outside, *seen;
    unsigned char *keep;               /* LATER, NOT_YET or 0 */
    const int *partner;
    int *element_start, *element_size; /* of each element: its vertices */
    int *arena;
    size_t used, room;
    int *head, *next, *previous;       /* vertices by degree */
    int *merged_first, *merged_next, *merged_last;
    int *hash, *bucket, *bucket_next;
    int stamp, pivots, least, remaining;
} State;

static void unlink_vertex(State *s, int i)
{
    if (s->previous[i] >= 0)
        s->next[s->previous[i]] = s->next[i];
    else if (s->head[s->degree[i]] == i)
        s->head[s->degree[i]] = s->next[i];
    else
        return; /* kept vertices are in no list */
    if (s->next[i] >= 0)
        s->previous[s->next[i]] = s->previous[i];
}

static void link_vertex(State *s, int i)
{
    int d = s->degree[i];

    if (s->keep[i])
        return;
    s->previous[i] = -1;
    s->next[i] = s->head[d];
    if (s->head[d] >= 0)
        s->previous[s->head[d]] = i;
    s->head[d] = i;
    if (d < s->least)
        s->least = d;
}

static int reserve(State *s, size_t more)
{
    if (s->used + more > s->room) {
        size_t room = 2 * (s->used + more);
        int *larger = realloc(s->arena, room * sizeof *larger);

        if (!larger)
            return LDL_NO_MEMORY;
        s->arena = larger;
        s->room = room;
    }
    return LDL_DONE;
}

/* Takes all live vertices of a list that are not yet marked into the new element. */
static int collect(State *s, const int *from, int count, int *total)
{
    int k, taken = 0;

    for (k = 0; k < count; k++) {
        int i = from[k];
        if (s->state[i] == LIVE && s->mark[i] != s->stamp) {
            s->mark[i] = s->stamp;
            s->arena[s->used + taken++] = i;
            *total += s->weight[i];
        }
    }
    return taken;
}

/* Makes the pivot an element; returns 0, or LDL_NO_MEMORY. */
static int make_element(State *s, int pivot)
{
    const int *own = s->list + s->start[pivot];
    int k, e, size = 0, total = 0;
    size_t begin, bound = s->variables[pivot];

    for (k = 0; k < s->elements[pivot]; k++)
        bound += s->element_size[own[k]];
    if (reserve(s, bound))
        return LDL_NO_MEMORY;
    begin = s->used;
    s->stamp++;
    s->mark[pivot] = s->stamp;
    for (k = 0; k < s->elements[pivot]; k++) {
        e = own[k];
        if (s->state[e] != ELEMENT)
            continue;
        size = collect(s, s->arena + s->element_start[e], s->element_size[e], &total);
        s->used += size;
        s->state[e] = ABSORBED;
    }
    size = collect(s, own + s->elements[pivot], s->variables[pivot], &total);
    s->used += size;
    s->element_start[pivot] = (int)begin;
    s->element_size[pivot] = (int)(s->used - begin);
    s->state[pivot] = ELEMENT;
    s->remaining -= s->weight[pivot];
    s->degree[pivot] = total; /* of an element: the weight of its vertices */
    return LDL_DONE;
}

/* Counts for every element that touches the new one what lies outside of the new one. */
static void count_outside(State *s, int pivot)
{
    const int *member = s->arena + s->element_start[pivot];
    int k, m;

    s->pivots++;
    for (m = 0; m < s->element_size[pivot]; m++) {
        int i = member[m];
        const int *own = s->list + s->start[i];

        for (k = 0; k < s->elements[i]; k++) {
            int e = own[k];
            if (s->state[e] != ELEMENT)
                continue;
            if (s->seen[e] != s->pivots) {
                s->seen[e] = s->pivots;
                s->outside[e] = s->degree[e];
            }
            s->outside[e] -= s->weight[i];
        }
    }
}

/* Cleans the lists of one vertex of the new element and bounds its degree. */
static void update_vertex(State *s, int i, int pivot)
{
    int *own = s->list + s->start[i];
    int k, put = 0, elements, degree = 0;
    unsigned hash = (unsigned)pivot;

    for (k = 0; k < s->elements[i]; k++) {
        int e = own[k], outside;
        if (s->state[e] != ELEMENT)
            continue;
        outside = s->outside[e];
        if (outside <= 0) {
            s->state[e] = ABSORBED; /* the new element holds all of it */
            continue;
        }
        degree += outside;
        hash += (unsigned)e;
        own[put++] = e;
    }
    elements = put;
    for (k = s->elements[i]; k < s->elements[i] + s->variables[i]; k++) {
        int j = own[k];
        if (s->state[j] != LIVE || s->mark[j] == s->stamp)
            continue;
        degree += s->weight[j];
        hash += (unsigned)j;
        own[put++] = j;
    }
    /* At least one entry has gone, the pivot or an element of it: there is room for the new element. */
    s->variables[i] = put - elements;
    own[put] = own[elements];
    own[elements] = pivot;
    s->elements[i] = elements + 1;
    degree += s->degree[pivot] - s->weight[i];
    if (degree > s->degree[i] + s->degree[pivot] - s->weight[i])
        degree = s->degree[i] + s->degree[pivot] - s->weight[i];
    if (degree > s->remaining - s->weight[i])
        degree = s->remaining - s->weight[i];
    s->degree[i] = degree < 0 ? 0 : degree;
    s->hash[i] = (int)(hash % (unsigned)s->n);
}

static int same_neighbours(State *s, int i, int j)
{
    const int *a = s->list + s->start[i], *b = s->list + s->start[j];
    int k, count = s->elements[i] + s->variables[i];

    if (s->elements[i] != s->elements[j] || s->variables[i] != s->variables[j])
        return 0;
    s->stamp++;
    for (k = 0; k < count; k++)
        s->mark[a[k]] = s->stamp;
    for (k = 0; k < count; k++)
        if (s->mark[b[k]] != s->stamp)
            return 0;
    return 1;
}

static void merge(State *s, int into, int from)
{
    s->weight[into] += s->weight[from];
    s->degree[into] = s->degree[into] > s->weight[from] ? s->degree[into] - s->weight[from] : 0;
    s->state[from] = MERGED;
    s->merged_next[s->merged_last[into]] = from;
    s->merged_last[into] = s->merged_last[from];
}

/* Merges vertices of the new element that are indistinguishable. */
static void merge_alike(State *s, int pivot)
{
    const int *member = s->arena + s->element_start[pivot];
    int m;

    for (m = 0; m < s->element_size[pivot]; m++) {
        int i = member[m], j;
        if (s->state[i] != LIVE || s->keep[i])
            continue;
        for (j = s->bucket[s->hash[i]]; j >= 0; j = s->bucket_next[j])
            if (same_neighbours(s, j, i))
                break;
        if (j >= 0) {
            merge(s, j, i);
        } else {
            s->bucket_next[i] = s->bucket[s->hash[i]];
            s->bucket[s->hash[i]] = i;
        }
    }
    for (m = 0; m < s->element_size[pivot]; m++)
        s->bucket[s->hash[member[m]]] = -1;
}

/* Writes a vertex and those merged with it, and sets free the rows that waited for them. */
static int write_order(State *s, int pivot, int *order, int done)
{
    int i;

    for (i = pivot; i >= 0; i = s->merged_next[i]) {
        int row = s->partner[i];
        order[done++] = i;
        if (row >= 0 && s->keep[row] == NOT_YET)
            s->keep[row] = 0;
    }
    return done;
}

static int eliminate(State *s, int pivot, int *order, int *done)
{
    int m, kept = 0, gone = 1;
    int *member;

    unlink_vertex(s, pivot);
    if (make_element(s, pivot))
        return LDL_NO_MEMORY;
    *done = write_order(s, pivot, order, *done);
    count_outside(s, pivot);
    member = s->arena + s->element_start[pivot];
    for (m = 0; m < s->element_size[pivot]; m++) {
        unlink_vertex(s, member[m]);
        update_vertex(s, member[m], pivot);
    }
    merge_alike(s, pivot);
    while (gone)
        for (gone = 0, m = 0; m < s->element_size[pivot]; m++) {
            int i = member[m];
            if (s->state[i] != LIVE || s->keep[i] || s->elements[i] != 1 || s->variables[i] != 0)
                continue;
            /* Its only neighbours are those of the pivot: eliminating it now fills nothing, and may free others. */
            s->state[i] = ABSORBED;
            s->degree[pivot] -= s->weight[i];
            s->remaining -= s->weight[i];
            *done = write_order(s, i, order, *done);
            gone = 1;
        }
    for (m = 0; m < s->element_size[pivot]; m++)
        if (s->state[member[m]] == LIVE) {
            link_vertex(s, member[m]);
            member[kept++] = member[m];
        }
    s->element_size[pivot] = kept;
    return LDL_DONE;
}

static void fill_state(State *s, const Graph *graph, const int *separator, const int *partner, int hubs)
{
    int i;

    memcpy(s->start, graph->start, (s->n + 1) * sizeof(int));
    memcpy(s->list, graph->to, graph->start[s->n] * sizeof(int));
    s->remaining = s->least = s->n;
    memset(s->head, -1, (s->n + 1) * sizeof(int));
    memset(s->bucket, -1, s->n * sizeof(int));
    for (i = 0; i < s->n; i++) {
        s->weight[i] = 1;
        s->degree[i] = s->variables[i] = graph->start[i + 1] - graph->start[i];
        s->keep[i] = separator[i] >= 0 ? LATER : graph->weak[i] && partner[i] >= 0 ? NOT_YET : 0;
        /* Hubs are left out of the graph: they touch every front, so they tell none from another. */
        s->state[i] = separator[i] >= 0 && separator[i] == hubs ? ABSORBED : LIVE;
        s->merged_next[i] = s->previous[i] = -1;
        s->merged_last[i] = i;
        link_vertex(s, i);
    }
}

/* Writes the vertices in the order of their elimination; those in cuts, which stay, are left out. A row without a
 * diagonal comes after its partner. */
int ldl_minimum_degree(const Graph *graph, const int *separator, const int *partner, int hubs, int *order)
{
    State s = {0};
    int i, n = graph->vertices, done = 0, failed = LDL_NO_MEMORY;
    int **arrays[] = {&s.start, &s.elements, &s.variables, &s.weight, &s.degree, &s.state, &s.mark, &s.outside,
                      &s.seen, &s.element_start, &s.element_size, &s.next, &s.previous, &s.merged_next, &s.merged_last,
                      &s.hash, &s.bucket, &s.bucket_next};
    int count = (int)(sizeof arrays / sizeof *arrays);
    int *block = calloc((size_t)count * (n + 1), sizeof(int));

    s.n = n;
    s.partner = partner;
    s.list = malloc((graph->start[n] + 1) * sizeof(int));
    s.head = malloc((n + 1) * sizeof(int));
    s.keep = calloc(n + 1, 1);
    if (block && s.list && s.head && s.keep) {
        for (i = 0; i < count; i++)
            *arrays[i] = block + (size_t)i * (n + 1);
        fill_state(&s, graph, separator, partner, hubs);
        failed = LDL_DONE;
        while (!failed) {
            while (s.least <= n && s.head[s.least] < 0)
                s.least++;
            if (s.least > n)
                break;
            failed = eliminate(&s, s.head[s.least], order, &done);
        }
    }
    free(block);
    free(s.list);
    free(s.head);
    free(s.keep);
    free(s.arena);
    return failed;
}
