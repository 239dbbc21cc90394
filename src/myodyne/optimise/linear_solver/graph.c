/* The graph of a matrix: which groups of rows are linked by an entry. */
#include "ldl.h"

#include <stdlib.h>
#include <string.h>

void ldl_graph_free(Graph *graph)
{
    free(graph->start);
    free(graph->to);
    free(graph->weight);
    memset(graph, 0, sizeof *graph);
}

/* Writes links of groups, repetitions included, in both directions: counts first, then fills. */
static void write_links(int n, const int *column_start, const int *row, const int *group, int *position, int *to)
{
    int j, k;

    for (j = 0; j < n; j++)
        for (k = column_start[j]; k < column_start[j + 1]; k++) {
            int a = group[j], b = group[row[k]];
            if (a == b)
                continue;
            if (to) {
                to[position[a]++] = b;
                to[position[b]++] = a;
            } else {
                position[a + 1]++;
                position[b + 1]++;
            }
        }
}

/* Fills the graph whose vertices are groups of rows, given by the group of each row. */
int ldl_graph(int n, const int *column_start, const int *row, const int *group, int groups, Graph *graph)
{
    int *position = calloc(groups + 1, sizeof(int)), *last = NULL;
    int i, k, kept = 0;

    memset(graph, 0, sizeof *graph);
    graph->vertices = groups;
    graph->start = calloc(groups + 1, sizeof(int));
    graph->weight = calloc(groups + 1, sizeof(int));
    last = malloc((groups + 1) * sizeof(int));
    if (!position || !last || !graph->start || !graph->weight)
        goto failed;
    write_links(n, column_start, row, group, graph->start, NULL);
    for (i = 0; i < groups; i++)
        graph->start[i + 1] += graph->start[i];
    graph->to = malloc((graph->start[groups] + 1) * sizeof(int));
    if (!graph->to)
        goto failed;
    memcpy(position, graph->start, (groups + 1) * sizeof(int));
    write_links(n, column_start, row, group, position, graph->to);
    for (i = 0; i < n; i++)
        graph->weight[group[i]]++;
    memset(last, -1, (groups + 1) * sizeof(int));
    for (i = 0; i < groups; i++) {
        int begin = graph->start[i], end = graph->start[i + 1];
        graph->start[i] = kept;
        for (k = begin; k < end; k++)
            if (last[graph->to[k]] != i) {
                last[graph->to[k]] = i;
                graph->to[kept++] = graph->to[k];
            }
    }
    graph->start[groups] = kept;
    free(position);
    free(last);
    return LDL_DONE;
failed:
    free(position);
    free(last);
    ldl_graph_free(graph);
    return LDL_NO_MEMORY;
}
