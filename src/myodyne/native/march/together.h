/* Several runs at once, see together.c. */
#ifndef MYODYNE_TOGETHER_H
#define MYODYNE_TOGETHER_H

#include "march.h"

/* Runs that are computed together, as LANES in equations/lanes.py; stages of the longest explicit tableau. */
enum { TOGETHER = 8, MARCH_MOST_STAGES = 16 };

typedef struct {            /* Python fills all down to `work` (march/together.py) */
    int n;                  /* states of one run */
    int count;              /* requested times */
    int steady;             /* 1: the controls never change */
    int kept;               /* states that are kept at the requested times */
    double begin;
    double step;
    march_kernel *kernel;   /* rates of change in lanes: (x, u, p) to xdot */
    march_signal *signals;  /* (TOGETHER) */
    const march_tableau *tableau;
    const double *parameters;   /* (numbers, TOGETHER) */
    const int *places;      /* (kept): which states those are */
    const double *times;    /* (count) */
    double *state;          /* (n, TOGETHER): the start, and then the end */
    double *states;         /* (count, kept, TOGETHER) */
    double *work;           /* as many doubles as march_together_work says */
    double *controls, *rates, *stage;
    int ready;
} march_together;

int march_together_work(int n, int stages, int controls);
int march_all_together(march_together *runs);

#endif
