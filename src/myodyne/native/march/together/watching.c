/* Events of several runs: a state or an output passes a level between two of the times at which it is looked at. */
#include "together.h"

#include <math.h>
#include <string.h>

static const double AT_LEVEL = 1e-9;    /* an output this close to its level, where a run begins, is at it */

/* The rates of a run where it is: those of its last step, or else those that the equations give. */
static int take_rates(march_together *runs, int lane)
{
    march_watch *watch = runs->watch;
    const march_number *known = runs->present ? runs->present(runs, lane) : NULL;
    double *found = runs->own + 2 * runs->signals[0].count + runs->n;
    int m = watch->motion, k, failed = 0;

    if (!known && runs->find)
        failed = runs->find(runs, lane, found);
    for (k = 0; k < watch->states && (known || runs->find); k++) {
        double rate = known ? known[watch->rate_places[k]][lane] : found[watch->rate_places[k]];
        if (k < m)
            watch->xdot[k][lane] = rate;
        else
            watch->x[k][lane] = rate;
    }
    return failed;
}

/* Puts a run's states, rates and controls where the outputs read them. */
static int put(march_together *runs, int lane)
{
    march_watch *watch = runs->watch;
    march_instant now = {runs->lanes[lane].time, MARCH_FROM_RIGHT, 0};
    int k;

    for (k = 0; k < watch->motion; k++)
        watch->x[k][lane] = runs->state[watch->motion_places[k]][lane];
    if (take_rates(runs, lane))
        return 1;
    march_controls(runs->signals + lane, now, runs->own);
    for (k = 0; k < runs->signals[0].count; k++)
        watch->u[k][lane] = runs->own[k];
    return 0;
}

static int evaluate(march_together *runs)
{
    march_watch *watch = runs->watch;
    march_kernel *derivative = watch->derivative, *outputs = watch->outputs;

    if (derivative) {
        derivative->arg[0] = watch->x;
        derivative->arg[1] = watch->u;
        derivative->arg[2] = runs->parameters;
        derivative->res[0] = watch->xdot;
        derivative->res[1] = watch->x + watch->motion;
        if (derivative->function(derivative->arg, derivative->res, derivative->iw, derivative->w, 0))
            return 1;
    }
    outputs->arg[0] = watch->x;
    outputs->arg[1] = watch->xdot;
    outputs->arg[2] = watch->u;
    outputs->arg[3] = runs->parameters;
    outputs->res[0] = watch->values;
    return outputs->function(outputs->arg, outputs->res, outputs->iw, outputs->w, 0);
}

/* Whether an event happened to a run since it was looked at. */
static int happened(const march_watch *watch, int event, double before, double after)
{
    int falls = before > 0 && after <= 0, rises = before < 0 && after >= 0;

    return watch->directions[event] < 0 ? falls : watch->directions[event] > 0 ? rises : falls || rises;
}

/* Whether a run began at the level and is beyond it: an event may be hidden in between, which only `simulate` seeks. */
static int may_hide(const march_watch *watch, int event, double before, double after)
{
    int beyond = watch->directions[event] < 0 ? after < 0 : watch->directions[event] > 0 ? after > 0 : after != 0;

    return beyond && fabs(before) <= AT_LEVEL * fmax(1, fabs(watch->levels[event]));
}

static void compare(march_together *runs, int number)
{
    march_watch *watch = runs->watch;
    march_lane *lane = runs->lanes + number;
    int k;

    for (k = 0; k < watch->events; k++) {
        double before = watch->before[k][number], after = watch->values[k][number];

        if (!isfinite(after) || (lane->looked == 1 && may_hide(watch, k, before, after)))
            lane->failed = 1;
        if (lane->looked && happened(watch, k, before, after))
            lane->crossed |= 1 << k;
        else
            watch->before[k][number] = after;
    }
    lane->looked++;
    if (lane->crossed)
        lane->limit = lane->reached;
}

/* Looks at the runs that `where` marks. */
void march_watch_runs(march_together *runs, march_truth where)
{
    march_watch *watch = runs->watch;
    int lane, k;

    for (lane = 0; lane < MARCH_WIDTH; lane++)
        if (where[lane] && watch->outputs && put(runs, lane))
            runs->lanes[lane].failed = 1;
    if (watch->outputs && evaluate(runs)) {
        for (lane = 0; lane < MARCH_WIDTH; lane++)
            runs->lanes[lane].failed = 1;
        return;
    }
    for (k = 0; k < watch->events; k++)
        watch->values[k] = (watch->direct[k] < 0 ? watch->values[k] : runs->state[watch->direct[k]]) - watch->levels[k];
    for (lane = 0; lane < MARCH_WIDTH; lane++)
        if (where[lane])
            compare(runs, lane);
}
