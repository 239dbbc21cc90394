/* The way over one surface alone: closed forms over cylinders and spheres; over ellipsoids and rings a first guess, made
   exact by Newton's method. Of several shortest ways, the shortest of all. */
#include "taut.h"

static const double TURN = 6.283185307179586;

/* How long the tangent is from a place so far off. */
static double tangent_of(double off, double radius, int pinned)
{
    double square = off * off - radius * radius;
    return !pinned && square > 1e-14 * radius * radius ? sqrt(square) : 0.0;
}

static int over_cylinder(const taut_surface *s, const double *a, const double *b, const int *pinned, double swing,
                         taut_contact *c)
{
    double radius = s->size[0], sense = swing < 0.0 ? -1.0 : 1.0;
    double ta = tangent_of(hypot(a[0], a[1]), radius, pinned[0]), tb = tangent_of(hypot(b[0], b[1]), radius, pinned[1]);
    double turn = fabs(swing) - atan2(ta, radius) - atan2(tb, radius);
    if (!(turn > 0.0))
        return 0;
    /* Unrolled, a helix and its tangents are one straight line. */
    double from = atan2(a[1], a[0]) + sense * atan2(ta, radius), slope = (b[2] - a[2]) / (ta + radius * turn + tb);
    double size = sqrt(1.0 + slope * slope);
    c->from[0] = radius * cos(from);
    c->from[1] = radius * sin(from);
    c->from[2] = a[2] + ta * slope;
    c->along[0] = -sense * sin(from) / size;
    c->along[1] = sense * cos(from) / size;
    c->along[2] = slope / size;
    c->length = radius * turn * size;
    return 1;
}

static int over_sphere(const taut_surface *s, const double *a, const double *b, const int *pinned, taut_contact *c)
{
    double radius = s->size[0], x[3], y[3], n[3];
    memcpy(x, a, sizeof x);
    cross3(a, b, n);
    if (!unit_of(x))
        return 0;
    double part = dot3(b, x), wide = size3(n) / size3(a);
    if (wide < 1e-12 * radius) { /* through the centre: any plane will do */
        if (part > 0.0)
            return 0;
        int least = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(x[i]) < fabs(x[least]))
                least = i;
        for (int i = 0; i < 3; i++)
            y[i] = (i == least) - x[least] * x[i];
    } else {
        for (int i = 0; i < 3; i++)
            y[i] = b[i] - part * x[i];
    }
    unit_of(y);
    double open_a = atan2(tangent_of(size3(a), radius, pinned[0]), radius);
    double open_b = atan2(tangent_of(size3(b), radius, pinned[1]), radius);
    double turn = atan2(wide, part) - open_a - open_b;
    if (!(turn > 0.0))
        return 0;
    for (int i = 0; i < 3; i++) {
        c->from[i] = radius * (cos(open_a) * x[i] + sin(open_a) * y[i]);
        c->along[i] = cos(open_a) * y[i] - sin(open_a) * x[i];
    }
    c->length = radius * turn;
    return 1;
}

/* Make a guess exact between two places in the common frame; the length of all, or infinity. */
static double settled(const taut_surface *s, const double *a, const double *b, const int *pinned, taut_contact *c)
{
    taut_piece alone;
    alone.ends[0] = a;
    alone.ends[1] = b;
    alone.surface = (taut_surface *)s;
    alone.surfaces = alone.contacts = 1;
    alone.contact[0] = *c;
    alone.contact[0].surface = 0;
    alone.contact[0].mate = -1;
    alone.contact[0].pinned[0] = pinned[0];
    alone.contact[0].pinned[1] = pinned[1];
    if (!taut_settle(&alone))
        return INFINITY;
    *c = alone.contact[0];
    return c->length > 0.0 ? taut_length(&alone) : INFINITY;
}

/* Make a guess exact. A place close above the surface has its tangents close to each other, where Newton's method is at
   a loss: it is put onto the surface first, and the tangent measured from there. */
static double exact(const taut_surface *s, const double *a, const double *b, const int *pinned, taut_contact *c)
{
    const double *places[2] = {a, b};
    double ends[2][3], grounded[2][3], height[2] = {0.0, 0.0}, none[3] = {0.0, 0.0, 0.0};
    int on[2] = {pinned[0], pinned[1]}, near = 0;
    for (int e = 0; e < 2; e++) {
        double x[3] = {places[e][0], places[e][1], places[e][2]};
        taut_out(s->frame, places[e], ends[e]);
        height[e] = pinned[e] ? 0.0 : taut_outside(s, x);
        if (!pinned[e] && height[e] < 2e-3 * s->size[0]) {
            taut_project(s, x, none);
            on[e] = near = 1;
        }
        taut_out(s->frame, x, grounded[e]);
    }
    if (near) {
        if (!(settled(s, grounded[0], grounded[1], on, c) < INFINITY))
            return INFINITY;
        for (int e = 0; e < 2; e++) {
            double tangent = on[e] && !pinned[e] && height[e] > 0.0 ? sqrt(2.0 * height[e] / c->bent[e]) : 0.0;
            if (!(tangent > 0.0))
                continue;
            if (!(2.0 * tangent < c->length))
                tangent = 0.5 * c->length;
            c->length -= tangent;
            double from[3], along[3];
            if (e)
                continue;
            taut_place(s, c, tangent, from, along);
            memcpy(c->from, from, sizeof from);
            memcpy(c->along, along, sizeof along);
        }
    }
    return settled(s, ends[0], ends[1], pinned, c);
}

typedef struct {
    double edge[3], first[3], second[3], off[3], u[3], v[3];
} line_of; /* among the half axes as units */

/* The way in the plane of the line that leaves it at an angle: its length, and the contact. */
static double in_plane(const taut_surface *s, const line_of *l, const int *pinned, double angle, taut_contact *c)
{
    double out[3], centre[3], height, square = 1.0, turn, ends[2] = {dot3(l->u, l->edge), dot3(l->v, l->edge)}, at[2];
    for (int i = 0; i < 3; i++)
        out[i] = cos(angle) * l->first[i] + sin(angle) * l->second[i];
    height = dot3(l->off, out);
    for (int i = 0; i < 3; i++) {
        centre[i] = l->off[i] - height * out[i];
        square -= centre[i] * centre[i];
    }
    if (!(square > 0.0))
        return INFINITY;
    if (s->held && dot3(s->front, centre) + sqrt(square) * dot3(s->front, out) < s->low)
        return INFINITY;
    for (int e = 0; e < 2; e++) {
        double rest = ends[e] * ends[e] + height * height - square;
        at[e] = atan2(height, ends[e]);
        if (at[e] < -0.25 * TURN)
            at[e] += TURN;
        if (rest > 1e-14 && !pinned[e])
            at[e] += (e ? 1.0 : -1.0) * atan2(sqrt(rest), sqrt(square));
    }
    turn = at[1] - at[0];
    if (!(turn < 0.0))
        return INFINITY;
    double a[3], b[3], radius = sqrt(square), length = 0.0, places[2][3];
    for (int i = 0; i < 3; i++) {
        a[i] = radius * l->edge[i] * s->size[i];
        b[i] = radius * out[i] * s->size[i];
    }
    /* Some chords, and a guess what the arcs add to them: enough to compare. */
    double step = turn / 14.0, co = cos(step), si = sin(step), x = cos(at[0]), y = sin(at[0]), last[3] = {0};
    for (int k = 0; k <= 14; k++) {
        double here[3];
        for (int i = 0; i < 3; i++)
            here[i] = a[i] * x + b[i] * y;
        if (k)
            length += apart3(here, last) * (1.0 + step * step / 24.0);
        memcpy(k ? places[1] : places[0], here, sizeof here);
        memcpy(last, here, sizeof here);
        if (k == 0) {
            for (int i = 0; i < 3; i++) {
                c->from[i] = here[i];
                c->along[i] = a[i] * y - b[i] * x;
            }
        }
        double next = x * co - y * si;
        y = x * si + y * co;
        x = next;
    }
    c->length = length;
    for (int e = 0; e < 2; e++) {
        double end[3];
        for (int i = 0; i < 3; i++)
            end[i] = (e ? l->v[i] : l->u[i]) * s->size[i] - centre[i] * s->size[i];
        length += apart3(places[e], end);
    }
    for (int i = 0; i < 3; i++)
        c->from[i] += centre[i] * s->size[i];
    taut_project(s, c->from, c->along);
    return length;
}

/* A better guess from the one at hand: a chain between both places, pulled tight over the surface. */
static void pull_tight(const taut_surface *s, const double *a, const double *b, const int *pinned, taut_contact *c)
{
    enum { NODES = 24, SWEEPS = 150 };
    double chain[NODES + 2][3], way[3], straight = apart3(a, c->from), whole;
    int first = 0, last = NODES + 1;
    taut_place(s, c, c->length, chain[0], way);
    whole = straight + c->length + apart3(chain[0], b);
    memcpy(chain[0], a, sizeof chain[0]);
    memcpy(chain[NODES + 1], b, sizeof chain[0]);
    for (int k = 1; k <= NODES; k++) {
        double at = whole * k / (NODES + 1), end[3];
        if (at > straight && at < straight + c->length) {
            taut_place(s, c, at - straight, chain[k], way);
            continue;
        }
        taut_place(s, c, at < straight ? 0.0 : c->length, end, way);
        for (int i = 0; i < 3; i++)
            chain[k][i] = end[i] + (at < straight ? at - straight : at - straight - c->length) * way[i];
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int n = 1; n <= NODES; n++) {
            int k = sweep % 2 ? NODES + 1 - n : n;
            for (int i = 0; i < 3; i++)
                chain[k][i] += 1.5 * (0.5 * (chain[k - 1][i] + chain[k + 1][i]) - chain[k][i]);
            for (int round = 0; round < 2; round++) {
                double out = taut_outside(s, chain[k]), normal[3];
                if (!(out < 0.0))
                    break;
                taut_normal(s, chain[k], normal);
                for (int i = 0; i < 3; i++)
                    chain[k][i] -= out * normal[i];
            }
        }
    }
    double near = 1e-3 * s->size[0];
    while (first < NODES && !(taut_outside(s, chain[first]) < near))
        first++;
    while (last > first + 1 && !(taut_outside(s, chain[last]) < near))
        last--;
    if (pinned[0])
        first = 0;
    c->length = 0.0;
    for (int k = first; k < last; k++)
        c->length += apart3(chain[k], chain[k + 1]);
    for (int i = 0; i < 3; i++) {
        c->from[i] = chain[first][i];
        c->along[i] = chain[first + 1][i] - chain[first][i];
    }
    taut_project(s, c->from, c->along);
}

static double part_along(const taut_surface *s, const double *direction, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += direction[i] * x[i] / s->size[s->kind == WRAP_ELLIPSOID ? i : 0];
    return sum;
}

int taut_low(const taut_surface *s, const taut_contact *c)
{
    double x[3], way[3], from = 0.0, to = c->length, values[2];
    for (int e = 0; e < 2; e++) {
        taut_place(s, c, e ? to : 0.0, x, way);
        values[e] = part_along(s, s->edge, x);
    }
    if (values[0] > 0.0)
        to = 0.0;
    else if (values[1] < 0.0)
        from = to;
    for (int step = 0; step < 60 && to - from > 1e-13 * c->length; step++) {
        /* By the secant, now and then by half. */
        double share = values[0] / (values[0] - values[1]);
        share = step % 3 == 2 ? 0.5 : share < 0.01 ? 0.01 : share > 0.99 ? 0.99 : share;
        double middle = from + share * (to - from);
        taut_place(s, c, middle, x, way);
        double here = part_along(s, s->edge, x);
        if (fabs(here) < 1e-14) {
            from = to = middle;
        } else if (here < 0.0) {
            from = middle;
            values[0] = here;
        } else {
            to = middle;
            values[1] = here;
        }
    }
    taut_place(s, c, from, x, way);
    return part_along(s, s->front, x) < s->low;
}

enum { ANGLES = 12 };

/* The next of the lowest places of a closed row, from the lowest on, and of all below `flat`; -1 after the last. */
static int next_lowest(const double *lengths, int count, double flat, int *last)
{
    int next = -1;
    for (int k = 0; k < count; k++) {
        double before = lengths[(k + count - 1) % count], after = lengths[(k + 1) % count], here = lengths[k];
        if (!(here < INFINITY) || ((here > before || here >= after) && !(here < flat)))
            continue;
        if (*last >= 0 && (here < lengths[*last] || (here == lengths[*last] && k <= *last)))
            continue;
        if (next < 0 || here < lengths[next])
            next = k;
    }
    return *last = next;
}

static int over_ellipsoid(const taut_surface *s, const double *a, const double *b, const int *pinned, taut_contact *c)
{
    line_of l;
    double lengths[ANGLES], best = INFINITY, second = INFINITY, lowest = INFINITY;
    taut_contact rival = *c;
    for (int i = 0; i < 3; i++) {
        l.u[i] = a[i] / s->size[i];
        l.v[i] = b[i] / s->size[i];
        l.edge[i] = l.v[i] - l.u[i];
    }
    if (!unit_of(l.edge))
        return 0;
    double part = dot3(l.u, l.edge);
    for (int i = 0; i < 3; i++)
        l.first[i] = l.off[i] = l.u[i] - part * l.edge[i];
    if (size3(l.off) < 1e-9) { /* through the centre */
        int least = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(l.edge[i]) < fabs(l.edge[least]))
                least = i;
        for (int i = 0; i < 3; i++)
            l.first[i] = (i == least) - l.edge[least] * l.edge[i];
    }
    unit_of(l.first);
    cross3(l.edge, l.first, l.second);
    taut_contact guess;
    for (int k = 0; k < ANGLES; k++) {
        lengths[k] = in_plane(s, &l, pinned, k * TURN / ANGLES, &guess);
        if (lengths[k] < lowest)
            lowest = lengths[k];
    }
    for (int last = -1, k; (k = next_lowest(lengths, ANGLES, 1.001 * lowest, &last)) >= 0;) {
        double before = lengths[(k + ANGLES - 1) % ANGLES], after = lengths[(k + 1) % ANGLES], here = lengths[k];
        /* Ways in planes are hardly longer than the shortest ways beside them. */
        if (here > 1.1 * best)
            break;
        double bend = before + after - 2.0 * here, shift = 0.0;
        if (here <= before && here < after && bend > 0.0 && bend < INFINITY)
            shift = 0.5 * (before - after) / bend;
        double bound = in_plane(s, &l, pinned, (k + shift) * TURN / ANGLES, &guess);
        if (shift != 0.0 && !(bound <= here))
            bound = in_plane(s, &l, pinned, k * TURN / ANGLES, &guess);
        if (!(bound < INFINITY))
            continue;
        taut_contact first = guess;
        double length = exact(s, a, b, pinned, &guess);
        /* No shortest way is longer than that in a plane: then another was found, that is no shortest one. */
        if (length > 1.0001 * bound) {
            guess = first;
            pull_tight(s, a, b, pinned, &guess);
            length = exact(s, a, b, pinned, &guess);
        }
        if (!(length < INFINITY) || (s->held && taut_low(s, &guess)))
            continue;
        int first_of_all = length < best, same = fabs(length - best) < 1e-7 * length;
        if (same)
            continue;
        if (!first_of_all && length < second) {
            second = length;
            rival = guess;
        }
        if (first_of_all) {
            second = best;
            rival = *c;
            best = length;
            *c = guess;
        }
    }
    double behind = second - best;
    if (s->flipped && second < INFINITY)
        *c = rival;
    c->rival = behind;
    return best < INFINITY;
}

/* The place of the line between two places that is nearest to the middle of a ring's tube, and how near. */
double taut_nearest(const taut_surface *s, const double *a, const double *b, double *place)
{
    double best = INFINITY, share = 0.0, width = 1.0 / 24.0;
    for (int round = 0; round < 14; round++) {
        double centre = round ? share : 0.5;
        for (int k = round ? -3 : -12; k <= (round ? 3 : 12); k++) {
            double t = centre + k * width, x[3];
            if (t < 0.0 || t > 1.0)
                continue;
            for (int i = 0; i < 3; i++)
                x[i] = a[i] + t * (b[i] - a[i]);
            double rest = sqrt(x[0] * x[0] + x[1] * x[1]) - s->size[1], near = rest * rest + x[2] * x[2];
            if (near < best) {
                best = near;
                share = t;
            }
        }
        width *= 0.25;
    }
    for (int i = 0; i < 3; i++)
        place[i] = a[i] + share * (b[i] - a[i]);
    return sqrt(best);
}

/* The guess of a way about the tube of a ring: over a cylinder along the tube at a place of the ring. */
static int along_tube(const taut_surface *s, const double *a, const double *b, const int *pinned, double angle,
                      taut_contact *c)
{
    double co = cos(angle), si = sin(angle), ring = s->size[1], ends[2][3], from[3], along[3], at[2];
    const double *places[2] = {a, b};
    for (int e = 0; e < 2; e++) {
        const double *x = places[e];
        ends[e][0] = ring - co * x[0] - si * x[1];
        ends[e][1] = -x[2];
        ends[e][2] = si * x[0] - co * x[1];
        at[e] = atan2(ends[e][1], ends[e][0]);
    }
    if (!over_cylinder(s, ends[0], ends[1], pinned, at[1] - at[0], c))
        return 0;
    memcpy(from, c->from, sizeof from);
    memcpy(along, c->along, sizeof along);
    c->from[0] = co * (ring - from[0]) + si * from[2];
    c->from[1] = si * (ring - from[0]) - co * from[2];
    c->from[2] = -from[1];
    c->along[0] = -co * along[0] + si * along[2];
    c->along[1] = -si * along[0] - co * along[2];
    c->along[2] = -along[1];
    taut_project(s, c->from, c->along);
    return 1;
}

/* Whether a contact turns about the tube in the wanted sense. */
static int turns(const taut_surface *s, const taut_contact *c, double swing)
{
    double angle = taut_angle(s, c->from), off = hypot(c->from[0], c->from[1]);
    double out = (c->along[0] * c->from[0] + c->along[1] * c->from[1]) / off;
    return (sin(angle) * out - cos(angle) * c->along[2]) * swing > 0.0;
}

static int over_ring(const taut_surface *s, const double *a, const double *b, const int *pinned, double swing,
                     taut_contact *c)
{
    enum { PLACES = 24 };
    double lengths[PLACES], best = INFINITY, near[3];
    taut_contact guess;
    for (int k = 0; k < PLACES; k++) {
        double core[3] = {s->size[1] * cos(k * TURN / PLACES), s->size[1] * sin(k * TURN / PLACES), 0.0};
        lengths[k] = apart3(a, core) + apart3(core, b);
    }
    for (int last = -1, k; (k = next_lowest(lengths, PLACES, 0.0, &last)) >= 0 && lengths[k] < best;) {
        double before = lengths[(k + PLACES - 1) % PLACES], after = lengths[(k + 1) % PLACES], here = lengths[k];
        double angle = (k + 0.5 * (before - after) / (before + after - 2.0 * here)) * TURN / PLACES;
        if (!along_tube(s, a, b, pinned, angle, &guess))
            continue;
        double length = exact(s, a, b, pinned, &guess);
        if (length < best && turns(s, &guess, swing)) {
            best = length;
            *c = guess;
        }
    }
    if (best < INFINITY)
        return 1;
    double distance = taut_nearest(s, a, b, near);
    if (distance < s->size[0] && distance > 0.0) { /* where a line grazes, the touch is there */
        for (int i = 0; i < 3; i++) {
            guess.from[i] = near[i];
            guess.along[i] = b[i] - a[i];
        }
        taut_project(s, guess.from, guess.along);
        guess.length = sqrt(8.0 * s->size[0] * (s->size[0] - distance));
        for (int i = 0; i < 3; i++)
            guess.from[i] -= 0.5 * guess.length * guess.along[i];
        taut_project(s, guess.from, guess.along);
        double length = exact(s, a, b, pinned, &guess);
        if (length < best && turns(s, &guess, swing)) {
            best = length;
            *c = guess;
        }
    }
    return best < INFINITY;
}

int taut_over(const taut_surface *s, const double *a, const double *b, const int *pinned, double swing, taut_contact *c)
{
    c->rival = INFINITY;
    switch (s->kind) {
    case WRAP_CYLINDER:
        return over_cylinder(s, a, b, pinned, swing, c);
    case WRAP_SPHERE:
        return over_sphere(s, a, b, pinned, c) && !(s->held && taut_low(s, c));
    case WRAP_ELLIPSOID:
        return over_ellipsoid(s, a, b, pinned, c);
    default:
        return over_ring(s, a, b, pinned, swing, c);
    }
}
