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
    march_second_order stage;
    march_block block;
    double *rates;          /* (stages, n) */
    double *base;           /* (n) */
    double *error;          /* (n) */
    double *unknown;        /* (m) */
    double *controls;
    double *last;           /* (m): accelerations carried over from the last step ... */
    double *older;          /* (m): ... and from the one before */
} implicit_step;

int march_implicit_work(int n, int stages, int controls)
{
    int m = n / 2;
    return 4 * n + (stages + 5) * n + 4 * m + 4 * m * m + controls; /* march_travel, then lay_out */
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
    if (status)
        stepper->course->offender = self->newton.offender;
    else
        march_second_order_place(&self->stage, self->unknown);
    return status;
}

/* The accelerations that belong to a state: a stage of weight zero. */
static int rate_of(march_stepper *stepper, march_instant at, const double *state, double *rate)
{
    implicit_step *self = stepper->self;
    int m = self->stage.m;
    int status;

    if (self->memory->carried)
        memcpy(self->unknown, self->last, sizeof(double) * m);
    else
        memset(self->unknown, 0, sizeof(double) * m);
    self->newton.current = 0;
    status = solve_stage(stepper, at, 0, state);
    self->newton.current = 0;       /* the factors of weight zero fit no other stage */
    if (!status)
        memcpy(rate, self->stage.rate, sizeof(double) * stepper->n);
    return status;
}

/* A first guess of a stage's accelerations: the straight line through the last two known. */
static void predict(implicit_step *self, int i)
{
    const march_tableau *tableau = self->tableau;
    int m = self->stage.m;
    int n = 2 * m;
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
    for (j = 0; j < m; j++)
        self->unknown[j] = !near ? 0 : !far ? near[j] : near[j] + reach * (near[j] - far[j]);
}

static void combine(const implicit_step *self, const double *weights, int count, double step, const double *state,
                    double *result)
{
    march_sum sum = {self->rates, weights, count, step};
    march_combine(sum, self->problem->n, state, result);
}

/* The explicit first stage: carried over, or solved for where nothing could be. */
static int first_stage(march_stepper *stepper, march_instant from, const double *state)
{
    implicit_step *self = stepper->self;
    int m = self->stage.m;

    if (!self->memory->carried) {
        int status = rate_of(stepper, from, state, self->rates);
        if (status)
            return status;
        memcpy(self->last, self->rates + m, sizeof(double) * m);
        self->memory->carried = 1;
    }
    memcpy(self->rates, state + m, sizeof(double) * m);
    memcpy(self->rates + m, self->last, sizeof(double) * m);
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
        march_second_order_filter(&self->stage, &self->newton, self->error, self->unknown);
        *error = march_error_norm(stepper, self->error, state, next);
    }
    return isfinite(*error) ? MARCH_GOOD : MARCH_NOT_FINITE;
}

static void accept(march_stepper *stepper)
{
    implicit_step *self = stepper->self;
    march_memory *memory = self->memory;
    size_t bytes = sizeof(double) * self->stage.m;

    memcpy(self->older, self->last, bytes);
    memcpy(self->last, self->rates + (size_t)(self->tableau->stages - 1) * stepper->n + self->stage.m, bytes);
    memory->carried = memory->carried < 2 ? memory->carried + 1 : 2;
}

static void restart(march_stepper *stepper)
{
    stepper->memory->carried = 0;
}

static double *take(double **work, size_t count)
{
    double *taken = *work;
    *work += count;
    return taken;
}

static void lay_out(implicit_step *self, march_problem *problem, int stages)
{
    size_t n = problem->n, m = n / 2;
    double *work = problem->work + 4 * n;

    self->rates = take(&work, stages * n);
    self->base = take(&work, n);
    self->error = take(&work, n);
    self->stage.scale = take(&work, n);
    self->stage.state = take(&work, n);
    self->stage.rate = take(&work, n);
    self->unknown = take(&work, m);
    self->last = take(&work, m);
    self->older = take(&work, m);
    self->newton.residual = take(&work, m);
    self->newton.matrix = take(&work, m * m);
    self->stage.by_position = take(&work, m * m);
    self->stage.by_speed = take(&work, m * m);
    self->stage.by_acceleration = take(&work, m * m);
    self->controls = take(&work, problem->controls->count);
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
    self.newton.pivots = problem->pivots;
    self.newton.tolerance = control->newton;
    self.stage.m = problem->n / 2;
    self.stage.kernel = problem->kernel;
    self.stage.controls = self.controls;
    self.stage.parameters = problem->parameters;
    march_second_order_block(&self.stage, &self.block);

    stepper.self = &self;
    stepper.n = problem->n;
    stepper.error_order = tableau->error_order;
    stepper.stops = 1;
    stepper.controls = problem->controls;
    stepper.control = control;
    stepper.memory = memory;
    stepper.course = course;
    stepper.rate = rate_of;
    stepper.attempt = attempt;
    stepper.accept = accept;
    stepper.restart = restart;
    march_travel(&stepper, problem->work);
    course->evaluations += self.stage.evaluations;
    course->iterations += self.newton.iterations;
}
