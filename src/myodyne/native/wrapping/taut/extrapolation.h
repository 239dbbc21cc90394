/* Follow a curve by the extrapolated midpoint rule. The first three numbers of a state are a place, the next three are
   no larger than about one; the error is controlled in these six. */
#ifndef MYODYNE_TAUT_EXTRAPOLATION_H
#define MYODYNE_TAUT_EXTRAPOLATION_H

#include "tolerances.h"
#include <math.h>
#include <string.h>

typedef void curve_rates(const void *about, const double *y, double *f);

/* What is followed: rates, numbers of a state, the size of places, and the error allowed relative to it. */
typedef struct {
    curve_rates *rates;
    const void *about;
    int states;
    double scale, error;
} curve;

/* The midpoint rule after Gragg with `parts` parts, smoothed at the end. `a` and `b` are work space; the result is
   a[i] + b[i] + h f[i], halved. */
static inline void midpoint_rule(const curve *of, const double *y, const double *first, double h, int parts, double *a,
                                 double *b, double *f)
{
    for (int i = 0; i < of->states; i++) {
        a[i] = y[i];
        b[i] = y[i] + h * first[i];
    }
    for (int part = 1; part < parts; part++) {
        of->rates(of->about, b, f);
        for (int i = 0; i < of->states; i++) {
            double next = a[i] + 2.0 * h * f[i];
            a[i] = b[i];
            b[i] = next;
        }
    }
    of->rates(of->about, b, f);
}

/* One step, extrapolated to ever finer parts (Hairer, Norsett and Wanner 1993, "Solving ordinary differential equations
   I", section II.9); whether it converged. */
static inline int extrapolated_step(const curve *of, double *y, double size)
{
    double row[EXTRAPOLATION_ORDERS][LARGEST_STATE], first[LARGEST_STATE], f[LARGEST_STATE];
    double a[LARGEST_STATE], b[LARGEST_STATE];
    of->rates(of->about, y, first);
    for (int order = 0; order < EXTRAPOLATION_ORDERS; order++) {
        int parts = 2 * (order + 1);
        double h = size / parts, largest = 0.0;
        midpoint_rule(of, y, first, h, parts, a, b, f);
        for (int i = 0; i < of->states; i++) {
            double value = 0.5 * (a[i] + b[i] + h * f[i]);
            for (int back = 1; back <= order; back++) {
                double ratio = (double)(order + 1) / (order + 1 - back), coarser = row[back - 1][i];
                row[back - 1][i] = value;
                value += (value - coarser) / (ratio * ratio - 1.0);
            }
            row[order][i] = value;
            double change = order > 0 && i < 6 ? fabs(value - row[order - 1][i]) / (i < 3 ? of->scale : 1.0) : 0.0;
            largest = change > largest ? change : largest;
        }
        int last = order == EXTRAPOLATION_ORDERS - 1;
        if (order > 1 && (largest < of->error || (last && largest < LAST_ORDER_SLACK * of->error))) {
            memcpy(y, row[order], sizeof(double) * of->states);
            return 1;
        }
    }
    return 0;
}

/* Follow a curve over a length, which may be negative, beginning with steps of a given size. */
static inline void follow_curve(const curve *of, double *y, double length, double step)
{
    double done = 0.0;
    for (int tries = 0; tries < MOST_STEPS && fabs(length - done) > 0.0; tries++) {
        double left = fabs(length - done), size = step < left ? (2.0 * step > left ? 0.5 * left : step) : left;
        double ahead = length < 0.0 ? -size : size;
        if (!extrapolated_step(of, y, ahead)) {
            step = 0.5 * size;
            continue;
        }
        done = size == left ? length : done + ahead;
        step = STEP_GROWTH * size;
    }
}

#endif
