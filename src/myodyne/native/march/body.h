/* What the files of a body share: body.c, its equations; crossings.c, sums over its muscles; elimination.c, its linear
 * systems; loop.c, a control law around it; rates.c, its rates.  Muscles have the order of equations/groups.py. */
#ifndef MYODYNE_BODY_H
#define MYODYNE_BODY_H

#include "march.h"

/* The values of a muscle's function, in the order of equations/muscles/kinds.py. */
enum {
    TENSION, CONTRACTION, ACTIVATION,
    TENSION_BY_LENGTH, TENSION_BY_SPEED, TENSION_BY_FIBRE, TENSION_BY_ACTIVE, TENSION_BY_CONTROL,
    CONTRACTION_BY_LENGTH, CONTRACTION_BY_FIBRE, CONTRACTION_BY_FIBRE_RATE, CONTRACTION_BY_ACTIVE,
    CONTRACTION_BY_CONTROL,
    ACTIVATION_BY_ACTIVE, ACTIVATION_BY_ACTIVE_RATE, ACTIVATION_BY_CONTROL,
    VALUES
};
enum { LENGTH, SPEED, FIBRE, FIBRE_RATE, ACTIVE, ACTIVE_RATE, CONTROL, DRIVES };

/* One of the values of all muscles, and of what drives them, at a point of the motion. */
#define VALUE(point, which) ((point)->values + (which) * body->stride)
#define DRIVE(point, which) ((point)->drives + (which) * body->stride)

typedef struct {            /* what drives the muscles: states, their rates but those of positions, excitations */
    const march_number *x;
    const march_number *rates;
    const march_number *controls;
} march_motion;

int march_body_paths(march_body *body, march_point *point, const march_number *x, const march_number *p);
void march_body_drive(const march_body *body, march_point *point, march_motion of);
void march_body_respond(march_body *body, march_point *point, int muscle);
void march_body_respond_all(march_body *body, march_point *point);
void march_body_add_tensions(const march_body *body, march_point *point, march_number *residual);
int march_body_skeleton(march_body *body, const march_number *x, const march_number *xdot, march_input at,
                        march_number *residual);
int march_body_balance(march_body *body, const march_number *x, const march_number *xdot, march_input at,
                       march_number *residual, int with_jacobian);

/* What the functions of rates give without the rates of the fibres. */
enum { EASED_TENSION, EASED_ACTIVE_RATE, EASED_FIBRE_RATE, EASED_BALANCE, EASED_SLOPE };
#define EASED(which) (body->eased + (which) * body->stride)

/* Rates of muscles, fibre_rates.c. */
int march_body_start(march_body *body, const march_number *x, march_input at, march_number *rates);
void march_body_ease(march_body *body, const march_point *point);
void march_body_active_rates(march_body *body, march_number *rates);
void march_body_fibre_rates(march_body *body, double *still);
int march_body_fibre_rate(march_body *body, int muscle, double ahead);

/* Control laws, loop.c. */
int march_body_close(march_body *body, const march_number *x, march_input *at, int with_derivatives);
void march_body_follow(const march_body *body, const march_number *change, march_number *followed);
int march_body_factorise_open(march_body *body, march_number sigma);
void march_body_solve_open(march_body *body, const march_number *positions, const march_number *rest,
                           march_number *change);

void march_body_lengthen(const march_body *body, const march_number *gradient, const march_number *change,
                         march_number *result);
void march_body_pull(const march_body *body, const march_number *gradient, const march_number *tensions,
                     march_number *result);
void march_body_stiffen(const march_body *body, const march_number *gradient, const march_number *stiffness,
                        march_number *result);
void march_body_stiffen_across(const march_body *body, const march_number *gradient, const march_number *across,
                               const march_number *stiffness, march_number *result);

/* The entries of a vector that belong to states of muscles, in the order of the muscles; zero where there is none. */
void march_body_gather(const march_body *body, const int *restrict state, const march_number *restrict states,
                       march_number *restrict result);
void march_body_scatter(const march_body *body, const int *restrict state, const march_number *restrict values,
                        march_number *restrict states);

#endif
