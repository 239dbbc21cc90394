/* The unknowns of a stage of a diagonally implicit method.
 *
 * A stage asks for x = base + weight * xdot.  The positions follow from the other rates, v = base_v + weight * vdot and
 * q = base_q + weight * v, so Newton's method solves for the rates of all but them.  The derivative of the residual by
 * those rates is weight (dF/dx + sigma dF/dxdot) with sigma = 1 / weight, which body.c can solve with. */
#include "march.h"

#include <math.h>

void march_stage_place(march_stage *stage, const double *unknown)
{
    int m = stage->m, k = stage->k;
    int i;

    for (i = 0; i < k; i++) {
        stage->state[m + i] = stage->base[m + i] + stage->weight * unknown[i];
        stage->rate[m + i] = unknown[i];
    }
    for (i = 0; i < m; i++) {
        stage->rate[i] = stage->state[m + i];
        stage->state[i] = stage->base[i] + stage->weight * stage->rate[i];
    }
}

static int evaluate(march_block *block, const double *unknown, double *residual, int fresh)
{
    march_stage *stage = block->self;

    march_stage_place(stage, unknown);
    stage->evaluations++;
    if (march_body_evaluate(stage->body, stage->state, stage->rate, stage->at, residual, fresh))
        return -1;
    return fresh ? march_body_factorise(stage->body, 1 / stage->weight) : 0;
}

static void solve(march_block *block, double *residual)
{
    march_stage *stage = block->self;
    int i;

    march_body_solve(stage->body, NULL, residual, stage->change);
    for (i = 0; i < stage->k; i++)
        residual[i] = stage->change[stage->m + i] / stage->weight;
}

static double size(march_block *block, const double *unknown, const double *increment, int *largest)
{
    march_stage *stage = block->self;
    double weight = stage->weight, worst = -1;
    int m = stage->m;
    int i;

    (void)unknown;
    *largest = 0;
    for (i = 0; i < stage->k; i++) {
        double change = fabs(increment[i]) * weight / stage->scale[m + i];
        if (i < m)
            change = fmax(change, fabs(increment[i]) * weight * weight / stage->scale[i]);
        if (!(change <= worst)) {       /* written so that NaN wins */
            worst = change;
            *largest = i;
        }
    }
    return stage->k ? worst : 0;
}

void march_stage_block(march_stage *stage, march_block *block)
{
    block->self = stage;
    block->n = stage->k;
    block->offset = stage->m;
    block->evaluate = evaluate;
    block->solve = solve;
    block->size = size;
}

/* Replaces an error e by (I - weight * df/dx)^-1 e, f being the explicit rate: the fast components of a stiff
 * system have died out in the solution, and so they must in its error (Hosea and Shampine 1996, section 4).
 * With the factors at hand this is one solve: (dF/dx + sigma dF/dxdot) e' = sigma dF/dxdot e. */
void march_stage_filter(march_stage *stage, double *error, double *scratch)
{
    int m = stage->m, n = stage->m + stage->k;
    double sigma = 1 / stage->weight;
    int i;

    march_body_inertia(stage->body, error + m, scratch + m);
    for (i = 0; i < m; i++)
        scratch[i] = error[i];
    for (i = 0; i < n; i++)
        scratch[i] *= sigma;
    march_body_solve(stage->body, scratch, scratch + m, error);
}
