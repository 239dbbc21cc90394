/* Equal steps of an explicit method for several runs at once. */
#include "together.h"

int march_explicit_together_work(int n, int stages, int controls, int numbers)
{
    return march_together_work(n, controls, numbers) + (stages + 1) * n;
}

typedef struct {
    march_number *rates;    /* (stages, n) */
    march_number *stage;    /* (n) */
} explicit_steps;

static int find_rates(march_together *runs, const march_number *state, march_number *rates)
{
    march_kernel *kernel = runs->kernel;

    kernel->arg[0] = state;
    kernel->arg[1] = runs->controls;
    kernel->arg[2] = runs->parameters;
    kernel->res[0] = rates;
    return kernel->function(kernel->arg, kernel->res, kernel->iw, kernel->w, 0);
}

/* result = state + step * sum of weighted rates */
static void combine(const march_together *runs, const double *weights, int count, march_number *result)
{
    const explicit_steps *self = runs->stepper;
    march_number factors[MARCH_MOST_STAGES];
    const march_number *rates[MARCH_MOST_STAGES];
    int used = 0, n = runs->n, j, k;

    for (j = 0; j < count; j++)
        if (weights[j] != 0) {
            factors[used] = *runs->length * weights[j];
            rates[used++] = self->rates + (size_t)j * (size_t)n;
        }
    for (k = 0; k < n; k++) {
        march_number total = runs->state[k];
        for (j = 0; j < used; j++)
            total += factors[j] * rates[j][k];
        result[k] = total;
    }
}

static int attempt(march_together *runs)
{
    const march_tableau *tableau = runs->tableau;
    const explicit_steps *self = runs->stepper;
    int i;

    march_controls_together(runs, 0, MARCH_FROM_RIGHT, runs->controls);
    if (find_rates(runs, runs->state, self->rates))
        return 1;
    for (i = 1; i < tableau->stages; i++) {
        march_controls_together(runs, tableau->c[i], MARCH_FROM_LEFT, runs->controls);
        combine(runs, tableau->a + (size_t)i * tableau->stages, i, self->stage);
        if (find_rates(runs, self->stage, self->rates + (size_t)i * (size_t)runs->n))
            return 1;
    }
    combine(runs, tableau->b, tableau->stages, runs->next);
    return 0;
}

int march_explicit_together(march_together *runs)
{
    const march_tableau *tableau = runs->tableau;
    march_number *work = march_together_open(runs);
    explicit_steps self;

    self.rates = march_take(&work, (size_t)tableau->stages * (size_t)runs->n);
    self.stage = march_take(&work, runs->n);
    runs->stepper = &self;
    runs->start = NULL;
    runs->attempt = attempt;
    runs->accept = NULL;
    runs->present = NULL;
    runs->find = NULL;
    march_all_together(runs);
    return 0;
}
