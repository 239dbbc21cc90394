/* LU factors of small dense matrices, column-major, with partial pivoting.
 *
 * Systems here have one row per degree of freedom, a few tens at most: below the size where a blocked
 * library call would pay for itself. */
#include "march.h"

#include <math.h>

/* Overwrites the matrix by its factors; returns 0, or 1 + the column without a usable pivot. */
int march_factorise(double *matrix, int n, int *pivots)
{
    int i, j, k, pivot;

    for (k = 0; k < n; k++) {
        double *column = matrix + (size_t)k * n;
        double largest = fabs(column[k]);

        pivot = k;
        for (i = k + 1; i < n; i++)
            if (fabs(column[i]) > largest) {
                largest = fabs(column[i]);
                pivot = i;
            }
        pivots[k] = pivot;
        if (!(largest > 0) || !isfinite(largest))
            return k + 1;
        if (pivot != k)
            for (j = 0; j < n; j++) {
                double *other = matrix + (size_t)j * n;
                double kept = other[k];
                other[k] = other[pivot];
                other[pivot] = kept;
            }
        for (i = k + 1; i < n; i++)
            column[i] /= column[k];
        for (j = k + 1; j < n; j++) {
            double *other = matrix + (size_t)j * n;
            double factor = other[k];
            if (factor != 0)
                for (i = k + 1; i < n; i++)
                    other[i] -= column[i] * factor;
        }
    }
    return 0;
}

/* Overwrites the vector by the solution. */
void march_solve(const double *matrix, int n, const int *pivots, double *vector)
{
    int i, k;

    for (k = 0; k < n; k++) {
        double kept = vector[k];
        vector[k] = vector[pivots[k]];
        vector[pivots[k]] = kept;
    }
    for (k = 0; k < n; k++) {
        const double *column = matrix + (size_t)k * n;
        for (i = k + 1; i < n; i++)
            vector[i] -= column[i] * vector[k];
    }
    for (k = n - 1; k >= 0; k--) {
        const double *column = matrix + (size_t)k * n;
        vector[k] /= column[k];
        for (i = 0; i < k; i++)
            vector[i] -= column[i] * vector[k];
    }
}
