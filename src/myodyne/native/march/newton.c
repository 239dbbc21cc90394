/* Newton's method for the unknowns of one stage.
 *
 * It knows nothing of what the unknowns are: a block (march.h) gives their residual, Jacobian and sizes.  The
 * Jacobian is factorised once in a step and again only where convergence is slow. */
#include "march.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 40, MOST_GROWING = 12 };
static const double SLOW = 0.1;         /* a worse contraction than this is worth new factors */
static const double STALLED = 0.5;      /* hardly contracting any more ... */
static const double STALLED_NEAR = 100; /* ... this close to the tolerance is rounding, and good enough */
static const double LEAST_SHARE = 1.0 / (1 << 20); /* a smaller share of a change leads nowhere */

/* Leaves in newton->residual the change that the factors ask for, and its size. */
static int change(march_newton *newton, march_block *block, const double *unknown, int fresh, double *size)
{
    int failed = block->evaluate(block, unknown, newton->residual, fresh);
    int i = march_first_not_finite(newton->residual, block->n);

    newton->iterations++;
    if (failed < 0 || i >= 0) {
        newton->offender = i < 0 ? -1 : block->offset + i;
        return MARCH_NOT_FINITE;
    }
    if (failed) {
        newton->offender = block->offset + failed - 1;
        return MARCH_NEWTON_FAILED;
    }
    block->solve(block, newton->residual);
    *size = block->size(block, unknown, newton->residual, &i);
    newton->offender = block->offset + i;
    return isfinite(*size) ? MARCH_GOOD : MARCH_NEWTON_FAILED;
}

int march_newton_solve(march_newton *newton, march_block *block, double *unknown)
{
    double previous = 0;
    int growing = 0;
    int i, k;

    for (k = 0; k < MOST_ITERATIONS; k++) {
        int fresh = !newton->current;
        double size, contraction;
        int status = change(newton, block, unknown, fresh, &size);

        if (status)
            return status;
        newton->current = 1;
        for (i = 0; i < block->n; i++)
            unknown[i] -= newton->residual[i];
        if (k == 0) {
            if (size <= newton->tolerance)
                return MARCH_GOOD;
        } else {
            contraction = size / previous;
            /* The changes still to come form at most a geometric series. */
            if (contraction < 1 && size * contraction / (1 - contraction) <= newton->tolerance)
                return MARCH_GOOD;
            if (contraction > STALLED && size <= STALLED_NEAR * newton->tolerance)
                return MARCH_GOOD;
            newton->current = contraction <= SLOW;
            if (contraction >= 1 && fresh) {
                if (++growing == MOST_GROWING)
                    return MARCH_NEWTON_FAILED;
                /* Across a kink it jumps to and fro: half of the change leads to it. */
                for (i = 0; i < block->n; i++)
                    unknown[i] += 0.5 * newton->residual[i];
            }
        }
        previous = size;
    }
    return MARCH_NEWTON_FAILED;
}

/* The same for guesses from which whole changes lead astray: takes the share of a change after which the next one,
 * by the same factors, is smaller (the natural monotonicity test of Deuflhard 1974). */
int march_newton_carefully(march_newton *newton, march_block *block, double *unknown)
{
    double share = 1, size, smaller;
    int n = block->n;
    int i, k, status;

    for (k = 0; k < MOST_ITERATIONS; k++) {
        status = change(newton, block, unknown, 1, &size);
        if (status)
            return status;
        memcpy(newton->change, newton->residual, sizeof(double) * n);
        if (size <= newton->tolerance) {
            for (i = 0; i < n; i++)
                unknown[i] -= newton->change[i];
            return MARCH_GOOD;
        }
        for (share = fmin(2 * share, 1);; share /= 2) {
            if (share < LEAST_SHARE)
                return status ? status : MARCH_NEWTON_FAILED;
            for (i = 0; i < n; i++)
                newton->trial[i] = unknown[i] - share * newton->change[i];
            status = change(newton, block, newton->trial, 0, &smaller);
            if (!status && smaller <= (1 - share / 4) * size)
                break;
            if (!status && share == 1 && smaller <= STALLED_NEAR * newton->tolerance) {
                memcpy(unknown, newton->trial, sizeof(double) * n);
                return MARCH_GOOD;
            }
        }
        memcpy(unknown, newton->trial, sizeof(double) * n);
        if (share == 1 && smaller <= newton->tolerance) {
            for (i = 0; i < n; i++)
                unknown[i] -= newton->residual[i];
            return MARCH_GOOD;
        }
    }
    return MARCH_NEWTON_FAILED;
}
