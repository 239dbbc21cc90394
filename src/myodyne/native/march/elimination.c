/* The linear systems of a body with muscles: each muscle is eliminated by itself, what remains is dense and small. */
#include "body.h"

#include <math.h>
#include <string.h>

/* What is left of each muscle once its own states are eliminated.  Those of muscles that have none change nothing. */
static void eliminate(march_body *body, march_number sigma)
{
    const march_point *here = &body->here;
    const march_number *restrict by_length = VALUE(here, CONTRACTION_BY_LENGTH);
    const march_number *restrict by_fibre = VALUE(here, CONTRACTION_BY_FIBRE);
    const march_number *restrict by_fibre_rate = VALUE(here, CONTRACTION_BY_FIBRE_RATE);
    const march_number *restrict tension_by_length = VALUE(here, TENSION_BY_LENGTH);
    const march_number *restrict tension_by_fibre = VALUE(here, TENSION_BY_FIBRE);
    const march_number *restrict by_active = VALUE(here, ACTIVATION_BY_ACTIVE);
    const march_number *restrict by_active_rate = VALUE(here, ACTIVATION_BY_ACTIVE_RATE);
    march_number *restrict share = body->fibre_share, *restrict fibre = body->fibre_factor;
    march_number *restrict active = body->active_factor, *restrict stiffness = body->stiffness;
    int muscles = body->muscles, i;

    for (i = 0; i < muscles; i++) {
        march_number diagonal = by_fibre[i] + sigma * by_fibre_rate[i], own = by_active[i] + sigma * by_active_rate[i];

        /* Fibres that sleep between a slack tendon and a slack parallel element: nothing says how long they are, so
         * they stay as they are. */
        fibre[i] = 1 / march_choose(diagonal == 0, march_all(1), diagonal);
        active[i] = 1 / march_choose(own == 0, march_all(1), own);
        share[i] = by_length[i] * fibre[i];
        stiffness[i] = tension_by_length[i] - tension_by_fibre[i] * share[i];
    }
}

/* Adds a matrix of the coordinates to one of the speeds, and the power of that to its last row. */
static void add_block(const march_body *body, const march_number *restrict block, march_number *restrict matrix)
{
    const march_number *restrict velocity = body->here.velocity;
    int q = body->coordinates, m = body->speeds;
    int i, j;

    for (j = 0; j < q; j++, block += q, matrix += m) {
        march_number power = march_all(0);
        for (i = 0; i < q; i++) {
            matrix[i] += block[i];
            power += block[i] * velocity[i];
        }
        matrix[m - 1] += power;
    }
}

/* Rigid tendons feel speeds, and so how the gradients of their paths turn. */
static void add_damping(march_body *body, march_number *matrix)
{
    const march_point *here = &body->here;
    const march_number *by_speed = VALUE(here, TENSION_BY_SPEED);
    march_number *block = body->bend;

    memset(block, 0, sizeof(march_number) * body->coordinates * body->coordinates);
    march_body_stiffen_across(body, here->gradient, here->gradient_rate, by_speed, block);
    add_block(body, block, body->resistance);
    march_body_stiffen(body, here->gradient, by_speed, block);
    add_block(body, block, matrix);
}

/* The same as march_body_factorise without a control law. */
int march_body_factorise_open(march_body *body, march_number sigma)
{
    size_t entries = (size_t)body->speeds * body->speeds, e;
    const march_number *restrict resistance = body->resistance, *restrict by_acceleration = body->by_acceleration;
    march_number *restrict matrix = body->matrix;
    march_number over = 1 / sigma;

    *body->sigma = sigma;
    memcpy(body->resistance, body->by_position, sizeof(march_number) * entries);
    memcpy(matrix, body->by_speed, sizeof(march_number) * entries);
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
static void pull_by(march_body *body, const march_number *rest, march_number *pull)
{
    const march_point *here = &body->here;
    const march_number *restrict by_active = VALUE(here, CONTRACTION_BY_ACTIVE);
    const march_number *restrict tension_by_fibre = VALUE(here, TENSION_BY_FIBRE);
    const march_number *restrict tension_by_active = VALUE(here, TENSION_BY_ACTIVE);
    const march_number *restrict fibre_factor = body->fibre_factor, *restrict active_factor = body->active_factor;
    march_number *restrict fibre = body->fibre_part, *restrict active = body->active_part;
    march_number *restrict tension = body->tension;
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
static void move_fibres(march_body *body, const march_number *change)
{
    const march_number *restrict share = body->fibre_share, *restrict moved = body->moved;
    march_number *restrict fibre = body->fibre_part;
    int muscles = body->muscles, i;

    march_body_lengthen(body, body->here.gradient, change, body->moved);
    for (i = 0; i < muscles; i++)
        fibre[i] -= share[i] * moved[i];
}

/* The same as march_body_solve without a control law. */
void march_body_solve_open(march_body *body, const march_number *positions, const march_number *rest,
                           march_number *change)
{
    int q = body->coordinates, m = body->speeds;
    march_number over = 1 / *body->sigma;
    march_number *dq = change, *dv = change + m, *ds = dv + m, *da = ds + body->fibres, *pull = body->bend;
    int i, j;

    memcpy(dv, rest, sizeof(march_number) * m);
    if (body->muscles) {
        pull_by(body, rest + m, pull);
        for (i = 0; i < q; i++) {
            dv[i] -= pull[i];
            dv[m - 1] -= pull[i] * body->here.velocity[i];
        }
    }
    if (positions)
        for (j = 0; j < m; j++) {
            const march_number *restrict column = body->resistance + (size_t)j * m;
            march_number moved = positions[j] * over;
            if (march_any(moved != 0))
                for (i = 0; i < m; i++)
                    dv[i] -= column[i] * moved;
        }
    march_solve(body->matrix, m, body->pivots, dv);
    for (i = 0; i < m; i++)
        dq[i] = ((positions ? positions[i] : march_all(0)) + dv[i]) * over;
    if (!body->muscles)
        return;
    move_fibres(body, dq);
    march_body_scatter(body, body->fibre, body->fibre_part, ds);
    march_body_scatter(body, body->active, body->active_part, da);
}

/* result = dF/dxdot * rates in all rows but those of the positions. */
void march_body_inertia(const march_body *body, const march_number *restrict rates, march_number *restrict result)
{
    const march_number *restrict by_fibre_rate = VALUE(&body->here, CONTRACTION_BY_FIBRE_RATE);
    const march_number *restrict by_active_rate = VALUE(&body->here, ACTIVATION_BY_ACTIVE_RATE);
    const int *restrict fibre = body->fibre, *restrict active = body->active;
    int m = body->speeds, muscles = body->muscles;
    int i, j;

    memset(result, 0, sizeof(march_number) * m);
    for (j = 0; j < m; j++) {
        const march_number *restrict column = body->by_acceleration + (size_t)j * m;
        march_number rate = rates[j];
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
