/* Steps along a curve: its first three numbers are a place, the next three of no larger size than one. */
#ifndef MYODYNE_TAUT_STEPS_H
#define MYODYNE_TAUT_STEPS_H

#include <math.h>
#include <string.h>

enum { ORDERS = 7, MOST_STATES = 17 };

typedef void rates_of(const void *about, const double *y, double *f);

/* One step by the midpoint rule after Gragg, extrapolated to ever finer parts (Hairer, Norsett and Wanner 1993,
   "Solving ordinary differential equations I", chapter II.9); whether it settled. */
static inline int step_on(rates_of *rates, const void *about, int states, double *y, double size, double scale,
                          double error)
{
    double row[ORDERS][MOST_STATES], first[MOST_STATES], f[MOST_STATES], a[MOST_STATES], b[MOST_STATES];
    rates(about, y, first);
    for (int order = 0; order < ORDERS; order++) {
        int parts = 2 * (order + 1);
        double h = size / parts, left = 0.0;
        for (int i = 0; i < states; i++) {
            a[i] = y[i];
            b[i] = y[i] + h * first[i];
        }
        for (int part = 1; part < parts; part++) {
            rates(about, b, f);
            for (int i = 0; i < states; i++) {
                double next = a[i] + 2.0 * h * f[i];
                a[i] = b[i];
                b[i] = next;
            }
        }
        rates(about, b, f);
        for (int i = 0; i < states; i++) {
            double value = 0.5 * (a[i] + b[i] + h * f[i]);
            for (int back = 1; back <= order; back++) {
                double ratio = (double)(order + 1) / (order + 1 - back), coarser = row[back - 1][i];
                row[back - 1][i] = value;
                value += (value - coarser) / (ratio * ratio - 1.0);
            }
            row[order][i] = value;
            double change = order > 0 && i < 6 ? fabs(value - row[order - 1][i]) / (i < 3 ? scale : 1.0) : 0.0;
            left = change > left ? change : left;
        }
        if (order > 1 && (left < error || (order == ORDERS - 1 && left < 100.0 * error))) {
            memcpy(y, row[order], sizeof(double) * states);
            return 1;
        }
    }
    return 0;
}

/* Follow a curve from a state over a length, beginning with steps of a given size. */
static inline void steps_along(rates_of *rates, const void *about, int states, double *y, double length, double step,
                               double scale, double error)
{
    double done = 0.0;
    for (int tries = 0; tries < 200 && fabs(length - done) > 0.0; tries++) {
        double left = fabs(length - done), size = step < left ? (2.0 * step > left ? 0.5 * left : step) : left;
        if (!step_on(rates, about, states, y, length < 0.0 ? -size : size, scale, error)) {
            step = 0.5 * size;
            continue;
        }
        done = size == left ? length : done + (length < 0.0 ? -size : size);
        step = 1.3 * size;
    }
}

#endif
