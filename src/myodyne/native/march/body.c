/* A body with muscles in implicit form, F(x, xdot, u) = 0, and the linear systems of implicit methods for it.
 *
 *     x = (positions, speeds, fibres, activations),
 *     F = (d positions/dt - speeds, balance of forces, balance in each muscle, activation of each muscle).
 *
 * Every muscle has its own two states and touches only the coordinates that it crosses, so its rows are eliminated
 * by themselves; what remains is one dense system with a row for each speed (van den Bogert et al. 2011, section 2.5,
 * describe the structure).  The multipliers of constraints and the power ride along as speeds, as the kernel
 * "balance" has them; their positions are idle.
 *
 * "Rates" below leave out those of the positions, which are the speeds: (accelerations, fibre rates, activation
 * rates).  Residuals have the same order. */
#include "body.h"
#include "lanes.h"

#include <math.h>
#include <string.h>

static int call(march_kernel *kernel)
{
    return kernel->function(kernel->arg, kernel->res, kernel->iw, kernel->w, 0);
}

/* A vector that holds a state, a rate or all controls. */
static int longest(const march_body *body)
{
    int states = 2 * (body->speeds + body->muscles);
    return states > body->controls ? states : body->controls;
}

static int entries(const march_body *body)
{
    return body->muscles ? body->first_entry[body->groups] + LANES : 0;
}

static void open_point(const march_body *body, march_point *point, march_number **work)
{
    point->gradient = march_take(work, entries(body));
    point->gradient_rate = march_take(work, entries(body));
    point->values = march_take(work, (size_t)body->stride * VALUES);
    point->drives = march_take(work, (size_t)body->stride * DRIVES);
    point->velocity = march_take(work, body->coordinates);
    point->pull = march_take(work, body->coordinates);
}

int march_body_work(const march_body *body)
{
    int m = body->speeds, q = body->coordinates;
    int point = 2 * entries(body) + (VALUES + DRIVES) * body->stride + 2 * q;

    int states = 2 * m + body->fibres + body->actives, fed = body->fed;
    int loop = body->controls + fed * (2 + 3 * states + fed) + 2 * longest(body);

    return 1 + 5 * m * m + (1 + LANES) * q * q + 2 * point + 8 * body->stride + 5 * longest(body) + loop;
}

void march_body_open(march_body *body)
{
    size_t m = body->speeds, q = body->coordinates, stride = body->stride, length = longest(body);
    march_number *work = body->work;

    body->sigma = march_take(&work, 1);
    body->by_position = march_take(&work, m * m);
    body->by_speed = march_take(&work, m * m);
    body->by_acceleration = march_take(&work, m * m);
    body->resistance = march_take(&work, m * m);
    body->matrix = march_take(&work, m * m);
    body->bend = march_take(&work, q * q);
    body->lanes = march_take(&work, LANES * q * q);
    open_point(body, &body->here, &work);
    open_point(body, &body->aside, &work);
    body->fibre_share = march_take(&work, stride);
    body->fibre_factor = march_take(&work, stride);
    body->active_factor = march_take(&work, stride);
    body->fibre_part = march_take(&work, stride);
    body->active_part = march_take(&work, stride);
    body->stiffness = march_take(&work, stride);
    body->moved = march_take(&work, stride);
    body->tension = march_take(&work, stride);
    body->state = march_take(&work, length);
    body->rate = march_take(&work, length);
    body->own_state = march_take(&work, length);
    body->scratch = march_take(&work, length);
    body->change = march_take(&work, length);
    body->closed = march_take(&work, body->controls);
    body->law = march_take(&work, body->fed);
    body->law_by_state = march_take(&work, (size_t)body->fed * march_body_states(body));
    body->law_by_time = march_take(&work, body->fed);
    body->driven = march_take(&work, (size_t)body->fed * march_body_states(body));
    body->followed = march_take(&work, (size_t)body->fed * march_body_states(body));
    body->loop_matrix = march_take(&work, (size_t)body->fed * body->fed);
    body->spare = march_take(&work, length);
    body->spared = march_take(&work, length);
}

int march_body_states(const march_body *body)
{
    return 2 * body->speeds + body->fibres + body->actives;
}

/* Puts the free numbers of the muscles in their places, and prepares what the muscles make of them. */
void march_body_set(march_body *body, const march_number *parameters)
{
    int i, k;

    for (i = 0; i < body->free; i++) {
        march_number *number = body->numbers + body->free_number[i], given = parameters[body->free_parameter[i]];
        if (march_any(*number != given))
            body->ready = 0;
        *number = given;
    }
    for (k = 0; k < body->kinds && !body->ready; k++) {
        int first = body->first_of_kind[k];
        int count = (body->first_of_kind[k + 1] - first) * MARCH_WIDTH;
        const double *numbers = (const double *)(body->numbers + first);

        body->batches[k](count, NULL, numbers, (double *)(body->prepared + first));
        body->rate_batches[k](count, NULL, NULL, numbers, (double *)(body->settled + first));
    }
    body->ready = 1;
}

int march_body_paths(march_body *body, march_point *point, const march_number *x, const march_number *p)
{
    march_kernel *paths = body->paths;

    if (!body->muscles)
        return 0;
    memcpy(point->velocity, x + body->speeds, sizeof(march_number) * body->coordinates);
    paths->arg[0] = x;
    paths->arg[1] = point->velocity;
    paths->arg[2] = p;
    paths->res[0] = DRIVE(point, LENGTH);
    paths->res[1] = point->gradient;
    paths->res[2] = body->rigid ? point->gradient_rate : NULL;
    if (call(paths))
        return 1;
    march_body_lengthen(body, point->gradient, point->velocity, DRIVE(point, SPEED));
    return 0;
}

void march_body_gather(const march_body *body, const int *restrict state, const march_number *restrict states,
                       march_number *restrict result)
{
    int muscles = body->muscles, i;

    for (i = 0; i < muscles; i++)
        result[i] = state[i] < 0 ? march_all(0) : states[state[i]];
}

void march_body_scatter(const march_body *body, const int *restrict state, const march_number *restrict values,
                        march_number *restrict states)
{
    int muscles = body->muscles, i;

    for (i = 0; i < muscles; i++)
        if (state[i] >= 0)
            states[state[i]] = values[i];
}

/* Puts what acts on the muscles, but for their paths, into its place. */
void march_body_drive(const march_body *body, march_point *point, march_motion of)
{
    const march_number *fibres = of.x + 2 * body->speeds, *fibre_rates = of.rates + body->speeds;

    march_body_gather(body, body->fibre, fibres, DRIVE(point, FIBRE));
    march_body_gather(body, body->fibre, fibre_rates, DRIVE(point, FIBRE_RATE));
    march_body_gather(body, body->active, fibres + body->fibres, DRIVE(point, ACTIVE));
    march_body_gather(body, body->active, fibre_rates + body->fibres, DRIVE(point, ACTIVE_RATE));
    march_body_gather(body, body->control, of.controls, DRIVE(point, CONTROL));
}

/* What one muscle of one run does under its drive: muscles of all runs are counted together. */
void march_body_respond(march_body *body, march_point *point, int muscle)
{
    body->batches[body->kind[muscle / MARCH_WIDTH]](1, (double *)point->drives + muscle,
                                                    (double *)body->prepared + muscle,
                                                    (double *)point->values + muscle);
}

/* What all muscles do. */
void march_body_respond_all(march_body *body, march_point *point)
{
    int k;

    for (k = 0; k < body->kinds; k++) {
        int first = body->first_of_kind[k];
        body->batches[k]((body->first_of_kind[k + 1] - first) * MARCH_WIDTH, (double *)(point->drives + first),
                         (double *)(body->prepared + first), (double *)(point->values + first));
    }
}

/* Adds what the muscles pull to the balance of forces, and their power to the last row. */
void march_body_add_tensions(const march_body *body, march_point *point, march_number *residual)
{
    int k;

    if (!body->muscles)
        return;
    march_body_pull(body, point->gradient, VALUE(point, TENSION), point->pull);
    for (k = 0; k < body->coordinates; k++) {
        residual[k] += point->pull[k];
        residual[body->speeds - 1] += point->pull[k] * point->velocity[k];
    }
}

static void give(march_kernel *kernel, const march_number *x, const march_number *xdot, march_input at)
{
    kernel->arg[0] = x;
    kernel->arg[1] = xdot;
    kernel->arg[2] = at.controls;
    kernel->arg[3] = at.parameters;
}

int march_body_balance(march_body *body, const march_number *x, const march_number *xdot, march_input at,
                       march_number *residual, int with_jacobian)
{
    march_kernel *kernel = body->balance;

    give(kernel, x, xdot, at);
    kernel->res[0] = residual;
    kernel->res[1] = with_jacobian ? body->by_position : NULL;
    kernel->res[2] = with_jacobian ? body->by_speed : NULL;
    kernel->res[3] = with_jacobian ? body->by_acceleration : NULL;
    return call(kernel);
}

/* The same, with the derivative by the accelerations alone. */
int march_body_skeleton(march_body *body, const march_number *x, const march_number *xdot, march_input at,
                        march_number *residual)
{
    march_kernel *kernel = body->inertia;

    if (!kernel)
        return march_body_balance(body, x, xdot, at, residual, 1);
    give(kernel, x, xdot, at);
    kernel->res[0] = residual;
    kernel->res[1] = body->by_acceleration;
    return call(kernel);
}

/* How the pull of the muscles changes as their paths bend: the same for all that is solved for at this point. */
static int add_bending(march_body *body, const march_number *x, const march_number *p)
{
    march_kernel *kernel = body->bending;
    const march_number *v = body->here.velocity;
    int q = body->coordinates, m = body->speeds;
    int i, j;

    if (!body->muscles || !kernel)
        return 0;
    kernel->arg[0] = x;
    kernel->arg[1] = VALUE(&body->here, TENSION);
    kernel->arg[2] = p;
    kernel->res[0] = body->bend;
    if (call(kernel))
        return 1;
    for (j = 0; j < q; j++) {
        march_number power = march_all(0);
        for (i = 0; i < q; i++) {
            march_number entry = body->bend[(size_t)j * q + i];
            body->by_position[(size_t)j * m + i] += entry;
            power += entry * v[i];
        }
        body->by_position[(size_t)j * m + m - 1] += power;
        body->by_speed[(size_t)j * m + m - 1] += body->here.pull[j];
    }
    return 0;
}

static int find_driven(march_body *body, const march_number *x, const march_number *xdot, march_input at);

int march_body_evaluate(march_body *body, const march_number *x, const march_number *xdot, march_input at,
                        march_number *residual, int with_jacobian)
{
    /* The point of the factors is kept while residuals are taken elsewhere. */
    march_point *point = with_jacobian ? &body->here : &body->aside;
    march_motion of = {x, xdot + body->speeds, at.controls};
    march_number *rest = residual + body->speeds;

    if (march_body_close(body, x, &at, with_jacobian))
        return 1;
    of.controls = at.controls;
    if (march_body_paths(body, point, x, at.parameters) || march_body_balance(body, x, xdot, at, residual, with_jacobian))
        return 1;
    march_body_drive(body, point, of);
    march_body_respond_all(body, point);
    march_body_scatter(body, body->fibre, VALUE(point, CONTRACTION), rest);
    march_body_scatter(body, body->active, VALUE(point, ACTIVATION), rest + body->fibres);
    march_body_add_tensions(body, point, residual);
    if (!with_jacobian)
        return 0;
    return add_bending(body, x, at.parameters) || find_driven(body, x, xdot, at);
}

/* Adds what a change of the excitations does. */
static int steer_muscles(march_body *body, const march_number *change, march_number *result, march_number *scratch)
{
    const march_point *here = &body->here;
    int q = body->coordinates, m = body->speeds, steered = 0;
    march_number *excited = body->moved, *pull = body->tension;
    int i, k;

    for (i = 0; i < body->muscles; i++)
        steered |= march_any(change[i] != 0);
    if (!steered)
        return 0;
    march_body_gather(body, body->control, change, excited);
    for (i = 0; i < body->muscles; i++)
        pull[i] = VALUE(here, TENSION_BY_CONTROL)[i] * excited[i];
    march_body_pull(body, here->gradient, pull, scratch);
    for (k = 0; k < q; k++) {
        result[k] += scratch[k];
        result[m - 1] += scratch[k] * here->velocity[k];
    }
    for (i = 0; i < body->muscles; i++) {
        if (body->fibre[i] >= 0)
            result[m + body->fibre[i]] = VALUE(here, CONTRACTION_BY_CONTROL)[i] * excited[i];
        if (body->active[i] >= 0)
            result[m + body->fibres + body->active[i]] = VALUE(here, ACTIVATION_BY_CONTROL)[i] * excited[i];
    }
    return 0;
}

/* result = dF/du * change of the controls in all rows but those of the positions.  Motors and pushes are linear in
 * their controls, so that a difference is exact for them. */
static int steer(march_body *body, const march_number *x, const march_number *xdot, march_input at,
                 const march_number *change, march_number *result)
{
    int m = body->speeds, n = m + body->fibres + body->actives;
    march_number *before = body->spare, *moved = body->spared;
    int steered = 0;
    int i;

    memset(result, 0, sizeof(march_number) * n);
    for (i = body->muscles; i < body->controls; i++)
        steered |= march_any(change[i] != 0);
    if (steered) {
        march_input there = {moved, at.parameters};
        for (i = 0; i < body->controls; i++)
            moved[i] = at.controls[i] + change[i];
        if (march_body_balance(body, x, xdot, at, before, 0) || march_body_balance(body, x, xdot, there, result, 0))
            return 1;
        for (i = 0; i < m; i++)
            result[i] -= before[i];
    }
    return steer_muscles(body, change, result, before);
}

/* How each control of a law drives the body. */
static int find_driven(march_body *body, const march_number *x, const march_number *xdot, march_input at)
{
    int k = body->speeds + body->fibres + body->actives, j;

    for (j = 0; j < body->fed; j++) {
        march_number *unit = body->change;
        memset(unit, 0, sizeof(march_number) * body->controls);
        unit[body->fed_control[j]] = march_all(1);
        if (steer(body, x, xdot, at, unit, body->driven + (size_t)j * k))
            return 1;
    }
    return 0;
}

int march_body_steer(march_body *body, const march_number *x, const march_number *xdot, march_input at,
                     const march_number *change, march_number *result)
{
    if (body->loop) {
        if (march_body_close(body, x, &at, 1))
            return 1;
        march_body_follow(body, change, body->change);
        change = body->change;
    }
    return steer(body, x, xdot, at, change, result);
}
