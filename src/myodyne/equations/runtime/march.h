/* Marches: a state carried through time by a generated function, many steps per call.
 *
 * The files of this folder are compiled together into one shared object.  Python fills the structures below
 * (myodyne/equations/marching.py mirrors them field by field) and owns all memory, so nothing is allocated
 * here.  myodyne/numerics holds the same algorithms in Python, line for line where that reads well:
 *
 *     signals.c       controls as functions of time            piecewise.py
 *     steps.c         which steps are taken, kept, repeated    steps.py, travel.py
 *     explicit.c      one step of an explicit tableau          explicit.py
 *     implicit.c      one step of an implicit tableau          implicit.py
 *     newton.c        the unknowns of one stage                newton.py
 *     second_order.c  which unknowns those are                 implicit.py
 *     dense.c         LU factors                               newton.py
 */
#ifndef MYODYNE_MARCH_H
#define MYODYNE_MARCH_H

#include <stddef.h>

/* The signature of every function that CasADi generates with casadi_int = int. */
typedef int (*march_function)(const double **arg, double **res, int *iw, double *w, int mem);

enum {
    MARCH_GOOD = 0,
    MARCH_NOT_FINITE = 1,
    MARCH_STEP_TOO_SMALL = 2,
    MARCH_NEWTON_FAILED = 3,
    MARCH_TOO_MANY_STEPS = 4
};

/* ---- what Python hands over ---------------------------------------------------------------------------- */

typedef struct {            /* a generated function with the work arrays it asks for */
    march_function function;
    const double **arg;
    double **res;
    int *iw;
    double *w;
} march_kernel;

typedef struct {            /* controls: piecewise polynomials of one set of breaks */
    int pieces;
    int degree;
    int count;              /* controls */
    int n_stops;
    int cursor;             /* the piece of the last value: the next one is there or next door */
    int next_stop;
    const double *breaks;       /* (pieces + 1) */
    const double *coefficients; /* (pieces, degree + 1, count), powers of the time since the piece's break */
    const double *stops;        /* times that no step may cross */
} march_signal;

typedef struct {            /* a Runge-Kutta method */
    int stages;
    int error_order;        /* the estimated error of a step falls as its length to this power */
    const double *a;        /* (stages, stages) by rows */
    const double *b;
    const double *c;
    const double *error;        /* weights of the error estimate, NULL if there is none */
    const double *coarse_error; /* weights of the second estimate of DOP853, else NULL */
} march_tableau;

typedef struct {            /* how long steps are */
    double step;            /* > 0: fixed; 0: chosen by the error */
    double relative;
    double absolute;
    double first_step;      /* 0: estimated */
    double largest_step;
    double newton;          /* largest error left by Newton's method, in units of the tolerances above */
    long long most_steps;   /* between two requested times */
} march_control;

typedef struct {            /* what an advance leaves to the one that continues it */
    int continuing;
    int carried;            /* accelerations kept by an implicit march: 0, 1 or 2 */
    double time;
    double step;
    double previous_error;
    double *state;          /* (n) */
} march_memory;

typedef struct {            /* what is asked of one advance, and what came of it */
    int count;
    int reached;            /* how many of the requested times */
    int failure;
    int offender;           /* index of the state that went wrong, -1 where unknown */
    long long steps;
    long long rejected;
    long long evaluations;
    long long iterations;
    double last_time;
    const double *times;    /* (count) */
    double *states;         /* (count, n) */
    double *last_state;     /* (n); holds the start when the advance begins */
} march_course;

typedef struct {            /* the system that moves */
    int n;                  /* states */
    march_kernel *kernel;
    march_signal *controls;
    const double *parameters;
    double *work;           /* as many doubles as march_*_work says; lives as long as the memory */
    int *pivots;            /* (n), used by implicit marches */
} march_problem;

/* ---- the two entries ----------------------------------------------------------------------------------- */

int march_explicit_work(int n, int stages, int controls);
int march_implicit_work(int n, int stages, int controls);
void march_explicit(march_problem *problem, const march_tableau *tableau, const march_control *control,
                    march_memory *memory, march_course *course);
void march_implicit(march_problem *problem, const march_tableau *tableau, const march_control *control,
                    march_memory *memory, march_course *course);

/* ---- between the files --------------------------------------------------------------------------------- */

/* A control may jump where one step ends and the next begins: each step sees its own side of the jump. */
typedef enum { MARCH_FROM_LEFT, MARCH_FROM_RIGHT } march_side;

typedef struct {
    double time;
    march_side side;
    double slack;           /* breaks closer than this to `time` count as being there */
} march_instant;

void march_controls(march_signal *signal, march_instant at, double *values);
double march_slack(double time, double target);

/* One kind of step; the travelling (steps.c) is the same for all. */
typedef struct march_stepper march_stepper;
struct march_stepper {
    void *self;
    int n;
    int error_order;
    int stops;              /* 1: no step crosses a stop of the controls */
    march_signal *controls;
    const march_control *control;
    march_memory *memory;
    march_course *course;
    /* Rate of change of a state; returns a failure code. */
    int (*rate)(march_stepper *stepper, march_instant at, const double *state, double *rate);
    /* Tries a step from `state` to `next`; sets `error` (accept up to 1) if the steps adapt. */
    int (*attempt)(march_stepper *stepper, march_instant from, double step, const double *state, double *next,
                   double *error);
    void (*accept)(march_stepper *stepper);     /* the last attempt is kept */
    void (*restart)(march_stepper *stepper);    /* the state or a control jumps here */
};

/* `buffers` holds 4 n doubles. */
void march_travel(march_stepper *stepper, double *buffers);
double march_error_norm(const march_stepper *stepper, const double *error, const double *state, const double *next);
int march_first_not_finite(const double *values, int n);

typedef struct {            /* step * sum(weights * rates) over the first `count` stages */
    const double *rates;    /* (count, n) */
    const double *weights;
    int count;
    double step;
} march_sum;

/* result = state + sum, the state being zero if NULL. */
void march_combine(march_sum sum, int n, const double *state, double *result);

/* Unknowns of one stage, as Newton's method sees them. */
typedef struct march_block march_block;
struct march_block {
    void *self;
    int n;
    int offset;             /* index of the state that the first unknown drives, for reports */
    /* Residual at `unknown`, and its Jacobian (column-major) unless that is NULL; nonzero if it has none. */
    int (*evaluate)(march_block *block, const double *unknown, double *residual, double *jacobian);
    /* Largest change of a state that `increment` makes, in units of the tolerance, and which unknown makes it. */
    double (*size)(march_block *block, const double *unknown, const double *increment, int *largest);
};

typedef struct {
    double *matrix;         /* (n, n) column-major: the Jacobian's LU factors */
    double *residual;       /* (n) */
    int *pivots;            /* (n) */
    int current;            /* 1: the factors belong to this step */
    double tolerance;
    long long iterations;
    int offender;
} march_newton;

int march_newton_solve(march_newton *newton, march_block *block, double *unknown);
int march_factorise(double *matrix, int n, int *pivots);
void march_solve(const double *matrix, int n, const int *pivots, double *vector);

/* States x = (q, v) with qdot = v: the unknowns of a stage shrink to the accelerations. */
typedef struct {
    int m;
    double weight;          /* step times the diagonal entry of the tableau */
    march_kernel *kernel;
    const double *controls;
    const double *parameters;
    const double *base;     /* (2 m): state of the stage without its own contribution */
    double *scale;          /* (2 m): a change of this size is as large as the tolerances */
    double *state;          /* (2 m): q, v of the stage */
    double *rate;           /* (2 m): v, vdot of the stage */
    double *by_position;    /* (m, m): the Jacobians of the last factorisation */
    double *by_speed;
    double *by_acceleration;
    long long evaluations;
} march_second_order;

void march_second_order_block(march_second_order *stage, march_block *block);
void march_second_order_place(march_second_order *stage, const double *acceleration);
void march_second_order_filter(const march_second_order *stage, const march_newton *newton, double *error,
                               double *scratch);

#endif
