/* Equal steps of a linearly implicit method for several runs at once.
 *
 * Where a run begins, or one of its controls jumps, the rates are those that the equations give: rarely enough that each
 * run finds them by itself, as it does alone. */
#include "../stages.h"
#include "together.h"

#include <math.h>
#include <string.h>

enum { NOWHERE = 0, KNOWN = 1, THE_LAST_STEP = 2 };     /* where a run has its rates from */
static const double JUMP = 1e-9;    /* as in ../rosenbrock.c */

int march_linear_together_work(int n, int stages, int controls, int numbers)
{
    return march_together_work(n, controls, numbers) + march_stages_work(n, stages, controls);
}

/* The rates that the equations give a run. */
static int find(march_together *runs, int lane, double *rates)
{
    int n = runs->n, count = runs->signals[0].count, k;
    double *x = runs->own + 2 * count, *p = x + 2 * n;

    for (k = 0; k < n; k++)
        x[k] = runs->state[k][lane];
    for (k = 0; k < runs->numbers; k++)
        p[k] = runs->parameters[k][lane];
    march_controls(runs->signals + lane, march_instant_of(runs, lane, 0, MARCH_FROM_RIGHT), runs->own);
    return runs->rates_of(runs->alone, x, runs->own, p, rates);
}

/* Finds the rates of a run unless they are known. */
static void start(march_together *runs, int lane)
{
    march_stages *stages = runs->stepper;
    int n = runs->n, k;
    double *xdot = runs->own + 2 * runs->signals[0].count + n;
    march_lane *one = runs->lanes + lane;

    if (one->carried != NOWHERE)
        return;
    one->failed = find(runs, lane, xdot) != 0;
    for (k = 0; k < n; k++)
        stages->rate[k][lane] = xdot[k];
    one->carried = KNOWN;
}

/* The rates of change of the controls of all runs. */
static void turn(march_together *runs, march_number *values)
{
    int count = runs->signals[0].count, lane, k;

    for (lane = 0; lane < MARCH_WIDTH; lane++) {
        march_control_rates(runs->signals + lane, march_instant_of(runs, lane, 0, MARCH_FROM_RIGHT), runs->own);
        for (k = 0; k < count; k++)
            values[k][lane] = runs->own[k];
    }
}

static void begin(march_stages *stages)
{
    march_together *runs = stages->owner;
    int count = runs->signals[0].count;

    march_controls_together(runs, 0, MARCH_FROM_RIGHT, runs->controls);
    if (runs->steady)
        memset(stages->turning, 0, sizeof *stages->turning * count);
    else if (stages->tableau->stages == 1) {
        march_controls_together(runs, 1, MARCH_FROM_LEFT, stages->turning);
        march_difference(stages->turning, runs->controls, 1 / stages->step, count);
    } else
        turn(runs, stages->turning);
}

static void move(march_stages *stages, double part)
{
    march_together *runs = stages->owner;

    march_controls_together(runs, part, MARCH_FROM_LEFT, runs->controls);
}

static int attempt(march_together *runs)
{
    march_stages *stages = runs->stepper;

    stages->step = *runs->length;
    return march_stages_take(stages, runs->state, runs->next);
}

static void accept(march_together *runs, march_truth moved)
{
    march_stages *stages = runs->stepper;
    int lane, k;

    for (k = 0; k < runs->n; k++)
        stages->rate[k] = march_choose(moved, stages->next_rate[k], stages->rate[k]);
    for (lane = 0; lane < MARCH_WIDTH; lane++)
        if (moved[lane])
            runs->lanes[lane].carried = THE_LAST_STEP;
}

/* As in ../rosenbrock.c: where a control jumps, rates belong to the time before it. */
static const march_number *present(march_together *runs, int lane)
{
    march_stages *stages = runs->stepper;
    const march_lane *one = runs->lanes + lane;
    march_signal *signal = runs->signals + lane;
    march_instant before = {one->time, MARCH_FROM_LEFT, march_slack(one->time, one->time)}, after = before;
    double *earlier = runs->own, *later = runs->own + signal->count;
    int i;

    if (stages->tableau->stages > 1 || one->carried != THE_LAST_STEP)
        return NULL;
    if (!one->jump)
        return stages->rate;
    after.side = MARCH_FROM_RIGHT;
    march_controls(signal, before, earlier);
    march_controls(signal, after, later);
    for (i = 0; i < signal->count; i++)
        if (fabs(earlier[i] - later[i]) > JUMP * (fabs(earlier[i]) + fabs(later[i])))
            return NULL;
    return stages->rate;
}

int march_linear_together(march_together *runs)
{
    march_number *work = march_together_open(runs);
    march_stages stages;

    memset(&stages, 0, sizeof stages);
    stages.body = runs->body;
    stages.tableau = runs->tableau;
    stages.parameters = runs->parameters;
    stages.n = runs->n;
    stages.owner = runs;
    stages.begin = begin;
    stages.move = move;
    march_stages_open(&stages, &work, runs->signals[0].count);
    /* One place for the controls, so that those that never change are set once. */
    stages.controls = runs->controls;
    runs->stepper = &stages;
    runs->start = start;
    runs->attempt = attempt;
    runs->accept = accept;
    runs->present = present;
    runs->find = find;
    march_body_set(runs->body, runs->parameters);
    march_all_together(runs);
    return 0;
}
