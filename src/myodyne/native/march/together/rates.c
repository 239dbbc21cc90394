/* The rates of a body with muscles for several runs at once: those that the equations give outright.
 *
 * A run whose rates no equation gives has NaN for rates; it is computed alone, where ../rates.c approaches them. */
#include "../body.h"

#include <math.h>
#include <string.h>

/* The rates of fibres; NaN where there are none. */
static void take_fibre_rates(march_body *body, march_number *rates)
{
    double *still = (double *)body->tension, *found = (double *)DRIVE(&body->here, FIBRE_RATE);
    int i;

    march_body_fibre_rates(body, still);
    for (i = 0; i < body->muscles * MARCH_WIDTH; i++)
        if (body->fibre[i / MARCH_WIDTH] >= 0 && still[i] && march_body_fibre_rate(body, i, 0))
            found[i] = NAN;
    march_body_scatter(body, body->fibre, DRIVE(&body->here, FIBRE_RATE), rates + body->speeds);
}

/* Accelerations by factors of the masses. */
static int solve_accelerations(march_body *body, const march_number *x, march_number *xdot, march_input at)
{
    int m = body->speeds, i;
    march_number *residual = body->scratch, *rates = xdot + m;

    memset(rates, 0, sizeof *rates * m);
    if (march_body_skeleton(body, x, xdot, at, residual))
        return 1;
    march_body_add_tensions(body, &body->here, residual);
    memcpy(body->matrix, body->by_acceleration, sizeof *rates * m * m);
    march_factorise(body->matrix, m, body->pivots);
    march_solve(body->matrix, m, body->pivots, residual);
    for (i = 0; i < m; i++)
        rates[i] = -residual[i];
    return 0;
}

/* Accelerations outright, and by factors for the runs whose masses may not give them. */
static int take_accelerations(march_body *body, const march_number *x, march_number *xdot, march_input at)
{
    march_kernel *kernel = body->solved;
    int m = body->speeds, i;
    march_number *rates = xdot + m, *definite = body->scratch, *outright = body->state;
    march_truth sure = (march_truth){0} - 1;

    if (!kernel)
        return solve_accelerations(body, x, xdot, at);
    march_body_pull(body, body->here.gradient, VALUE(&body->here, TENSION), body->here.pull);
    kernel->arg[0] = x;
    kernel->arg[1] = body->here.pull;
    kernel->arg[2] = at.controls;
    kernel->arg[3] = at.parameters;
    kernel->res[0] = rates;
    kernel->res[1] = definite;
    if (kernel->function(kernel->arg, kernel->res, kernel->iw, kernel->w, 0))
        return 1;
    for (i = 0; i < body->coordinates; i++)
        sure &= (march_truth)(definite[i] > 0);
    if (!march_any(~sure))
        return 0;
    memcpy(outright, rates, sizeof *rates * m);
    if (solve_accelerations(body, x, xdot, at))
        return 1;
    for (i = 0; i < m; i++)
        rates[i] = march_choose(sure, outright[i], rates[i]);
    return 0;
}

static int find_rates(march_body *body, const march_number *x, march_input at, march_number *xdot)
{
    int m = body->speeds;
    march_number *rates = xdot + m;

    memcpy(xdot, x + m, sizeof *xdot * m);
    if (march_body_start(body, x, at, rates))
        return 1;
    march_body_ease(body, &body->here);
    memcpy(VALUE(&body->here, TENSION), EASED(EASED_TENSION), sizeof *rates * body->muscles);
    march_body_active_rates(body, rates);
    take_fibre_rates(body, rates);
    return take_accelerations(body, x, xdot, at);
}

/* As in ../rates.c. */
int march_body_derivative(const march_number **arg, march_number **res, int *iw, double *w, int mem)
{
    march_body *body = (march_body *)(void *)iw;
    int q = body->coordinates, m = body->speeds, rest = body->fibres + body->actives;
    march_input at = {arg[1], arg[2]};
    march_number *x = body->own_state, *xdot = body->rate;
    size_t size = sizeof *x;

    (void)w;
    (void)mem;
    march_body_set(body, at.parameters);
    memset(x, 0, size * 2 * m);
    memcpy(x, arg[0], size * q);
    memcpy(x + m, arg[0] + q, size * q);
    memcpy(x + 2 * m, arg[0] + 2 * q, size * rest);
    if (find_rates(body, x, at, xdot))
        return 1;
    if (res[0]) {
        memcpy(res[0], xdot, size * q);
        memcpy(res[0] + q, xdot + m, size * q);
        memcpy(res[0] + 2 * q, xdot + 2 * m, size * rest);
        if (body->with_work)
            res[0][2 * q + rest] = xdot[2 * m - 1];
    }
    if (!body->with_work && res[1])
        memcpy(res[1], xdot + m + q, size * (m - q - 1));
    return 0;
}
