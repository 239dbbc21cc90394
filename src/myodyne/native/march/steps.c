/* Travelling: which steps are taken, kept and repeated between the requested times.
 *
 * Fixed schemes divide each interval into equal steps.  Adaptive ones choose the step by a PI controller
 * (Gustafsson 1991; Hairer and Wanner 1996, section IV.2) and land on every requested time and every stop of
 * the controls exactly, because a formula that crosses a jump has the order of none. */
#include "lanes.h"
#include "march.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SAFETY = 0.9;
static const double LEAST_FACTOR = 0.2;
static const double MOST_FACTOR = 5.0;
static const double PRESENT = 0.85;         /* exponents of the controller, to be divided by the error's order */
static const double PAST = 0.2;
static const double LEAST_ERROR = 1e-10;    /* keeps the powers finite where a step has no error at all */
static const double LEAST_PAST = 1e-4;

typedef struct {
    march_stepper *stepper;
    double time;
    double *state;
    double *next;
    double *rate;
    double *probe;
    long long left;         /* steps until there are too many */
} journey;

int march_first_not_finite(const double *values, int n)
{
    march_lanes first = {0, 0, 0, 0}, second = first, third = first, fourth = first;
    int i, most = n - n % (4 * LANES);

    for (i = 0; i < most; i += 4 * LANES) {
        /* No longer zero where a value is not finite; four sums, because one would wait for itself. */
        first += march_load(values + i) * 0.0;
        second += march_load(values + i + LANES) * 0.0;
        third += march_load(values + i + 2 * LANES) * 0.0;
        fourth += march_load(values + i + 3 * LANES) * 0.0;
    }
    for (i = march_lanes_sum((first + second) + (third + fourth)) == 0 ? most : 0; i < n; i++)
        if (!isfinite(values[i]))
            return i;
    return -1;
}

/* Entries first to first + width of a sum.  They stay in registers: a sum that goes through memory waits for it in
 * every term, which costs a small system more than its rates. */
static inline void combine_some(march_sum sum, int n, int first, const int width, const double *state, double *result)
{
    double total[4];
    int i, j;

    for (i = 0; i < width; i++)
        total[i] = state ? state[first + i] : 0;
    for (j = 0; j < sum.count; j++) {
        double factor = sum.step * sum.weights[j];
        const double *rate = sum.rates + (size_t)j * (size_t)n + first;
        if (factor != 0)        /* most of a tableau is zeros */
            for (i = 0; i < width; i++)
                total[i] += factor * rate[i];
    }
    for (i = 0; i < width; i++)
        result[first + i] = total[i];
}

void march_combine(march_sum sum, int n, const double *state, double *result)
{
    int first = 0;

    for (; first + 4 <= n; first += 4)
        combine_some(sum, n, first, 4, state, result);
    if (n - first == 3)
        combine_some(sum, n, first, 3, state, result);
    else if (n - first == 2)
        combine_some(sum, n, first, 2, state, result);
    else if (n - first == 1)
        combine_some(sum, n, first, 1, state, result);
}

/* Root mean square of a vector in units of the tolerances; remembers its largest entry as the offender. */
double march_error_norm(const march_stepper *stepper, const double *error, const double *state, const double *next)
{
    const march_control *control = stepper->control;
    double sum = 0, largest = -1;
    int i;

    for (i = 0; i < stepper->n; i++) {
        double ratio = error[i] / (control->absolute + control->relative * fmax(fabs(state[i]), fabs(next[i])));
        double square = ratio * ratio;
        sum += square;
        if (square > largest) {
            largest = square;
            stepper->course->offender = i;
        }
    }
    return stepper->n ? sqrt(sum / stepper->n) : 0;
}

static double growth(double error, double previous, int order)
{
    double factor = SAFETY * pow(fmax(error, LEAST_ERROR), -PRESENT / order) * pow(previous, PAST / order);
    return fmin(fmax(factor, LEAST_FACTOR), MOST_FACTOR);
}

static double shrinkage(double error, int order)
{
    return fmax(SAFETY * pow(error, -1.0 / order), LEAST_FACTOR);
}

static void keep(journey *on, double time)
{
    double *old = on->state;

    on->state = on->next;
    on->next = old;
    on->time = time;
    on->stepper->course->steps++;
    on->stepper->accept(on->stepper);
}

static int cross_equally(journey *on, double target)
{
    march_stepper *stepper = on->stepper;
    double start = on->time;
    double count = ceil((target - start) / stepper->control->step - 1e-9);
    double step, error;
    long long i, steps;

    if (!(count <= (double)on->left))
        return MARCH_TOO_MANY_STEPS;
    steps = count < 1 ? 1 : (long long)count;
    step = (target - start) / (double)steps;
    on->left -= steps;
    for (i = 1; i <= steps; i++) {
        march_instant from = {on->time, MARCH_FROM_RIGHT, march_slack(start, target) + 1e-9 * step};
        int status = stepper->attempt(stepper, from, step, on->state, on->next, &error);
        if (status)
            return status;
        keep(on, i == steps ? target : start + (double)i * step);
    }
    return MARCH_GOOD;
}

/* The first step, from the sizes of the state, its rate and the change of that rate (Hairer, Norsett and
 * Wanner 1993, section II.4). */
static int estimate_step(journey *on, double target)
{
    march_stepper *stepper = on->stepper;
    const march_control *control = stepper->control;
    double slack = march_slack(on->time, target);
    march_instant here = {on->time, MARCH_FROM_RIGHT, slack};
    march_instant there = {0, MARCH_FROM_LEFT, slack};
    double size, speed, bend, trial, guess;
    int i, status;

    status = stepper->rate(stepper, here, on->state, on->rate);
    if (status)
        return status;
    i = march_first_not_finite(on->rate, stepper->n);
    if (i >= 0) {
        stepper->course->offender = i;
        return MARCH_NOT_FINITE;
    }
    size = march_error_norm(stepper, on->state, on->state, on->state);
    speed = march_error_norm(stepper, on->rate, on->state, on->state);
    trial = size < 1e-5 || speed < 1e-5 ? 1e-6 : 0.01 * size / speed;
    trial = fmin(trial, fmin(target - on->time, control->largest_step));
    for (i = 0; i < stepper->n; i++)
        on->next[i] = on->state[i] + trial * on->rate[i];
    there.time = on->time + trial;
    status = stepper->rate(stepper, there, on->next, on->probe);
    for (i = 0; i < stepper->n; i++)
        on->probe[i] -= on->rate[i];
    bend = march_error_norm(stepper, on->probe, on->state, on->state) / trial;
    if (status || !isfinite(bend))
        guess = 1e-3 * trial;
    else if (fmax(speed, bend) <= 1e-15)
        guess = fmax(1e-6, 1e-3 * trial);
    else
        guess = pow(0.01 / fmax(speed, bend), 1.0 / stepper->error_order);
    stepper->memory->step = fmin(fmin(100 * trial, guess), control->largest_step);
    return MARCH_GOOD;
}

static int cross_adaptively(journey *on, double target)
{
    march_stepper *stepper = on->stepper;
    march_memory *memory = stepper->memory;
    double largest_step = stepper->control->largest_step;
    int repeated = 0, status;

    if (!(memory->step > 0)) {
        status = estimate_step(on, target);
        if (status)
            return status;
    }
    while (on->time < target) {
        double remaining = target - on->time;
        double smallest = 16 * DBL_EPSILON * fmax(fabs(on->time), fabs(target));
        double wanted = fmax(memory->step, smallest), step = wanted, error = 0, end;
        march_instant from = {on->time, MARCH_FROM_RIGHT, march_slack(on->time, target)};
        double longest = stepper->longest ? stepper->longest(stepper, from, on->state) : INFINITY;
        int last = fmin(wanted, longest) >= 0.99 * remaining;
        int limited;

        if (longest < wanted && !last)
            step = fmax(longest, smallest);
        else if (last)
            step = remaining;
        else if (2 * wanted > remaining)
            step = 0.5 * remaining;     /* two equal steps instead of a long and a tiny one */
        limited = step < wanted;
        end = last ? target : on->time + step;
        if (on->left-- <= 0)
            return MARCH_TOO_MANY_STEPS;
        status = stepper->attempt(stepper, from, step, on->state, on->next, &error);
        if (status || !(error <= 1)) {
            stepper->course->rejected++;
            repeated = 1;
            memory->step = step * (status ? LEAST_FACTOR : shrinkage(error, stepper->error_order));
            if (memory->step < smallest)
                return status ? status : MARCH_STEP_TOO_SMALL;
            continue;
        }
        step *= fmin(growth(error, memory->previous_error, stepper->error_order), repeated ? 1.0 : MOST_FACTOR);
        /* A step cut short by its target or its beginning says little about the next one. */
        if (limited)
            step = fmax(step, wanted);
        else
            memory->previous_error = fmax(error, LEAST_PAST);
        memory->step = fmin(step, largest_step);
        keep(on, end);
        repeated = 0;
    }
    return MARCH_GOOD;
}

/* The next time to land on: the requested one, or a stop on the way.  `jump` says whether a stop is there. */
static double next_target(journey *on, double requested, int *jump)
{
    march_signal *signal = on->stepper->controls;
    double slack = march_slack(on->time, requested);
    const double *stops = signal->stops;
    int next = signal->next_stop;

    *jump = 0;
    if (!on->stepper->stops)
        return requested;
    while (next > 0 && stops[next - 1] > on->time + slack)
        next--;
    while (next < signal->n_stops && stops[next] <= on->time + slack)
        next++;
    signal->next_stop = next;
    if (next == signal->n_stops || stops[next] > requested + slack)
        return requested;
    *jump = 1;
    return stops[next] < requested - slack ? stops[next] : requested;
}

/* Notes the rates at a requested time. */
static void note_rates(const journey *on)
{
    march_stepper *stepper = on->stepper;
    march_course *course = stepper->course;
    const double *rates = stepper->present ? stepper->present(stepper, on->time) : NULL;
    double *place = course->rates + (size_t)course->reached * (size_t)stepper->n;
    int i;

    for (i = 0; i < stepper->n; i++)
        place[i] = rates ? rates[i] : NAN;
}

static int reach(journey *on, double requested)
{
    march_stepper *stepper = on->stepper;
    int jump, status;

    on->left = stepper->control->most_steps;
    while (on->time < requested) {
        double target = next_target(on, requested, &jump);
        status = stepper->control->step > 0 ? cross_equally(on, target) : cross_adaptively(on, target);
        if (status)
            return status;
        if (stepper->course->rates && !(on->time < requested))
            note_rates(on);
        if (jump)
            stepper->restart(stepper);
    }
    return MARCH_GOOD;
}

/* Takes up the thread of the last advance if this one begins where that ended. */
static void begin(journey *on)
{
    march_stepper *stepper = on->stepper;
    march_memory *memory = stepper->memory;
    const march_control *control = stepper->control;
    size_t bytes = sizeof(double) * (size_t)stepper->n;

    on->time = stepper->course->last_time;
    memcpy(on->state, stepper->course->last_state, bytes);
    if (memory->continuing && memory->time == on->time && memcmp(memory->state, on->state, bytes) == 0)
        return;
    memory->step = control->first_step > 0 ? fmin(control->first_step, control->largest_step) : 0;
    memory->previous_error = 1;
    stepper->restart(stepper);
}

void march_travel(march_stepper *stepper, march_problem *problem, const march_control *control,
                  march_memory *memory, march_course *course)
{
    int n = problem->n;
    double *buffers = problem->work;
    size_t bytes = sizeof(double) * (size_t)n;
    journey on = {stepper, 0, buffers, buffers + n, buffers + 2 * n, buffers + 3 * n, 0};

    stepper->n = n;
    stepper->controls = problem->controls;
    stepper->control = control;
    stepper->memory = memory;
    stepper->course = course;
    begin(&on);
    course->failure = MARCH_GOOD;
    course->offender = -1;
    for (course->reached = 0; course->reached < course->count; course->reached++) {
        course->failure = reach(&on, course->times[course->reached]);
        if (course->failure)
            break;
        memcpy(course->states + (size_t)course->reached * (size_t)n, on.state, bytes);
    }
    if (!course->failure || course->failure == MARCH_TOO_MANY_STEPS)
        course->offender = -1;
    course->last_time = on.time;
    memcpy(course->last_state, on.state, bytes);
    memory->continuing = !course->failure;
    memory->time = on.time;
    memcpy(memory->state, on.state, bytes);
}
