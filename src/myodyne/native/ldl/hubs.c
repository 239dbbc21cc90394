/* Finds the rows that are linked with everything: durations, parameters, averages.
 *
 * One of them makes every piece of the graph a neighbour of every other, so no cut would be thin. They are set aside and
 * eliminated last. Some are known by the number of their links. Others, an average of one variable over all nodes, have no
 * more links than many rows have, but theirs are spread over all times. Time is not known here; but rows are mostly
 * numbered along it, so links all over the numbers are links all over time. Where rows are numbered otherwise, very many
 * would be found, and none is taken. */
#include "dissection.h"

#include <stdint.h>
#include <stdlib.h>

/* More links than this part of all rows, and more than this many, make a hub. */
#define DENSE_PART 0.05
#define DENSE_LEAST 40
/* So do links to this many of the blocks into which either kind of rows is divided, those with a diagonal and those
 * without; neighbours in time reach a few. */
#define BLOCKS 32
#define SPREAD 13
/* At most this part of all rows, or this many, may be hubs for the spread of their links. */
#define HUBS_PART 0.02
#define HUBS_LEAST 8

static int count_bits(uint64_t bits)
{
    int count = 0;

    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* Marks the hubs of a graph; returns how many there are, or -1 without memory. */
int ldl_hubs(const Graph *graph, unsigned char *hub)
{
    int n = graph->vertices, i, k, found = 0, spread = 0, kinds[2] = {0, 0}, seen[2] = {0, 0};
    double most = DENSE_PART * n > DENSE_LEAST ? DENSE_PART * n : DENSE_LEAST;
    unsigned char *block = malloc(n + 1);

    if (!block)
        return -1;
    for (i = 0; i < n; i++)
        kinds[graph->weak[i]]++;
    for (i = 0; i < n; i++) {
        int kind = graph->weak[i];
        block[i] = (unsigned char)(kind * BLOCKS + (double)seen[kind]++ * BLOCKS / kinds[kind]);
    }
    for (i = 0; i < n; i++) {
        int links = graph->start[i + 1] - graph->start[i];
        uint64_t reached = 0;

        hub[i] = links > most;
        found += hub[i];
        if (hub[i] || links < SPREAD)
            continue;
        for (k = graph->start[i]; k < graph->start[i + 1]; k++)
            reached |= (uint64_t)1 << block[graph->to[k]];
        if (count_bits(reached & UINT32_MAX) >= SPREAD || count_bits(reached >> BLOCKS) >= SPREAD) {
            hub[i] = 2;
            spread++;
        }
    }
    if (spread > HUBS_LEAST && spread > HUBS_PART * n)
        spread = 0;
    for (i = 0; i < n; i++)
        hub[i] = hub[i] == 1 || (hub[i] == 2 && spread > 0);
    free(block);
    return found + spread;
}
