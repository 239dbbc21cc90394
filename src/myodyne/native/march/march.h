/* Marches: a state carried through time by a generated function, many steps per call.
 *
 * The files of this folder are compiled together into one shared object.  Python fills the structures below
 * (myodyne/equations/marching.py mirrors them field by field) and owns all memory, so nothing is allocated
 * here.  myodyne/numerics holds the same algorithms in Python, line for line where that reads well:
 *
 *     signals.c       controls as functions of time            piecewise.py
 *     steps.c         which steps are taken, kept, repeated    steps.py, advance.py
 *     explicit.c      one step of an explicit tableau          explicit.py
 *     implicit.c      one step of an implicit tableau          implicit.py
 *     rosenbrock.c    steps of a linearly implicit method      linear.py
 *     stages.c        their stages                             linear.py
 *     newton.c        the unknowns of one stage                newton.py
 *     stage.c         which unknowns those are                 implicit.py
 *     body.c          the equations with their muscles         equations/muscles/interpreted_body.py
 *     crossings.c     sums over muscles                        equations/muscles/interpreted_body.py
 *     elimination.c   their linear systems                     implicit_form.py
 *     loop.c          a control law around them                equations/closed_form.py
 *     rates.c         the rates that they give                 implicit_form.py
 *     fibre_rates.c   those of muscles alone                   equations/muscles/interpreted_body.py
 *     dense.c         LU factors                               newton.py
 *
 * The folder `together` marches several runs at once: body.c, elimination.c, fibre_rates.c, loop.c and stages.c are
 * compiled once more for it, with vectors for numbers (numbers.h).
 */
#ifndef MYODYNE_MARCH_H
#define MYODYNE_MARCH_H

#include "numbers.h"

#include <math.h>

/* The signature of every function that CasADi generates with casadi_int = int. */
typedef int (*march_function)(const march_number **arg, march_number **res, int *iw, double *w, int mem);

enum {
    MARCH_GOOD = 0,
    MARCH_NOT_FINITE = 1,
    MARCH_STEP_TOO_SMALL = 2,
    MARCH_NEWTON_FAILED = 3,
    MARCH_TOO_MANY_STEPS = 4
};

/* ---- what Python hands over ---------------------------------------------------------------------------- */

/* s: the step whose rates stand for those that no equation gives. */
#define MARCH_TINY_STEP 1e-7

/* A function of many muscles at a time (equations/muscles/batch.py): drives and prepared numbers to values, entry k of muscle i
 * at k * stride + i.  Without drives it prepares numbers. */
typedef void (*march_batch)(int count, const double *drives, const double *numbers, double *result);

/* What the rates of many muscles are found from: without rates, drives and settled numbers to all that does not hang on
 * the rates of fibres, "eased"; with them, rates, eased values and settled numbers to balance of forces and its slope.
 * With numbers alone it settles them. */
typedef void (*march_rate_batch)(int count, const double *rates, const double *drives, const double *numbers,
                                 double *result);

typedef struct {            /* a generated function with the work arrays it asks for */
    march_function function;
    const march_number **arg;
    march_number **res;
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

typedef struct {            /* a Rosenbrock method, as rosenbrock.c writes it */
    int stages;
    int error_order;
    double gamma;
    const double *a;        /* (stages, stages) by rows */
    const double *c;        /* (stages, stages) by rows */
    const double *m;
    const double *error;    /* NULL if there is no estimate */
    const double *alpha;
    const double *gammas;
} march_linear_tableau;

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
    int carried;            /* rates kept by an implicit march: of 0, 1 or 2 steps; see also rosenbrock.c */
    int swapped;            /* 1: the second buffer of a Rosenbrock march holds its rates */
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
    double *rates;          /* (count, n): those that steps ended with, NaN where there are none; NULL: not asked for */
} march_course;

typedef struct {            /* what is known of the muscles at one point of the motion */
    march_number *gradient;      /* (entries): dL/dq, group after group, a row for each coordinate that it crosses */
    march_number *gradient_rate; /* (entries) */
    march_number *drives;        /* (..., stride) */
    march_number *values;        /* (..., stride) */
    march_number *velocity;      /* (coordinates) */
    march_number *pull;          /* (coordinates): what the tensions pull */
} march_point;

typedef struct {            /* a body with its muscles, see body.c; Python fills all down to `loop_pivots` */
    int coordinates;
    int speeds;             /* those of the coordinates, impulses of the constraints, work */
    int muscles;
    int fibres;             /* muscles with a fibre state */
    int actives;            /* muscles with an activation state */
    int controls;           /* excitations of the muscles first */
    int rigid;              /* 1: some tendons are */
    int with_work;          /* 1: march_body_derivative marches the work, too */
    int free;               /* numbers of muscles that are parameters */
    int kinds;
    int groups;
    int stride;             /* from a value of the first muscle to its next: all muscles and room for three more */
    int ready;              /* 1: the numbers are prepared */
    int fed;                /* controls that a control law gives */
    int clock;              /* which control is the time, -1 for none */
    march_kernel *balance;
    march_kernel *inertia;      /* residual and derivative by accelerations alone, or NULL: the balance gives both */
    march_kernel *solved;       /* accelerations outright and whether the masses give them, or NULL */
    march_kernel *paths;
    march_kernel *bending;
    march_kernel *loop;         /* a control law, or NULL */
    const march_batch *batches; /* one function for each kind of muscle */
    const march_rate_batch *rate_batches;   /* likewise */
    const int *kind;            /* (muscles); those of one kind lie side by side */
    const int *first_of_kind;   /* (kinds + 1): where the muscles of a kind begin */
    const int *control;         /* (muscles): number of its excitation */
    const int *fibre;           /* (muscles): number of its fibre state, -1 for none */
    const int *active;          /* (muscles): number of its activation state, -1 for none */
    const int *first_muscle;    /* (groups + 1): where the muscles of a group begin */
    const int *first_crossing;  /* (groups + 1): where the coordinates of a group begin */
    const int *first_entry;     /* (groups + 1): where the gradients of a group begin */
    const int *coordinate;      /* (crossings): which coordinates a group crosses, in rising order */
    const int *free_number;     /* (free): which of the numbers ... */
    const int *free_parameter;  /* (free): ... is which parameter */
    const int *fed_control;     /* (fed): which control the law gives */
    march_number *numbers;      /* (..., stride): strength, lengths and so on */
    march_number *prepared;     /* (..., stride): what the functions of the kinds make of the numbers */
    march_number *settled;      /* (..., stride): what the functions of rates make of the numbers ... */
    march_number *eased;        /* (..., stride): ... and of the drives */
    march_number *imbalance;    /* (2, stride): balance of forces, and its slope by the rate of the fibres */
    march_number *work;         /* as many doubles as march_body_work says */
    int *pivots;                /* (speeds) */
    int *loop_pivots;           /* (fed) */
    march_point here, aside;
    march_number *sigma;    /* (1) */
    int offender;           /* index of the state whose rate could not be found, -1 where unknown */
    int approached;         /* 1: no equation gave the last rates, they are those of a step of MARCH_TINY_STEP */
    march_number *by_position, *by_speed, *by_acceleration; /* (speeds, speeds) */
    march_number *resistance;                               /* by_position once the muscles are eliminated */
    march_number *matrix;                                   /* (speeds, speeds) */
    march_number *bend;                                     /* (coordinates, coordinates) */
    march_number *lanes;                                    /* (coordinates, coordinates, 4) */
    march_number *fibre_share, *fibre_factor, *active_factor, *fibre_part, *active_part;  /* (stride) */
    march_number *stiffness, *moved, *tension;                                            /* (stride) */
    march_number *state, *rate, *own_state, *scratch, *change;
    march_number *closed;        /* (controls): with those of the law */
    march_number *law;           /* (fed) */
    march_number *law_by_state;  /* (fed, coordinates, speeds of coordinates, fibres, activations) by columns */
    march_number *law_by_time;   /* (fed) */
    march_number *driven;        /* (fed, rows): dF/du of the controls of the law */
    march_number *followed;      /* (fed, states): the changes that answer them */
    march_number *loop_matrix;   /* (fed, fed) */
    march_number *spare, *spared;
} march_body;

typedef struct {            /* the system that moves: by an explicit derivative, or a body in implicit form */
    int n;                  /* states */
    march_kernel *kernel;
    march_body *body;
    march_signal *controls;
    const double *parameters;
    double *work;           /* as many doubles as march_*_work says; lives as long as the memory */
} march_problem;

/* ---- the entries --------------------------------------------------------------------------------------- */

int march_explicit_work(int n, int stages, int controls);
int march_implicit_work(int n, int stages, int controls);
int march_linear_work(int n, int stages, int controls);
int march_body_work(const march_body *body);
void march_body_open(march_body *body);
int march_body_rates_of(march_body *body, const double *x, const double *controls, const double *parameters,
                        double *xdot);
int march_body_derivative(const march_number **arg, march_number **res, int *iw, double *w, int mem);
void march_explicit(march_problem *problem, const march_tableau *tableau, const march_control *control,
                    march_memory *memory, march_course *course);
void march_implicit(march_problem *problem, const march_tableau *tableau, const march_control *control,
                    march_memory *memory, march_course *course);

void march_linear(march_problem *problem, const march_linear_tableau *tableau, const march_control *control,
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
void march_control_rates(march_signal *signal, march_instant at, double *values);

/* Times closer than this are one time: the same decimal number reached by two sums differs in its last bits. */
static inline double march_slack(double time, double target)
{
    double one = fabs(time), other = fabs(target);
    return 1e-12 * (one > other ? one : other);
}

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
    /* The longest step (s) that makes sense from a state, asked of steps that adapt; NULL: any. */
    double (*longest)(march_stepper *stepper, march_instant from, const double *state);
    /* The rates that the last step ended with, if they are as good as the state; NULL: there are none. */
    const double *(*present)(march_stepper *stepper, double time);
};

/* Carries the problem through the requested times with one kind of step, whose own fields (`self`, `error_order`,
 * `stops` and the four functions) are set; the first 4 n doubles of the problem's work are those of the journey. */
void march_travel(march_stepper *stepper, march_problem *problem, const march_control *control,
                  march_memory *memory, march_course *course);
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
    /* Residual at `unknown`; with `fresh` also new factors of its Jacobian.  Returns 0, -1 if the residual has no
     * value, or 1 + the unknown without a usable pivot. */
    int (*evaluate)(march_block *block, const double *unknown, double *residual, int fresh);
    /* Overwrites a residual by the change of the unknowns that its factors ask for. */
    void (*solve)(march_block *block, double *residual);
    /* Largest change of a state that `increment` makes, in units of the tolerance, and which unknown makes it. */
    double (*size)(march_block *block, const double *unknown, const double *increment, int *largest);
};

typedef struct {
    double *residual;       /* (n) */
    double *change;         /* (n): for march_newton_carefully ... */
    double *trial;          /* (n): ... too */
    int current;            /* 1: the factors belong to this step */
    double tolerance;
    long long iterations;
    int offender;
} march_newton;

int march_newton_solve(march_newton *newton, march_block *block, double *unknown);
int march_newton_carefully(march_newton *newton, march_block *block, double *unknown);
int march_factorise(march_number *matrix, int n, int *pivots);
void march_solve(const march_number *matrix, int n, const int *pivots, march_number *vector);

typedef struct {
    const march_number *controls;
    const march_number *parameters;
} march_input;

int march_body_states(const march_body *body);
void march_body_set(march_body *body, const march_number *parameters);
int march_body_evaluate(march_body *body, const march_number *x, const march_number *xdot, march_input at,
                        march_number *residual, int with_jacobian);
int march_body_factorise(march_body *body, march_number sigma);
void march_body_solve(march_body *body, const march_number *positions, const march_number *rest, march_number *change);
void march_body_inertia(const march_body *body, const march_number *restrict rates, march_number *restrict result);
int march_body_steer(march_body *body, const march_number *x, const march_number *xdot, march_input at,
                     const march_number *change, march_number *result);
int march_body_rates(march_body *body, const march_number *x, march_input at, march_number *xdot);

/* The unknowns of a stage of a diagonally implicit method: the rates of all but the positions. */
typedef struct {
    march_body *body;
    int m;                  /* positions */
    int k;                  /* unknown rates */
    double weight;          /* step times the diagonal entry of the tableau */
    march_input at;
    const double *base;     /* (m + k): state of the stage without its own contribution */
    double *scale;          /* (m + k): a change of this size is as large as the tolerances */
    double *state;          /* (m + k) */
    double *rate;           /* (m + k) */
    double *change;         /* (m + k) */
    long long evaluations;
} march_stage;

void march_stage_block(march_stage *stage, march_block *block);
void march_stage_place(march_stage *stage, const double *unknown);
void march_stage_filter(march_stage *stage, double *error, double *scratch);

#endif
