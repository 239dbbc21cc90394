/* The stages of a linearly implicit step, see stages.c. */
#ifndef MYODYNE_STAGES_H
#define MYODYNE_STAGES_H

#include "march.h"

typedef struct march_stages march_stages;
struct march_stages {
    march_body *body;
    const march_linear_tableau *tableau;
    const march_number *parameters;
    int n;
    march_number step;
    march_number *rate;             /* (n): z of the present state ... */
    march_number *next_rate;        /* (n): ... and of the one that the step leads to */
    march_number *changes;          /* (stages, n): U */
    march_number *rate_changes;     /* (stages, n): V */
    march_number *stage;            /* (n) */
    march_number *stage_rate;       /* (n) */
    march_number *wanted;           /* (n): w */
    march_number *right;            /* (n) */
    march_number *residual;         /* (n) */
    march_number *steering;         /* (n): dF/du du/dt */
    march_number *controls;
    march_number *turning;          /* du/dt */
    void *owner;
    void (*begin)(march_stages *stages);            /* sets `controls` and `turning` to those of the beginning */
    void (*move)(march_stages *stages, double part);    /* sets `controls` to those after a part of the step */
    int (*look)(march_stages *stages);              /* looks at a residual; returns a failure code; or NULL */
};

/* Numbers that the arrays take. */
int march_stages_work(int n, int stages, int controls);
void march_stages_open(march_stages *stages, march_number **work, int controls);

/* Takes a step from a state and its rate; returns a failure code, and leaves the offender in the body. */
int march_stages_take(march_stages *stages, const march_number *state, march_number *next);

/* ends = (ends - starts) * scale */
void march_difference(march_number *restrict ends, const march_number *restrict starts, march_number scale, int n);

#endif
