/* The linear systems of a body with muscles: each muscle is eliminated by itself, what remains is dense and small. */
#include "body.h"

#include <math.h>
#include <string.h>

/* What is left of each muscle once its own states are eliminated.  Those of muscles that have none change nothing. */
static void eliminate(march_body *body, double sigma)
{
    const march_point *here = &body->here;
    const double *restrict by_length = VALUE(here, CONTRACTION_BY_LENGTH);
    const double *restrict by_fibre = VALUE(here, CONTRACTION_BY_FIBRE);
    const double *restrict by_fibre_rate = VALUE(here, CONTRACTION_BY_FIBRE_RATE);
    const double *restrict tension_by_length = VALUE(here, TENSION_BY_LENGTH);
    const double *restrict tension_by_fibre = VALUE(here, TENSION_BY_FIBRE);
    const double *restrict by_active = VALUE(here, ACTIVATION_BY_ACTIVE);
    const double *restrict by_active_rate = VALUE(here, ACTIVATION_BY_ACTIVE_RATE);
    double *restrict share = body->fibre_share, *restrict fibre = body->fibre_factor;
    double *restrict active = body->active_factor, *restrict stiffness = body->stiffness;
    int muscles = body->muscles, i;

    for (i = 0; i < muscles; i++) {
        double diagonal = by_fibre[i] + sigma * by_fibre_rate[i], own = by_active[i] + sigma * by_active_rate[i];

        /* Fibres that sleep between a slack tendon and a slack parallel element: nothing says how long they are, so
         * they stay as they are. */
        fibre[i] = 1 / (diagonal == 0 ? 1 : diagonal);
        active[i] = 1 / (own == 0 ? 1 : own);
        share[i] = by_length[i] * fibre[i];
        stiffness[i] = tension_by_length[i] - tension_by_fibre[i] * share[i];
    }
}

/* Adds a matrix of the coordinates to one of the speeds, and the power of that to its last row. */
static void add_block(const march_body *body, const double *restrict block, double *restrict matrix)
{
    const double *restrict velocity = body->here.velocity;
    int q = body->coordinates, m = body->speeds;
    int i, j;

    for (j = 0; j < q; j++, block += q, matrix += m) {
        double power = 0;
        for (i = 0; i < q; i++) {
            matrix[i] += block[i];
            power += block[i] * velocity[i];
        }
        matrix[m - 1] += power;
    }
}

/* Rigid tendons feel speeds, and so how the gradients of their paths turn. */
static void add_damping(march_body *body, double *matrix)
{
    const march_point *here = &body->here;
    const double *by_speed = VALUE(here, TENSION_BY_SPEED);
    double *block = body->bend;

    memset(block, 0, sizeof(double) * body->coordinates * body->coordinates);
    march_body_stiffen_across(body, here->gradient, here->gradient_rate, by_speed, block);
    add_block(body, block, body->resistance);
    march_body_stiffen(body, here->gradient, by_speed, block);
    add_block(body, block, matrix);
}

/* The same as march_body_factorise without a control law. */
int march_body_factorise_open(march_body *body, double sigma)
{
    size_t entries = (size_t)body->speeds * body->speeds, e;
    const double *restrict resistance = body->resistance, *restrict by_acceleration = body->by_acceleration;
    double *restrict matrix = body->matrix;
    double over = 1 / sigma;

    body->sigma = sigma;
    memcpy(body->resistance, body->by_position, sizeof(double) * entries);
    memcpy(matrix, body->by_speed, sizeof(double) * entries);
    if (body->muscles) {
        eliminate(body, sigma);
        march_body_stiffen(body, body->here.gradient, body->stiffness, body->bend);
        add_block(body, body->bend, body->resistance);
        if (body->rigid)
            add_damping(body, matrix);
    }
    for (e = 0; e < entries; e++)
        matrix[e] += resistance[e] * over + sigma * by_acceleration[e];
    return march_factorise(matrix, body->speeds, body->pivots);
}

/* What the muscles pull when their own rows of a right-hand side are met and the coordinates rest. */
static void pull_by(march_body *body, const double *rest, double *pull)
{
    const march_point *here = &body->here;
    const double *restrict by_active = VALUE(here, CONTRACTION_BY_ACTIVE);
    const double *restrict tension_by_fibre = VALUE(here, TENSION_BY_FIBRE);
    const double *restrict tension_by_active = VALUE(here, TENSION_BY_ACTIVE);
    const double *restrict fibre_factor = body->fibre_factor, *restrict active_factor = body->active_factor;
    double *restrict fibre = body->fibre_part, *restrict active = body->active_part;
    double *restrict tension = body->tension;
    int muscles = body->muscles, i;

    march_body_gather(body, body->fibre, rest, fibre);
    march_body_gather(body, body->active, rest + body->fibres, active);
    for (i = 0; i < muscles; i++) {
        active[i] *= active_factor[i];
        fibre[i] = (fibre[i] - by_active[i] * active[i]) * fibre_factor[i];
        tension[i] = tension_by_fibre[i] * fibre[i] + tension_by_active[i] * active[i];
    }
    march_body_pull(body, here->gradient, tension, pull);
}

/* Adds how the fibres follow a change of the coordinates. */
static void move_fibres(march_body *body, const double *change)
{
    const double *restrict share = body->fibre_share, *restrict moved = body->moved;
    double *restrict fibre = body->fibre_part;
    int muscles = body->muscles, i;

    march_body_lengthen(body, body->here.gradient, change, body->moved);
    for (i = 0; i < muscles; i++)
        fibre[i] -= share[i] * moved[i];
}

/* The same as march_body_solve without a control law. */
void march_body_solve_open(march_body *body, const double *positions, const double *rest, double *change)
{
    int q = body->coordinates, m = body->speeds;
    double over = 1 / body->sigma;
    double *dq = change, *dv = change + m, *ds = dv + m, *da = ds + body->fibres, *pull = body->bend;
    int i, j;

    memcpy(dv, rest, sizeof(double) * m);
    if (body->muscles) {
        pull_by(body, rest + m, pull);
        for (i = 0; i < q; i++) {
            dv[i] -= pull[i];
            dv[m - 1] -= pull[i] * body->here.velocity[i];
        }
    }
    if (positions)
        for (j = 0; j < m; j++) {
            const double *restrict column = body->resistance + (size_t)j * m;
            double moved = positions[j] * over;
            if (moved != 0)
                for (i = 0; i < m; i++)
                    dv[i] -= column[i] * moved;
        }
    march_solve(body->matrix, m, body->pivots, dv);
    for (i = 0; i < m; i++)
        dq[i] = ((positions ? positions[i] : 0) + dv[i]) * over;
    if (!body->muscles)
        return;
    move_fibres(body, dq);
    march_body_scatter(body, body->fibre, body->fibre_part, ds);
    march_body_scatter(body, body->active, body->active_part, da);
}

/* result = dF/dxdot * rates in all rows but those of the positions. */
void march_body_inertia(const march_body *body, const double *restrict rates, double *restrict result)
{
    const double *restrict by_fibre_rate = VALUE(&body->here, CONTRACTION_BY_FIBRE_RATE);
    const double *restrict by_active_rate = VALUE(&body->here, ACTIVATION_BY_ACTIVE_RATE);
    const int *restrict fibre = body->fibre, *restrict active = body->active;
    int m = body->speeds, muscles = body->muscles;
    int i, j;

    memset(result, 0, sizeof(double) * m);
    for (j = 0; j < m; j++) {
        const double *restrict column = body->by_acceleration + (size_t)j * m;
        double rate = rates[j];
        for (i = 0; i < m; i++)
            result[i] += column[i] * rate;
    }
    rates += m;
    result += m;
    for (i = 0; i < muscles; i++)
        if (fibre[i] >= 0)
            result[fibre[i]] = by_fibre_rate[i] * rates[fibre[i]];
    rates += body->fibres;
    result += body->fibres;
    for (i = 0; i < muscles; i++)
        if (active[i] >= 0)
            result[active[i]] = by_active_rate[i] * rates[active[i]];
}
