/* The number that a body's equations are written in: one, or one for each of several runs side by side.
 *
 * With MARCH_TOGETHER on the compiler's command line (native/libraries.py) every number is a vector that has an entry
 * for each of MARCH_WIDTH runs: eight where the processor compares eight doubles at once, else four, since gcc takes
 * comparisons of wider vectors than the processor's apart into single ones.  No instruction mixes entries, so that a run has the same numbers whatever is beside it.  What depends on
 * whether a number is this or that is written as a choice between values. */
#ifndef MYODYNE_NUMBERS_H
#define MYODYNE_NUMBERS_H

#include <stddef.h>

#ifdef MARCH_TOGETHER

#if !defined(MARCH_WIDTH) && defined(__AVX512F__)
#define MARCH_WIDTH 8
#elif !defined(MARCH_WIDTH)
#define MARCH_WIDTH 4
#endif

typedef double march_number __attribute__((vector_size(8 * MARCH_WIDTH), aligned(8), may_alias));
typedef long long march_truth __attribute__((vector_size(8 * MARCH_WIDTH), aligned(8), may_alias));

static inline march_number march_choose(march_truth where, march_number one, march_number other)
{
    return (march_number)((where & (march_truth)one) | (~where & (march_truth)other));
}

static inline int march_any(march_truth where)
{
    long long found = 0;
    int i;

    for (i = 0; i < MARCH_WIDTH; i++)
        found |= where[i];
    return found != 0;
}

static inline march_number march_all(double number)
{
    return (march_number){0} + number;
}

#else

enum { MARCH_WIDTH = 1 };

typedef double march_number;
typedef int march_truth;

static inline march_number march_choose(march_truth where, march_number one, march_number other)
{
    return where ? one : other;
}

static inline int march_any(march_truth where)
{
    return where;
}

static inline march_number march_all(double number)
{
    return number;
}

#endif

/* The next numbers of a work array. */
static inline march_number *march_take(march_number **work, size_t count)
{
    march_number *taken = *work;

    *work += count;
    return taken;
}

#endif
