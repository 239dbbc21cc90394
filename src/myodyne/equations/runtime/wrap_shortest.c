/* The shortest ways over cylinders and spheres, on the wanted side: their lengths go on without a jump where OpenSim's
   rules switch.

   A point that has sunk into a surface shrinks the surface as far as the point. That is done by enlarging all places
   until the point lies on the surface, and the way that was found is shrunk again. */
#include "wrap_way.h"

/* Of a surface that has shrunk below this share nothing is left. */
static const double SUNK = 1e-3;
/* A point no further off, in squares of the radius, lies on the surface: its tangent would be rounding. */
static const double ON_SURFACE = 1e-12;

/* The share to which a surface shrinks, given how far off both points are in units of its radius. */
static dual share_left(dual a, dual b) {
    dual k = a.v < b.v ? a : b;
    return k.v < 1.0 ? k : constant(1.0);
}

static void shrink(dual k, wrap_way *way) {
    way->touch = along(k, &way->touch), way->leave = along(k, &way->leave), way->length = mul(k, way->length);
    double *parts[4] = {way->curve.centre, way->curve.a, way->curve.b, way->curve.rise};
    for (int part = 0; part < 4; part++)
        for (int i = 0; i < 3; i++) parts[part][i] *= k.v;
}

static dual off_axis(const dual3 *p) { return root(add(mul(p->x[0], p->x[0]), mul(p->x[1], p->x[1]))); }

/* How long the tangent from a point is. */
static dual tangent_from(dual distance, double radius) {
    dual square = plus(mul(distance, distance), -radius * radius);
    return square.v > ON_SURFACE * radius * radius ? root(square) : constant(0.0);
}

/* The helix over a cylinder outside of which both points lie. On a half, angles are counted from its middle: a path
   never crosses the plane behind the axis, but for points of it that go round behind themselves. */
static int helix(double radius, double length, double wanted, int sign, const dual3 *p, const dual3 *q, wrap_way *way) {
    dual tp = tangent_from(off_axis(p), radius), tq = tangent_from(off_axis(q), radius);
    dual open_p = angle_of(tp, constant(radius)), open_q = angle_of(tq, constant(radius));
    dual at_p = angle_of(p->x[1], p->x[0]), at_q = angle_of(q->x[1], q->x[0]);
    at_p.v = remainder(at_p.v - wanted, TURN) + wanted, at_q.v = remainder(at_q.v - wanted, TURN) + wanted;
    dual apart = sub(at_q, at_p);
    if (!sign) apart.v = remainder(apart.v, TURN);
    double sense = apart.v < 0.0 ? -1.0 : 1.0;
    dual turn = sub(times(sense, apart), add(open_p, open_q));
    if (!(turn.v > 0.0)) return STRAIGHT;
    dual from = add(at_p, times(sense, open_p)), to = add(from, times(sense, turn));
    /* Unrolled, a helix and its tangents are one straight line. */
    dual slope = quotient(sub(q->x[2], p->x[2]), add(add(tp, times(radius, turn)), tq));
    dual3 *r = &way->touch, *s = &way->leave;
    r->x[0] = times(radius, cosine(from)), r->x[1] = times(radius, sine(from)), r->x[2] = add(p->x[2], mul(tp, slope));
    s->x[0] = times(radius, cosine(to)), s->x[1] = times(radius, sine(to)), s->x[2] = sub(q->x[2], mul(tq, slope));
    if (fabs(r->x[2].v) > 0.5 * length && fabs(s->x[2].v) > 0.5 * length) return STRAIGHT;
    way->length = mul(times(radius, turn), root(plus(mul(slope, slope), 1.0)));
    wrap_curve curve = {{0.0, 0.0, r->x[2].v}, {radius, 0.0, 0.0}, {0.0, radius, 0.0},
                        {0.0, 0.0, s->x[2].v - r->x[2].v}, from.v, sense * turn.v};
    way->curve = curve;
    return fabs(apart.v) < 0.5 * TURN ? MUST : MET;
}

int wrap_helix(double radius, double length, int axis, int sign, int how, const dual3 *p, const dual3 *q,
               wrap_way *way) {
    if (axis > 1) sign = 0;     /* a half along the axis is no side to pass on */
    double wanted = !sign ? 0.0 : (axis ? 0.25 : 0.0) * TURN + (sign < 0 ? 0.5 : 0.0) * TURN;
    dual k = share_left(times(1.0 / radius, off_axis(p)), times(1.0 / radius, off_axis(q)));
    if (k.v == 1.0) return helix(radius, length, wanted, sign, p, q, way);
    if (how != SINKS || k.v < SUNK) return INSIDE;
    dual enlarged = quotient(constant(1.0), k);
    dual3 a = along(enlarged, p), b = along(enlarged, q);
    int code = helix(radius, length / k.v, wanted, sign, &a, &b, way);
    if (code != STRAIGHT) shrink(k, way);
    return code;
}

/* The way over the circle that a plane cuts out of a sphere: through both points, leaving the line towards `out`. */
static int over_section(double radius, const dual3 *p, const dual3 *q, const dual3 *edge, const dual3 *out,
                        wrap_way *way) {
    dual height = dot(p, out), ends[2] = {dot(p, edge), dot(q, edge)}, angles[2];
    dual3 x = along(ends[0], edge), y = along(height, out), centre = sub3(p, &x);
    centre = sub3(&centre, &y);
    dual square = sub(constant(radius * radius), dot(&centre, &centre));
    if (!(square.v > 0.0)) return STRAIGHT;
    dual r = root(square);
    for (int i = 0; i < 2; i++) {
        dual rest = sub(add(mul(ends[i], ends[i]), mul(height, height)), square);
        dual opening = rest.v > ON_SURFACE * radius * radius ? angle_of(root(rest), r) : constant(0.0);
        angles[i] = angle_of(height, ends[i]);
        if (angles[i].v < -0.25 * TURN) angles[i].v += TURN;
        angles[i] = i ? add(angles[i], opening) : sub(angles[i], opening);
    }
    dual turn = sub(angles[1], angles[0]);
    if (!(turn.v < 0.0)) return STRAIGHT;
    dual3 a = along(r, edge), b = along(r, out), *places[2] = {&way->touch, &way->leave};
    for (int i = 0; i < 2; i++) {
        x = along(cosine(angles[i]), &a), y = along(sine(angles[i]), &b);
        *places[i] = add3(&centre, &x), *places[i] = add3(places[i], &y);
    }
    way->length = times(-1.0, mul(r, turn));
    wrap_curve curve = {{0}, {0}, {0}, {0}, angles[0].v, turn.v};
    for (int i = 0; i < 3; i++) curve.centre[i] = centre.x[i].v, curve.a[i] = a.x[i].v, curve.b[i] = b.x[i].v;
    way->curve = curve;
    return MET;
}

static double whole(const dual3 *p, const dual3 *q, const wrap_way *way) {
    double a = 0.0, b = 0.0;
    for (int i = 0; i < 3; i++) {
        double x = p->x[i].v - way->touch.x[i].v, y = q->x[i].v - way->leave.x[i].v;
        a += x * x, b += y * y;
    }
    return sqrt(a) + way->length.v + sqrt(b);
}

/* A great circle; where it would run on the half that is not wanted, a circle along the edge, on the shorter side. */
static int circle(double radius, int axis, int sign, const dual3 *p, const dual3 *q, wrap_way *way) {
    dual3 zero = {{constant(0.0), constant(0.0), constant(0.0)}}, edge = sub3(q, p), off, out, front = zero;
    double span = dot(&edge, &edge).v;
    if (!(span > 0.0)) return STRAIGHT;
    edge = unit3(&edge);
    front.x[axis] = constant(1.0);
    out = along(dot(p, &edge), &edge);
    off = sub3(p, &out);
    if (dot(&off, &off).v < 1e-18 * radius * radius) {      /* through the centre: any plane will do */
        int least = 0;
        for (int i = 1; i < 3; i++) if (fabs(edge.x[i].v) < fabs(edge.x[least].v)) least = i;
        off = zero, off.x[sign ? axis : least] = constant(sign ? sign : 1.0);
        out = along(dot(&off, &edge), &edge);
        off = sub3(&off, &out);
        if (dot(&off, &off).v < 1e-18) return STRAIGHT;
    }
    if (!sign || sign * off.x[axis].v >= 0.0) {
        out = unit3(&off);
        return over_section(radius, p, q, &edge, &out, way);
    }
    out = cross(&edge, &front);
    if (dot(&out, &out).v < 1e-18) return STRAIGHT;
    out = unit3(&out);
    wrap_way other;
    if (over_section(radius, p, q, &edge, &out, way) == STRAIGHT) return STRAIGHT;
    out = along(constant(-1.0), &out);
    if (over_section(radius, p, q, &edge, &out, &other) == STRAIGHT) return STRAIGHT;
    if (whole(p, q, &other) < whole(p, q, way)) *way = other;
    return MET;
}

int wrap_circle(const wrap_surface *surface, int how, const dual3 *p, const dual3 *q, wrap_way *way) {
    double radius = surface->size[0];
    int axis = wrap_axis(surface->half), sign = wrap_side(surface->half);
    dual k = share_left(times(1.0 / radius, root(dot(p, p))), times(1.0 / radius, root(dot(q, q))));
    if (k.v == 1.0) return circle(radius, axis, sign, p, q, way);
    if (how != SINKS || k.v < SUNK) return INSIDE;
    dual enlarged = quotient(constant(1.0), k);
    dual3 a = along(enlarged, p), b = along(enlarged, q);
    int code = circle(radius, axis, sign, &a, &b, way);
    if (code != STRAIGHT) shrink(k, way);
    return code;
}
