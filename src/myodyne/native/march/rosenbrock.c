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
#include "march.h"

#include <math.h>
#include <string.h>

typedef struct {
    march_problem *problem;
    const march_linear_tableau *tableau;
    march_memory *memory;
    double *rate;           /* (n): z of the present state ... */
    double *next_rate;      /* (n): ... and of the one that the last attempt led to */
    double *changes;        /* (stages, n): U */
    double *rate_changes;   /* (stages, n): V */
    double *stage;          /* (n) */
    double *stage_rate;     /* (n) */
    double *wanted;         /* (n): w */
    double *right;          /* (n) */
    double *residual;       /* (n) */
    double *steering;       /* (n): dF/du du/dt */
    double *error;          /* (n) */
    double *controls;
    double *turning;        /* du/dt */
} linear_step;

static const double JUMP = 1e-9;    /* two controls that differ by a smaller part are the same but for rounding */

/* Where the rates of the present state come from, in the memory's `carried`. */
enum { NOWHERE = 0, THE_LAST_STEP = 1, THE_EQUATIONS = 2, A_TINY_STEP = 3 };

int march_linear_work(int n, int stages, int controls)
{
    return 4 * n + (2 * stages + 9) * n + 2 * controls;
}

static int rate_of(march_stepper *stepper, march_instant at, const double *state, double *rate)
{
    linear_step *self = stepper->self;
    march_input input = {self->controls, self->problem->parameters};
    int status;

    march_controls(self->problem->controls, at, self->controls);
    stepper->course->evaluations++;
    status = march_body_rates(self->problem->body, state, input, rate);
    stepper->course->offender = status ? self->problem->body->offender : -1;
    return status;
}

/* result += scale * sum(weights * changes) over the first `count` stages. */
static void add(double *restrict result, const double *weights, double scale, const double *restrict changes, int count,
                int n)
{
    int i, j;

    for (j = 0; j < count; j++, changes += n) {
        double factor = scale * weights[j];
        if (factor != 0)
            for (i = 0; i < n; i++)
                result[i] += factor * changes[i];
    }
}

/* ends = (ends - starts) * scale */
static void difference(double *restrict ends, const double *restrict starts, double scale, int n)
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

/* Evaluates a residual; one that is not finite is traced to its state. */
static int evaluate(march_stepper *stepper, const double *state, const double *rate, int with_jacobian)
{
    linear_step *self = stepper->self;
    march_body *body = self->problem->body;
    march_input input = {self->controls, self->problem->parameters};
    int i;

    stepper->course->evaluations++;
    if (march_body_evaluate(body, state, rate, input, self->residual, with_jacobian))
        return MARCH_NOT_FINITE;
    i = march_first_not_finite(self->residual, march_body_states(body) - body->speeds);
    if (i < 0)
        return MARCH_GOOD;
    stepper->course->offender = body->speeds + i;
    return MARCH_NOT_FINITE;
}

/* Finds the rates of the present state unless they are known. */
static int find_rate(march_stepper *stepper, march_instant from, const double *state)
{
    linear_step *self = stepper->self;
    int status;

    if (self->memory->carried != NOWHERE)
        return MARCH_GOOD;
    status = rate_of(stepper, from, state, self->rate);
    if (!status)
        self->memory->carried = self->problem->body->approached ? A_TINY_STEP : THE_EQUATIONS;
    return status;
}

/* Evaluates and factorises at the beginning of the step. */
static int prepare(march_stepper *stepper, march_instant from, double step, const double *state)
{
    linear_step *self = stepper->self;
    march_body *body = self->problem->body;
    march_input input = {self->controls, self->problem->parameters};
    march_instant end = {from.time + step, MARCH_FROM_LEFT, from.slack};
    int count = self->problem->controls->count;
    int i;

    march_controls(self->problem->controls, from, self->controls);
    if (self->tableau->stages == 1) {
        march_controls(self->problem->controls, end, self->turning);
        difference(self->turning, self->controls, 1 / step, count);
        march_controls(self->problem->controls, from, self->controls);
    } else {
        march_control_rates(self->problem->controls, from, self->turning);
    }
    if (evaluate(stepper, state, self->rate, 1))
        return MARCH_NOT_FINITE;
    if (march_body_steer(body, state, self->rate, input, self->turning, self->steering))
        return MARCH_NOT_FINITE;
    i = march_body_factorise(body, 1 / (self->tableau->gamma * step));
    if (i) {
        stepper->course->offender = body->speeds + i - 1;
        return MARCH_NEWTON_FAILED;
    }
    return MARCH_GOOD;
}

static int solve_stage(march_stepper *stepper, march_instant from, double step, const double *state, int i)
{
    linear_step *self = stepper->self;
    const march_linear_tableau *tableau = self->tableau;
    march_body *body = self->problem->body;
    int n = stepper->n, m = body->speeds, stages = tableau->stages;
    const double *row = tableau->a + (size_t)i * stages, *rate = self->rate;
    double sigma = 1 / (tableau->gamma * step), turned = tableau->gammas[i] * step;
    double *change = self->changes + (size_t)i * n;
    double *restrict rate_change = self->rate_changes + (size_t)i * n;
    double *restrict wanted = self->wanted, *restrict right = self->right;
    const double *restrict residual = self->residual, *restrict steering = self->steering;
    int k;

    if (has_entries(row, i)) {
        march_instant at = {from.time + tableau->alpha[i] * step, MARCH_FROM_LEFT, from.slack};
        memcpy(self->stage, state, sizeof(double) * n);
        memcpy(self->stage_rate, rate, sizeof(double) * n);
        add(self->stage, row, 1, self->changes, i, n);
        add(self->stage_rate, row, 1, self->rate_changes, i, n);
        state = self->stage;
        rate = self->stage_rate;
        march_controls(self->problem->controls, at, self->controls);
        if (evaluate(stepper, state, rate, 0))
            return MARCH_NOT_FINITE;
    }
    memcpy(wanted, rate, sizeof(double) * n);
    add(wanted, tableau->c + (size_t)i * stages, 1 / step, self->changes, i, n);
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

/* Takes the stages of a step from the rates of its beginning. */
static int take_stages(march_stepper *stepper, march_instant from, double step, const double *state, double *next,
                       double *error)
{
    linear_step *self = stepper->self;
    const march_linear_tableau *tableau = self->tableau;
    int n = stepper->n, stages = tableau->stages;
    int i, status = prepare(stepper, from, step, state);

    for (i = 0; !status && i < stages; i++)
        status = solve_stage(stepper, from, step, state, i);
    if (status)
        return status;
    memcpy(next, state, sizeof(double) * n);
    memcpy(self->next_rate, self->rate, sizeof(double) * n);
    add(next, tableau->m, 1, self->changes, stages, n);
    add(self->next_rate, tableau->m, 1, self->rate_changes, stages, n);
    i = march_first_not_finite(next, n);
    if (i >= 0) {
        stepper->course->offender = i;
        return MARCH_NOT_FINITE;
    }
    *error = 0;
    if (!(stepper->control->step > 0)) {
        memset(self->error, 0, sizeof(double) * n);
        add(self->error, tableau->error, 1, self->changes, stages, n);
        *error = march_error_norm(stepper, self->error, state, next);
    }
    return isfinite(*error) ? MARCH_GOOD : MARCH_NOT_FINITE;
}

/* The tiny implicit step itself, whose rates are known: the equations hold at its end. */
static int creep(march_stepper *stepper, double step, const double *state, double *next, double *error)
{
    linear_step *self = stepper->self;
    int i;

    for (i = 0; i < stepper->n; i++)
        next[i] = state[i] + step * self->rate[i];
    memcpy(self->next_rate, self->rate, sizeof(double) * stepper->n);
    *error = 0;
    stepper->course->offender = march_first_not_finite(next, stepper->n);
    return stepper->course->offender < 0 ? MARCH_GOOD : MARCH_NOT_FINITE;
}

/* Where no equation gives the rates, as of a muscle without activation and damping, dF/dxdot is singular.  As the
 * muscle wakes, its coefficient grows from nothing within a step, however short, and the Jacobian of the beginning
 * knows nothing of it: no linearly implicit step can be taken.  The fully implicit step that gave the rates can. */
static double longest(march_stepper *stepper, march_instant from, const double *state)
{
    linear_step *self = stepper->self;

    if (find_rate(stepper, from, state))
        return INFINITY;    /* the attempt will tell why */
    return self->memory->carried == A_TINY_STEP ? MARCH_TINY_STEP : INFINITY;
}

static int attempt(march_stepper *stepper, march_instant from, double step, const double *state, double *next,
                   double *error)
{
    linear_step *self = stepper->self;
    int adaptive = !(stepper->control->step > 0);
    int status = find_rate(stepper, from, state);

    if (status)
        return status;
    stepper->course->offender = -1;
    if (adaptive && self->memory->carried == A_TINY_STEP)
        return creep(stepper, step, state, next, error);
    status = take_stages(stepper, from, step, state, next, error);
    if (!adaptive || self->memory->carried != THE_LAST_STEP || (!status && *error <= 1))
        return status;
    /* The error of the states says nothing about the carried rates, which may be why the step is rejected: the force of
     * a hardly active muscle, or of one at its fastest, does not feel how fast it moves.  No shorter step would help
     * against that, so the same one is tried with the rates that belong to the state. */
    self->memory->carried = NOWHERE;
    if (find_rate(stepper, from, state) || self->memory->carried == A_TINY_STEP)
        return status;
    return take_stages(stepper, from, step, state, next, error);
}

static void accept(march_stepper *stepper)
{
    linear_step *self = stepper->self;
    double *old = self->rate;

    self->memory->carried = THE_LAST_STEP;
    self->rate = self->next_rate;
    self->next_rate = old;
    self->memory->swapped = !self->memory->swapped;
}

/* The rate that a step of one stage solved for is that of backward Euler, change / step: with the state of its end it
 * leaves of the equations what the square of the step leaves.  Rates that are sought for that state leave nothing, but
 * amplify its error where the equations hardly feel them: by one over the activation, in muscles without damping.
 * Higher orders reach their order in the states alone, and their rates are of no use where dF/dxdot is nearly singular.
 * Where a control jumps, rates belong to the time before it. */
static const double *present(march_stepper *stepper, double time)
{
    linear_step *self = stepper->self;
    march_instant before = {time, MARCH_FROM_LEFT, march_slack(time, time)};
    march_instant after = {time, MARCH_FROM_RIGHT, before.slack};
    int i;

    if (self->tableau->stages > 1 || self->memory->carried != THE_LAST_STEP)
        return NULL;
    march_controls(self->problem->controls, before, self->controls);
    march_controls(self->problem->controls, after, self->turning);
    for (i = 0; i < self->problem->controls->count; i++)
        if (fabs(self->controls[i] - self->turning[i]) > JUMP * (fabs(self->controls[i]) + fabs(self->turning[i])))
            return NULL;
    return self->rate;
}

static void restart(march_stepper *stepper)
{
    stepper->memory->carried = NOWHERE;
}

void march_linear(march_problem *problem, const march_linear_tableau *tableau, const march_control *control,
                  march_memory *memory, march_course *course)
{
    size_t n = problem->n, stages = tableau->stages;
    double *work = problem->work + 4 * n;
    double *first = march_take(&work, n), *second = march_take(&work, n);
    linear_step self = {0};
    march_stepper stepper = {0};

    self.problem = problem;
    self.tableau = tableau;
    self.memory = memory;
    self.rate = memory->swapped ? second : first;
    self.next_rate = memory->swapped ? first : second;
    self.changes = march_take(&work, stages * n);
    self.rate_changes = march_take(&work, stages * n);
    self.stage = march_take(&work, n);
    self.stage_rate = march_take(&work, n);
    self.wanted = march_take(&work, n);
    self.right = march_take(&work, n);
    self.residual = march_take(&work, n);
    self.steering = march_take(&work, n);
    self.error = march_take(&work, n);
    self.controls = march_take(&work, problem->controls->count);
    self.turning = march_take(&work, problem->controls->count);

    stepper.self = &self;
    stepper.error_order = tableau->error_order;
    stepper.stops = 1;
    stepper.rate = rate_of;
    stepper.attempt = attempt;
    stepper.accept = accept;
    stepper.restart = restart;
    stepper.longest = longest;
    stepper.present = present;
    march_body_set(problem->body, problem->parameters);
    march_travel(&stepper, problem, control, memory, course);
}
