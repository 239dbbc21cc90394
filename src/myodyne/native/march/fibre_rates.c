/* The rates of muscles that their equations give, each by itself: those of activations outright, those of fibres by
 * Newton's method on the balance of forces. */
#include "body.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 80, MOST_TOGETHER = 12 };
static const double BALANCED = 1e-13;       /* of maximal force: a muscle whose forces differ by less is in balance */
static const double FLAT = 1e-12;           /* maximal forces per (length/s): below, velocity does not change the force */
static const double FASTEST = 1e4;          /* optimal lengths per second: no fibre moves faster */

/* The rate at which a fibre must move for its muscle to be in balance, by Newton's method inside a bracket: now, or
 * at the end of a step of length `ahead` (s).  Muscles of all runs are counted together. */
int march_body_fibre_rate(march_body *body, int muscle, double ahead)
{
    march_point *here = &body->here;
    double *rate = (double *)DRIVE(here, FIBRE_RATE) + muscle, *place = (double *)DRIVE(here, FIBRE) + muscle;
    const double *balance = (double *)VALUE(here, CONTRACTION) + muscle;
    const double *by_rate = (double *)VALUE(here, CONTRACTION_BY_FIBRE_RATE) + muscle;
    const double *by_fibre = (double *)VALUE(here, CONTRACTION_BY_FIBRE) + muscle;
    double fibre = *place, low = -FASTEST, high = FASTEST;
    int k;

    for (k = 0; k < MOST_ITERATIONS; k++) {
        double residual, slope, next;

        *place = fibre + ahead * *rate;
        march_body_respond(body, here, muscle);
        residual = *balance;
        slope = *by_rate + ahead * *by_fibre;
        if (!isfinite(residual))
            return 1;
        if (fabs(residual) <= BALANCED && slope > FLAT)
            return 0;
        if (residual > 0)
            high = *rate;
        else
            low = *rate;
        next = slope > FLAT ? *rate - residual / slope : NAN;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (next == *rate || high - low <= 1e-15 * (1 + fabs(next)))
            return slope > FLAT && fabs(residual) < 1e-9 ? 0 : 1;
        *rate = next;
    }
    return 1;
}

/* All that does not hang on the rates of the fibres. */
void march_body_ease(march_body *body, const march_point *point)
{
    int k;

    for (k = 0; k < body->kinds; k++) {
        int first = body->first_of_kind[k];

        body->rate_batches[k]((body->first_of_kind[k + 1] - first) * MARCH_WIDTH, NULL,
                              (double *)(point->drives + first), (double *)(body->settled + first),
                              (double *)(body->eased + first));
    }
}

static void weigh_muscles(march_body *body, const double *rates)
{
    int k;

    for (k = 0; k < body->kinds; k++) {
        int first = body->first_of_kind[k];

        if (body->fibre[first] >= 0)
            body->rate_batches[k]((body->first_of_kind[k + 1] - first) * MARCH_WIDTH, rates + first * MARCH_WIDTH,
                                  (double *)(body->eased + first), (double *)(body->settled + first),
                                  (double *)(body->imbalance + first));
    }
}

/* The same for all fibres side by side, which is many times faster: most muscles need as many iterations as any, and
 * what does not hang on the rate is worked out once.  `still` marks those that are not in balance after a few. */
void march_body_fibre_rates(march_body *body, double *still)
{
    double *low = (double *)body->stiffness, *high = (double *)body->moved;
    double *rate = (double *)DRIVE(&body->here, FIBRE_RATE);
    const double *residual = (double *)body->imbalance, *slope = (double *)(body->imbalance + body->stride);
    const double *first = (double *)EASED(EASED_FIBRE_RATE);
    const double *known = (double *)EASED(EASED_BALANCE), *known_slope = (double *)EASED(EASED_SLOPE);
    int count = body->muscles * MARCH_WIDTH, i, k, open = 0;

    for (i = 0; i < count; i++) {
        int given = fabs(first[i]) < FASTEST;

        low[i] = -FASTEST;
        high[i] = FASTEST;
        rate[i] = given ? first[i] : 0;
        still[i] = body->fibre[i / MARCH_WIDTH] >= 0 && !(given && fabs(known[i]) <= BALANCED && known_slope[i] > FLAT);
        open += still[i] != 0;
    }
    for (k = 0; k < MOST_TOGETHER && open; k++) {
        weigh_muscles(body, rate);
        for (i = open = 0; i < count; i++) {
            double next = rate[i] - residual[i] / slope[i];

            still[i] = body->fibre[i / MARCH_WIDTH] >= 0 && !(fabs(residual[i]) <= BALANCED && slope[i] > FLAT);
            if (!still[i])
                continue;
            open++;
            if (residual[i] > 0)
                high[i] = rate[i];
            else
                low[i] = rate[i];
            rate[i] = slope[i] > FLAT && next > low[i] && next < high[i] ? next : 0.5 * (low[i] + high[i]);
        }
    }
}

/* What drives the muscles while their states stand still. */
int march_body_start(march_body *body, const march_number *x, march_input at, march_number *rates)
{
    march_point *here = &body->here;
    march_motion of = {x, rates, at.controls};

    memset(rates, 0, sizeof *rates * (body->speeds + body->fibres + body->actives));
    if (march_body_paths(body, here, x, at.parameters))
        return 1;
    march_body_drive(body, here, of);
    return 0;
}

/* The rates of activations, which no other state changes. */
void march_body_active_rates(march_body *body, march_number *rates)
{
    march_body_scatter(body, body->active, EASED(EASED_ACTIVE_RATE), rates + body->speeds + body->fibres);
}
