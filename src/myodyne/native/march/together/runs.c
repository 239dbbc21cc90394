/* Several runs at once, one in each entry of the vectors: which steps they take, and what is kept of them.
 *
 * Each run has its own clock, controls, numbers and state.  A run that has arrived, or failed, waits: what is computed
 * for it is dropped.  Nothing that happens to one run changes another. */
#include "together.h"

#include <math.h>

/* How many runs are computed together. */
int march_width(void)
{
    return MARCH_WIDTH;
}

/* What one run needs for itself, in numbers of all. */
static int own_size(int n, int controls, int numbers)
{
    return (2 * n + 2 * controls + numbers) / MARCH_WIDTH + 1;
}

int march_together_work(int n, int controls, int numbers)
{
    return n + controls + 1 + own_size(n, controls, numbers);
}

march_number *march_together_open(march_together *runs)
{
    int count = runs->signals[0].count;
    march_number *work = runs->work;

    runs->next = march_take(&work, runs->n);
    runs->controls = march_take(&work, count);
    runs->length = march_take(&work, 1);
    runs->own = (double *)march_take(&work, own_size(runs->n, count, runs->numbers));
    runs->ready = 0;
    return work;
}

march_instant march_instant_of(const march_together *runs, int lane, double part, march_side side)
{
    march_instant at = {runs->lanes[lane].time + part * runs->lanes[lane].step, side, runs->lanes[lane].slack};
    return at;
}

/* The controls of all runs after a part of their steps; those that never change are set once. */
void march_controls_together(march_together *runs, double part, march_side side, march_number *values)
{
    double *one = runs->own;
    int count = runs->signals[0].count, lane, k;

    if (runs->steady && runs->ready && values == runs->controls)
        return;
    for (lane = 0; lane < MARCH_WIDTH; lane++) {
        march_controls(runs->signals + lane, march_instant_of(runs, lane, part, side), one);
        for (k = 0; k < count; k++)
            values[k][lane] = one[k];
    }
    if (values == runs->controls)
        runs->ready = 1;
}

/* The next time that a run lands on: the requested one, or a stop of its controls on the way. */
static void aim(march_together *runs, int number)
{
    march_lane *lane = runs->lanes + number;
    march_signal *signal = runs->signals + number;
    double requested = runs->times[(size_t)lane->reached * MARCH_WIDTH + number], count;
    double slack = march_slack(lane->time, requested);
    int next = 0;

    lane->begin = lane->time;
    lane->end = requested;
    lane->jump = 0;
    if (runs->stops) {
        next = signal->next_stop;
        while (next > 0 && signal->stops[next - 1] > lane->time + slack)
            next--;
        while (next < signal->n_stops && signal->stops[next] <= lane->time + slack)
            next++;
        signal->next_stop = next;
        lane->jump = next < signal->n_stops && signal->stops[next] <= requested + slack;
        if (lane->jump && signal->stops[next] < requested - slack)
            lane->end = signal->stops[next];
    }
    count = ceil((lane->end - lane->begin) / runs->step - 1e-9);
    lane->steps = count < 1 ? 1 : (long long)count;
    lane->taken = 0;
    lane->step = (lane->end - lane->begin) / (double)lane->steps;
    lane->slack = march_slack(lane->begin, lane->end) + 1e-9 * lane->step;
}

static int waits(const march_lane *lane)
{
    return lane->failed || lane->reached >= lane->limit;
}

/* Prepares the next step of each run; returns how many take one. */
static int set_out(march_together *runs)
{
    march_truth fresh = {0};
    int lane, moving = 0;

    for (lane = 0; lane < MARCH_WIDTH; lane++) {
        march_lane *one = runs->lanes + lane;

        if (!waits(one) && one->taken == one->steps)
            aim(runs, lane);
        if (!waits(one) && runs->start)
            runs->start(runs, lane);
        fresh[lane] = runs->watch && !waits(one) && !one->looked ? -1 : 0;
        moving += !waits(one);
        (*runs->length)[lane] = waits(one) ? runs->step : one->step;
    }
    if (march_any(fresh))
        march_watch_runs(runs, fresh);
    return moving;
}

/* What nobody asks for is not kept: it would take the place of the equations in the cache. */
static void keep(march_together *runs, int lane, int slot)
{
    march_number *row = runs->states + (size_t)slot * (size_t)runs->kept;
    march_number *rates = runs->rates + (size_t)slot * (size_t)runs->kept_rates;
    const march_number *known = runs->kept_rates && runs->present ? runs->present(runs, lane) : NULL;
    int k;

    for (k = 0; k < runs->kept; k++)
        row[k][lane] = runs->state[runs->places[k]][lane];
    for (k = 0; k < runs->kept_rates; k++)
        rates[k][lane] = known ? known[runs->rate_places[k]][lane] : NAN;
}

/* Which runs can go on from where their steps lead. */
static march_truth went_on(march_together *runs)
{
    march_truth moved = {0};
    march_number sum = march_all(0);
    int lane, k;

    for (k = 0; k < runs->n; k++)
        sum += runs->next[k] * 0;   /* no longer zero where a number is not finite */
    for (lane = 0; lane < MARCH_WIDTH; lane++) {
        if (waits(runs->lanes + lane))
            continue;
        if (sum[lane] == 0)
            moved[lane] = -1;
        else
            runs->lanes[lane].failed = 1;
    }
    return moved;
}

static void arrive(march_together *runs)
{
    march_truth looks = {0};
    int lane;

    for (lane = 0; lane < MARCH_WIDTH; lane++) {
        march_lane *one = runs->lanes + lane;

        if (waits(one))
            continue;
        one->taken++;
        one->time = one->taken == one->steps ? one->end : one->begin + (double)one->taken * one->step;
        if (one->taken == one->steps) {
            int number = one->reached;
            if (!(one->time < runs->times[(size_t)number * MARCH_WIDTH + lane])) {
                one->reached++;
                if (runs->slots[number] >= 0)
                    keep(runs, lane, runs->slots[number]);
                looks[lane] = runs->watch && runs->watch->looks[number] ? -1 : 0;
            }
        }
    }
    if (march_any(looks))
        march_watch_runs(runs, looks);
    for (lane = 0; lane < MARCH_WIDTH; lane++)
        if (runs->lanes[lane].jump && runs->lanes[lane].taken == runs->lanes[lane].steps)
            runs->lanes[lane].carried = 0;
}

/* Carries each run on to its limit. */
void march_all_together(march_together *runs)
{
    int lane, k;

    while (set_out(runs)) {
        march_truth moved;

        if (runs->attempt(runs)) {
            for (lane = 0; lane < MARCH_WIDTH; lane++)
                runs->lanes[lane].failed = 1;
            return;
        }
        moved = went_on(runs);
        for (k = 0; k < runs->n; k++)
            runs->state[k] = march_choose(moved, runs->next[k], runs->state[k]);
        if (runs->accept)
            runs->accept(runs, moved);
        arrive(runs);
    }
}
