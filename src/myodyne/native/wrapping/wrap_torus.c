/* The path through a torus: over a cylinder along the tube, where the straight line comes nearest to it. */
#include "wrap_way.h"

/* Far longer than any path: the cylinder has no ends. */
static const double ENDLESS = 10000.0;
/* When OpenSim's search for the place on the ring ends. */
static const double LOOSE = 1e-4;

typedef struct {
    double pn, c3, c4, c5, ring;
} near_line;

/* Half the derivative of the squared distance between a point of the line and a circle of twice the ring's radius:
   OpenSim's condition, whose root is not quite the point nearest to the ring itself. */
static double condition(const near_line *n, double u, double *slope)
{
    double off = sqrt(larger(u * u * n->c4 + 2.0 * n->c3 * u + n->c5, 1e-30)), rate = (n->c4 * u + n->c3) / off;
    *slope = 1.0 - 2.0 * n->ring * (n->c4 - rate * rate) / off;
    return n->pn + u - 2.0 * n->ring * rate;
}

/* Where OpenSim's search from the line's beginning ends: a march by Levenberg and Marquardt within a trusted reach
   (Moré 1978, "The Levenberg-Marquardt algorithm: implementation and theory"), for one number, with OpenSim's first
   reach and tolerance. It makes the residual, twice the condition, small: that is a root, but may as well be a place
   where the condition is nearest to zero and turns away again. */
static double led_place(const near_line *n)
{
    double u = 0.0, slope, value = 2.0 * condition(n, u, &slope), scale = 0.0, reach = 0.2, damping = 0.0;
    slope *= 2.0;
    for (int calls = 0, moved = 0; calls < 500 && value != 0.0 && slope != 0.0; calls++) {
        scale = larger(scale, fabs(slope));
        double size = fabs(value / slope);
        if (scale * size <= 1.1 * reach) {
            damping = 0.0;
        } else {
            double least = (scale * size / reach - 1.0) * slope * slope / (scale * scale);
            damping = smaller(larger(damping, least), fabs(slope * value) / (scale * reach));
            size = fabs(slope * value) / (slope * slope + damping * scale * scale);
            if (fabs(scale * size - reach) > 0.1 * reach) {
                damping = least;
                size = reach / scale;
            }
        }
        if (!moved)
            reach = smaller(reach, scale * size);
        double slope_there, next = u + (slope * value > 0.0 ? -size : size);
        double value_there = 2.0 * condition(n, next, &slope_there);
        double rest = value_there / value, gain = fabs(rest) < 10.0 ? 1.0 - rest * rest : -1.0;
        double linear = slope * size / value, damped = scale * size / value;
        linear *= linear;
        damped *= damping * damped;
        double promise = linear + 2.0 * damped, kept = gain / promise;
        if (kept <= 0.25) {
            double share = gain >= 0.0 ? 0.5 : 0.5 * (linear + damped) / (linear + damped - 0.5 * gain);
            if (fabs(rest) >= 10.0 || share < 0.1)
                share = 0.1;
            reach = share * smaller(reach, 10.0 * scale * size);
            damping /= share;
        } else if (damping == 0.0 || kept >= 0.75) {
            reach = 2.0 * scale * size;
            damping *= 0.5;
        }
        if (kept >= 1e-4) {
            u = next;
            value = value_there;
            slope = 2.0 * slope_there;
            moved = 1;
        }
        if ((fabs(gain) <= LOOSE && promise <= LOOSE && kept <= 2.0) || reach <= LOOSE * scale * fabs(u))
            break;
    }
    return u;
}

/* Where the condition turns nearest to a place, or infinity: its slope is 1 - 2 ring (c4 c5 - c3^2) / off^3. */
static double turning(const near_line *n, double u)
{
    double off = cbrt(2.0 * n->ring * (n->c4 * n->c5 - n->c3 * n->c3));
    double square = n->c3 * n->c3 - n->c4 * (n->c5 - off * off);
    if (!(square > 0.0) || n->c4 < 1e-12)
        return INFINITY;
    return (-n->c3 + copysign(sqrt(square), n->c4 * u + n->c3)) / n->c4;
}

/* What the search was about, to the last digit: a root, or where the condition turns (`stuck`). */
static double settled(const near_line *n, double u, int *stuck)
{
    double slope, value = condition(n, u, &slope), turn = turning(n, u);
    *stuck = fabs(turn - u) * fabs(slope) < fabs(value);
    if (*stuck)
        return turn;
    for (int step = 0; step < 20 && fabs(value) > 1e-16 * (fabs(n->pn) + n->ring); step++) {
        double next = u - value / slope, slope_there, value_there = condition(n, next, &slope_there);
        if (!(fabs(value_there) < fabs(value)))
            break;
        u = next;
        value = value_there;
        slope = slope_there;
    }
    return u;
}

/* Where along the line it comes nearest to the ring, and whether OpenSim would then lay it over a cylinder there. */
static int nearest_place(const wrap_surface *surface, const dual3 *p, const dual3 *q, double *best, int *stuck)
{
    double ring = surface->size[1], n[3], span = 0.0, least = INFINITY, place[2] = {0.0, 0.0}, a[3], b[3];
    int axis = wrap_axis(surface->half), sign = wrap_side(surface->half);
    for (int i = 0; i < 3; i++) {
        n[i] = q->x[i].v - p->x[i].v;
        span += n[i] * n[i];
    }
    span = sqrt(span);
    if (!(span > 0.0))
        return STRAIGHT;
    for (int i = 0; i < 3; i++) {
        n[i] /= span;
        a[i] = p->x[i].v;
        b[i] = q->x[i].v;
    }
    for (int end = 0; end < 2; end++) { /* once from each end, as OpenSim searches */
        const double *from = end ? b : a, sense = end ? -1.0 : 1.0;
        near_line of = {sense * (from[0] * n[0] + from[1] * n[1] + from[2] * n[2]),
                        sense * (from[0] * n[0] + from[1] * n[1]), n[0] * n[0] + n[1] * n[1],
                        from[0] * from[0] + from[1] * from[1], ring};
        int turned;
        double u = sense * settled(&of, led_place(&of), &turned), at[3], square = ring * ring;
        for (int i = 0; i < 3; i++) {
            at[i] = from[i] + u * n[i];
            square += at[i] * at[i];
        }
        double off = sqrt(at[0] * at[0] + at[1] * at[1]), distance = square - 2.0 * ring * off;
        if (sign && wrap_sign(at[axis]) != sign)
            continue;
        if (distance < least) {
            least = distance;
            *best = end ? span + u : u;
            *stuck = turned;
            place[0] = at[0] / off;
            place[1] = at[1] / off;
        }
    }
    if (least == INFINITY)
        return STRAIGHT;
    /* The ends of the line in the frame of the cylinder: x towards the middle of the ring, y against its axis. */
    double *ends[2] = {a, b};
    for (int e = 0; e < 2; e++) {
        double x = ends[e][0], y = ends[e][1], z = ends[e][2];
        ends[e][0] = ring - place[0] * x - place[1] * y;
        ends[e][1] = -z;
        ends[e][2] = place[1] * -x + place[0] * y;
    }
    int fate = wrap_cylinder_fate(surface->size[0], 0, 1, a, b);
    return fate == MET || fate == MUST ? MET : MISSED;
}

/* The place on the line with its derivatives: those of the root from those of the condition, or those of the turn. */
static int place_on(const dual3 *p, const dual3 *n, double ring, int stuck, dual *u)
{
    dual pn = dot(p, n), c3 = add(mul(p->x[0], n->x[0]), mul(p->x[1], n->x[1]));
    dual c4 = add(mul(n->x[0], n->x[0]), mul(n->x[1], n->x[1]));
    dual c5 = add(mul(p->x[0], p->x[0]), mul(p->x[1], p->x[1]));
    if (stuck) {
        dual cube = times(2.0 * ring, sub(mul(c4, c5), mul(c3, c3)));
        double edge = cbrt(cube.v);
        if (edge < 1e-12)
            return 0;
        dual off = chain(edge, 1.0 / (3.0 * edge * edge), &cube);
        dual reach = root(sub(mul(c3, c3), mul(c4, sub(c5, mul(off, off)))));
        *u = quotient(sub(times(copysign(1.0, c4.v * u->v + c3.v), reach), c3), c4);
        return 1;
    }
    near_line of = {pn.v, c3.v, c4.v, c5.v, ring};
    double slope, best = u->v;
    condition(&of, best, &slope);
    dual off = root(add(add(times(best * best, c4), times(2.0 * best, c3)), c5));
    if (off.v < 1e-12 || fabs(slope) < 1e-12)
        return 0;
    dual by = add(pn, times(-2.0 * ring, quotient(add(times(best, c4), c3), off)));
    for (int k = 0; k < SEEDS; k++)
        u->d[k] = -by.d[k] / slope;
    return 1;
}

int wrap_torus(const wrap_surface *surface, int how, const dual3 *p, const dual3 *q, wrap_way *way)
{
    double tube = surface->size[0], ring = surface->size[1];
    double best = 0.0;
    int stuck = 0, found = nearest_place(surface, p, q, &best, &stuck);
    if (found != MET)
        return found;

    dual3 line = sub3(q, p), n = unit3(&line), zero = {{constant(0.0), constant(0.0), constant(0.0)}};
    dual u = constant(best);
    if (!place_on(p, &n, ring, stuck, &u))
        return MISSED;

    /* The frame of the cylinder: x towards the middle of the ring, y against its axis. */
    dual3 at = along(u, &n), x, y = zero, z, from, to;
    at = add3(p, &at);
    dual size = root(add(mul(at.x[0], at.x[0]), mul(at.x[1], at.x[1])));
    x.x[0] = quotient(times(-1.0, at.x[0]), size);
    x.x[1] = quotient(times(-1.0, at.x[1]), size);
    x.x[2] = constant(0.0);
    y.x[2] = constant(-1.0);
    z = cross(&x, &y);
    const dual3 *axes[3] = {&x, &y, &z};
    for (int i = 0; i < 3; i++) {
        from.x[i] = dot(axes[i], p);
        to.x[i] = dot(axes[i], q);
    }
    from.x[0] = plus(from.x[0], ring);
    to.x[0] = plus(to.x[0], ring);
    wrap_way over;
    /* Through the hole: on the half of the tube that faces the middle. */
    int code = wrap_cylinder(tube, ENDLESS, 0, 1, how, &from, &to, &over);
    if (code == STRAIGHT || code == INSIDE)
        return MISSED;
    over.touch.x[0] = plus(over.touch.x[0], -ring);
    over.leave.x[0] = plus(over.leave.x[0], -ring);
    over.curve.centre[0] -= ring;
    way->touch = way->leave = zero;
    for (int i = 0; i < 3; i++) {
        from = along(over.touch.x[i], axes[i]);
        to = along(over.leave.x[i], axes[i]);
        way->touch = add3(&way->touch, &from);
        way->leave = add3(&way->leave, &to);
    }
    double *turned[4] = {way->curve.centre, way->curve.a, way->curve.b, way->curve.rise};
    const double *flat[4] = {over.curve.centre, over.curve.a, over.curve.b, over.curve.rise};
    for (int part = 0; part < 4; part++) {
        for (int i = 0; i < 3; i++) {
            turned[part][i] = 0.0;
            for (int k = 0; k < 3; k++)
                turned[part][i] += axes[k]->x[i].v * flat[part][k];
        }
    }
    way->curve.start = over.curve.start;
    way->curve.turn = over.curve.turn;
    way->length = over.length;
    return MET;
}
