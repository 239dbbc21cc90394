/* Vectors of three numbers, and the frames of surfaces: a rotation row by row, then an origin. */
#ifndef MYODYNE_TAUT_VECTORS_H
#define MYODYNE_TAUT_VECTORS_H

#include <math.h>

static const double FULL_TURN = 6.283185307179586;

static inline double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline double norm3(const double *a)
{
    return sqrt(dot3(a, a));
}
static inline void cross3(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}
static inline double distance3(const double *a, const double *b)
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return norm3(d);
}
static inline void copy3(double *into, const double *from)
{
    for (int i = 0; i < 3; i++)
        into[i] = from[i];
}
/* Zero if the vector is. */
static inline int normalise3(double *a)
{
    double size = norm3(a);
    if (!(size > 0.0))
        return 0;
    for (int i = 0; i < 3; i++)
        a[i] /= size;
    return 1;
}
static inline int smallest_component(const double *a)
{
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(a[i]) < fabs(a[least]))
            least = i;
    return least;
}

/* Points into the frame of a surface, and out of it. */
static inline void to_local(const double *frame, const double *world, double *local)
{
    for (int i = 0; i < 3; i++) {
        local[i] = 0.0;
        for (int k = 0; k < 3; k++)
            local[i] += frame[3 * k + i] * (world[k] - frame[9 + k]);
    }
}
static inline void turn_to_world(const double *frame, const double *local, double *world)
{
    for (int i = 0; i < 3; i++)
        world[i] = frame[3 * i] * local[0] + frame[3 * i + 1] * local[1] + frame[3 * i + 2] * local[2];
}
static inline void to_world(const double *frame, const double *local, double *world)
{
    turn_to_world(frame, local, world);
    for (int i = 0; i < 3; i++)
        world[i] += frame[9 + i];
}
/* Directions into the frame; `turn_to_world` takes them out. */
static inline void turn_to_local(const double *frame, const double *world, double *local)
{
    for (int i = 0; i < 3; i++)
        local[i] = frame[i] * world[0] + frame[3 + i] * world[1] + frame[6 + i] * world[2];
}

#endif
