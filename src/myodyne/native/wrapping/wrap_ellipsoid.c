/* The path over an ellipsoid, in a plane that OpenSim chooses: no geodesic, but smooth where the choice is.

   All runs in units of the mean half axis, as tolerances are meant in these. The plane holds both points and a third,
   found from the piece of the straight line inside the ellipsoid. Divided by the half axes, the ellipsoid is a sphere,
   the plane cuts it in a circle, and tangents stay tangents. */
#include "wrap_way.h"

static const double FAN_ONLY = 0.7073, AXIS_ONLY = 0.9, FADE = 0.3;

/* Eight nodes and weights after Gauss and Legendre on [-1, 1], the positive half. */
static const double NODES[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
static const double WEIGHTS[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};

typedef struct {
    double a[3];
    int least;
} axes;

/* The point of the ellipsoid nearest to `u`; within the plane of the other two axes where `flat` names an axis. */
static dual3 nearest(const axes *e, const dual3 *u, int flat)
{
    double lowest = -1e300, t, squares[3];
    int least = flat == e->least ? (e->least + 1) % 3 : e->least;
    for (int i = 0; i < 3; i++) {
        squares[i] = e->a[i] * e->a[i];
        if (i != flat && e->a[i] < e->a[least])
            least = i;
    }
    for (int i = 0; i < 3; i++)
        if (i != flat)
            lowest = larger(lowest, e->a[i] * fabs(u->x[i].v) - squares[i]);
    /* sum (a u / (a a + t))^2 = 1 falls and is convex right of `lowest`: Newton's method climbs to its root. */
    t = lowest;
    double slope = 0.0;
    int found = 0;
    for (int step = 0; step < 60; step++) {
        double value = -1.0;
        slope = 0.0;
        for (int i = 0; i < 3; i++) {
            double shifted = squares[i] + t;
            if (i == flat || shifted <= 0.0 || u->x[i].v == 0.0)
                continue;
            double ratio = e->a[i] * u->x[i].v / shifted, square = ratio * ratio;
            value += square;
            slope -= 2.0 * square / shifted;
        }
        if (value < -1e-13 && step == 0)
            break;
        found = 1;
        if (slope == 0.0)
            break;
        double change = value / slope;
        t -= change;
        if (fabs(change) < 1e-15 * (fabs(t) + squares[least]))
            break;
    }
    dual3 c;
    if (!found) { /* on the sheet where two points of the ellipsoid are equally near */
        dual rest = constant(1.0);
        for (int i = 0; i < 3; i++) {
            if (i == least)
                continue;
            if (i == flat) {
                c.x[i] = u->x[i];
                continue;
            }
            double gap = squares[i] - squares[least];
            c.x[i] = gap > 1e-12 ? times(squares[i] / gap, u->x[i]) : constant(0.0);
            dual part = times(1.0 / e->a[i], c.x[i]);
            rest = sub(rest, mul(part, part));
        }
        c.x[least] = times(wrap_sign(u->x[least].v) * e->a[least], root(rest));
        return c;
    }
    dual shift = constant(t); /* its derivatives, from those of the equation it solves */
    for (int k = 0; k < SEEDS && slope != 0.0; k++) {
        double by = 0.0;
        for (int i = 0; i < 3; i++) {
            double shifted = squares[i] + t;
            if (i == flat || shifted <= 0.0)
                continue;
            by += 2.0 * squares[i] * u->x[i].v * u->x[i].d[k] / (shifted * shifted);
        }
        shift.d[k] = -by / slope;
    }
    for (int i = 0; i < 3; i++)
        if (i == flat)
            c.x[i] = u->x[i];
        else
            c.x[i] = quotient(times(squares[i], u->x[i]), plus(shift, squares[i]));
    return c;
}

static dual3 on_line(const dual3 *start, const dual3 *step, dual t)
{
    dual3 way = along(t, step);
    return add3(start, &way);
}

/* Add the directions from a piece of the line to the nearest points of the ellipsoid. */
static void add_fan(const axes *e, const dual3 *start, const dual3 *step, dual low, dual high, dual3 *sum)
{
    dual half = times(0.5, sub(high, low)), middle = times(0.5, add(low, high));
    for (int i = 0; i < 8; i++) {
        double node = i < 4 ? NODES[i] : -NODES[i - 4];
        dual3 at = on_line(start, step, add(middle, times(node, half))), to = nearest(e, &at, -1);
        dual3 blade = sub3(&to, &at);
        blade = unit3(&blade);
        blade = along(times(WEIGHTS[i % 4], half), &blade);
        *sum = add3(sum, &blade);
    }
}

/* Put a place into a rising list unless it lies beyond the ends. */
static int insert(dual *places, int count, dual place)
{
    if (!(place.v > places[0].v && place.v < places[count - 1].v))
        return count;
    int i = count;
    for (; places[i - 1].v > place.v; i--)
        places[i] = places[i - 1];
    places[i] = place;
    return count + 1;
}

/* The mean direction to the nearest points from all of the line inside. Where the line passes the plane of the two
   longer axes the nearest point may jump to the other side, so the line is cut there; where it passes close to the
   longest axis of a spindle the direction swings round, and pieces grow from there by fours. */
static dual3 fan(const axes *e, const dual3 *start, const dual3 *step)
{
    dual3 sum = {{constant(0.0), constant(0.0), constant(0.0)}};
    dual places[16];
    int count = 2, i = e->least, j = (i + 1) % 3, k = (i + 2) % 3;
    if (e->a[k] < e->a[j])
        j = k;
    /* OpenSim adds 298 of 300 equal pieces. */
    places[0] = constant(0.5 / 300.0);
    places[1] = constant(298.5 / 300.0);
    if (e->a[j] > e->a[i] * (1.0 + 1e-9) && step->x[i].v != 0.0)
        count = insert(places, count, quotient(times(-1.0, start->x[i]), step->x[i]));
    if (e->a[j] < 1.05 * e->a[i]) {
        double x = start->x[i].v, y = start->x[j].v, dx = step->x[i].v, dy = step->x[j].v, speed = dx * dx + dy * dy;
        double pass = -(x * dx + y * dy) / speed, width = fabs(x * dy - y * dx) / speed;
        if (width < 1e-3)
            width = 1e-3;
        for (; width < 0.3; width *= 4.0) {
            count = insert(places, count, constant(pass - width));
            count = insert(places, count, constant(pass + width));
        }
    }
    for (int piece = 0; piece + 1 < count; piece++)
        add_fan(e, start, step, places[piece], places[piece + 1], &sum);
    return unit3(&sum);
}

typedef struct {
    dual3 third; /* the third point of the plane */
    dual weight; /* the weight of the fan in it */
    int shorter; /* whether the path takes the shorter side of the plane, not that of the third point */
} choice;

/* Choose the third point of the plane from the piece of the line inside, `start` to `start + step`. */
static choice third_point(const axes *e, const dual3 *start, const dual3 *step, const dual3 *direction, int method)
{
    choice c;
    int best = 0;
    dual lean[3], half = constant(0.5);
    for (int i = 0; i < 3; i++) {
        lean[i] = times(wrap_sign(direction->x[i].v), direction->x[i]);
        if (lean[i].v > lean[best].v)
            best = i;
    }
    dual mu = lean[best], zero = constant(0.0);
    dual3 middle = on_line(start, step, half);
    c.weight = zero;
    c.shorter = 0;
    if (method == WRAP_MIDPOINT) {
        c.third = nearest(e, &middle, -1);
        return c;
    }
    dual at = quotient(sub(zero, start->x[best]), step->x[best]);
    c.shorter = method == WRAP_AXIAL && !(at.v > 0.0 && at.v < 1.0);
    if (method == WRAP_HYBRID && mu.v > FAN_ONLY) {
        dual fade = constant(1.0);
        if (at.v < 0.0 || at.v > 1.0)
            fade = zero;
        else if (at.v < FADE)
            fade = times(1.0 / FADE, at);
        else if (at.v > 1.0 - FADE)
            fade = times(1.0 / FADE, sub(constant(1.0), at));
        mu = plus(mul(fade, plus(mu, -FAN_ONLY)), FAN_ONLY);
    }
    if (method == WRAP_AXIAL || mu.v > FAN_ONLY) {
        dual3 crossing = on_line(start, step, at);
        c.third = nearest(e, &crossing, best);
    }
    if (method == WRAP_HYBRID && mu.v < AXIS_ONLY) {
        dual3 out = fan(e, start, step), spread = add3(&middle, &out);
        spread = nearest(e, &spread, -1);
        if (mu.v <= FAN_ONLY) {
            c.third = spread;
            c.weight = constant(1.0);
        } else {
            c.weight = times(1.0 / (AXIS_ONLY - FAN_ONLY), sub(constant(AXIS_ONLY), mu));
            dual3 a = along(sub(constant(1.0), c.weight), &c.third), b = along(c.weight, &spread), mix = add3(&a, &b);
            c.third = nearest(e, &mix, -1);
        }
    }
    return c;
}

/* Move the third point to the wanted half: mirrored, or on the edge of the half as far as the fan has a say. */
static void to_half(const axes *e, int axis, int sign, choice *c)
{
    if (wrap_sign(c->third.x[axis].v) == sign)
        return;
    c->shorter = 0;
    c->third.x[axis] = times(-1.0, c->third.x[axis]);
    if (c->weight.v <= 0.0)
        return;
    c->third.x[axis] = mul(sub(constant(1.0), c->weight), c->third.x[axis]);
    /* On the edge itself it stays there: to either side the ellipsoid might be nearer. */
    c->third = nearest(e, &c->third, c->third.x[axis].v == 0.0 ? axis : -1);
}

/* The length of centre + a cos + b sin from one angle over `turn`. */
static dual arc(const dual3 *a, const dual3 *b, dual from, dual turn)
{
    int pieces = 1 + (int)(fabs(turn.v) / 0.4);
    dual sum = constant(0.0), half = times(0.5 / pieces, turn);
    dual aa = dot(a, a), bb = dot(b, b), ab = dot(a, b);
    for (int piece = 0; piece < pieces; piece++) {
        for (int i = 0; i < 8; i++) {
            double node = i < 4 ? NODES[i] : -NODES[i - 4];
            dual at = add(from, times(2 * piece + 1 + node, half)), c = cosine(at), s = sine(at);
            dual speed = sub(add(mul(mul(s, s), aa), mul(mul(c, c), bb)), times(2.0, mul(mul(s, c), ab)));
            sum = add(sum, times(WEIGHTS[i % 4], mul(half, root(speed))));
        }
    }
    return sum;
}

/* The tangents and the arc in the plane of both points and a third. */
static int in_plane(const axes *e, const dual3 *p, const dual3 *q, const choice *chosen, double scale, wrap_way *way)
{
    dual3 u, v, w, edge, out;
    for (int i = 0; i < 3; i++) {
        u.x[i] = times(1.0 / e->a[i], p->x[i]);
        v.x[i] = times(1.0 / e->a[i], q->x[i]);
        w.x[i] = times(1.0 / e->a[i], chosen->third.x[i]);
    }
    edge = sub3(&v, &u);
    edge = unit3(&edge);
    out = sub3(&w, &u);
    dual3 part = along(dot(&out, &edge), &edge);
    out = sub3(&out, &part);
    if (dot(&out, &out).v < 1e-18)
        return STRAIGHT;
    out = unit3(&out); /* in the plane, from the line towards the third point */
    if (chosen->shorter && dot(&u, &out).v < 0.0)
        out = along(constant(-1.0), &out);
    dual up = dot(&u, &edge), vp = dot(&v, &edge), height = dot(&u, &out);
    dual3 x = along(up, &edge), y = along(height, &out), centre = sub3(&u, &x);
    centre = sub3(&centre, &y);
    dual square = sub(constant(1.0), dot(&centre, &centre)), radius = root(square);
    dual du = add(mul(up, up), mul(height, height)), dv = add(mul(vp, vp), mul(height, height));
    /* Angles from the edge towards the third point; the path comes from the left and turns clockwise over the top. */
    dual from = angle_of(height, up), to = angle_of(height, vp);
    if (du.v > square.v)
        from = sub(from, angle_of(root(sub(du, square)), radius));
    if (dv.v > square.v)
        to = add(to, angle_of(root(sub(dv, square)), radius));
    if (from.v < -0.25 * TURN)
        from.v += TURN;
    if (to.v < -0.25 * TURN)
        to.v += TURN;
    dual turn = sub(to, from);
    if (turn.v > 0.0)
        turn.v = 0.0;
    dual3 a, b, c;
    for (int i = 0; i < 3; i++) {
        a.x[i] = times(scale * e->a[i], mul(radius, edge.x[i]));
        b.x[i] = times(scale * e->a[i], mul(radius, out.x[i]));
        c.x[i] = times(scale * e->a[i], centre.x[i]);
        way->curve.centre[i] = c.x[i].v;
        way->curve.a[i] = a.x[i].v;
        way->curve.b[i] = b.x[i].v;
        way->curve.rise[i] = 0.0;
    }
    way->curve.start = from.v;
    way->curve.turn = turn.v;
    dual3 ca = along(cosine(from), &a), sb = along(sine(from), &b);
    way->touch = add3(&c, &ca);
    way->touch = add3(&way->touch, &sb);
    ca = along(cosine(to), &a);
    sb = along(sine(to), &b);
    way->leave = add3(&c, &ca);
    way->leave = add3(&way->leave, &sb);
    way->length = times(-1.0, arc(&a, &b, from, turn));
    return MUST;
}

int wrap_ellipsoid(const wrap_surface *surface, const dual3 *p, const dual3 *q, wrap_way *way)
{
    const double *size = surface->size;
    double scale = (size[0] + size[1] + size[2]) / 3.0, a = 0.0, b = 0.0, c = -1.0, first = -1.0;
    double pq = 0.0, pp = 0.0, qq = 0.0;
    axes e;
    dual3 u, v;
    e.least = 0;
    for (int i = 0; i < 3; i++) {
        e.a[i] = size[i] / scale;
        if (e.a[i] < e.a[e.least])
            e.least = i;
        u.x[i] = times(1.0 / scale, p->x[i]);
        v.x[i] = times(1.0 / scale, q->x[i]);
        double f = (u.x[i].v - v.x[i].v) / e.a[i], g = v.x[i].v / e.a[i], h = u.x[i].v / e.a[i];
        a += f * f;
        b += 2.0 * f * g;
        c += g * g;
        first += h * h;
        pq += u.x[i].v * v.x[i].v;
        pp += u.x[i].v * u.x[i].v;
        qq += v.x[i].v * v.x[i].v;
    }
    if (first < -1e-4 || c < -1e-4)
        return INSIDE;
    if (fabs(pq / sqrt(pp * qq) - 1.0) < 1e-4)
        return STRAIGHT;
    double inside = b * b - 4.0 * a * c;
    if (inside < 0.0)
        return STRAIGHT;
    double l = (-b + sqrt(inside)) / (2.0 * a), m = (-b - sqrt(inside)) / (2.0 * a);
    if (!(0.0 < l && l < 1.0) || !(0.0 < m && m < 1.0))
        return STRAIGHT;

    dual3 line = sub3(&u, &v), f, g;
    for (int i = 0; i < 3; i++) {
        f.x[i] = times(1.0 / e.a[i], line.x[i]);
        g.x[i] = times(1.0 / e.a[i], v.x[i]);
    }
    dual da = dot(&f, &f), db = dot(&f, &g), dc = plus(dot(&g, &g), -1.0);
    dual spread = root(sub(mul(db, db), mul(da, dc)));
    dual near = quotient(sub(spread, db), da), length = quotient(times(-2.0, spread), da);
    dual3 start = on_line(&v, &line, near), step = along(length, &line), direction = unit3(&line);
    choice chosen = third_point(&e, &start, &step, &direction, surface->method);
    if (surface->half)
        to_half(&e, wrap_axis(surface->half), wrap_side(surface->half), &chosen);
    return in_plane(&e, &u, &v, &chosen, scale, way);
}
