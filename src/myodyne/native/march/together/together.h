/* Several runs at once, see runs.c. */
#ifndef MYODYNE_TOGETHER_H
#define MYODYNE_TOGETHER_H

#include "../march.h"

/* Stages of the longest explicit tableau. */
enum { MARCH_MOST_STAGES = 16 };

/* The rates of one run alone, march_body_rates_of of a library without MARCH_TOGETHER; returns a failure code. */
typedef int (*march_rates_of)(void *body, const double *x, const double *controls, const double *parameters,
                              double *xdot);

typedef struct {            /* one of the runs on its way; Python clears it at the start, and sets `time` and `limit` */
    double time;
    double begin;           /* equal steps lead from here ... */
    double end;             /* ... to there: a requested time or a stop of its controls */
    double step;            /* their length */
    double slack;           /* times of controls this close are one */
    long long steps;        /* how many they are ... */
    long long taken;        /* ... and how many are behind it */
    int reached;            /* requested times behind it */
    int limit;              /* it goes on to this many */
    int failed;
    int jump;               /* 1: a stop of its controls is where the equal steps end */
    int carried;            /* 1: its rates are known, 2: from the last step (linear.c) */
    int looked;             /* how often events were looked for */
    int crossed;            /* the events that happened before it stopped, a bit for each */
} march_lane;

typedef struct {            /* events, for which some requested times are looked at, see watching.c */
    int events;
    int motion;             /* states that the outputs depend on ... */
    int states;             /* ... and with the multipliers */
    march_kernel *outputs;  /* (x, xdot, u, p) to one value for each event, or NULL: no event needs it */
    march_kernel *derivative;   /* (motion, u, p) to rates and multipliers; NULL: march_rates_of gives them */
    const int *motion_places;   /* (motion): where these states stand in those of the march ... */
    const int *rate_places; /* (states): ... and rates and multipliers in its rates */
    const int *direct;      /* (events): which state it is, -1 where it is an output */
    const int *directions;  /* (events): -1 falling, 1 rising, 0 either */
    const double *levels;   /* (events) */
    const int *looks;       /* (count): 1 where events are looked for */
    march_number *x, *xdot, *u; /* of the outputs */
    march_number *values;   /* (events): the outputs, less the level ... */
    march_number *before;   /* (events): ... and before what stopped a run, or when it was looked at last */
} march_watch;

typedef struct march_together march_together;
struct march_together {     /* Python fills all down to `work` (march/together.py) */
    int n;                  /* states of one run */
    int numbers;            /* free numbers */
    int kept;               /* states that are kept at requested times ... */
    int kept_rates;         /* ... and rates */
    int steady;             /* 1: the controls never change */
    int stops;              /* 1: no step crosses a stop of the controls */
    double step;
    march_kernel *kernel;   /* explicit: rates of change, (x, u, p) to xdot */
    march_body *body;       /* linear: the body in all runs ... */
    void *alone;            /* ... and the body of a run alone ... */
    march_rates_of rates_of;    /* ... with its rates */
    march_signal *signals;  /* (MARCH_WIDTH) */
    const void *tableau;    /* march_tableau or march_linear_tableau */
    const march_number *parameters; /* (numbers) */
    const int *places;      /* (kept): which states are kept ... */
    const int *rate_places; /* (kept_rates): ... and which rates */
    const double *times;    /* (count, MARCH_WIDTH): the requested times */
    const int *slots;       /* (count): the row of `states` of each, -1 for none */
    march_number *state;    /* (n): where the runs are */
    march_number *states;   /* (rows, kept) */
    march_number *rates;    /* (rows, kept_rates): those that steps ended with, NaN where there are none */
    march_lane *lanes;      /* (MARCH_WIDTH) */
    march_watch *watch;     /* or NULL */
    march_number *work;     /* as many numbers as march_*_together_work says; lives as long as the runs */
    march_number *next;     /* (n): where a step leads */
    march_number *controls;
    march_number *length;   /* (1): of the step that each takes */
    double *own;            /* the state, rates, controls and numbers of one run */
    int ready;              /* 1: the controls are set, if they never change */
    void *stepper;
    void (*start)(march_together *runs, int lane);      /* before a step of a run; or NULL */
    int (*attempt)(march_together *runs);               /* from `state` to `next`, all runs by `length` */
    void (*accept)(march_together *runs, march_truth moved);    /* the runs that went on; or NULL */
    /* The rates that the last step of a run ended with, or NULL. */
    const march_number *(*present)(march_together *runs, int lane);
    /* Finds the rates of a run where it is, as doubles; returns a failure code; or NULL. */
    int (*find)(march_together *runs, int lane, double *rates);
};

void march_all_together(march_together *runs);
void march_controls_together(march_together *runs, double part, march_side side, march_number *values);
march_instant march_instant_of(const march_together *runs, int lane, double part, march_side side);

int march_explicit_together_work(int n, int stages, int controls, int numbers);
int march_linear_together_work(int n, int stages, int controls, int numbers);
int march_explicit_together(march_together *runs);
int march_linear_together(march_together *runs);
void march_watch_runs(march_together *runs, march_truth where);
int march_width(void);
march_number *march_together_open(march_together *runs);
int march_together_work(int n, int controls, int numbers);

#endif
