/* Scaling and factorisation of a matrix, front by front. */
#include "ldl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWEEPS 3
/* Of a matrix whose rows have entries of about one: what is left of a column that depends on others. */
#define ZERO 1e-15

/* Brings the largest entry of every row near one (Ruiz 2001). Rows without entries are left alone. */
static int find_scaling(Matrix *m, const double *value)
{
    double *largest = m->scaled; /* free until the values are scaled; it has room for n numbers too */
    int sweep, i, j, k;

    for (i = 0; i < m->n; i++)
        m->scale[i] = 1;
    for (sweep = 0; sweep < SWEEPS; sweep++) {
        memset(largest, 0, m->n * sizeof(double));
        for (j = 0; j < m->n; j++) {
            double own = largest[j], factor = m->scale[j];
            for (k = m->column_start[j]; k < m->column_start[j + 1]; k++) {
                double size = fabs(value[k]) * factor * m->scale[m->row[k]];
                own = size > own ? size : own;
                if (size > largest[m->row[k]])
                    largest[m->row[k]] = size;
                if (!(size <= 1e300))
                    return LDL_NOT_FINITE;
            }
            largest[j] = own > largest[j] ? own : largest[j];
        }
        for (i = 0; i < m->n; i++)
            if (largest[i] > 0)
                m->scale[i] /= sqrt(largest[i]);
    }
    return LDL_DONE;
}

static void scale_values(Matrix *m, const double *value)
{
    int j, k;

    for (j = 0; j < m->n; j++)
        for (k = m->column_start[j]; k < m->column_start[j + 1]; k++)
            m->scaled[k] = value[k] * m->scale[j] * m->scale[m->row[k]];
}

static int grow(double **array, size_t *size, size_t need)
{
    double *larger;

    if (need <= *size)
        return LDL_DONE;
    need += need / 2;
    larger = realloc(*array, need * sizeof(double));
    if (!larger)
        return LDL_NO_MEMORY;
    *array = larger;
    *size = need;
    return LDL_DONE;
}

typedef struct {
    Matrix *m;
    const int *child, *sibling;
    size_t *block;  /* where in the stack a front's rest begins */
    size_t top;
    int *local;     /* place of a row -> row in the front at hand */
    Pivoting pivoting;
} Run;

/* Lays out the rows of a front: own columns, columns its children could not eliminate, rows below. */
static int lay_out(Run *run, int f, int *candidates)
{
    const Analysis *a = run->m->analysis;
    Front *front = run->m->front + f;
    int columns = a->first[f + 1] - a->first[f], waiting = 0, c, i, put;

    for (c = run->child[f]; c >= 0; c = run->sibling[c])
        waiting += run->m->front[c].waiting;
    *candidates = columns + waiting;
    front->below = (int)(a->start[f + 1] - a->start[f]);
    front->stride = PADDED(*candidates + PADDED(front->below));
    front->rows = ldl_pool_take(run->m->pool, (*candidates + front->below + 1) * sizeof(int));
    front->inverse = ldl_pool_take(run->m->pool, (2 * (size_t)*candidates + 2) * sizeof(double));
    front->columns = ldl_pool_take(run->m->pool, (size_t)front->stride * *candidates * sizeof(double));
    if (!front->rows || !front->inverse || !front->columns)
        return LDL_NO_MEMORY;
    memset(front->columns, 0, (size_t)front->stride * *candidates * sizeof(double));
    for (put = 0; put < columns; put++)
        front->rows[put] = a->first[f] + put;
    for (c = run->child[f]; c >= 0; c = run->sibling[c]) {
        const Front *child = run->m->front + c;
        for (i = 0; i < child->waiting; i++)
            front->rows[put++] = child->rows[child->pivots + i];
    }
    memcpy(front->rows + put, a->rows + a->start[f], front->below * sizeof(int));
    for (i = 0; i < put + front->below; i++)
        run->local[front->rows[i]] = i;
    return LDL_DONE;
}

static void add_entries(Run *run, int f, int candidates)
{
    const Analysis *a = run->m->analysis;
    const Front *front = run->m->front + f;
    int columns = a->first[f + 1] - a->first[f], shift = candidates - columns, k;

    for (k = a->entry_start[f]; k < a->entry_start[f + 1]; k++) {
        int row = a->entry_row[k] < columns ? a->entry_row[k] : a->entry_row[k] + shift;
        front->columns[row + (size_t)a->entry_column[k] * front->stride] += run->m->scaled[a->entry_from[k]];
    }
}

/* Adds what a child left over: columns that wait, then the rows below. */
static void add_child(Run *run, int f, int c, int candidates, double *rest)
{
    const Front *front = run->m->front + f, *child = run->m->front + c;
    int i, j, rest_stride = PADDED(front->below), block_stride = PADDED(child->below);
    int remaining = child->waiting + child->below;
    const int *rows = child->rows + child->pivots + child->waiting;
    const double *block = run->m->stack + run->block[c];
    int local[child->below + 1];

    for (j = 0; j < child->waiting; j++) {
        const double *from = child->columns + child->pivots + (size_t)(child->pivots + j) * child->stride;
        int column = run->local[child->rows[child->pivots + j]];

        for (i = j; i < remaining; i++) {
            int row = run->local[child->rows[child->pivots + i]];
            int low = row < column ? row : column, high = row < column ? column : row;
            front->columns[high + (size_t)low * front->stride] += from[i];
        }
    }
    for (i = 0; i < child->below; i++)
        local[i] = run->local[rows[i]];
    for (j = 0; j < child->below; j++) {
        const double *restrict from = block + (size_t)j * block_stride;
        int column = local[j];
        double *restrict to = column < candidates ? front->columns + (size_t)column * front->stride
                                                  : rest + (size_t)(column - candidates) * rest_stride - candidates;

        for (i = j; i < child->below; i++)
            to[local[i]] += from[i];
    }
}

/* Assembles and eliminates one front, and leaves its rest on the stack in place of those of its children. */
static int process(Run *run, int f)
{
    Matrix *m = run->m;
    Front *front = m->front + f;
    int candidates, c;
    size_t begin = run->top, size, rest_stride;
    double *rest;

    if (lay_out(run, f, &candidates))
        return LDL_NO_MEMORY;
    rest_stride = PADDED(front->below);
    size = rest_stride * front->below;
    if (grow(&m->stack, &m->stack_size, run->top + size + LANES)
        || grow(&m->work, &m->work_size, ldl_front_work(front->stride, candidates)))
        return LDL_NO_MEMORY;
    rest = m->stack + run->top;
    memset(rest, 0, size * sizeof(double));
    add_entries(run, f, candidates);
    for (c = run->child[f]; c >= 0; c = run->sibling[c]) {
        add_child(run, f, c, candidates, rest);
        begin = run->block[c] < begin ? run->block[c] : begin;
    }
    ldl_eliminate(front, candidates, m->work, &run->pivoting);
    if (front->below > 0)
        ldl_product(front->below, front->below, 0, front->pivots, front->columns + candidates, front->stride, m->work,
                    (int)rest_stride, rest, (int)rest_stride);
    memmove(m->stack + begin, rest, size * sizeof(double));
    run->block[f] = begin;
    run->top = begin + size;
    m->delayed += front->waiting;
    m->operations += front->pivots * ((double)(candidates + front->below) * (candidates + front->below - front->pivots)
                                      + front->pivots * (double)front->pivots / 3);
    return LDL_DONE;
}

static int run_fronts(Matrix *m, double threshold)
{
    const Analysis *a = m->analysis;
    Run run = {0};
    int f, failed = LDL_DONE;
    int *child = malloc(2 * (size_t)(a->fronts + 1) * sizeof(int)), *sibling = child + a->fronts;

    run.m = m;
    run.block = malloc((a->fronts + 1) * sizeof(size_t));
    run.local = m->place_of;
    run.child = child;
    run.sibling = sibling;
    run.pivoting.threshold = threshold;
    run.pivoting.zero = ZERO;
    if (!child || !run.block) {
        free(child);
        free(run.block);
        return LDL_NO_MEMORY;
    }
    memset(child, -1, (a->fronts + 1) * sizeof(int));
    for (f = 0; f < a->fronts && !failed; f++) {
        failed = process(&run, f);
        if (a->parent[f] >= 0) {
            sibling[f] = child[a->parent[f]];
            child[a->parent[f]] = f;
        }
        if (run.pivoting.not_finite)
            failed = LDL_NOT_FINITE;
    }
    m->negative = run.pivoting.negative;
    m->two_by_two = run.pivoting.two_by_two;
    m->rank = m->n - run.pivoting.zeros;
    free(child);
    free(run.block);
    if (failed)
        return failed;
    return run.pivoting.zeros > 0 ? LDL_SINGULAR : LDL_DONE;
}

/* Factorises the matrix with these values; LDL_SINGULAR leaves factors that solve what can be solved. */
int ldl_factorise(Matrix *m, const double *value, double threshold)
{
    int failed = find_scaling(m, value);

    m->factorised = m->negative = m->delayed = m->rank = 0;
    m->operations = 0;
    if (failed)
        return failed;
    if (!m->analysis) {
        m->analysis = ldl_analyse(m->n, m->column_start, m->row, value, m->scale);
        m->front = m->analysis ? calloc(m->analysis->fronts + 1, sizeof(Front)) : NULL;
        m->analyses++;
        if (!m->front)
            return LDL_NO_MEMORY;
    }
    scale_values(m, value);
    ldl_pool_reset(m->pool);
    failed = run_fronts(m, threshold);
    m->factorised = failed == LDL_DONE || failed == LDL_SINGULAR;
    return failed;
}
