/* The unknowns of a stage when x = (q, v) and qdot = v.
 *
 * A stage of a diagonally implicit method asks for x = base + weight * xdot.  Its upper half is known in terms
 * of the accelerations, v = base_v + weight * vdot and q = base_q + weight * v, so Newton's method solves for
 * the accelerations alone: half the unknowns, an eighth of the work.  The Jacobian of what remains is
 *
 *     J = dr/dvdot + weight * dr/dv + weight^2 * dr/dq.
 *
 * Further unknowns (muscle states, multipliers) make another block like this one; newton.c stays. */
#include "march.h"

#include <math.h>

/* Relative size of a change of acceleration that counts as 1 where no step gives it a scale. */
static const double ACCELERATION_SCALE = 1e-6;

void march_second_order_place(march_second_order *stage, const double *acceleration)
{
    int m = stage->m;
    int i;

    for (i = 0; i < m; i++) {
        double speed = stage->base[m + i] + stage->weight * acceleration[i];
        stage->state[i] = stage->base[i] + stage->weight * speed;
        stage->state[m + i] = speed;
        stage->rate[i] = speed;
        stage->rate[m + i] = acceleration[i];
    }
}

static int evaluate(march_block *block, const double *unknown, double *residual, double *jacobian)
{
    march_second_order *stage = block->self;
    march_kernel *kernel = stage->kernel;
    double weight = stage->weight;
    int i, failed;

    march_second_order_place(stage, unknown);
    kernel->arg[0] = stage->state;
    kernel->arg[1] = stage->rate;
    kernel->arg[2] = stage->controls;
    kernel->arg[3] = stage->parameters;
    kernel->res[0] = residual;
    /* Without a new factorisation the old Jacobians stay: the error filter needs those of the factors. */
    kernel->res[1] = jacobian ? stage->by_position : NULL;
    kernel->res[2] = jacobian ? stage->by_speed : NULL;
    kernel->res[3] = jacobian ? stage->by_acceleration : NULL;
    stage->evaluations++;
    failed = kernel->function(kernel->arg, kernel->res, kernel->iw, kernel->w, 0);
    if (jacobian && !failed)
        for (i = 0; i < stage->m * stage->m; i++)
            jacobian[i] = stage->by_acceleration[i] + weight * (stage->by_speed[i] + weight * stage->by_position[i]);
    return failed;
}

static double size(march_block *block, const double *unknown, const double *increment, int *largest)
{
    march_second_order *stage = block->self;
    double weight = stage->weight;
    double worst = -1;
    int m = stage->m;
    int i;

    *largest = 0;
    for (i = 0; i < m; i++) {
        double change = fabs(increment[i]);
        if (weight > 0)
            change *= weight * fmax(1 / stage->scale[m + i], weight / stage->scale[i]);
        else
            change /= ACCELERATION_SCALE * (1 + fabs(unknown[i]));
        if (!(change <= worst)) {       /* written so that NaN wins */
            worst = change;
            *largest = i;
        }
    }
    return m ? worst : 0;
}

void march_second_order_block(march_second_order *stage, march_block *block)
{
    block->self = stage;
    block->n = stage->m;
    block->offset = stage->m;
    block->evaluate = evaluate;
    block->size = size;
}

/* Replaces an error e by (I - weight * df/dx)^-1 e, f being the explicit rate: the fast components of a stiff
 * system have died out in the solution, and so they must in its error (Hosea and Shampine 1996, section 4).
 * With the factors of J at hand this is one solve:
 *
 *     J e_v' = dr/dvdot e_v - weight * dr/dq e_q,    e_q' = e_q + weight * e_v'. */
void march_second_order_filter(const march_second_order *stage, const march_newton *newton, double *error,
                               double *scratch)
{
    int m = stage->m;
    int i, j;

    for (i = 0; i < m; i++)
        scratch[i] = 0;
    for (j = 0; j < m; j++) {
        const double *by_acceleration = stage->by_acceleration + (size_t)j * m;
        const double *by_position = stage->by_position + (size_t)j * m;
        double position = stage->weight * error[j];
        for (i = 0; i < m; i++)
            scratch[i] += by_acceleration[i] * error[m + j] - by_position[i] * position;
    }
    march_solve(newton->matrix, m, newton->pivots, scratch);
    for (i = 0; i < m; i++) {
        error[i] += stage->weight * scratch[i];
        error[m + i] = scratch[i];
    }
}
