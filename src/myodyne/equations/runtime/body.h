/* What the three files of a body share: body.c, its equations; elimination.c, its linear systems; rates.c, its rates. */
#ifndef MYODYNE_BODY_H
#define MYODYNE_BODY_H

#include "march.h"

/* The values of a muscle's function, in the order of equations/muscles.py. */
enum {
    TENSION, CONTRACTION, ACTIVATION,
    TENSION_BY_LENGTH, TENSION_BY_SPEED, TENSION_BY_FIBRE, TENSION_BY_ACTIVE, TENSION_BY_CONTROL,
    CONTRACTION_BY_LENGTH, CONTRACTION_BY_FIBRE, CONTRACTION_BY_FIBRE_RATE, CONTRACTION_BY_ACTIVE,
    CONTRACTION_BY_CONTROL,
    ACTIVATION_BY_ACTIVE, ACTIVATION_BY_ACTIVE_RATE, ACTIVATION_BY_CONTROL,
    VALUES
};
enum { LENGTH, SPEED, FIBRE, FIBRE_RATE, ACTIVE, ACTIVE_RATE, CONTROL, DRIVES };

/* One of the values of the muscle whose values begin at `values`, and of what drives it, which begins at `drive`. */
#define VALUE(which) values[(which) * body->muscles]
#define DRIVE(which) drive[(which) * body->muscles]

typedef struct {            /* what drives the muscles: states, their rates but those of positions, excitations */
    const double *x;
    const double *rates;
    const double *controls;
} march_motion;

int march_body_paths(march_body *body, march_point *point, const double *x, const double *p);
double *march_body_drive(const march_body *body, march_point *point, int i, march_motion of);
const double *march_body_respond(march_body *body, march_point *point, int i);
void march_body_respond_all(march_body *body, march_point *point);
void march_body_add_tensions(const march_body *body, const march_point *point, double *residual);
int march_body_balance(march_body *body, const double *x, const double *xdot, march_input at, double *residual,
                       int with_jacobian);

#endif
