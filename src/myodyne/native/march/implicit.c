/* One step of a diagonally implicit Runge-Kutta method, given by its tableau.
 *
 * The first stage may be explicit (TR-BDF2): it is then the last stage of the step before, so the method must
 * end in its last stage (b = last row of a). */
#include "march.h"

#include <math.h>
#include <string.h>

typedef struct {
    march_problem *problem;
    const march_tableau *tableau;
    march_memory *memory;
    march_newton newton;
    march_stage stage;
    march_block block;
    double *rates;          /* (stages, n) */
    double *base;           /* (n) */
    double *error;          /* (n) */
    double *unknown;        /* (k) */
    double *scratch;        /* (n) */
    double *controls;
    double *last;           /* (k): rates carried over from the last step ... */
    double *older;          /* (k): ... and from the one before */
} implicit_step;

int march_implicit_work(int n, int stages, int controls)
{
    return 4 * n + (stages + 7) * n + 6 * n + controls; /* march_travel, then lay_out */
}

static void set_scale(march_stepper *stepper, implicit_step *self, const double *state)
{
    int i;

    for (i = 0; i < stepper->n; i++)
        self->stage.scale[i] = stepper->control->absolute + stepper->control->relative * fabs(state[i]);
}

static int solve_stage(march_stepper *stepper, march_instant at, double weight, const double *base)
{
    implicit_step *self = stepper->self;
    int status;

    march_controls(self->problem->controls, at, self->controls);
    self->stage.base = base;
    self->stage.weight = weight;
    status = march_newton_solve(&self->newton, &self->block, self->unknown);
    if (status && stepper->control->step > 0) {
        /* The step cannot be shortened.  A guess may lead astray, as where fast modes ring (midpoint): stay in place
         * first. */
        memset(self->unknown, 0, sizeof(double) * self->stage.k);
        self->newton.current = 0;
        status = march_newton_carefully(&self->newton, &self->block, self->unknown);
    }
    if (status)
        stepper->course->offender = self->newton.offender;
    else
        march_stage_place(&self->stage, self->unknown);
    return status;
}

static int rate_of(march_stepper *stepper, march_instant at, const double *state, double *rate)
{
    implicit_step *self = stepper->self;
    int status;

    march_controls(self->problem->controls, at, self->controls);
    self->stage.evaluations++;
    self->newton.current = 0;       /* the rates need factors of their own */
    status = march_body_rates(self->stage.body, state, self->stage.at, rate);
    stepper->course->offender = status ? self->stage.body->offender : -1;
    return status;
}

/* A first guess of a stage's rates: the straight line through the last two known. */
static void predict(implicit_step *self, int i)
{
    const march_tableau *tableau = self->tableau;
    int m = self->stage.m, k = self->stage.k, n = m + k;
    const double *near = NULL, *far = NULL;
    double reach = 1;
    int j;

    if (i >= 1)
        near = self->rates + (size_t)(i - 1) * n + m;
    else if (self->memory->carried)
        near = self->last;
    if (i >= 2) {
        far = self->rates + (size_t)(i - 2) * n + m;
        reach = (tableau->c[i] - tableau->c[i - 1]) / (tableau->c[i - 1] - tableau->c[i - 2]);
    } else if (i == 0 && self->memory->carried == 2) {
        far = self->older;
    }
    for (j = 0; j < k; j++)
        self->unknown[j] = !near ? 0 : !far ? near[j] : near[j] + reach * (near[j] - far[j]);
}

static void combine(const implicit_step *self, const double *weights, int count, double step, const double *state,
                    double *result)
{
    march_sum sum = {self->rates, weights, count, step};
    march_combine(sum, self->problem->n, state, result);
}

/* The rates of the beginning of the step: carried over, or solved for where nothing could be. */
static int begin_rates(march_stepper *stepper, march_instant from, const double *state)
{
    implicit_step *self = stepper->self;
    int status;

    if (self->memory->carried)
        return MARCH_GOOD;
    status = rate_of(stepper, from, state, self->rates);
    if (status)
        return status;
    memcpy(self->last, self->rates + self->stage.m, sizeof(double) * self->stage.k);
    self->memory->carried = 1;
    return MARCH_GOOD;
}

static int first_stage(march_stepper *stepper, march_instant from, const double *state)
{
    implicit_step *self = stepper->self;
    int m = self->stage.m, k = self->stage.k;
    int status = begin_rates(stepper, from, state);

    if (status)
        return status;
    memcpy(self->rates, state + m, sizeof(double) * m);
    memcpy(self->rates + m, self->last, sizeof(double) * k);
    return MARCH_GOOD;
}

static int attempt(march_stepper *stepper, march_instant from, double step, const double *state, double *next,
                   double *error)
{
    implicit_step *self = stepper->self;
    const march_tableau *tableau = self->tableau;
    int stages = tableau->stages, n = stepper->n;
    int i, status;

    stepper->course->offender = -1;
    set_scale(stepper, self, state);
    self->newton.current = 0;
    for (i = 0; i < stages; i++) {
        const double *row = tableau->a + (size_t)i * stages;
        march_instant at = {from.time + tableau->c[i] * step, MARCH_FROM_LEFT, from.slack};

        if (row[i] == 0) {
            status = first_stage(stepper, from, state);
        } else {
            if (i == 0)
                begin_rates(stepper, from, state);  /* only a guess: a stage may have rates where its beginning has none */
            predict(self, i);
            combine(self, row, i, step, state, self->base);
            status = solve_stage(stepper, at, step * row[i], self->base);
            memcpy(self->rates + (size_t)i * n, self->stage.rate, sizeof(double) * n);
        }
        if (status)
            return status;
    }
    if (memcmp(tableau->b, tableau->a + (size_t)(stages - 1) * stages, sizeof(double) * stages) == 0)
        memcpy(next, self->stage.state, sizeof(double) * n);
    else
        combine(self, tableau->b, stages, step, state, next);
    i = march_first_not_finite(next, n);
    if (i >= 0) {
        stepper->course->offender = i;
        return MARCH_NOT_FINITE;
    }
    *error = 0;
    if (!(stepper->control->step > 0)) {
        combine(self, tableau->error, stages, step, NULL, self->error);
        march_stage_filter(&self->stage, self->error, self->scratch);
        *error = march_error_norm(stepper, self->error, state, next);
    }
    return isfinite(*error) ? MARCH_GOOD : MARCH_NOT_FINITE;
}

static void accept(march_stepper *stepper)
{
    implicit_step *self = stepper->self;
    march_memory *memory = self->memory;
    size_t bytes = sizeof(double) * self->stage.k;

    memcpy(self->older, self->last, bytes);
    memcpy(self->last, self->rates + (size_t)(self->tableau->stages - 1) * stepper->n + self->stage.m, bytes);
    memory->carried = memory->carried < 2 ? memory->carried + 1 : 2;
}

static void restart(march_stepper *stepper)
{
    stepper->memory->carried = 0;
}

static void lay_out(implicit_step *self, march_problem *problem, int stages)
{
    size_t n = problem->n, k = n - problem->body->speeds;
    double *work = problem->work + 4 * n;

    self->rates = march_take(&work, stages * n);
    self->base = march_take(&work, n);
    self->error = march_take(&work, n);
    self->scratch = march_take(&work, n);
    self->stage.scale = march_take(&work, n);
    self->stage.state = march_take(&work, n);
    self->stage.rate = march_take(&work, n);
    self->stage.change = march_take(&work, n);
    self->unknown = march_take(&work, k);
    self->last = march_take(&work, k);
    self->older = march_take(&work, k);
    self->newton.residual = march_take(&work, k);
    self->newton.change = march_take(&work, k);
    self->newton.trial = march_take(&work, k);
    self->controls = march_take(&work, problem->controls->count);
}

void march_implicit(march_problem *problem, const march_tableau *tableau, const march_control *control,
                    march_memory *memory, march_course *course)
{
    implicit_step self = {0};
    march_stepper stepper = {0};

    self.problem = problem;
    self.tableau = tableau;
    self.memory = memory;
    lay_out(&self, problem, tableau->stages);
    self.newton.tolerance = control->newton;
    self.stage.body = problem->body;
    self.stage.m = problem->body->speeds;
    self.stage.k = problem->n - self.stage.m;
    self.stage.at.controls = self.controls;
    self.stage.at.parameters = problem->parameters;
    march_stage_block(&self.stage, &self.block);

    stepper.self = &self;
    stepper.error_order = tableau->error_order;
    stepper.stops = 1;
    stepper.rate = rate_of;
    stepper.attempt = attempt;
    stepper.accept = accept;
    stepper.restart = restart;
    march_body_set(problem->body, problem->parameters);
    march_travel(&stepper, problem, control, memory, course);
    course->evaluations += self.stage.evaluations;
    course->iterations += self.newton.iterations;
}
