/* LU factors of small dense matrices as in ../dense.c, for several runs at once: each chooses its own pivots.
 *
 * A run without a usable pivot gets NaN there, and so NaN for a solution; the others are not disturbed. */
#include "../march.h"

#include <math.h>

static march_number size_of(march_number x)
{
    return march_choose(x < 0, -x, x);
}

/* Swaps two numbers in the runs that `where` marks. */
static void swap_where(march_truth where, march_number *one, march_number *other)
{
    march_number kept = *one;

    *one = march_choose(where, *other, kept);
    *other = march_choose(where, kept, *other);
}

/* Puts the largest entry of a column on the diagonal, in each run by itself. */
static void choose_pivots(march_number *matrix, int n, int k, march_truth *pivots)
{
    const march_number *column = matrix + (size_t)k * n;
    march_number largest = size_of(column[k]);
    march_truth pivot = (march_truth){0} + k;
    int i, j;

    for (i = k + 1; i < n; i++) {
        march_number size = size_of(column[i]);
        march_truth larger = (march_truth)(size > largest);
        largest = march_choose(larger, size, largest);
        pivot = (larger & i) | (~larger & pivot);
    }
    pivots[k] = pivot;
    if (!march_any(pivot != k))
        return;
    for (i = k + 1; i < n; i++) {
        march_truth here = pivot == i;
        if (march_any(here))
            for (j = 0; j < n; j++)
                swap_where(here, matrix + (size_t)j * n + k, matrix + (size_t)j * n + i);
    }
}

int march_factorise(march_number *matrix, int n, int *pivots)
{
    int i, j, k;

    for (k = 0; k < n; k++) {
        march_number *column = matrix + (size_t)k * n;

        choose_pivots(matrix, n, k, (march_truth *)(void *)pivots);
        /* Neither zero nor infinite; the inverse stays in its place. */
        column[k] = 1 / march_choose((column[k] * 0 != 0) | (column[k] == 0), march_all(NAN), column[k]);
        for (i = k + 1; i < n; i++)
            column[i] *= column[k];
        for (j = k + 1; j < n; j++) {
            march_number *other = matrix + (size_t)j * n;
            march_number factor = other[k];
            if (march_any(factor != 0))
                for (i = k + 1; i < n; i++)
                    other[i] -= column[i] * factor;
        }
    }
    return 0;
}

void march_solve(const march_number *matrix, int n, const int *pivots, march_number *vector)
{
    const march_truth *pivot = (const march_truth *)(const void *)pivots;
    int i, k;

    for (k = 0; k < n; k++)
        if (march_any(pivot[k] != k))
            for (i = k + 1; i < n; i++)
                swap_where(pivot[k] == i, vector + k, vector + i);
    for (k = 0; k < n; k++) {
        const march_number *column = matrix + (size_t)k * n;
        for (i = k + 1; i < n; i++)
            vector[i] -= column[i] * vector[k];
    }
    for (k = n - 1; k >= 0; k--) {
        const march_number *column = matrix + (size_t)k * n;
        vector[k] *= column[k];
        for (i = 0; i < k; i++)
            vector[i] -= column[i] * vector[k];
    }
}
