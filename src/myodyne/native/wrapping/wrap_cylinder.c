/* The path over a cylinder about the z axis: a helix between two tangents. */
#include "wrap_way.h"

/* OpenSim's numbers: the length of pieces of a helix (m), and what counts as tangent, a tenth of a degree. */
static const double PIECE = 0.002, SINE_OF_TANGENT = 0.0017453283658983088;

/* The angle in [0, 2 pi). */
static double wound(double angle)
{
    double w = fmod(angle, TURN);
    return w < 0.0 ? w + TURN : w;
}

/* Whether the straight line comes nearer to the axis than the radius between its ends; `near` is the nearest point. */
static int pierced(const double *p, const double *q, double radius, double near[3])
{
    double dx = q[0] - p[0], dy = q[1] - p[1], across = dx * dx + dy * dy;
    if (across < 1e-26) {
        for (int i = 0; i < 3; i++)
            near[i] = p[i];
        return 0;
    }
    double t = -(p[0] * dx + p[1] * dy) / across;
    for (int i = 0; i < 3; i++)
        near[i] = p[i] + t * (q[i] - p[i]);
    return near[0] * near[0] + near[1] * near[1] < radius * radius && t > 0.0 && t < 1.0;
}

/* Where tangents touch: counter-clockwise of the point, and clockwise. */
typedef struct {
    double a[3], b[3];
} touches;

static touches touches_of(const double *p, double radius)
{
    double around = atan2(p[1], p[0]), opening = acos(smaller(1.0, radius / sqrt(p[0] * p[0] + p[1] * p[1])));
    touches t = {{radius * cos(around + opening), radius * sin(around + opening), p[2]},
                 {radius * cos(around - opening), radius * sin(around - opening), p[2]}};
    return t;
}

static double between(const double *a, const double *b)
{
    double c = (a[0] * b[0] + a[1] * b[1]) / sqrt((a[0] * a[0] + a[1] * a[1]) * (b[0] * b[0] + b[1] * b[1]));
    return acos(larger(-1.0, smaller(1.0, c)));
}

/* The sense in which the path turns on the wanted half, and whether that is the far side seen from the line. */
static int turn_on_half(const double *p, const double *q, double radius, int axis, int sign, int *far)
{
    touches s = touches_of(p, radius), e = touches_of(q, radius);
    int left = between(s.a, e.b) > between(s.b, e.a);
    int first = wrap_sign(s.a[axis]) == sign, second = wrap_sign(s.b[axis]) == sign, sense;
    if (first != second) {
        sense = first ? 1 : -1;
    } else if (wrap_sign(e.a[axis]) == sign) {
        sense = -1;
    } else if (first || wrap_sign(e.b[axis]) == sign) {
        sense = 1;
    } else { /* no tangent touches the half: the longer of the two paths runs over it */
        *far = 1;
        return left ? 1 : -1;
    }
    *far = sense > 0 ? left : !left;
    return sense;
}

/* Slide the points of tangency along the cylinder, as OpenSim does, into the plane of both ends and of an apex that
   the line is nearest to, unless that moves them away from the other end. */
static void slide(const dual3 *p, const dual3 *q, double radius, int far, dual dp, dual dq, dual3 *r, dual3 *s)
{
    dual share = quotient(dp, add(dp, dq)), middle[3];
    dual3 apex;
    for (int i = 0; i < 3; i++)
        middle[i] = add(p->x[i], mul(share, sub(q->x[i], p->x[i])));
    dual off = root(add(mul(middle[0], middle[0]), mul(middle[1], middle[1])));
    double side = far ? -radius : radius;
    apex.x[0] = times(side, quotient(middle[0], off));
    apex.x[1] = times(side, quotient(middle[1], off));
    apex.x[2] = middle[2];
    dual3 u = sub3(p, &apex), v = sub3(q, &apex), n = cross(&u, &v);
    double size = sqrt(n.x[0].v * n.x[0].v + n.x[1].v * n.x[1].v + n.x[2].v * n.x[2].v);
    double rise = fabs(q->x[2].v - p->x[2].v);
    if (20.0 * fabs(n.x[2].v) < 1e-5 * size)
        return;
    dual3 *ends[2] = {r, s};
    const dual3 *others[2] = {q, p};
    for (int i = 0; i < 2; i++) {
        dual a = mul(n.x[0], sub(p->x[0], ends[i]->x[0])), b = mul(n.x[1], sub(p->x[1], ends[i]->x[1]));
        dual z = add(p->x[2], quotient(add(a, b), n.x[2]));
        if (fabs(z.v - ends[i]->x[2].v) <= 10.0 && fabs(z.v - others[i]->x[2].v) < rise)
            ends[i]->x[2] = z;
    }
}

/* How far along the line from a path's end to the next point of the helix it passes the point of tangency. */
static dual passing(const dual3 *end, const dual3 *r, double radius, dual at)
{
    dual dx = sub(times(radius, cosine(at)), end->x[0]), dy = sub(times(radius, sine(at)), end->x[1]);
    dual ex = sub(r->x[0], end->x[0]), ey = sub(r->x[1], end->x[1]);
    return quotient(add(mul(ex, dx), mul(ey, dy)), add(mul(dx, dx), mul(dy, dy)));
}

/* Whether the directions before and after a point of tangency agree, given how far across and up they lead. */
static int tangent(double across, double up, double next_across, double next_up)
{
    double sizes = sqrt((across * across + up * up) * (next_across * next_across + next_up * next_up));
    double sine_of = across * next_up - up * next_across, cosine_of = across * next_across + up * next_up;
    return cosine_of > 0.0 && fabs(sine_of) <= SINE_OF_TANGENT * sizes;
}

/* Slide both points of tangency until the path is tangent to the helix, as far as OpenSim does: to a tenth of a degree,
   in steps by half more than would put them on the line from the path's end to the next point of the helix, and not at
   all on the shortest of helices. */
static void settle(const dual3 *p, const dual3 *q, double radius, dual from, dual around, dual3 *r, dual3 *s)
{
    const dual3 *ends[2] = {p, q};
    dual3 *points[2] = {r, s};
    dual shares[2];
    double across[2], chord = 0.0;
    int before = 0;
    for (int i = 0; i < 2; i++)
        across[i] = hypot(points[i]->x[0].v - ends[i]->x[0].v, points[i]->x[1].v - ends[i]->x[1].v);
    for (int step = 0; step < 100; step++) {
        dual rise = sub(s->x[2], r->x[2]);
        double arc = radius * around.v;
        int pieces = (int)(sqrt(arc * arc + rise.v * rise.v) / PIECE), moved = 0;
        if (pieces < 2)
            return;
        if (pieces != before) {
            shares[0] = passing(p, r, radius, add(from, times(1.0 / pieces, around)));
            shares[1] = passing(q, s, radius, add(from, times(1.0 - 1.0 / pieces, around)));
            chord = 2.0 * radius * fabs(sin(0.5 * around.v / pieces));
            before = pieces;
        }
        for (int i = 0; i < 2; i++) {
            dual *height = &points[i]->x[2];
            const dual *base = &ends[i]->x[2], *share = shares + i, *first = &r->x[2];
            double portion = i ? 1.0 - 1.0 / pieces : 1.0 / pieces, next = first->v + portion * rise.v;
            if (tangent(across[i], height->v - base->v, chord, next - height->v))
                continue;
            /* Written out in one loop: most of the time goes here. */
            for (int k = 0; k < SEEDS; k++) {
                double next_by = first->d[k] + portion * rise.d[k] - base->d[k];
                double place_by = base->d[k] + share->d[k] * (next - base->v) + share->v * next_by;
                height->d[k] = 1.5 * place_by - 0.5 * height->d[k];
            }
            height->v = 1.5 * (base->v + share->v * (next - base->v)) - 0.5 * height->v;
            moved = 1;
        }
        if (!moved)
            return;
    }
}

/* What will become of a straight piece; at a cylinder of no end, this is already known. */
int wrap_cylinder_fate(double radius, int axis, int sign, const double *a, const double *b)
{
    double near[3];
    if (a[0] * a[0] + a[1] * a[1] < radius * radius || b[0] * b[0] + b[1] * b[1] < radius * radius)
        return INSIDE;
    int hit = pierced(a, b, radius, near);
    if (!sign)
        return hit ? MUST : STRAIGHT;
    if (wrap_sign(a[axis]) != sign && wrap_sign(b[axis]) != sign)
        return MET;
    if (hit)
        return MUST;
    return wrap_sign(a[axis]) == wrap_sign(b[axis]) || wrap_sign(near[axis]) == sign ? STRAIGHT : MET;
}

int wrap_cylinder(double radius, double length, int axis, int sign, int how, const dual3 *p, const dual3 *q,
                  wrap_way *way)
{
    double a[3], b[3], half = 0.5 * length;
    for (int i = 0; i < 3; i++) {
        a[i] = p->x[i].v;
        b[i] = q->x[i].v;
    }
    int far = 0, sense, code = wrap_cylinder_fate(radius, axis, sign, a, b);
    if (code != MET && code != MUST)
        return code;
    dual dp = root(add(mul(p->x[0], p->x[0]), mul(p->x[1], p->x[1])));
    dual dq = root(add(mul(q->x[0], q->x[0]), mul(q->x[1], q->x[1])));
    dual tp = root(plus(mul(dp, dp), -radius * radius)), tq = root(plus(mul(dq, dq), -radius * radius));
    dual open_p = angle_of(tp, constant(radius)), open_q = angle_of(tq, constant(radius));
    dual at_p = angle_of(p->x[1], p->x[0]), at_q = angle_of(q->x[1], q->x[0]);
    if (sign) {
        sense = turn_on_half(a, b, radius, axis, sign, &far);
    } else {
        double apart = at_q.v - at_p.v, open = open_p.v + open_q.v;
        sense = cos(apart - open) >= cos(apart + open) ? 1 : -1;
    }
    dual from = sense > 0 ? add(at_p, open_p) : sub(at_p, open_p);
    dual to = sense > 0 ? sub(at_q, open_q) : add(at_q, open_q);
    dual turn = times(sense, sub(to, from));
    double full = wound(turn.v);
    /* Where a line only grazes the cylinder, rounding must not make a full turn. */
    turn.v = !sign && full > TURN - 1e-6 ? 0.0 : full;

    dual3 *r = &way->touch, *s = &way->leave;
    r->x[0] = times(radius, cosine(from));
    r->x[1] = times(radius, sine(from));
    r->x[2] = p->x[2];
    s->x[0] = times(radius, cosine(to));
    s->x[1] = times(radius, sine(to));
    s->x[2] = q->x[2];
    slide(p, q, radius, far, dp, dq, r, s);
    if (fabs(r->x[2].v) > half && fabs(s->x[2].v) > half)
        return STRAIGHT;
    double signed_turn = sense * turn.v;
    dual around = times(sense, turn);
    /* Of turns beyond a half OpenSim 4.6 measures those that run counter-clockwise the wrong way, and a full turn too
       long. */
    if (sense > 0 && turn.v > 0.5 * TURN)
        around.v -= 2.0 * TURN;
    if (how == AMONG_OTHERS)
        settle(p, q, radius, from, around, r, s);
    dual arc = times(radius, around), rise = sub(s->x[2], r->x[2]);
    way->length = root(add(mul(arc, arc), mul(rise, rise)));
    /* Where a line only grazes, the square root has no derivative: take that of the arc. */
    if (way->length.v < 1e-10)
        way->length = times(radius, turn);
    wrap_curve curve = {
        {0.0, 0.0, r->x[2].v}, {radius, 0.0, 0.0}, {0.0, radius, 0.0}, {0.0, 0.0, rise.v}, from.v, signed_turn};
    way->curve = curve;
    return code;
}
