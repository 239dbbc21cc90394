/* The rates of a body with muscles: those that the equations give outright, and those that only a short step shows. */
#include "body.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 80 };

/* Accelerations from what the balance of forces lacks without any, and its derivatives. */
static int find_accelerations(march_body *body, double *residual, double *rates)
{
    int m = body->speeds;
    int i = march_first_not_finite(residual, m);

    if (i >= 0) {
        body->offender = m + i;
        return MARCH_NOT_FINITE;
    }
    memcpy(body->matrix, body->by_acceleration, sizeof(double) * m * m);
    i = march_factorise(body->matrix, m, body->pivots);
    if (i) {
        body->offender = m + i - 1;
        return MARCH_NEWTON_FAILED;
    }
    march_solve(body->matrix, m, body->pivots, residual);
    for (i = 0; i < m; i++)
        rates[i] = -residual[i];
    return MARCH_GOOD;
}

/* The same outright, where the masses give them; returns 0 where they may not. */
static int take_accelerations(march_body *body, const double *x, march_input at, double *rates)
{
    march_kernel *kernel = body->solved;
    double *definite = body->scratch;
    int m = body->speeds, sure = 1;
    int i;

    if (!kernel)
        return 0;
    march_body_pull(body, body->here.gradient, VALUE(&body->here, TENSION), body->here.pull);
    kernel->arg[0] = x;
    kernel->arg[1] = body->here.pull;
    kernel->arg[2] = at.controls;
    kernel->arg[3] = at.parameters;
    kernel->res[0] = rates;
    kernel->res[1] = definite;
    if (kernel->function(kernel->arg, kernel->res, kernel->iw, kernel->w, 0))
        return 0;
    for (i = 0; i < body->coordinates; i++)
        sure &= definite[i] > 0;
    return sure && march_first_not_finite(rates, m) < 0;
}

/* Rates that the equations give outright: each muscle's by itself, then the accelerations.  Returns a failure code,
 * and leaves the offender in the body. */
static int find_rates(march_body *body, const double *x, march_input at, double *xdot)
{
    int m = body->speeds, failed = body->fibres;
    double *rates = xdot + m, *residual = body->scratch, *still = body->tension;
    int i;

    body->offender = -1;
    memcpy(xdot, x + m, sizeof(double) * m);
    if (march_body_start(body, x, at, rates))
        return MARCH_NOT_FINITE;
    march_body_ease(body, &body->here);
    if (body->muscles) /* without any there is no memory for them */
        memcpy(VALUE(&body->here, TENSION), EASED(EASED_TENSION), sizeof(double) * body->muscles);
    march_body_active_rates(body, rates);
    march_body_fibre_rates(body, still);
    for (i = 0; i < body->muscles; i++) {
        int fibre = body->fibre[i];

        if (fibre >= 0 && still[i] && march_body_fibre_rate(body, i, 0))
            failed = fibre < failed ? fibre : failed;
        else if (fibre >= 0)
            rates[m + fibre] = DRIVE(&body->here, FIBRE_RATE)[i];
    }
    if (failed < body->fibres) {
        body->offender = 2 * m + failed;
        return MARCH_NEWTON_FAILED;
    }
    if (take_accelerations(body, x, at, rates))
        return MARCH_GOOD;
    memset(rates, 0, sizeof(double) * m);
    if (march_body_skeleton(body, x, xdot, at, residual))
        return MARCH_NOT_FINITE;
    march_body_add_tensions(body, &body->here, residual);
    return find_accelerations(body, residual, rates);
}

/* A first guess of the rates of a short step: each muscle's by itself.  Without it Newton's method may leap from one
 * branch of the force-velocity curve to the other for ever. */
static int guess_rates(march_body *body, const double *x, march_input at, double *rates)
{
    march_point *here = &body->here;
    int m = body->speeds;
    int i;

    if (march_body_start(body, x, at, rates))
        return 1;
    march_body_ease(body, here);
    march_body_active_rates(body, rates);
    for (i = 0; i < body->muscles; i++) {
        DRIVE(here, LENGTH)[i] += MARCH_TINY_STEP * DRIVE(here, SPEED)[i];
        if (body->active[i] >= 0)
            DRIVE(here, ACTIVE)[i] += MARCH_TINY_STEP * rates[m + body->fibres + body->active[i]];
        if (body->fibre[i] >= 0 && !march_body_fibre_rate(body, i, MARCH_TINY_STEP))
            rates[m + body->fibre[i]] = DRIVE(here, FIBRE_RATE)[i];
    }
    return 0;
}

/* Rates where mass or activation vanish, so that no equation gives them: those of an implicit step that is too
 * short to be seen.  The equations then hold at its end. */
static int approach_rates(march_body *body, const double *x, march_input at, double *xdot)
{
    int m = body->speeds, k = m + body->fibres + body->actives, n = m + k;
    double *state = body->state, *residual = body->scratch, *change = body->change;
    double *rates = xdot + m;
    double previous = INFINITY;
    int i, iteration;

    if (guess_rates(body, x, at, rates))
        return 1;
    for (iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        double size = 0;

        for (i = 0; i < k; i++)
            state[m + i] = x[m + i] + MARCH_TINY_STEP * rates[i];
        for (i = 0; i < m; i++) {
            state[i] = x[i] + MARCH_TINY_STEP * state[m + i];
            xdot[i] = state[m + i];
        }
        if (march_body_evaluate(body, state, xdot, at, residual, 1) || march_body_factorise(body, 1 / MARCH_TINY_STEP))
            return 1;
        march_body_solve(body, NULL, residual, change);
        for (i = 0; i < k; i++) {
            double step = change[m + i] / MARCH_TINY_STEP;
            rates[i] -= step;
            size = fmax(size, fabs(step) / (1 + fabs(rates[i])));
        }
        if (!isfinite(size))
            return 1;
        if (size < 1e-10 || (iteration > 3 && size < 1e-6 && size > 0.5 * previous))
            return march_first_not_finite(xdot, n) >= 0;
        previous = size;
    }
    return 1;
}

/* Where only muscles lack a rate, the accelerations are those of the state itself, not of the end of that step. */
static void settle_accelerations(march_body *body, const double *x, march_input at, double *xdot)
{
    int m = body->speeds;
    double *residual = body->scratch, *still = body->state;

    memcpy(still, xdot, sizeof(double) * march_body_states(body));
    memcpy(still, x + m, sizeof(double) * m);
    memset(still + m, 0, sizeof(double) * m);
    if (march_body_evaluate(body, x, still, at, residual, 1) || find_accelerations(body, residual, still + m))
        return;
    memcpy(xdot, still, sizeof(double) * 2 * m);
}

int march_body_rates(march_body *body, const double *x, march_input at, double *xdot)
{
    int status;

    body->offender = -1;
    body->approached = 0;
    if (march_body_close(body, x, &at, 0))
        return MARCH_NOT_FINITE;
    status = find_rates(body, x, at, xdot);
    if (!status || approach_rates(body, x, at, xdot))
        return status;
    settle_accelerations(body, x, at, xdot);
    body->approached = 1;
    return MARCH_GOOD;
}

/* The same of a body whose free numbers may have changed. */
int march_body_rates_of(march_body *body, const double *x, const double *controls, const double *parameters,
                        double *xdot)
{
    march_input at = {controls, parameters};

    march_body_set(body, parameters);
    return march_body_rates(body, x, at, xdot);
}

/* The same as a function like those that CasADi generates: (x, u, p) to (rates, multipliers), x being coordinates,
 * speeds, fibres, activations and, if the body is set so, the work.  The body rides in the place of the integers. */
int march_body_derivative(const double **arg, double **res, int *iw, double *w, int mem)
{
    march_body *body = (march_body *)(void *)iw;
    int q = body->coordinates, m = body->speeds, rest = body->fibres + body->actives;
    march_input at = {arg[1], arg[2]};
    double *x = body->own_state, *xdot = body->rate;
    int i;

    (void)w;
    march_body_set(body, at.parameters);
    memset(x, 0, sizeof(double) * 2 * m);
    memcpy(x, arg[0], sizeof(double) * q);
    memcpy(x + m, arg[0] + q, sizeof(double) * q);
    if (rest)
        memcpy(x + 2 * m, arg[0] + 2 * q, sizeof(double) * rest);
    if (march_body_rates(body, x, at, xdot))
        for (i = 0; i < 2 * m + rest; i++)
            xdot[i] = NAN;
    if (res[0]) {
        memcpy(res[0], xdot, sizeof(double) * q);
        memcpy(res[0] + q, xdot + m, sizeof(double) * q);
        if (rest)
            memcpy(res[0] + 2 * q, xdot + 2 * m, sizeof(double) * rest);
        if (body->with_work)
            res[0][2 * q + rest] = xdot[2 * m - 1];
    }
    if (!body->with_work && res[1])
        memcpy(res[1], xdot + m + q, sizeof(double) * (m - q - 1));
    (void)mem;
    return 0;
}
