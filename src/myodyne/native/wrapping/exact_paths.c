/* Lengths and gradients of all paths of a model, those over surfaces by their geometry instead of a fit.
 *
 * Called like the kernel "paths", whose place it takes: (q, v, p) -> (lengths, gradient, gradient rate), in the order
 * of the groups of muscles.  What it needs rides in the place of the whole numbers.  It knows no rates of gradients:
 * they serve derivatives of the equations only, which are those of fitted paths. */
#include "exact_paths.h"

static int call(march_kernel *kernel)
{
    return kernel->function(kernel->arg, kernel->res, kernel->iw, kernel->w, 0);
}

static int go_straight(const exact_paths *all, const double **arg)
{
    int i;

    for (i = 0; i < 3; i++)
        all->straight->arg[i] = arg[i];
    all->straight->res[0] = all->lengths;
    all->straight->res[1] = all->slopes;
    return call(all->straight);
}

static int go_over_surfaces(const exact_paths *all, const double *q, const double *p)
{
    all->places->arg[0] = q;
    all->places->arg[1] = p;
    all->places->res[0] = all->points;
    all->places->res[1] = all->active;
    all->places->res[2] = all->frames;
    if (call(all->places))
        return 1;
    wrap_rows(1, all->wrapped, all->path, all->points, all->active, all->frames, all->wrapped_lengths, all->weights);
    all->gradient->arg[0] = q;
    all->gradient->arg[1] = all->weights;
    all->gradient->arg[2] = p;
    all->gradient->res[0] = all->wrapped_slopes;
    return call(all->gradient);
}

int exact_paths_call(const double **arg, double **res, int *iw, double *w, int mem)
{
    const exact_paths *all = (const exact_paths *)(void *)iw;
    int i;

    (void)w;
    (void)mem;
    if (go_straight(all, arg) || go_over_surfaces(all, arg[0], arg[2]))
        return 1;
    for (i = 0; i < all->muscles; i++)
        res[0][i] = all->lengths[all->length_from[i]];
    for (i = 0; i < all->entries; i++)
        res[1][i] = all->slopes[all->entry_from[i]];
    return 0;
}
