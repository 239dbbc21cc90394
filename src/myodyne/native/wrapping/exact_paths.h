/* What the geometry of all paths needs where those over surfaces are not fitted: kernels, surfaces, and memory. */
#ifndef MYODYNE_EXACT_PATHS_H
#define MYODYNE_EXACT_PATHS_H

#include "../march/march.h"
#include "wrapping.h"

typedef struct {
    int muscles;
    int wrapped;            /* muscles whose paths wrap over surfaces */
    int entries;            /* of the gradient */
    march_kernel *straight; /* (q, v, p) -> lengths and gradient of the paths over no surface */
    march_kernel *places;   /* (q, p) -> points, active, frames of the others */
    march_kernel *gradient; /* (q, weights, p) -> their gradient */
    const wrap_path *path;  /* (wrapped) */
    const int *length_from; /* (muscles) where the length of each lies in `lengths` */
    const int *entry_from;  /* (entries) where each entry of the gradient lies in `slopes` */
    double *points, *active, *frames, *weights;
    double *lengths; /* those over no surface, then the others */
    double *slopes;
    double *wrapped_lengths, *wrapped_slopes; /* where the others begin */
} exact_paths;

int exact_paths_call(const double **arg, double **res, int *iw, double *w, int mem);

#endif
