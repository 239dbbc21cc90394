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

static void open_point(const march_body *body, march_point *point, double **work)
{
    size_t muscles = body->muscles, crossings = muscles ? body->first[muscles] : 0;

    point->gradient = march_take(work, crossings);
    point->gradient_rate = march_take(work, crossings);
    point->values = march_take(work, muscles * VALUES);
    point->drives = march_take(work, muscles * DRIVES);
    point->lengths = march_take(work, muscles);
    point->speeds = march_take(work, muscles);
    point->tensions = march_take(work, muscles);
}

int march_body_work(const march_body *body)
{
    int m = body->speeds, crossings = body->muscles ? body->first[body->muscles] : 0;
    int point = 2 * crossings + (VALUES + DRIVES + 3) * body->muscles;

    return 4 * m * m + body->coordinates * body->coordinates + 2 * point + 5 * body->muscles + 5 * longest(body);
}

void march_body_open(march_body *body)
{
    size_t m = body->speeds, muscles = body->muscles, length = longest(body);
    double *work = body->work;

    body->by_position = march_take(&work, m * m);
    body->by_speed = march_take(&work, m * m);
    body->by_acceleration = march_take(&work, m * m);
    body->matrix = march_take(&work, m * m);
    body->bend = march_take(&work, (size_t)body->coordinates * body->coordinates);
    open_point(body, &body->here, &work);
    open_point(body, &body->aside, &work);
    body->fibre_share = march_take(&work, muscles);
    body->fibre_factor = march_take(&work, muscles);
    body->active_factor = march_take(&work, muscles);
    body->fibre_part = march_take(&work, muscles);
    body->active_part = march_take(&work, muscles);
    body->state = march_take(&work, length);
    body->rate = march_take(&work, length);
    body->own_state = march_take(&work, length);
    body->scratch = march_take(&work, length);
    body->change = march_take(&work, length);
}

int march_body_states(const march_body *body)
{
    return 2 * body->speeds + body->fibres + body->actives;
}

/* Puts the free numbers of the muscles in their places. */
void march_body_set(march_body *body, const double *parameters)
{
    int i;

    for (i = 0; i < body->free; i++)
        body->numbers[body->free_number[i]] = parameters[body->free_parameter[i]];
}

int march_body_paths(march_body *body, march_point *point, const double *x, const double *p)
{
    march_kernel *paths = body->paths;
    const double *v = x + body->speeds;
    int i, k;

    if (!body->muscles)
        return 0;
    paths->arg[0] = x;
    paths->arg[1] = v;
    paths->arg[2] = p;
    paths->res[0] = point->lengths;
    paths->res[1] = point->gradient;
    paths->res[2] = body->rigid ? point->gradient_rate : NULL;
    if (call(paths))
        return 1;
    for (i = 0; i < body->muscles; i++) {
        double speed = 0;
        for (k = body->first[i]; k < body->first[i + 1]; k++)
            speed += point->gradient[k] * v[body->coordinate[k]];
        point->speeds[i] = speed;
    }
    return 0;
}

/* Puts what acts on a muscle into its slot; returns where that begins. */
double *march_body_drive(const march_body *body, march_point *point, int i, march_motion of)
{
    int fibre = body->fibre[i], active = body->active[i];
    double *drive = point->drives + body->slot[i];
    const double *fibres = of.x + 2 * body->speeds, *actives = fibres + body->fibres;
    const double *fibre_rates = of.rates + body->speeds, *active_rates = fibre_rates + body->fibres;

    DRIVE(LENGTH) = point->lengths[i];
    DRIVE(SPEED) = point->speeds[i];
    DRIVE(FIBRE) = fibre < 0 ? 0 : fibres[fibre];
    DRIVE(FIBRE_RATE) = fibre < 0 ? 0 : fibre_rates[fibre];
    DRIVE(ACTIVE) = active < 0 ? 0 : actives[active];
    DRIVE(ACTIVE_RATE) = active < 0 ? 0 : active_rates[active];
    DRIVE(CONTROL) = of.controls[i];
    return drive;
}

/* What one muscle does under its drive; returns where its values begin. */
const double *march_body_respond(march_body *body, march_point *point, int i)
{
    int slot = body->slot[i];

    body->batches[body->kind[i]](1, point->drives + slot, body->numbers + slot, point->values + slot);
    point->tensions[i] = point->values[TENSION * body->muscles + slot];
    return point->values + slot;
}

/* What all muscles do. */
void march_body_respond_all(march_body *body, march_point *point)
{
    int i, k;

    for (k = 0; k < body->kinds; k++) {
        int first = body->first_slot[k];
        body->batches[k](body->first_slot[k + 1] - first, point->drives + first, body->numbers + first,
                         point->values + first);
    }
    for (i = 0; i < body->muscles; i++)
        point->tensions[i] = point->values[TENSION * body->muscles + body->slot[i]];
}

/* Adds what the muscles pull to the balance of forces, and their power to the last row. */
void march_body_add_tensions(const march_body *body, const march_point *point, double *residual)
{
    int i, k;

    for (i = 0; i < body->muscles; i++) {
        double tension = point->tensions[i];
        for (k = body->first[i]; k < body->first[i + 1]; k++)
            residual[body->coordinate[k]] += point->gradient[k] * tension;
        residual[body->speeds - 1] += tension * point->speeds[i];
    }
}

int march_body_balance(march_body *body, const double *x, const double *xdot, march_input at, double *residual,
                   int with_jacobian)
{
    march_kernel *kernel = body->balance;

    kernel->arg[0] = x;
    kernel->arg[1] = xdot;
    kernel->arg[2] = at.controls;
    kernel->arg[3] = at.parameters;
    kernel->res[0] = residual;
    kernel->res[1] = with_jacobian ? body->by_position : NULL;
    kernel->res[2] = with_jacobian ? body->by_speed : NULL;
    kernel->res[3] = with_jacobian ? body->by_acceleration : NULL;
    return call(kernel);
}

/* How the pull of the muscles changes as their paths bend: the same for all that is solved for at this point. */
static int add_bending(march_body *body, const double *x, const double *p)
{
    march_kernel *kernel = body->bending;
    const double *v = x + body->speeds;
    int q = body->coordinates, m = body->speeds;
    int i, j, k;

    if (!body->muscles)
        return 0;
    kernel->arg[0] = x;
    kernel->arg[1] = body->here.tensions;
    kernel->arg[2] = p;
    kernel->res[0] = body->bend;
    if (call(kernel))
        return 1;
    for (j = 0; j < q; j++) {
        double power = 0;
        for (i = 0; i < q; i++) {
            double entry = body->bend[(size_t)j * q + i];
            body->by_position[(size_t)j * m + i] += entry;
            power += entry * v[i];
        }
        body->by_position[(size_t)j * m + m - 1] += power;
    }
    for (i = 0; i < body->muscles; i++)
        for (k = body->first[i]; k < body->first[i + 1]; k++)
            body->by_speed[(size_t)body->coordinate[k] * m + m - 1] += body->here.tensions[i] * body->here.gradient[k];
    return 0;
}

int march_body_evaluate(march_body *body, const double *x, const double *xdot, march_input at, double *residual,
                        int with_jacobian)
{
    /* The point of the factors is kept while residuals are taken elsewhere. */
    march_point *point = with_jacobian ? &body->here : &body->aside;
    march_motion of = {x, xdot + body->speeds, at.controls};
    int i;

    if (march_body_paths(body, point, x, at.parameters) || march_body_balance(body, x, xdot, at, residual, with_jacobian))
        return 1;
    for (i = 0; i < body->muscles; i++)
        march_body_drive(body, point, i, of);
    march_body_respond_all(body, point);
    for (i = 0; i < body->muscles; i++) {
        const double *values = point->values + body->slot[i];

        if (body->fibre[i] >= 0)
            residual[body->speeds + body->fibre[i]] = VALUE(CONTRACTION);
        if (body->active[i] >= 0)
            residual[body->speeds + body->fibres + body->active[i]] = VALUE(ACTIVATION);
    }
    march_body_add_tensions(body, point, residual);
    return with_jacobian ? add_bending(body, x, at.parameters) : 0;
}

/* result = dF/du * change of the controls in all rows but those of the positions.  Motors and pushes are linear in
 * their controls, so that a difference is exact for them. */
int march_body_steer(march_body *body, const double *x, const double *xdot, march_input at, const double *change,
                     double *result)
{
    int m = body->speeds, n = m + body->fibres + body->actives;
    double *before = body->scratch, *moved = body->change;
    int steered = 0;
    int i, k;

    memset(result, 0, sizeof(double) * n);
    for (i = body->muscles; i < body->controls; i++)
        steered |= change[i] != 0;
    if (steered) {
        march_input there = {moved, at.parameters};
        for (i = 0; i < body->controls; i++)
            moved[i] = at.controls[i] + change[i];
        if (march_body_balance(body, x, xdot, at, before, 0) || march_body_balance(body, x, xdot, there, result, 0))
            return 1;
        for (i = 0; i < m; i++)
            result[i] -= before[i];
    }
    for (i = 0; i < body->muscles; i++) {
        const double *values = body->here.values + body->slot[i];
        double pull = VALUE(TENSION_BY_CONTROL) * change[i];

        if (change[i] == 0)
            continue;
        for (k = body->first[i]; pull != 0 && k < body->first[i + 1]; k++)
            result[body->coordinate[k]] += body->here.gradient[k] * pull;
        result[m - 1] += body->here.speeds[i] * pull;
        if (body->fibre[i] >= 0)
            result[m + body->fibre[i]] = VALUE(CONTRACTION_BY_CONTROL) * change[i];
        if (body->active[i] >= 0)
            result[m + body->fibres + body->active[i]] = VALUE(ACTIVATION_BY_CONTROL) * change[i];
    }
    return 0;
}
