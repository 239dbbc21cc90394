/* Several runs at once, one in each lane of the vectors: equal steps of an explicit method.
 *
 * Entry k of run i stands at k * TOGETHER + i.  Nothing that happens in one lane changes another: each has its own
 * controls, numbers and state, and one that is no longer finite goes on as it is, until the caller looks. */
#include "together.h"

#include <math.h>

typedef double lanes __attribute__((vector_size(8 * TOGETHER), aligned(8), may_alias));

int march_together_work(int n, int stages, int controls)
{
    return ((stages + 2) * n + controls) * TOGETHER + controls;
}

/* The controls of all runs; those that never change are set once. */
static void set_controls(march_together *runs, march_instant at)
{
    double *one = runs->work;
    int count = runs->signals[0].count, lane, k;

    if (runs->steady && runs->ready)
        return;
    for (lane = 0; lane < TOGETHER; lane++) {
        march_controls(runs->signals + lane, at, one);
        for (k = 0; k < count; k++)
            runs->controls[k * TOGETHER + lane] = one[k];
    }
    runs->ready = 1;
}

static int find_rates(march_together *runs, march_instant at, const double *state, double *rates)
{
    march_kernel *kernel = runs->kernel;

    set_controls(runs, at);
    kernel->arg[0] = state;
    kernel->arg[1] = runs->controls;
    kernel->arg[2] = runs->parameters;
    kernel->res[0] = rates;
    return kernel->function(kernel->arg, kernel->res, kernel->iw, kernel->w, 0);
}

/* result = state + step * sum of weighted rates */
static void combine(const march_together *runs, const double *weights, int count, double step, const double *state,
                    double *result)
{
    size_t size = (size_t)runs->n * TOGETHER, k;
    double factors[MARCH_MOST_STAGES];
    const double *rates[MARCH_MOST_STAGES];
    int used = 0, j;

    for (j = 0; j < count; j++)
        if (weights[j] != 0) {
            factors[used] = step * weights[j];
            rates[used++] = runs->rates + (size_t)j * size;
        }
    for (k = 0; k < size; k += TOGETHER) {
        lanes total = *(const lanes *)(state + k);
        for (j = 0; j < used; j++)
            total += factors[j] * *(const lanes *)(rates[j] + k);
        *(lanes *)(result + k) = total;
    }
}

static int take_step(march_together *runs, double time, double step, double slack)
{
    const march_tableau *tableau = runs->tableau;
    size_t size = (size_t)runs->n * TOGETHER;
    march_instant from = {time, MARCH_FROM_RIGHT, slack};
    int i;

    if (find_rates(runs, from, runs->state, runs->rates))
        return 1;
    for (i = 1; i < tableau->stages; i++) {
        march_instant at = {time + tableau->c[i] * step, MARCH_FROM_LEFT, slack};
        combine(runs, tableau->a + (size_t)i * tableau->stages, i, step, runs->state, runs->stage);
        if (find_rates(runs, at, runs->stage, runs->rates + (size_t)i * size))
            return 1;
    }
    combine(runs, tableau->b, tableau->stages, step, runs->state, runs->state);
    return 0;
}

static int cross(march_together *runs, double start, double target)
{
    double count = ceil((target - start) / runs->step - 1e-9), step, time = start;
    long long steps = count < 1 ? 1 : (long long)count, i;

    step = (target - start) / (double)steps;
    for (i = 1; i <= steps; i++) {
        if (take_step(runs, time, step, march_slack(start, target) + 1e-9 * step))
            return 1;
        time = i == steps ? target : start + (double)i * step;
    }
    return 0;
}

/* What nobody asks for is not kept: it would take the place of the equations in the cache. */
static void keep(const march_together *runs, int number)
{
    double *row = runs->states + (size_t)number * (size_t)runs->kept * TOGETHER;
    int k;

    for (k = 0; k < runs->kept; k++)
        *(lanes *)(row + k * TOGETHER) = *(const lanes *)(runs->state + runs->places[k] * TOGETHER);
}

/* Carries all runs through the requested times; returns 0, or 1 where the equations could not be evaluated. */
int march_all_together(march_together *runs)
{
    size_t size = (size_t)runs->n * TOGETHER;
    int count = runs->signals[0].count, i;
    double *work = runs->work + count, time = runs->begin;

    runs->controls = march_take(&work, (size_t)count * TOGETHER);
    runs->rates = march_take(&work, (size_t)runs->tableau->stages * size);
    runs->stage = march_take(&work, size);
    runs->ready = 0;
    for (i = 0; i < runs->count; i++) {
        if (cross(runs, time, runs->times[i]))
            return 1;
        time = runs->times[i];
        keep(runs, i);
    }
    return 0;
}
