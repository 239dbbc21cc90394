/* Elimination of the candidates of one front, L D L^T with pivots of one or two rows.
 *
 * Among the candidates pivots are chosen as by Bunch & Kaufman (1977), which keeps the factors small where there is a
 * choice at all; towards the rows below, which are no candidates yet, a pivot need only pass a threshold (Duff & Reid
 * 1983). A candidate that fails waits, and is tried again after the next panel.
 *
 * A panel of columns is brought up to date one by one, the rest of the front once per panel by a product of matrices. */
#include "ldl.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define PANEL 16
/* A pivot smaller than this part of what the candidates beside it offer is not taken if there is a better one. */
#define MODEST 0.1
/* A determinant with more cancellation than this is not trusted. */
#define CANCELLED 1e-3

typedef struct {
    Front *front;
    double *panel;  /* stride x (PANEL + 1): columns of L D */
    double *second; /* another candidate's column */
    double *below;  /* L D of all pivots in the rows below, PADDED(below) x candidates */
    int candidates, rows, stride;
    int begin;      /* first pivot of the panel */
    int done;       /* pivots so far */
    int live;       /* candidates before this one have not failed in this panel */
    Pivoting *pivoting;
} Elimination;

size_t ldl_front_work(int stride, int candidates)
{
    return (size_t)stride * (PANEL + 2 + candidates);
}

/* The largest magnitude in a run. Magnitudes of doubles are ordered as their bits are, and integers make vectors. */
static double largest_of(const double *value, int count)
{
    int64_t most = 0, bits;
    double result;
    int i;

    for (i = 0; i < count; i++) {
        memcpy(&bits, value + i, sizeof bits);
        bits &= INT64_MAX;
        most = bits > most ? bits : most;
    }
    memcpy(&result, &most, sizeof result);
    return result;
}

static int place_of_magnitude(const double *value, int count, double magnitude)
{
    int i;

    for (i = 0; i < count; i++)
        if (fabs(value[i]) == magnitude)
            return i;
    return 0;
}

/* Writes the column of a candidate as it is after all pivots of the panel, rows from the next pivot on. */
static void bring_up_to_date(const Elimination *e, int candidate, double *restrict column)
{
    const double *front = e->front->columns;
    int stride = e->stride, k = e->done, rows = e->rows, r, j = e->begin;

    for (r = k; r < candidate; r++)
        column[r] = front[candidate + (size_t)r * stride];
    memcpy(column + candidate, front + candidate + (size_t)candidate * stride, (rows - candidate) * sizeof(double));
    for (; j + 4 <= k; j += 4) {
        const double *restrict l0 = front + (size_t)j * stride, *restrict l1 = l0 + stride;
        const double *restrict l2 = l1 + stride, *restrict l3 = l2 + stride;
        const double *w = e->panel + candidate + (size_t)(j - e->begin) * stride;
        double w0 = w[0], w1 = w[stride], w2 = w[2 * stride], w3 = w[3 * (size_t)stride];

        for (r = k; r < rows; r++)
            column[r] -= l0[r] * w0 + l1[r] * w1 + l2[r] * w2 + l3[r] * w3;
    }
    for (; j < k; j++) {
        const double *restrict l0 = front + (size_t)j * stride;
        double w0 = e->panel[candidate + (size_t)(j - e->begin) * stride];

        for (r = k; r < rows; r++)
            column[r] -= l0[r] * w0;
    }
}

static void exchange(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Exchanges two candidates p < q in everything that has been computed so far. */
static void exchange_candidates(Elimination *e, int p, int q)
{
    double *front = e->front->columns;
    size_t stride = e->stride;
    int i, kept;

    if (p == q)
        return;
    kept = e->front->rows[p];
    e->front->rows[p] = e->front->rows[q];
    e->front->rows[q] = kept;
    for (i = 0; i < e->done; i++)
        exchange(front + p + i * stride, front + q + i * stride);
    /* Columns before p that are no pivots yet; there are some when a candidate moves to the end. */
    for (i = e->done; i < p; i++)
        exchange(front + p + i * stride, front + q + i * stride);
    exchange(front + p + p * stride, front + q + q * stride);
    for (i = p + 1; i < q; i++)
        exchange(front + i + p * stride, front + q + i * stride);
    for (i = q + 1; i < e->rows; i++)
        exchange(front + i + p * stride, front + i + q * stride);
    for (i = 0; i <= e->done - e->begin; i++)
        exchange(e->panel + p + i * stride, e->panel + q + i * stride);
    exchange(e->second + p, e->second + q);
}

static void take_one(Elimination *e)
{
    int k = e->done, r;
    double *restrict l = e->front->columns + (size_t)k * e->stride;
    const double *restrict w = e->panel + (size_t)(k - e->begin) * e->stride;
    double inverse = 1 / w[k];

    for (r = k + 1; r < e->rows; r++)
        l[r] = w[r] * inverse;
    l[k] = 1;
    e->front->inverse[2 * k] = inverse;
    e->front->inverse[2 * k + 1] = 0;
    e->pivoting->negative += w[k] < 0;
    e->done++;
}

/* A column that is only rounding: it takes no part in the solution, and the matrix is reported as singular. */
static void take_zero(Elimination *e)
{
    int k = e->done;

    memset(e->front->columns + k + (size_t)k * e->stride, 0, (e->rows - k) * sizeof(double));
    memset(e->panel + k + (size_t)(k - e->begin) * e->stride, 0, (e->rows - k) * sizeof(double));
    e->front->columns[k + (size_t)k * e->stride] = 1;
    e->front->inverse[2 * k] = e->front->inverse[2 * k + 1] = 0;
    e->pivoting->zeros++;
    e->done++;
}

/* Takes the next two rows as one pivot; their columns lie in the panel. */
static void take_two(Elimination *e)
{
    int k = e->done, r;
    size_t stride = e->stride;
    double *restrict l1 = e->front->columns + k * stride, *restrict l2 = l1 + stride;
    const double *restrict w1 = e->panel + (k - e->begin) * stride, *restrict w2 = w1 + stride;
    double a = w1[k], b = w1[k + 1], d = w2[k + 1], determinant = a * d - b * b;
    double i11 = d / determinant, i12 = -b / determinant, i22 = a / determinant;

    for (r = k + 2; r < e->rows; r++) {
        l1[r] = w1[r] * i11 + w2[r] * i12;
        l2[r] = w1[r] * i12 + w2[r] * i22;
    }
    l1[k] = l2[k + 1] = 1;
    l1[k + 1] = 0;
    e->front->inverse[2 * k] = i11;
    e->front->inverse[2 * k + 1] = i12;
    e->front->inverse[2 * k + 2] = i22;
    e->front->inverse[2 * k + 3] = 0;
    e->pivoting->negative += determinant < 0 ? 1 : a < 0 ? 2 : 0;
    e->pivoting->two_by_two++;
    e->done += 2;
}

/* Magnitudes of a column: the largest among live candidates but those of the pivot, and among all others. */
static void extremes(const Elimination *e, const double *column, int other, double *near, double *far)
{
    int k = e->done;

    *near = largest_of(column + k + 1, other - k - 1);
    *near = fmax(*near, largest_of(column + other + 1, e->live - other - 1));
    *far = largest_of(column + e->live, e->rows - e->live);
}

/* Whether the next candidate and another make a pivot of two rows that is safe. */
static int safe_pair(const Elimination *e, const double *first, int other)
{
    double a = first[e->done], b = first[other], d = e->second[other];
    double determinant = a * d - b * b, near1, far1, near2, far2, most1, most2, limit;

    if (!(fabs(determinant) > CANCELLED * fmax(b * b, fabs(a * d))))
        return 0;
    extremes(e, first, other, &near1, &far1);
    extremes(e, e->second, other, &near2, &far2);
    most1 = fmax(near1, far1);
    most2 = fmax(near2, far2);
    limit = fabs(determinant);
    return e->pivoting->threshold * (fabs(d) * most1 + fabs(b) * most2) <= limit
           && e->pivoting->threshold * (fabs(b) * most1 + fabs(a) * most2) <= limit;
}

/* Tries the next candidate, alone or with another; returns whether a pivot was taken. */
static int try_next(Elimination *e)
{
    int k = e->done, other;
    double *first = e->panel + (size_t)(k - e->begin) * e->stride;
    double near, far, own, most, u = e->pivoting->threshold;

    bring_up_to_date(e, k, first);
    own = fabs(first[k]);
    near = largest_of(first + k + 1, e->live - k - 1);
    far = largest_of(first + e->live, e->rows - e->live);
    most = fmax(near, far);
    if (own <= e->pivoting->zero && most <= e->pivoting->zero) {
        take_zero(e);
        return 1;
    }
    if (own >= MODEST * near && own >= u * most) {
        take_one(e);
        return 1;
    }
    if (near > 0) {
        double own2, near2, far2;

        other = k + 1 + place_of_magnitude(first + k + 1, e->live - k - 1, near);
        bring_up_to_date(e, other, e->second);
        own2 = fabs(e->second[other]);
        extremes(e, e->second, other, &near2, &far2);
        near2 = fmax(near2, near);
        if (own2 >= MODEST * near2 && own2 >= u * fmax(near2, far2) && own2 > e->pivoting->zero) {
            exchange_candidates(e, k, other);
            memcpy(first + k, e->second + k, (e->rows - k) * sizeof(double));
            take_one(e);
            return 1;
        }
        if (safe_pair(e, first, other)) {
            exchange_candidates(e, k + 1, other);
            memcpy(first + e->stride + k, e->second + k, (e->rows - k) * sizeof(double));
            take_two(e);
            return 1;
        }
    }
    if (own > e->pivoting->zero && own >= u * most) {
        take_one(e);
        return 1;
    }
    return 0;
}

/* Applies the pivots of the panel to all candidates that are left, and keeps what the rows below need. */
static void finish_panel(Elimination *e)
{
    int depth = e->done - e->begin, left = e->candidates - e->done, below = e->rows - e->candidates, j;
    int top = e->done / LANES * LANES;
    double *front = e->front->columns;
    size_t stride = e->stride;

    if (depth == 0)
        return;
    if (left > 0)
        ldl_product(e->rows - top, left, e->done - top, depth, front + top + e->begin * stride, e->stride,
                    e->panel + e->done, e->stride, front + top + e->done * stride, e->stride, 0);
    for (j = 0; j < depth; j++)
        memcpy(e->below + (size_t)(e->begin + j) * PADDED(below), e->panel + e->candidates + j * stride,
               below * sizeof(double));
}

/* Eliminates what can be; a front without rows below leaves nothing. Work holds ldl_front_work numbers; its beginning
 * is L D in the rows below afterwards. */
void ldl_eliminate(Front *front, int candidates, double *work, Pivoting *pivoting)
{
    Elimination e = {0};
    double threshold = pivoting->threshold;

    e.front = front;
    e.candidates = candidates;
    e.rows = candidates + front->below;
    e.stride = front->stride;
    e.below = work;
    e.panel = work + (size_t)PADDED(front->below) * candidates;
    e.second = e.panel + (size_t)e.stride * (PANEL + 1);
    e.pivoting = pivoting;
    while (e.done < candidates) {
        e.begin = e.done;
        e.live = candidates;
        while (e.done < e.live && e.done - e.begin < PANEL)
            if (!try_next(&e))
                exchange_candidates(&e, e.done, --e.live);
        finish_panel(&e);
        if (e.done == e.begin) {
            if (front->below > 0)
                break;
            if (pivoting->threshold == 0) {
                /* Among finite numbers the largest entry of all belongs to a pivot, so there are others. */
                pivoting->not_finite = 1;
                break;
            }
            pivoting->threshold = pivoting->threshold > 1e-30 ? 1e-2 * pivoting->threshold : 0;
        }
    }
    pivoting->threshold = threshold;
    front->pivots = e.done;
    front->waiting = candidates - e.done;
}
