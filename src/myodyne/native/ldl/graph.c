/* The graph of a matrix: which rows are linked by an entry, and how strongly. */
#include "ldl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A diagonal below this part of the largest entry of its row is taken for none. */
#define WEAK 1e-8

void ldl_graph_free(Graph *graph)
{
    free(graph->start);
    free(graph->to);
    free(graph->size);
    free(graph->largest);
    free(graph->weak);
    memset(graph, 0, sizeof *graph);
}

/* Puts every entry beside the diagonal into the lists of both its rows. */
static void write_links(const Matrix *m, const double *value, int *position, Graph *graph)
{
    int j, k;

    for (j = 0; j < m->n; j++)
        for (k = m->column_start[j]; k < m->column_start[j + 1]; k++) {
            int i = m->row[k];
            double size = fabs(value[k]) * m->scale[i] * m->scale[j];
            if (i == j)
                continue;
            graph->to[position[i]] = j;
            graph->size[position[i]++] = size;
            graph->to[position[j]] = i;
            graph->size[position[j]++] = size;
        }
}

/* Joins entries that were given several times. */
static void join_repeated(Graph *graph, int *last)
{
    int i, k, kept = 0;

    memset(last, -1, (graph->vertices + 1) * sizeof(int));
    for (i = 0; i < graph->vertices; i++) {
        int begin = graph->start[i], end = graph->start[i + 1], first = kept;

        graph->start[i] = kept;
        for (k = begin; k < end; k++) {
            int j = graph->to[k];
            if (last[j] >= first) {
                graph->size[last[j]] += graph->size[k];
            } else {
                last[j] = kept;
                graph->to[kept] = j;
                graph->size[kept++] = graph->size[k];
            }
        }
        for (k = first; k < kept; k++)
            graph->largest[i] = fmax(graph->largest[i], graph->size[k]);
    }
    graph->start[graph->vertices] = kept;
}

/* Fills the graph of a matrix with these values; scales must be known. */
int ldl_graph(const Matrix *m, const double *value, Graph *graph)
{
    int n = m->n, j, k;
    int *position = malloc((n + 1) * sizeof(int));
    double *diagonal = calloc(n + 1, sizeof(double));
    size_t ends = 2 * (size_t)m->column_start[n] + 1;

    memset(graph, 0, sizeof *graph);
    graph->vertices = n;
    graph->start = calloc(n + 1, sizeof(int));
    graph->to = malloc(ends * sizeof(int));
    graph->size = malloc(ends * sizeof(double));
    graph->largest = calloc(n + 1, sizeof(double));
    graph->weak = calloc(n + 1, 1);
    if (!position || !diagonal || !graph->start || !graph->to || !graph->size || !graph->largest || !graph->weak) {
        free(position);
        free(diagonal);
        ldl_graph_free(graph);
        return LDL_NO_MEMORY;
    }
    for (j = 0; j < n; j++)
        for (k = m->column_start[j]; k < m->column_start[j + 1]; k++) {
            if (m->row[k] == j) {
                diagonal[j] += value[k] * m->scale[j] * m->scale[j];
                continue;
            }
            graph->start[j + 1]++;
            graph->start[m->row[k] + 1]++;
        }
    for (j = 0; j < n; j++)
        graph->start[j + 1] += graph->start[j];
    memcpy(position, graph->start, (n + 1) * sizeof(int));
    write_links(m, value, position, graph);
    join_repeated(graph, position);
    for (j = 0; j < n; j++)
        graph->weak[j] = fabs(diagonal[j]) <= WEAK * graph->largest[j];
    free(position);
    free(diagonal);
    return LDL_DONE;
}
