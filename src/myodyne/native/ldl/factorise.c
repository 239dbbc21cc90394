/* Scaling and factorisation of a matrix, front by front. */
#include "ldl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWEEPS 4
/* Rows whose largest entry is within this factor of one need no further sweep. */
#define NEAR 8
/* Runs of rows shorter than this are not worth a loop of their own. */
#define LONG_RUN 12
/* Work beyond this multiple of what was expected, and beyond this many operations, is a reason for another order. */
#define SURPRISE 1.25
#define SMALL_WORK 1e6
#define MOST_ANALYSES 4
/* Of a matrix whose rows have entries of about one: what is left of a column that depends on others. */
#define ZERO 1e-15

/* One sweep towards rows whose largest entry is one (Ruiz 2001); tells how far the farthest row was from it, as the
 * larger of the entry and its inverse. Rows without entries are left alone. */
static double sweep_scaling(Matrix *m, const double *value)
{
    double *restrict largest = m->scaled; /* free until the values are scaled; it has room for n numbers too */
    double *restrict scale = m->scale;
    double farthest = 1;
    int i, j, k;

    memset(largest, 0, m->n * sizeof(double));
    for (j = 0; j < m->n; j++) {
        double own = largest[j], factor = scale[j];
        for (k = m->column_start[j]; k < m->column_start[j + 1]; k++) {
            double size = fabs(value[k]) * factor * scale[m->row[k]], other = largest[m->row[k]];
            own = own >= size ? own : size; /* a NaN is taken */
            largest[m->row[k]] = other >= size ? other : size;
        }
        largest[j] = largest[j] >= own ? largest[j] : own;
    }
    for (i = 0; i < m->n; i++)
        if (largest[i] != 0) {
            double off = largest[i] > 1 ? largest[i] : 1 / largest[i];
            farthest = farthest >= off ? farthest : off;
            scale[i] /= sqrt(largest[i]);
        }
    return farthest;
}

/* Scales begin with those of the matrix before, which mostly needs one sweep only. */
static int find_scaling(Matrix *m, const double *value)
{
    int sweep, i;

    for (i = 0; i < m->n && !m->factorised; i++)
        m->scale[i] = 1;
    for (sweep = 0; sweep < SWEEPS; sweep++) {
        double farthest = sweep_scaling(m, value);
        if (!isfinite(farthest)) {
            m->factorised = 0;
            return LDL_NOT_FINITE;
        }
        if (farthest < NEAR)
            break;
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
    size_t top[2];
    int *local;     /* place of a row -> row in the front at hand */
    int *target;    /* of each row of a child: its row in the front */
    int *run_start; /* runs of rows of a child that are neighbours in the front too */
    int runs, current;
    Pivoting pivoting;
} Run;

/* Lays out the rows of a front: own columns, columns its children could not eliminate, rows below. */
static int lay_out(Run *run, int f, int *candidates)
{
    const Analysis *a = run->m->analysis;
    Front *front = run->m->front + f;
    int columns = a->first[f + 1] - a->first[f], waiting = 0, c, i, put;

    for (c = a->child[f]; c >= 0; c = a->sibling[c])
        waiting += run->m->front[c].waiting;
    *candidates = columns + waiting;
    front->below = (int)(a->start[f + 1] - a->start[f]);
    front->stride = STRIDE(*candidates, front->below);
    front->rows = ldl_pool_take(run->m->pool, (*candidates + front->below + 1) * sizeof(int));
    front->inverse = ldl_pool_take(run->m->pool, (2 * (size_t)*candidates + 2) * sizeof(double));
    front->columns = ldl_pool_take(run->m->pool, (size_t)front->stride * *candidates * sizeof(double));
    if (!front->rows || !front->inverse || !front->columns)
        return LDL_NO_MEMORY;
    memset(front->columns, 0, (size_t)front->stride * *candidates * sizeof(double));
    for (put = 0; put < columns; put++)
        front->rows[put] = a->first[f] + put;
    for (c = a->child[f]; c >= 0; c = a->sibling[c]) {
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
    const double *restrict scaled = run->m->scaled;
    double *restrict to = front->columns;

    if (shift == 0) {
        for (k = a->entry_start[f]; k < a->entry_start[f + 1]; k++)
            to[a->entry_at[k]] += scaled[a->entry_from[k]];
        return;
    }
    for (k = a->entry_start[f]; k < a->entry_start[f + 1]; k++) {
        size_t stride = STRIDE(columns, front->below), column = a->entry_at[k] / stride, row = a->entry_at[k] % stride;
        row += row < (size_t)columns ? 0 : shift;
        to[row + column * front->stride] += scaled[a->entry_from[k]];
    }
}

/* Adds the columns that a child could not eliminate. */
static void add_waiting(Run *run, const Front *front, const Front *child)
{
    int i, j, remaining = child->waiting + child->below;

    for (j = 0; j < child->waiting; j++) {
        const double *from = child->columns + child->pivots + (size_t)(child->pivots + j) * child->stride;
        int column = run->local[child->rows[child->pivots + j]];

        for (i = j; i < remaining; i++) {
            int row = run->local[child->rows[child->pivots + i]];
            int low = row < column ? row : column, high = row < column ? column : row;
            front->columns[high + (size_t)low * front->stride] += from[i];
        }
    }
}

/* Finds where a child's rows go, and the runs of rows that are neighbours in the front too. Returns how many of them are
 * candidates; those come first, for rows below are in the order of elimination. */
static int find_targets(Run *run, const Front *child, int candidates)
{
    const int *rows = child->rows + child->pivots + child->waiting;
    int i, split = 0;

    run->runs = 0;
    for (i = 0; i < child->below; i++) {
        run->target[i] = run->local[rows[i]];
        split += run->target[i] < candidates;
        if (i == 0 || run->target[i] != run->target[i - 1] + 1)
            run->run_start[run->runs++] = i;
    }
    run->run_start[run->runs] = child->below;
    return split;
}

/* Adds a column, rows from one on: run by run where runs are long enough for vectors, else number by number. */
static inline void add_column(const Run *run, int first, int rows, int by_runs, const double *restrict from,
                              double *restrict to)
{
    int i = first, r;

    if (!by_runs) {
        for (; i < rows; i++)
            to[run->target[i]] += from[i];
        return;
    }
    for (r = run->current; r < run->runs; r++) {
        int count = run->run_start[r + 1] - i, k;
        double *restrict target = to + run->target[i];

        for (k = 0; k < count; k++)
            target[k] += from[i + k];
        i += count;
    }
}

/* Adds columns of a child's rest that are candidates of the front, or, with a place for them, all others. */
static void add_rest(Run *run, const Front *front, int candidates, int number, double *rest)
{
    const Matrix *m = run->m;
    const Front *child = m->front + number;
    const double *block = m->stack[m->analysis->depth[number] % 2] + m->rest[number];
    int rest_stride = PADDED(front->below), block_stride = PADDED(child->below);
    int split = find_targets(run, child, candidates), end = rest ? child->below : split, j;
    int by_runs = child->below > LONG_RUN * run->runs;

    run->current = 0;
    for (j = rest ? split : 0; j < end; j++) {
        int column = run->target[j];
        double *to = rest ? rest + (size_t)(column - candidates) * rest_stride - candidates
                          : front->columns + (size_t)column * front->stride;

        while (run->run_start[run->current + 1] <= j)
            run->current++;
        add_column(run, j, child->below, by_runs, block + (size_t)j * block_stride, to);
    }
}

/* Assembles and eliminates one front, and leaves its rest on the stack. Children lie on top of the other stack, for
 * they were the last of their depth. */
static int process(Run *run, int f)
{
    Matrix *m = run->m;
    const Analysis *a = m->analysis;
    Front *front = m->front + f;
    int candidates, c, side = a->depth[f] % 2;
    size_t rest_stride;
    double *rest;

    if (lay_out(run, f, &candidates))
        return LDL_NO_MEMORY;
    rest_stride = PADDED(front->below);
    m->rest[f] = run->top[side];
    run->top[side] += rest_stride * front->below;
    if (grow(&m->stack[side], &m->stack_size[side], run->top[side] + LANES)
        || grow(&m->work, &m->work_size, ldl_front_work(front->stride, candidates)))
        return LDL_NO_MEMORY;
    add_entries(run, f, candidates);
    for (c = a->child[f]; c >= 0; c = a->sibling[c]) {
        add_waiting(run, front, m->front + c);
        add_rest(run, front, candidates, c, NULL);
    }
    ldl_eliminate(front, candidates, m->work, &run->pivoting);
    rest = m->stack[side] + m->rest[f];
    if (front->below > 0)
        ldl_product(front->below, front->below, 0, front->pivots, front->columns + candidates, front->stride, m->work,
                    (int)rest_stride, rest, (int)rest_stride, 1);
    for (c = a->child[f]; c >= 0; c = a->sibling[c]) {
        if (front->below > 0)
            add_rest(run, front, candidates, c, rest);
        run->top[1 - side] = m->rest[c];
    }
    m->delayed += front->waiting;
    m->operations += front->pivots * ((double)(candidates + front->below) * (candidates + front->below - front->pivots)
                                      + front->pivots * (double)front->pivots / 3);
    return LDL_DONE;
}

static int run_fronts(Matrix *m, double threshold)
{
    Run run = {0};
    int f, failed = LDL_DONE;

    run.m = m;
    run.local = m->place_of;
    run.target = m->place_of + (m->n + 1);
    run.run_start = m->place_of + 2 * (size_t)(m->n + 1);
    run.pivoting.threshold = threshold;
    run.pivoting.zero = ZERO;
    for (f = 0; f < m->analysis->fronts && !failed; f++) {
        failed = process(&run, f);
        if (run.pivoting.not_finite)
            failed = LDL_NOT_FINITE;
    }
    m->negative = run.pivoting.negative;
    m->two_by_two = run.pivoting.two_by_two;
    m->rank = m->n - run.pivoting.zeros;
    if (failed)
        return failed;
    return run.pivoting.zeros > 0 ? LDL_SINGULAR : LDL_DONE;
}

/* Finds an order for these values. The first matrix of an optimisation may differ from the others in which rows have a
 * diagonal, so there may be a second order. */
static int analyse_anew(Matrix *m, const double *value)
{
    ldl_analysis_free(m->analysis);
    free(m->front);
    free(m->rest);
    m->front = NULL;
    m->rest = NULL;
    m->analysis = ldl_analyse(m, value);
    m->analyses++;
    if (!m->analysis)
        return LDL_NO_MEMORY;
    m->front = calloc(m->analysis->fronts + 1, sizeof(Front));
    m->rest = malloc((m->analysis->fronts + 1) * sizeof(size_t));
    return m->front && m->rest ? LDL_DONE : LDL_NO_MEMORY;
}

/* Factorises the matrix with these values; LDL_SINGULAR leaves factors that solve what can be solved. */
int ldl_factorise(Matrix *m, const double *value, double threshold)
{
    int failed = find_scaling(m, value);

    m->negative = m->delayed = m->rank = 0;
    m->operations = 0;
    if (failed)
        return failed;
    if ((!m->analysis || (m->surprised && m->analyses < MOST_ANALYSES)) && analyse_anew(m, value))
        return LDL_NO_MEMORY;
    m->factorised = 0;
    scale_values(m, value);
    ldl_pool_reset(m->pool);
    failed = run_fronts(m, threshold);
    m->factorised = failed == LDL_DONE || failed == LDL_SINGULAR;
    m->surprised = m->operations > SURPRISE * m->analysis->operations + SMALL_WORK;
    return failed;
}
