/* The path over one surface between two points, after OpenSim. Numbers carry their six derivatives by these points:
   where the path is not a geodesic (see wrap_ellipsoid.c) the points of tangency are not stationary, and their motion is
   part of the derivative of the length. */
#ifndef MYODYNE_WRAP_WAY_H
#define MYODYNE_WRAP_WAY_H

#include "wrapping.h"
#include <math.h>

/* wrap_plain.c compiles all this again without derivatives, for trials. */
#ifdef WRAP_PLAIN
enum { SEEDS = 0 };
#define wrap_cylinder_fate plain_cylinder_fate
#define wrap_cylinder plain_cylinder
#define wrap_sphere plain_sphere
#define wrap_ellipsoid plain_ellipsoid
#define wrap_torus plain_torus
#else
enum { SEEDS = 8 }; /* six, and two zeros: processors like eight at a time better */
#endif

typedef struct {
    double v, d[SEEDS ? SEEDS : 1];
} dual;
typedef struct {
    dual x[3];
} dual3;

/* How a path is laid over a surface: OpenSim 4.6 treats one that is the only surface of its path differently. */
enum { ALONE, AMONG_OTHERS };

/* What became of a straight piece at a surface. MISSED is a torus passed by: it counts as met, but adds no points. */
enum { STRAIGHT, INSIDE, MET, MUST, MISSED };

typedef struct { /* centre + a cos + b sin + s rise, the angle from start over turn, s from 0 to 1 */
    double centre[3], a[3], b[3], rise[3], start, turn;
} wrap_curve;

typedef struct {        /* a path over one surface, in its frame */
    dual3 touch, leave; /* where the path meets and leaves the surface */
    dual length;        /* in between (m) */
    wrap_curve curve;
} wrap_way;

int wrap_cylinder_fate(double radius, int axis, int sign, const double *a, const double *b);
int wrap_cylinder(double radius, double length, int axis, int sign, int how, const dual3 *p, const dual3 *q,
                  wrap_way *way);
int wrap_sphere(const wrap_surface *s, const dual3 *p, const dual3 *q, wrap_way *way);
int wrap_ellipsoid(const wrap_surface *s, const dual3 *p, const dual3 *q, wrap_way *way);
int wrap_torus(const wrap_surface *s, int how, const dual3 *p, const dual3 *q, wrap_way *way);

/* All without derivatives: where the path meets and leaves the surface, six numbers, and the length in between. */
int wrap_try(const wrap_surface *s, int how, const double *p, const double *q, double *touches, double *length);

/* The axis and the sign of the half of a surface; the sign of the whole is zero. */
static inline int wrap_axis(int half)
{
    return half == 0 ? 0 : (half < 0 ? -half : half) - 1;
}
static inline int wrap_side(int half)
{
    return (half > 0) - (half < 0);
}

/* OpenSim counts zero as positive. */
static inline int wrap_sign(double x)
{
    return x >= 0.0 ? 1 : -1;
}

/* Not fmax and fmin, which are function calls because they handle NaN. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}
static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static const double TURN = 6.283185307179586;

static inline dual constant(double v)
{
    dual c = {v, {0}};
    return c;
}

static inline dual chain(double v, double by_a, const dual *a)
{
    dual c;
    c.v = v;
    for (int i = 0; i < SEEDS; i++)
        c.d[i] = by_a * a->d[i];
    return c;
}
static inline dual chain2(double v, double by_a, const dual *a, double by_b, const dual *b)
{
    dual c;
    c.v = v;
    for (int i = 0; i < SEEDS; i++)
        c.d[i] = by_a * a->d[i] + by_b * b->d[i];
    return c;
}
static inline dual add(dual a, dual b)
{
    return chain2(a.v + b.v, 1.0, &a, 1.0, &b);
}
static inline dual sub(dual a, dual b)
{
    return chain2(a.v - b.v, 1.0, &a, -1.0, &b);
}
static inline dual mul(dual a, dual b)
{
    return chain2(a.v * b.v, b.v, &a, a.v, &b);
}
static inline dual quotient(dual a, dual b)
{
    return chain2(a.v / b.v, 1.0 / b.v, &a, -a.v / (b.v * b.v), &b);
}
static inline dual times(double s, dual a)
{
    return chain(s * a.v, s, &a);
}
static inline dual plus(dual a, double s)
{
    a.v += s;
    return a;
}
static inline dual root(dual a)
{
    /* Bounded at zero: there the point lies on the surface, and the terms with its root cancel. */
    double v = sqrt(a.v > 1e-24 ? a.v : 1e-24);
    return chain(v, 0.5 / v, &a);
}
static inline dual sine(dual a)
{
    return chain(sin(a.v), cos(a.v), &a);
}
static inline dual cosine(dual a)
{
    return chain(cos(a.v), -sin(a.v), &a);
}
static inline dual angle_of(dual y, dual x)
{
    double r = x.v * x.v + y.v * y.v;
    return chain2(atan2(y.v, x.v), x.v / r, &y, -y.v / r, &x);
}
static inline dual dot(const dual3 *a, const dual3 *b)
{
    return add(add(mul(a->x[0], b->x[0]), mul(a->x[1], b->x[1])), mul(a->x[2], b->x[2]));
}
static inline dual3 cross(const dual3 *a, const dual3 *b)
{
    dual3 c;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c.x[i] = sub(mul(a->x[j], b->x[k]), mul(a->x[k], b->x[j]));
    }
    return c;
}
static inline dual3 along(dual s, const dual3 *a)
{
    dual3 c;
    for (int i = 0; i < 3; i++)
        c.x[i] = mul(s, a->x[i]);
    return c;
}
static inline dual3 add3(const dual3 *a, const dual3 *b)
{
    dual3 c;
    for (int i = 0; i < 3; i++)
        c.x[i] = add(a->x[i], b->x[i]);
    return c;
}
static inline dual3 sub3(const dual3 *a, const dual3 *b)
{
    dual3 c;
    for (int i = 0; i < 3; i++)
        c.x[i] = sub(a->x[i], b->x[i]);
    return c;
}
static inline dual3 unit3(const dual3 *a)
{
    return along(quotient(constant(1.0), root(dot(a, a))), a);
}

static inline int wrap_over(const wrap_surface *s, int how, const dual3 *p, const dual3 *q, wrap_way *way)
{
    switch (s->kind) {
    case WRAP_CYLINDER:
        return wrap_cylinder(s->size[0], s->size[1], wrap_axis(s->half), wrap_side(s->half), how, p, q, way);
    case WRAP_SPHERE:
        return wrap_sphere(s, p, q, way);
    case WRAP_ELLIPSOID:
        return wrap_ellipsoid(s, p, q, way);
    default:
        return wrap_torus(s, how, p, q, way);
    }
}

#endif
