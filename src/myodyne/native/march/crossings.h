/* The groups of muscles that cross the same coordinates, for sums over one run's muscles or over several runs. */
#ifndef MYODYNE_CROSSINGS_H
#define MYODYNE_CROSSINGS_H

#include "body.h"

typedef struct {
    int first, count;       /* muscles */
    int rows;
    const int *coordinate;  /* (rows) */
    const march_number *gradient;   /* (rows, count) */
} march_group;

static inline march_group march_group_at(const march_body *body, const march_number *gradient, int g)
{
    march_group found;

    found.first = body->first_muscle[g];
    found.count = body->first_muscle[g + 1] - found.first;
    found.coordinate = body->coordinate + body->first_crossing[g];
    found.rows = body->first_crossing[g + 1] - body->first_crossing[g];
    found.gradient = gradient + body->first_entry[g];
    return found;
}

#endif
