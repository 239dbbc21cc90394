/* One step of an explicit Runge-Kutta method, given by its tableau. */
#include "march.h"

#include <math.h>
#include <string.h>

typedef struct {
    march_problem *problem;
    const march_tableau *tableau;
    int first_known;        /* 1: the first rate belongs to the present state; a rejected step leaves it valid */
    double *rates;          /* (stages, n) */
    double *stage;          /* (n) */
    double *error;          /* (n) */
    double *controls;
} explicit_step;

int march_explicit_work(int n, int stages, int controls)
{
    return 4 * n + (stages + 2) * n + controls;
}

static int rate_of(march_stepper *stepper, march_instant at, const double *state, double *rate)
{
    explicit_step *self = stepper->self;
    march_problem *problem = self->problem;
    march_kernel *kernel = problem->kernel;
    int failed;

    march_controls(problem->controls, at, self->controls);
    kernel->arg[0] = state;
    kernel->arg[1] = self->controls;
    kernel->arg[2] = problem->parameters;
    kernel->res[0] = rate;
    stepper->course->evaluations++;
    failed = kernel->function(kernel->arg, kernel->res, kernel->iw, kernel->w, 0);
    return failed ? MARCH_NOT_FINITE : MARCH_GOOD;
}

static void combine(const explicit_step *self, const double *weights, int count, double step, const double *state,
                    double *result)
{
    march_sum sum = {self->rates, weights, count, step};
    march_combine(sum, self->problem->n, state, result);
}

/* The state whose rate failed first: by the end of the step its neighbours have failed too. */
static int find_offender(const explicit_step *self, const double *next)
{
    int n = self->problem->n;
    int j;

    for (j = 0; j < self->tableau->stages; j++) {
        int index = march_first_not_finite(self->rates + (size_t)j * n, n);
        if (index >= 0)
            return index;
    }
    return march_first_not_finite(next, n);
}

/* The error in units of the tolerances; with two estimates as in DOP853 (Hairer, Norsett and Wanner 1993,
 * section II.10): the finer one scaled by its ratio to the coarser, so that the whole falls with the eighth
 * power of the step. */
static double error_of(march_stepper *stepper, double step, const double *state, const double *next)
{
    explicit_step *self = stepper->self;
    const march_tableau *tableau = self->tableau;
    double fine, coarse = 0, together;

    if (tableau->coarse_error) {
        combine(self, tableau->coarse_error, tableau->stages, step, NULL, self->error);
        coarse = march_error_norm(stepper, self->error, state, next);
    }
    combine(self, tableau->error, tableau->stages, step, NULL, self->error);
    fine = march_error_norm(stepper, self->error, state, next);
    if (!tableau->coarse_error)
        return fine;
    together = sqrt(fine * fine + 0.01 * coarse * coarse);
    return together > 0 ? fine * fine / together : fine;
}

static int attempt(march_stepper *stepper, march_instant from, double step, const double *state, double *next,
                   double *error)
{
    explicit_step *self = stepper->self;
    const march_tableau *tableau = self->tableau;
    int n = self->problem->n;
    int i, status;

    stepper->course->offender = -1;
    if (!self->first_known) {
        status = rate_of(stepper, from, state, self->rates);
        if (status)
            return status;
        self->first_known = 1;
    }
    for (i = 1; i < tableau->stages; i++) {
        march_instant at = {from.time + tableau->c[i] * step, MARCH_FROM_LEFT, from.slack};
        combine(self, tableau->a + (size_t)i * tableau->stages, i, step, state, self->stage);
        status = rate_of(stepper, at, self->stage, self->rates + (size_t)i * n);
        if (status)
            return status;
    }
    combine(self, tableau->b, tableau->stages, step, state, next);
    *error = stepper->control->step > 0 ? 0 : error_of(stepper, step, state, next);
    if (march_first_not_finite(next, n) >= 0 || !isfinite(*error)) {
        stepper->course->offender = find_offender(self, next);
        return MARCH_NOT_FINITE;
    }
    return MARCH_GOOD;
}

static void forget_first(march_stepper *stepper)
{
    explicit_step *self = stepper->self;
    self->first_known = 0;
}

void march_explicit(march_problem *problem, const march_tableau *tableau, const march_control *control,
                    march_memory *memory, march_course *course)
{
    int n = problem->n;
    explicit_step self = {0};
    march_stepper stepper = {0};

    self.problem = problem;
    self.tableau = tableau;
    self.rates = problem->work + 4 * (size_t)n;
    self.stage = self.rates + (size_t)tableau->stages * n;
    self.error = self.stage + n;
    self.controls = self.error + n;

    stepper.self = &self;
    stepper.error_order = tableau->error_order;
    /* A fixed explicit scheme keeps the grid it was asked for: that is what it is chosen for. */
    stepper.stops = !(control->step > 0);
    stepper.rate = rate_of;
    stepper.attempt = attempt;
    stepper.accept = forget_first;
    stepper.restart = forget_first;
    march_travel(&stepper, problem, control, memory, course);
}
