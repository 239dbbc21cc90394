/* Newton's method for the unknowns of one stage.
 *
 * It knows nothing of what the unknowns are: a block (march.h) gives their residual, Jacobian and sizes.  The
 * Jacobian is factorised once in a step and again only where convergence is slow. */
#include "march.h"

#include <math.h>

enum { MOST_ITERATIONS = 40, MOST_GROWING = 12 };
static const double SLOW = 0.1;         /* a worse contraction than this is worth new factors */
static const double STALLED = 0.5;      /* hardly contracting any more ... */
static const double STALLED_NEAR = 100; /* ... this close to the tolerance is rounding, and good enough */

int march_newton_solve(march_newton *newton, march_block *block, double *unknown)
{
    double previous = 0;
    int growing = 0;
    int i, k, largest;

    for (k = 0; k < MOST_ITERATIONS; k++) {
        int fresh = !newton->current;
        int failed = block->evaluate(block, unknown, newton->residual, fresh);
        double size, contraction;

        newton->iterations++;
        i = march_first_not_finite(newton->residual, block->n);
        if (failed < 0 || i >= 0) {
            newton->offender = i < 0 ? -1 : block->offset + i;
            return MARCH_NOT_FINITE;
        }
        if (failed) {
            newton->offender = block->offset + failed - 1;
            return MARCH_NEWTON_FAILED;
        }
        newton->current = 1;
        block->solve(block, newton->residual);
        for (i = 0; i < block->n; i++)
            unknown[i] -= newton->residual[i];
        size = block->size(block, unknown, newton->residual, &largest);
        newton->offender = block->offset + largest;
        if (!isfinite(size))
            return MARCH_NEWTON_FAILED;
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
