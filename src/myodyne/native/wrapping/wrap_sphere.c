/* The path over a sphere: part of the great circle in the plane of both points and the centre. */
#include "wrap_way.h"

/* Whether the line meets the sphere twice between its ends. */
static int meets(const double *p, const double *q, double radius)
{
    double a = 0.0, b = 0.0, c = -radius * radius;
    for (int i = 0; i < 3; i++) {
        double d = p[i] - q[i];
        a += d * d;
        b += 2.0 * q[i] * d;
        c += q[i] * q[i];
    }
    double inside = b * b - 4.0 * a * c;
    if (inside < 0.0)
        return 0;
    double l = (-b + sqrt(inside)) / (2.0 * a), m = (-b - sqrt(inside)) / (2.0 * a);
    return 0.0 < l && l < 1.0 && 0.0 < m && m < 1.0;
}

/* Whether the line comes nearest to the centre within a metre of its first end, as OpenSim asks; the sign there. */
static int near_centre(const double *p, const double *q, int axis, int *there)
{
    double t = 0.0, size = 0.0;
    for (int i = 0; i < 3; i++) {
        t -= p[i] * (q[i] - p[i]);
        size += (q[i] - p[i]) * (q[i] - p[i]);
    }
    size = sqrt(size);
    *there = wrap_sign(p[axis] + t / (size * size) * (q[axis] - p[axis]));
    return t / size > 0.0 && t / size < 1.0;
}

int wrap_sphere(const wrap_surface *surface, const dual3 *p, const dual3 *q, wrap_way *way)
{
    double radius = surface->size[0], a[3], b[3];
    int code = MET, axis = wrap_axis(surface->half), sign = wrap_side(surface->half);
    for (int i = 0; i < 3; i++) {
        a[i] = p->x[i].v;
        b[i] = q->x[i].v;
    }
    if (sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) < radius ||
        sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]) < radius) {
        return INSIDE;
    }
    if (!meets(a, b, radius))
        return STRAIGHT;

    /* In the plane: `u` towards the first point, `w` a quarter turn on towards the second. */
    dual dp = root(dot(p, p)), dq = root(dot(q, q));
    dual3 u = unit3(p), n = cross(p, q);
    double aside = sqrt(n.x[0].v * n.x[0].v + n.x[1].v * n.x[1].v + n.x[2].v * n.x[2].v);
    if (aside < 1e-9 * dp.v * dq.v) { /* through the centre: any plane will do */
        dual3 any = {{constant(0.0), constant(0.0), constant(0.0)}};
        int least = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(u.x[i].v) < fabs(u.x[least].v))
                least = i;
        any.x[least] = constant(1.0);
        n = cross(p, &any);
    }
    n = unit3(&n);
    dual3 w = cross(&n, &u);
    dual apart = angle_of(dot(q, &w), dot(q, &u));
    dual tp = root(plus(mul(dp, dp), -radius * radius)), tq = root(plus(mul(dq, dq), -radius * radius));
    dual open_p = angle_of(tp, constant(radius)), open_q = angle_of(tq, constant(radius));
    int sense = 1;
    if (sign) {
        int one = wrap_sign(a[axis]) == sign, two = wrap_sign(b[axis]) == sign;
        if (one || two) {
            int there;
            if (near_centre(a, b, axis, &there))
                code = MUST;
            else if (one == two || there == sign)
                return STRAIGHT;
        }
        if (!one || !two) {
            /* The path round the back, unless its tangents lead away from the wanted half. */
            double lead = 0.0;
            const dual3 *ends[2] = {p, q};
            for (int i = 0; i < 2; i++) {
                double at = i ? apart.v + open_q.v : -open_p.v;
                lead += radius * (cos(at) * u.x[axis].v + sin(at) * w.x[axis].v) - ends[i]->x[axis].v;
            }
            if (lead * sign >= 0.0)
                sense = -1;
        }
    }
    dual from = times(sense, open_p), to = sense > 0 ? sub(apart, open_q) : add(apart, open_q);
    dual turn = times(sense, sub(to, from));
    if (sense < 0)
        turn.v += TURN;
    if (turn.v < 0.0)
        turn.v = 0.0;
    dual3 along_u = along(times(radius, cosine(from)), &u), along_w = along(times(radius, sine(from)), &w);
    way->touch = add3(&along_u, &along_w);
    along_u = along(times(radius, cosine(to)), &u);
    along_w = along(times(radius, sine(to)), &w);
    way->leave = add3(&along_u, &along_w);
    way->length = times(radius, turn);
    /* On a half, OpenSim 4.6 counts turns beyond a half as negative lengths. */
    if (turn.v > 0.5 * TURN)
        way->length = times(-1.0, way->length);
    wrap_curve curve = {{0}, {0}, {0}, {0}, from.v, sense * turn.v};
    for (int i = 0; i < 3; i++) {
        curve.a[i] = radius * u.x[i].v;
        curve.b[i] = radius * w.x[i].v;
    }
    way->curve = curve;
    return code;
}
