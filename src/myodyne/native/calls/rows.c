/* Calls a generated kernel once, or over many rows, without returning to the interpreter in between. */

typedef int (*kernel)(const double **arg, double **res, int *iw, double *w, int mem);

typedef struct {
    kernel function;
    const double **arg;
    double **res;
    int *iw;
    double *w;
} workspace;

/* One pointer as argument: converting five costs more than a small kernel. */
int myodyne_call(workspace *space) {
    return space->function(space->arg, space->res, space->iw, space->w, 0);
}

/* Strides are in doubles; an input shared by all rows has stride zero. */
int myodyne_rows(workspace *space, long rows, int inputs, const long *input_strides, int outputs,
                 const long *output_strides) {
    for (long row = 0; row < rows; row++) {
        int failed = space->function(space->arg, space->res, space->iw, space->w, 0);
        if (failed) return failed;
        for (int i = 0; i < inputs; i++) space->arg[i] += input_strides[i];
        for (int i = 0; i < outputs; i++) space->res[i] += output_strides[i];
    }
    return 0;
}
