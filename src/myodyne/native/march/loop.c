/* A control law around a body: some controls follow from its states, u = k(x, t).
 *
 * The derivative of the residual then is dF/dx + dF/du dk/dx.  The second part has as many columns as the law gives
 * controls, and would fill the blocks of the muscles, which are eliminated one by one.  So systems are solved without
 * it first, and the solution is amended (Sherman, Morrison and Woodbury): with A = dF/dx + sigma dF/dxdot, B = dF/du and
 * K = dk/dx,
 *
 *     (A + B K)^-1 r = c - W (1 + K W)^-1 K c,    c = A^-1 r,  W = A^-1 B. */
#include "body.h"

#include <string.h>

/* Puts what the law gives in the place of controls; with derivatives also K and dk/dt. */
int march_body_close(march_body *body, const march_number *x, march_input *at, int with_derivatives)
{
    march_kernel *loop = body->loop;
    int m = body->speeds, j;

    if (!loop)
        return 0;
    if (at->controls != body->closed)
        memcpy(body->closed, at->controls, sizeof(march_number) * body->controls);
    loop->arg[0] = x;
    loop->arg[1] = x + m;
    loop->arg[2] = x + 2 * m;
    loop->arg[3] = x + 2 * m + body->fibres;
    loop->arg[4] = body->closed;
    loop->arg[5] = at->parameters;
    loop->res[0] = body->law;
    loop->res[1] = with_derivatives ? body->law_by_state : NULL;
    loop->res[2] = with_derivatives ? body->law_by_time : NULL;
    if (loop->function(loop->arg, loop->res, loop->iw, loop->w, 0))
        return 1;
    for (j = 0; j < body->fed; j++)
        body->closed[body->fed_control[j]] = body->law[j];
    at->controls = body->closed;
    return 0;
}

/* A change of the controls with time alone: those that the law gives change as it says. */
void march_body_follow(const march_body *body, const march_number *change, march_number *followed)
{
    int j;

    memcpy(followed, change, sizeof(march_number) * body->controls);
    for (j = 0; j < body->fed; j++) {
        march_number turning = body->clock < 0 ? march_all(0) : change[body->clock];
        followed[body->fed_control[j]] = body->law_by_time[j] * turning;
    }
    if (body->clock >= 0)
        followed[body->clock] = march_all(0);
}

/* result = K change */
static void answer(const march_body *body, const march_number *change, march_number *result)
{
    int m = body->speeds, q = body->coordinates, fed = body->fed, rest = body->fibres + body->actives;
    const march_number *column = body->law_by_state;
    int i, j;

    memset(result, 0, sizeof(march_number) * fed);
    for (i = 0; i < 2 * q + rest; i++, column += fed) {
        march_number moved = change[i < q ? i : i < 2 * q ? m + i - q : 2 * m + i - 2 * q];
        for (j = 0; j < fed; j++)
            result[j] += column[j] * moved;
    }
}

int march_body_factorise(march_body *body, march_number sigma)
{
    int fed = body->fed, n = march_body_states(body), k = n - body->speeds, failed = march_body_factorise_open(body, sigma);
    int j;

    if (failed || !body->loop)
        return failed;
    for (j = 0; j < fed; j++) {
        march_number *column = body->loop_matrix + (size_t)j * fed;
        march_body_solve_open(body, NULL, body->driven + (size_t)j * k, body->followed + (size_t)j * n);
        answer(body, body->followed + (size_t)j * n, column);
        column[j] += 1;
    }
    return march_factorise(body->loop_matrix, fed, body->loop_pivots) ? 1 : 0;
}

/* Solves (dF/dx + sigma dF/dxdot) change = right-hand side at the point of the last evaluation and factorisation;
 * `positions` (or zero if NULL) and `rest` are the right-hand sides of the rows of the positions and of all others. */
void march_body_solve(march_body *body, const march_number *positions, const march_number *rest, march_number *change)
{
    int n = march_body_states(body), i, j;

    march_body_solve_open(body, positions, rest, change);
    if (!body->loop)
        return;
    answer(body, change, body->law);
    march_solve(body->loop_matrix, body->fed, body->loop_pivots, body->law);
    for (j = 0; j < body->fed; j++) {
        const march_number *restrict followed = body->followed + (size_t)j * n;
        for (i = 0; i < n; i++)
            change[i] -= followed[i] * body->law[j];
    }
}
