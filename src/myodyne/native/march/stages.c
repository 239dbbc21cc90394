/* One step of a linearly implicit (Rosenbrock) method for F(x, xdot, u) = 0.
 *
 * With z = xdot the equations read dx/dt = z, 0 = F(x, z, u(t)): a system of index one, for which the methods are
 * made (Hairer and Wanner 1996, section IV.7 and VI.4).  Every stage then needs one solution with
 * dF/dx + sigma dF/dxdot, sigma = 1 / (gamma step), and its factors serve the whole step:
 *
 *     w_i = z_i + sum_j c_ij U_j / step,
 *     (dF/dx + sigma dF/dxdot) U_i = dF/dxdot w_i - F(x_i, z_i, u_i) - gamma_i step dF/du du/dt,    V_i = sigma U_i - w_i
 *
 * with x_i = x + sum_j a_ij U_j and z_i = z + sum_j a_ij V_j.  One stage with gamma = 1 is Eq 16 of van den Bogert et
 * al. (2011). */
#include "stages.h"

#include <string.h>

int march_stages_work(int n, int stages, int controls)
{
    return (2 * stages + 8) * n + 2 * controls;
}

void march_stages_open(march_stages *stages, march_number **work, int controls)
{
    size_t n = stages->n, count = stages->tableau->stages;

    stages->rate = march_take(work, n);
    stages->next_rate = march_take(work, n);
    stages->changes = march_take(work, count * n);
    stages->rate_changes = march_take(work, count * n);
    stages->stage = march_take(work, n);
    stages->stage_rate = march_take(work, n);
    stages->wanted = march_take(work, n);
    stages->right = march_take(work, n);
    stages->residual = march_take(work, n);
    stages->steering = march_take(work, n);
    stages->controls = march_take(work, controls);
    stages->turning = march_take(work, controls);
}

/* result += scale * sum(weights * changes) over the first `count` stages. */
static void add(march_number *restrict result, const double *weights, march_number scale,
                const march_number *restrict changes, int count, int n)
{
    int i, j;

    for (j = 0; j < count; j++, changes += n) {
        march_number factor = scale * weights[j];
        if (weights[j] != 0)
            for (i = 0; i < n; i++)
                result[i] += factor * changes[i];
    }
}

void march_difference(march_number *restrict ends, const march_number *restrict starts, march_number scale, int n)
{
    int i;

    for (i = 0; i < n; i++)
        ends[i] = (ends[i] - starts[i]) * scale;
}

static int has_entries(const double *row, int count)
{
    int j;

    for (j = 0; j < count; j++)
        if (row[j] != 0)
            return 1;
    return 0;
}

static int evaluate(march_stages *stages, const march_number *state, const march_number *rate, int with_jacobian)
{
    march_input input = {stages->controls, stages->parameters};

    if (march_body_evaluate(stages->body, state, rate, input, stages->residual, with_jacobian))
        return MARCH_NOT_FINITE;
    return stages->look ? stages->look(stages) : MARCH_GOOD;
}

/* Evaluates and factorises at the beginning of the step. */
static int prepare(march_stages *stages, const march_number *state)
{
    march_body *body = stages->body;
    march_input input = {stages->controls, stages->parameters};
    int i;

    stages->begin(stages);
    if (evaluate(stages, state, stages->rate, 1))
        return MARCH_NOT_FINITE;
    if (march_body_steer(body, state, stages->rate, input, stages->turning, stages->steering))
        return MARCH_NOT_FINITE;
    i = march_body_factorise(body, 1 / (stages->tableau->gamma * stages->step));
    if (i) {
        body->offender = body->speeds + i - 1;
        return MARCH_NEWTON_FAILED;
    }
    return MARCH_GOOD;
}

static int solve_stage(march_stages *stages, const march_number *state, int i)
{
    const march_linear_tableau *tableau = stages->tableau;
    march_body *body = stages->body;
    int n = stages->n, m = body->speeds, count = tableau->stages;
    const double *row = tableau->a + (size_t)i * count;
    const march_number *rate = stages->rate;
    march_number step = stages->step, sigma = 1 / (tableau->gamma * step), turned = tableau->gammas[i] * step;
    march_number *change = stages->changes + (size_t)i * n;
    march_number *restrict rate_change = stages->rate_changes + (size_t)i * n;
    march_number *restrict wanted = stages->wanted, *restrict right = stages->right;
    const march_number *restrict residual = stages->residual, *restrict steering = stages->steering;
    int k;

    if (has_entries(row, i)) {
        memcpy(stages->stage, state, sizeof *state * n);
        memcpy(stages->stage_rate, rate, sizeof *rate * n);
        add(stages->stage, row, march_all(1), stages->changes, i, n);
        add(stages->stage_rate, row, march_all(1), stages->rate_changes, i, n);
        state = stages->stage;
        rate = stages->stage_rate;
        stages->move(stages, tableau->alpha[i]);
        if (evaluate(stages, state, rate, 0))
            return MARCH_NOT_FINITE;
    }
    memcpy(wanted, rate, sizeof *rate * n);
    add(wanted, tableau->c + (size_t)i * count, 1 / step, stages->changes, i, n);
    march_body_inertia(body, wanted + m, right + m);
    for (k = 0; k < m; k++)
        right[k] = wanted[k] - (rate[k] - state[m + k]);
    for (k = 0; k < n - m; k++)
        right[m + k] -= residual[k] + turned * steering[k];
    march_body_solve(body, right, right + m, change);
    for (k = 0; k < n; k++)
        rate_change[k] = sigma * change[k] - wanted[k];
    return MARCH_GOOD;
}

int march_stages_take(march_stages *stages, const march_number *state, march_number *next)
{
    const march_linear_tableau *tableau = stages->tableau;
    int n = stages->n, count = tableau->stages;
    int i, status = prepare(stages, state);

    for (i = 0; !status && i < count; i++)
        status = solve_stage(stages, state, i);
    if (status)
        return status;
    memcpy(next, state, sizeof *state * n);
    memcpy(stages->next_rate, stages->rate, sizeof *state * n);
    add(next, tableau->m, march_all(1), stages->changes, count, n);
    add(stages->next_rate, tableau->m, march_all(1), stages->rate_changes, count, n);
    return MARCH_GOOD;
}
