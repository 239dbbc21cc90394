/* Steps of a linearly implicit (Rosenbrock) method, whose stages are in stages.c: where their rates come from, and which
 * are tried again. */
#include "stages.h"

#include <math.h>
#include <string.h>

typedef struct {
    march_stages stages;
    march_stepper *stepper;
    march_problem *problem;
    march_memory *memory;
    march_instant from;     /* the beginning of the present attempt */
    double *error;          /* (n) */
} linear_step;

static const double JUMP = 1e-9;    /* two controls that differ by a smaller part are the same but for rounding */

/* Where the rates of the present state come from, in the memory's `carried`. */
enum { NOWHERE = 0, THE_LAST_STEP = 1, THE_EQUATIONS = 2, A_TINY_STEP = 3 };

int march_linear_work(int n, int stages, int controls)
{
    return 4 * n + march_stages_work(n, stages, controls) + n;
}

static int rate_of(march_stepper *stepper, march_instant at, const double *state, double *rate)
{
    linear_step *self = stepper->self;
    march_input input = {self->stages.controls, self->problem->parameters};
    int status;

    march_controls(self->problem->controls, at, self->stages.controls);
    stepper->course->evaluations++;
    status = march_body_rates(self->problem->body, state, input, rate);
    stepper->course->offender = status ? self->problem->body->offender : -1;
    return status;
}

/* Counts an evaluation; a residual that is not finite is traced to its state. */
static int look(march_stages *stages)
{
    linear_step *self = stages->owner;
    march_body *body = stages->body;
    int i = march_first_not_finite(stages->residual, march_body_states(body) - body->speeds);

    self->stepper->course->evaluations++;
    if (i < 0)
        return MARCH_GOOD;
    body->offender = body->speeds + i;
    return MARCH_NOT_FINITE;
}

static void begin(march_stages *stages)
{
    linear_step *self = stages->owner;
    march_signal *signal = self->problem->controls;
    march_instant end = {self->from.time + stages->step, MARCH_FROM_LEFT, self->from.slack};

    march_controls(signal, self->from, stages->controls);
    if (stages->tableau->stages == 1) {
        march_controls(signal, end, stages->turning);
        march_difference(stages->turning, stages->controls, 1 / stages->step, signal->count);
    } else {
        march_control_rates(signal, self->from, stages->turning);
    }
}

static void move(march_stages *stages, double part)
{
    linear_step *self = stages->owner;
    march_instant at = {self->from.time + part * stages->step, MARCH_FROM_LEFT, self->from.slack};

    march_controls(self->problem->controls, at, stages->controls);
}

/* Finds the rates of the present state unless they are known. */
static int find_rate(march_stepper *stepper, march_instant from, const double *state)
{
    linear_step *self = stepper->self;
    int status;

    if (self->memory->carried != NOWHERE)
        return MARCH_GOOD;
    status = rate_of(stepper, from, state, self->stages.rate);
    if (!status)
        self->memory->carried = self->problem->body->approached ? A_TINY_STEP : THE_EQUATIONS;
    return status;
}

/* Takes the stages of a step from the rates of its beginning. */
static int take_stages(march_stepper *stepper, march_instant from, double step, const double *state, double *next,
                       double *error)
{
    linear_step *self = stepper->self;
    const march_linear_tableau *tableau = self->stages.tableau;
    int n = stepper->n, i, j, status;

    self->from = from;
    self->stages.step = step;
    self->stages.body->offender = -1;
    status = march_stages_take(&self->stages, state, next);
    if (status) {
        stepper->course->offender = self->stages.body->offender;
        return status;
    }
    i = march_first_not_finite(next, n);
    if (i >= 0) {
        stepper->course->offender = i;
        return MARCH_NOT_FINITE;
    }
    *error = 0;
    if (!(stepper->control->step > 0)) {
        memset(self->error, 0, sizeof(double) * n);
        for (j = 0; j < tableau->stages; j++)
            for (i = 0; i < n && tableau->error[j] != 0; i++)
                self->error[i] += tableau->error[j] * self->stages.changes[(size_t)j * n + i];
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
        next[i] = state[i] + step * self->stages.rate[i];
    memcpy(self->stages.next_rate, self->stages.rate, sizeof(double) * stepper->n);
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
    double *old = self->stages.rate;

    self->memory->carried = THE_LAST_STEP;
    self->stages.rate = self->stages.next_rate;
    self->stages.next_rate = old;
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
    double *earlier = self->stages.controls, *later = self->stages.turning;
    int i;

    if (self->stages.tableau->stages > 1 || self->memory->carried != THE_LAST_STEP)
        return NULL;
    march_controls(self->problem->controls, before, earlier);
    march_controls(self->problem->controls, after, later);
    for (i = 0; i < self->problem->controls->count; i++)
        if (fabs(earlier[i] - later[i]) > JUMP * (fabs(earlier[i]) + fabs(later[i])))
            return NULL;
    return self->stages.rate;
}

static void restart(march_stepper *stepper)
{
    stepper->memory->carried = NOWHERE;
}

void march_linear(march_problem *problem, const march_linear_tableau *tableau, const march_control *control,
                  march_memory *memory, march_course *course)
{
    double *work = problem->work + 4 * (size_t)problem->n;
    linear_step self = {0};
    march_stepper stepper = {0};

    self.stepper = &stepper;
    self.problem = problem;
    self.memory = memory;
    self.stages.body = problem->body;
    self.stages.tableau = tableau;
    self.stages.parameters = problem->parameters;
    self.stages.n = problem->n;
    self.stages.owner = &self;
    self.stages.begin = begin;
    self.stages.move = move;
    self.stages.look = look;
    march_stages_open(&self.stages, &work, problem->controls->count);
    self.error = march_take(&work, problem->n);
    if (memory->swapped) {
        double *first = self.stages.rate;
        self.stages.rate = self.stages.next_rate;
        self.stages.next_rate = first;
    }

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
