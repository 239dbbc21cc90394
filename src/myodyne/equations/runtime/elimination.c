/* The linear systems of a body with muscles: each muscle is eliminated by itself, what remains is dense and small. */
#include "body.h"

#include <math.h>
#include <string.h>

/* Adds factor * gradient across' of one muscle to a matrix of the balance, with its share of the power. */
static void add_stiffness(march_body *body, double *matrix, int muscle, double factor, const double *across)
{
    int m = body->speeds;
    int first = body->first[muscle], end = body->first[muscle + 1];
    double power = factor * body->here.speeds[muscle];
    int j, k;

    for (k = first; k < end; k++) {
        double *column = matrix + (size_t)body->coordinate[k] * m;
        double part = factor * across[k];
        for (j = first; j < end; j++)
            column[body->coordinate[j]] += part * body->here.gradient[j];
        column[m - 1] += power * across[k];
    }
}

static int cross_the_same(const march_body *body, int one, int other)
{
    size_t count = body->first[one + 1] - body->first[one];

    return count == (size_t)(body->first[other + 1] - body->first[other])
        && memcmp(body->coordinate + body->first[one], body->coordinate + body->first[other], count * sizeof(int)) == 0;
}

/* The same for all muscles with elastic tendons.  Neighbours mostly cross the same coordinates: they are summed side by
 * side, and find their places in the matrix once for all of them. */
static void add_all_stiffness(march_body *body, double *matrix, const double *stiffness)
{
    int m = body->speeds;
    double *block = body->bend, *power = body->change;      /* not scratch: there lies the residual of rates.c */
    int i = 0, j, k;

    while (i < body->muscles) {
        int first = body->first[i], count = body->first[i + 1] - first, of = i;
        const int *places = body->coordinate + first;

        memset(block, 0, sizeof(double) * count * count);
        memset(power, 0, sizeof(double) * count);
        for (; i < body->muscles && cross_the_same(body, of, i); i++) {
            const double *gradient = body->here.gradient + body->first[i];
            double factor = stiffness[i], speed = body->here.speeds[i];
            for (k = 0; k < count; k++) {
                double part = factor * gradient[k];
                for (j = 0; j < count; j++)
                    block[k * count + j] += part * gradient[j];
                power[k] += part * speed;
            }
        }
        for (k = 0; k < count; k++) {
            double *column = matrix + (size_t)places[k] * m;
            for (j = 0; j < count; j++)
                column[places[j]] += block[k * count + j];
            column[m - 1] += power[k];
        }
    }
}

int march_body_factorise(march_body *body, double sigma)
{
    size_t entries = (size_t)body->speeds * body->speeds, e;
    double *matrix = body->matrix;
    int i;

    body->sigma = sigma;
    for (e = 0; e < entries; e++)
        matrix[e] = body->by_position[e] / sigma + body->by_speed[e] + sigma * body->by_acceleration[e];
    for (i = 0; i < body->muscles; i++) {
        const double *values = body->here.values + body->slot[i];
        double stiffness = VALUE(TENSION_BY_LENGTH);

        if (body->fibre[i] >= 0) {
            double diagonal = VALUE(CONTRACTION_BY_FIBRE) + sigma * VALUE(CONTRACTION_BY_FIBRE_RATE);

            /* Fibres that sleep between a slack tendon and a slack parallel element: nothing says how long they are,
             * so they stay as they are. */
            body->fibre_factor[i] = 1 / (diagonal == 0 ? 1 : diagonal);
            body->fibre_share[i] = VALUE(CONTRACTION_BY_LENGTH) * body->fibre_factor[i];
            stiffness -= VALUE(TENSION_BY_FIBRE) * body->fibre_share[i];
        }
        if (body->active[i] >= 0)
            body->active_factor[i] =
                1 / (VALUE(ACTIVATION_BY_ACTIVE) + sigma * VALUE(ACTIVATION_BY_ACTIVE_RATE));
        body->fibre_part[i] = stiffness / sigma;
        if (body->fibre[i] < 0) {
            add_stiffness(body, matrix, i, VALUE(TENSION_BY_SPEED) / sigma, body->here.gradient_rate);
            add_stiffness(body, matrix, i, VALUE(TENSION_BY_SPEED), body->here.gradient);
        }
    }
    add_all_stiffness(body, matrix, body->fibre_part);
    return march_factorise(matrix, body->speeds, body->pivots);
}

/* Solves (dF/dx + sigma dF/dxdot) change = right-hand side at the point of the last evaluation and factorisation;
 * `positions` (or zero if NULL) and `rest` are the right-hand sides of the rows of the positions and of all others. */
void march_body_solve(march_body *body, const double *positions, const double *rest, double *change)
{
    int m = body->speeds, muscles = body->muscles;
    double over = 1 / body->sigma;
    double *dq = change, *dv = change + m, *ds = dv + m, *da = ds + body->fibres;
    int i, j, k;

    memcpy(dv, rest, sizeof(double) * m);
    for (i = 0; i < muscles; i++) {
        const double *values = body->here.values + body->slot[i];
        int fibre = body->fibre[i], active = body->active[i];
        double moved = 0, pull;

        body->active_part[i] = active < 0 ? 0 : rest[m + body->fibres + active] * body->active_factor[i];
        body->fibre_part[i] = fibre < 0 ? 0
            : (rest[m + fibre] - VALUE(CONTRACTION_BY_ACTIVE) * body->active_part[i]) * body->fibre_factor[i];
        if (positions) {
            double turned = 0;
            for (k = body->first[i]; k < body->first[i + 1]; k++) {
                moved += body->here.gradient[k] * positions[body->coordinate[k]];
                if (fibre < 0)
                    turned += body->here.gradient_rate[k] * positions[body->coordinate[k]];
            }
            moved *= over;
            pull = VALUE(TENSION_BY_LENGTH) * moved
                + (fibre < 0 ? VALUE(TENSION_BY_SPEED) * turned * over
                             : -VALUE(TENSION_BY_FIBRE) * body->fibre_share[i] * moved);
        } else {
            pull = 0;
        }
        pull += VALUE(TENSION_BY_FIBRE) * body->fibre_part[i] + VALUE(TENSION_BY_ACTIVE) * body->active_part[i];
        for (k = body->first[i]; k < body->first[i + 1]; k++)
            dv[body->coordinate[k]] -= body->here.gradient[k] * pull;
        dv[m - 1] -= body->here.speeds[i] * pull;
    }
    if (positions)
        for (j = 0; j < m; j++) {
            const double *column = body->by_position + (size_t)j * m;
            double moved = positions[j] * over;
            if (moved != 0)
                for (i = 0; i < m; i++)
                    dv[i] -= column[i] * moved;
        }
    march_solve(body->matrix, m, body->pivots, dv);
    for (i = 0; i < m; i++)
        dq[i] = ((positions ? positions[i] : 0) + dv[i]) * over;
    for (i = 0; i < muscles; i++) {
        int fibre = body->fibre[i], active = body->active[i];

        if (active >= 0)
            da[active] = body->active_part[i];
        if (fibre >= 0) {
            double moved = 0;
            for (k = body->first[i]; k < body->first[i + 1]; k++)
                moved += body->here.gradient[k] * dq[body->coordinate[k]];
            ds[fibre] = body->fibre_part[i] - body->fibre_share[i] * moved;
        }
    }
}

/* result = dF/dxdot * rates in all rows but those of the positions. */
void march_body_inertia(const march_body *body, const double *rates, double *result)
{
    int m = body->speeds;
    int i, j;

    memset(result, 0, sizeof(double) * m);
    for (j = 0; j < m; j++) {
        const double *column = body->by_acceleration + (size_t)j * m;
        for (i = 0; i < m; i++)
            result[i] += column[i] * rates[j];
    }
    for (i = 0; i < body->muscles; i++) {
        const double *values = body->here.values + body->slot[i];
        int fibre = m + body->fibre[i], active = m + body->fibres + body->active[i];

        if (body->fibre[i] >= 0)
            result[fibre] = VALUE(CONTRACTION_BY_FIBRE_RATE) * rates[fibre];
        if (body->active[i] >= 0)
            result[active] = VALUE(ACTIVATION_BY_ACTIVE_RATE) * rates[active];
    }
}
