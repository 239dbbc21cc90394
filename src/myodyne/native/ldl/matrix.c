/* A matrix with its pattern, made and freed. These are the functions that tests call, too. */
#include "ldl.h"

#include <stdlib.h>
#include <string.h>

void ldl_matrix_free(Matrix *m)
{
    if (!m)
        return;
    free(m->column_start);
    free(m->row);
    ldl_analysis_free(m->analysis);
    free(m->scale);
    free(m->scaled);
    free(m->front);
    ldl_pool_free(m->pool);
    free(m->stack[0]);
    free(m->stack[1]);
    free(m->rest);
    free(m->work);
    free(m->place_of);
    free(m);
}

/* Returns a matrix of that pattern, or NULL: entries of column j lie in column_start[j] ... column_start[j + 1] - 1, each
 * in one triangle only; numbers begin at `base`. */
Matrix *ldl_matrix(int n, const int *column_start, const int *row, int base)
{
    Matrix *m = calloc(1, sizeof *m);
    int entries = column_start[n] - base, i;
    size_t room = (entries > n ? entries : n) + 1;

    if (!m)
        return NULL;
    m->n = n;
    m->entries = entries;
    m->column_start = malloc((n + 1) * sizeof(int));
    m->row = malloc((entries + 1) * sizeof(int));
    m->scale = malloc((n + 1) * sizeof(double));
    m->scaled = malloc(room * sizeof(double));
    m->place_of = malloc(3 * ((size_t)n + 1) * sizeof(int));
    m->pool = ldl_pool();
    if (!m->column_start || !m->row || !m->scale || !m->scaled || !m->place_of || !m->pool) {
        ldl_matrix_free(m);
        return NULL;
    }
    for (i = 0; i <= n; i++)
        m->column_start[i] = column_start[i] - base;
    for (i = 0; i < entries; i++)
        m->row[i] = row[i] - base;
    return m;
}

/* What is known after a factorisation, for callers that do not know the structure. */
void ldl_facts(const Matrix *m, int *counts, double *sizes)
{
    counts[0] = m->negative;
    counts[1] = m->rank;
    counts[2] = m->delayed;
    counts[3] = m->two_by_two;
    counts[4] = m->analysis ? m->analysis->fronts : 0;
    counts[5] = m->analysis ? m->analysis->largest_front : 0;
    counts[6] = m->analyses;
    sizes[0] = m->operations;
    sizes[1] = m->analysis ? m->analysis->operations : 0;
    sizes[2] = m->analysis ? m->analysis->factor_entries : 0;
}
