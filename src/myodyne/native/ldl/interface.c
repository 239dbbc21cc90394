/* The door through which IPOPT calls: it loads HSL_MA97 from a shared library at run time, by these names and with these
 * structures (Ipopt 3.14, IpMa97SolverInterface). Behind the door is the solver of this folder. No code of HSL is here,
 * and of its controls only the two that IPOPT changes while it runs are heard: the base of indices, and the threshold. */
#include "ldl.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int base_one, act_on_singular, merge_below;
    double extra_memory;
    int ordering, printing, scaling;
    double zero, threshold;
    int unit_diagnostics, unit_error, unit_warning;
    long parallel_from;
    int blocked_solve;
    long parallel_solve_from;
    int multifrontal_solve;
    double consistent;
    int spare[5];
    double more_spare[10];
} Control;

typedef struct {
    int flag, flag68, flag77, repeated, rank, out_of_range, missing_diagonal, depth, largest_front, delayed;
    long factor_entries, operations;
    int negative, fronts, two_by_two, ordering, memory_error;
    int spare[5];
    double more_spare[10];
} Info;

enum { SINGULAR = -7, NO_MEMORY = -1 };

static void report(const Matrix *m, int outcome, Info *info)
{
    memset(info, 0, sizeof *info);
    /* Numbers that are not finite end in the same way as a singular matrix: IPOPT then perturbs, and gives up in time. */
    info->flag = outcome == LDL_DONE ? 0 : outcome == LDL_NO_MEMORY ? NO_MEMORY : SINGULAR;
    info->ordering = 1;
    if (!m)
        return;
    info->rank = m->rank;
    info->negative = m->negative;
    info->delayed = m->delayed;
    info->two_by_two = m->two_by_two;
    info->operations = (long)m->operations;
    if (m->analysis) {
        info->factor_entries = (long)m->analysis->factor_entries;
        info->largest_front = m->analysis->largest_front;
        info->fronts = m->analysis->fronts;
    }
}

void ma97_default_control_d(Control *control)
{
    memset(control, 0, sizeof *control);
    control->threshold = 1e-8;
}

/* The order waits for the first values, which tell the rows that are best eliminated in pairs. */
void ma97_analyse_d(int check, int n, const int *start, const int *row, double *value, void **kept,
                    const Control *control, Info *info, int *order)
{
    (void)check;
    (void)value;
    (void)order;
    ldl_matrix_free(*kept);
    *kept = ldl_matrix(n, start, row, control->base_one != 0);
    report(*kept, *kept ? LDL_DONE : LDL_NO_MEMORY, info);
}

void ma97_factor_d(int kind, const int *start, const int *row, const double *value, void **kept, void **factors,
                   const Control *control, Info *info, double *scale)
{
    int outcome = ldl_factorise(*kept, value, control->threshold);

    (void)kind;
    (void)start;
    (void)row;
    (void)scale;
    *factors = *kept; /* one structure holds both */
    report(*kept, outcome, info);
}

void ma97_solve_d(int job, int count, double *vectors, int stride, void **kept, void **factors, const Control *control,
                  Info *info)
{
    const Matrix *m = *kept;
    int together = count > 1 ? LDL_TOGETHER : 1, i;
    double *work = malloc((2 * (size_t)m->n * together + 1) * sizeof(double));

    (void)job;
    (void)factors;
    (void)control;
    for (i = 0; work && m->factorised && i < count; i += together) {
        double *first = vectors + (size_t)i * stride;

        if (count - i > 1)
            ldl_solve_several(m, count - i < together ? count - i : together, first, (size_t)stride, work);
        else
            ldl_solve(m, first, work);
    }
    report(m, work && m->factorised ? LDL_DONE : LDL_NO_MEMORY, info);
    free(work);
}

void ma97_factor_solve_d(int kind, const int *start, const int *row, const double *value, int count, double *vectors,
                         int stride, void **kept, void **factors, const Control *control, Info *info, double *scale)
{
    ma97_factor_d(kind, start, row, value, kept, factors, control, info, scale);
    if (info->flag == 0)
        ma97_solve_d(0, count, vectors, stride, kept, factors, control, info);
}

void ma97_free_akeep_d(void **kept)
{
    ldl_matrix_free(*kept);
    *kept = NULL;
}

void ma97_finalise_d(void **kept, void **factors)
{
    ma97_free_akeep_d(kept);
    *factors = NULL;
}
