/* Four doubles at a time, in the notation that gcc and clang share: it becomes whatever the machine has.
 *
 * Loops that sum are written with these: a compiler that keeps the order of sums cannot make vectors of them by
 * itself. */
#ifndef MYODYNE_LANES_H
#define MYODYNE_LANES_H

enum { LANES = 4 };

typedef double march_lanes __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long march_mask __attribute__((vector_size(32), aligned(8), may_alias));

static inline march_lanes march_load(const double *from)
{
    return *(const march_lanes *)from;
}

static inline void march_store(double *to, march_lanes lanes)
{
    *(march_lanes *)to = lanes;
}

/* The first `count` of four doubles, zeros in place of the others. */
static inline march_lanes march_load_some(const double *from, int count)
{
    static const long long masks[2 * LANES] = {-1, -1, -1, -1, 0, 0, 0, 0};
    march_mask mask = *(const march_mask *)(masks + LANES - (count < LANES ? count : LANES));

    return (march_lanes)((march_mask)march_load(from) & mask);
}

static inline double march_lanes_sum(march_lanes lanes)
{
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

#endif
