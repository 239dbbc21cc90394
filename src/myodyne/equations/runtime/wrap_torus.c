/* The way through a ring: over a cylinder laid along the ring where the path comes nearest to it. */
#include "wrap_way.h"

/* Far longer than any path: the cylinder has no ends. */
static const double ENDLESS = 10000.0;

typedef struct { double pn, c3, c4, c5, ring; } near_line;

/* Half the derivative of the squared distance between a point of the line and a circle of twice the ring's radius:
   OpenSim's condition, whose root is not quite the point nearest to the ring itself. */
static double condition(const near_line *n, double u, double *slope) {
    double off = sqrt(fmax(u * u * n->c4 + 2.0 * n->c3 * u + n->c5, 1e-30)), rate = (n->c4 * u + n->c3) / off;
    *slope = 1.0 - 2.0 * n->ring * (n->c4 - rate * rate) / off;
    return n->pn + u - 2.0 * n->ring * rate;
}

/* The root to which the condition leads from a place on the line. Its slope is at most one, so that steps of its own
   value never pass a root; Newton's steps are taken where they gain more. */
static double led_root(const near_line *n, double u) {
    double slope, value = condition(n, u, &slope);
    for (int step = 0; step < 200; step++) {
        double next = u - value, slope_there, value_there;
        value_there = condition(n, next, &slope_there);
        if (step > 8 && slope > 0.0) {
            double far = u - value / slope, slope_far, value_far = condition(n, far, &slope_far);
            if (fabs(value_far) < 0.5 * fabs(value_there)) next = far, slope_there = slope_far, value_there = value_far;
        }
        double change = fabs(next - u);
        u = next, slope = slope_there, value = value_there;
        if (change < 1e-15 * (fabs(n->pn) + n->ring)) break;
    }
    return u;
}

/* Where along the line it comes nearest to the ring, and the ends of the line in the frame of a cylinder there: x
   towards the middle of the ring, y against its axis. */
static int nearest_place(const wrap_surface *surface, const dual3 *p, const dual3 *q, double *best, double *a,
                         double *b) {
    double ring = surface->size[1], n[3], span = 0.0, least = INFINITY, place[2] = {0.0, 0.0};
    int axis = wrap_axis(surface->half), sign = wrap_side(surface->half);
    for (int i = 0; i < 3; i++) n[i] = q->x[i].v - p->x[i].v, span += n[i] * n[i];
    span = sqrt(span);
    for (int i = 0; i < 3; i++) n[i] /= span, a[i] = p->x[i].v, b[i] = q->x[i].v;
    near_line of = {a[0] * n[0] + a[1] * n[1] + a[2] * n[2], a[0] * n[0] + a[1] * n[1], n[0] * n[0] + n[1] * n[1],
                    a[0] * a[0] + a[1] * a[1], ring};
    for (int end = 0; end < 2; end++) {     /* once from each end, as OpenSim searches */
        double u = led_root(&of, end ? span : 0.0), at[3], square = ring * ring;
        for (int i = 0; i < 3; i++) at[i] = a[i] + u * n[i], square += at[i] * at[i];
        double off = sqrt(at[0] * at[0] + at[1] * at[1]), distance = square - 2.0 * ring * off;
        if (sign && wrap_sign(at[axis]) != sign) continue;
        if (distance < least) least = distance, *best = u, place[0] = at[0] / off, place[1] = at[1] / off;
    }
    if (least == INFINITY) return STRAIGHT;
    double *ends[2] = {a, b};
    for (int e = 0; e < 2; e++) {
        double x = ends[e][0], y = ends[e][1], z = ends[e][2];
        ends[e][0] = ring - place[0] * x - place[1] * y, ends[e][1] = -z, ends[e][2] = place[1] * -x + place[0] * y;
    }
    int fate = wrap_cylinder_fate(surface->size[0], 0, 1, a, b);
    return fate == MET || fate == MUST ? MET : MISSED;
}

int wrap_torus(const wrap_surface *surface, int how, const dual3 *p, const dual3 *q, wrap_way *way) {
    double tube = surface->size[0], ring = surface->size[1];
    double best = 0.0, a[3], b[3];
    int found = nearest_place(surface, p, q, &best, a, b);
    if (found != MET) return found;

    dual3 line = sub3(q, p), n = unit3(&line), zero = {{constant(0.0), constant(0.0), constant(0.0)}};
    dual pn = dot(p, &n), c3 = add(mul(p->x[0], n.x[0]), mul(p->x[1], n.x[1]));
    dual c4 = add(mul(n.x[0], n.x[0]), mul(n.x[1], n.x[1])), c5 = add(mul(p->x[0], p->x[0]), mul(p->x[1], p->x[1]));
    near_line of = {pn.v, c3.v, c4.v, c5.v, ring};
    double slope;               /* the derivatives of the root, from those of the condition */
    condition(&of, best, &slope);
    double off = sqrt(best * best * c4.v + 2.0 * c3.v * best + c5.v);
    if (off < 1e-12 || fabs(slope) < 1e-12) return MISSED;
    dual u = constant(best), rate = add(times(best, c4), c3);
    dual off_at = root(add(add(times(best * best, c4), times(2.0 * best, c3)), c5));
    dual by = add(pn, times(-2.0 * ring, quotient(rate, off_at)));
    for (int k = 0; k < SEEDS; k++) u.d[k] = -by.d[k] / slope;

    /* The frame of the cylinder: x towards the middle of the ring, y against its axis. */
    dual3 at = along(u, &n), x, y = zero, z, from, to;
    at = add3(p, &at);
    dual size = root(add(mul(at.x[0], at.x[0]), mul(at.x[1], at.x[1])));
    x.x[0] = quotient(times(-1.0, at.x[0]), size), x.x[1] = quotient(times(-1.0, at.x[1]), size);
    x.x[2] = constant(0.0), y.x[2] = constant(-1.0), z = cross(&x, &y);
    const dual3 *axes[3] = {&x, &y, &z};
    for (int i = 0; i < 3; i++) from.x[i] = dot(axes[i], p), to.x[i] = dot(axes[i], q);
    from.x[0] = plus(from.x[0], ring), to.x[0] = plus(to.x[0], ring);
    wrap_way over;
    /* Through the hole: on the half of the tube that faces the middle. */
    int code = wrap_cylinder(tube, ENDLESS, 0, 1, how, &from, &to, &over);
    if (code == STRAIGHT || code == INSIDE) return MISSED;
    over.touch.x[0] = plus(over.touch.x[0], -ring), over.leave.x[0] = plus(over.leave.x[0], -ring);
    over.curve.centre[0] -= ring;
    way->touch = way->leave = zero;
    for (int i = 0; i < 3; i++) {
        from = along(over.touch.x[i], axes[i]), to = along(over.leave.x[i], axes[i]);
        way->touch = add3(&way->touch, &from), way->leave = add3(&way->leave, &to);
    }
    double *turned[4] = {way->curve.centre, way->curve.a, way->curve.b, way->curve.rise};
    const double *flat[4] = {over.curve.centre, over.curve.a, over.curve.b, over.curve.rise};
    for (int part = 0; part < 4; part++)
        for (int i = 0; i < 3; i++) {
            turned[part][i] = 0.0;
            for (int k = 0; k < 3; k++) turned[part][i] += axes[k]->x[i].v * flat[part][k];
        }
    way->curve.start = over.curve.start, way->curve.turn = over.curve.turn;
    way->length = over.length;
    return MET;
}
