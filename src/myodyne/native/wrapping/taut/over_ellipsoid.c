/* The shortest path over an ellipsoid: guesses in planes through the line, each made exact by Newton's method. */
#include "taut.h"

/* The line between both points, in units of the half axes, in which the ellipsoid is a unit sphere. */
typedef struct {
    double u[3], v[3];            /* its ends */
    double direction[3], foot[3]; /* unit vector along it; its point next to the centre */
    double first[3], second[3];   /* unit vectors normal to it, the first towards the foot */
} scaled_line;

/* The circle in which a plane through the line cuts the unit sphere: centre + radius (direction cos + out sin). */
typedef struct {
    double out[3], centre[3], radius;
    double from, turn; /* the part of it that the path runs along */
} plane_arc;

static int scale_line(const taut_surface *s, const double *a, const double *b, scaled_line *l)
{
    for (int i = 0; i < 3; i++) {
        l->u[i] = a[i] / s->size[i];
        l->v[i] = b[i] / s->size[i];
        l->direction[i] = l->v[i] - l->u[i];
    }
    if (!normalise3(l->direction))
        return 0;
    double part = dot3(l->u, l->direction);
    for (int i = 0; i < 3; i++)
        l->first[i] = l->foot[i] = l->u[i] - part * l->direction[i];
    if (norm3(l->foot) < THROUGH_CENTRE_SCALED) {
        int least = smallest_component(l->direction);
        for (int i = 0; i < 3; i++)
            l->first[i] = (i == least) - l->direction[least] * l->direction[i];
    }
    normalise3(l->first);
    cross3(l->direction, l->first, l->second);
    return 1;
}

/* The arc in the plane at an angle about the line; 0 if it does not touch, or is below the edge of the half. */
static int arc_in_plane(const taut_surface *s, const scaled_line *l, const int *pinned, double angle, plane_arc *arc)
{
    double height, square = 1.0, ends[2] = {dot3(l->u, l->direction), dot3(l->v, l->direction)}, at[2];
    for (int i = 0; i < 3; i++)
        arc->out[i] = cos(angle) * l->first[i] + sin(angle) * l->second[i];
    height = dot3(l->foot, arc->out);
    for (int i = 0; i < 3; i++) {
        arc->centre[i] = l->foot[i] - height * arc->out[i];
        square -= arc->centre[i] * arc->centre[i];
    }
    if (!(square > 0.0))
        return 0;
    arc->radius = sqrt(square);
    double top = dot3(s->half_direction, arc->centre) + arc->radius * dot3(s->half_direction, arc->out);
    if (s->held_to_side && top < s->lowest)
        return 0;
    for (int e = 0; e < 2; e++) {
        double tangent = ends[e] * ends[e] + height * height - square; /* squared */
        at[e] = atan2(height, ends[e]);
        if (at[e] < -0.25 * FULL_TURN)
            at[e] += FULL_TURN;
        if (tangent > TANGENT_ZERO && !pinned[e])
            at[e] += (e ? 1.0 : -1.0) * atan2(sqrt(tangent), arc->radius);
    }
    arc->from = at[0];
    arc->turn = at[1] - at[0];
    return arc->turn < 0.0;
}

/* The path in a plane: its length to about 1e-5, and the contact as a guess of the geodesic; infinity if it does not
   touch. */
static double path_in_plane(const taut_surface *s, const scaled_line *l, const int *pinned, double angle,
                            taut_contact *c)
{
    plane_arc arc;
    double a[3], b[3], here[3], last[3], length = 0.0;
    if (!arc_in_plane(s, l, pinned, angle, &arc))
        return INFINITY;
    for (int i = 0; i < 3; i++) {
        a[i] = arc.radius * l->direction[i] * s->size[i];
        b[i] = arc.radius * arc.out[i] * s->size[i];
    }
    double step = arc.turn / CHORDS, co = cos(step), si = sin(step), x = cos(arc.from), y = sin(arc.from);
    for (int i = 0; i < 3; i++) {
        c->start[i] = last[i] = a[i] * x + b[i] * y;
        c->start_direction[i] = a[i] * y - b[i] * x;
    }
    for (int k = 1; k <= CHORDS; k++) {
        double next = x * co - y * si;
        y = x * si + y * co;
        x = next;
        for (int i = 0; i < 3; i++)
            here[i] = a[i] * x + b[i] * y;
        length += distance3(here, last) * (1.0 + step * step / 24.0); /* an arc is longer than its chord */
        copy3(last, here);
    }
    c->length = length;
    for (int e = 0; e < 2; e++) {
        double end[3];
        for (int i = 0; i < 3; i++)
            end[i] = (e ? l->v[i] : l->u[i]) * s->size[i] - arc.centre[i] * s->size[i];
        length += distance3(e ? last : c->start, end);
    }
    for (int i = 0; i < 3; i++)
        c->start[i] += arc.centre[i] * s->size[i];
    taut_project(s, c->start, c->start_direction);
    return length;
}

typedef double one_chain[ONE_CHAIN_NODES + 2][3];

/* Lay a chain between both points along a contact and its tangents. */
static void lay_chain(const taut_surface *s, const double *a, const double *b, const taut_contact *c, one_chain chain)
{
    double end[3], direction[3], tangent = distance3(a, c->start);
    taut_geodesic_point(s, c, c->length, end, direction);
    double whole = tangent + c->length + distance3(end, b);
    copy3(chain[0], a);
    copy3(chain[ONE_CHAIN_NODES + 1], b);
    for (int k = 1; k <= ONE_CHAIN_NODES; k++) {
        double at = whole * k / (ONE_CHAIN_NODES + 1);
        if (at > tangent && at < tangent + c->length) {
            taut_geodesic_point(s, c, at - tangent, chain[k], direction);
            continue;
        }
        taut_geodesic_point(s, c, at < tangent ? 0.0 : c->length, end, direction);
        double beyond = at < tangent ? at - tangent : at - tangent - c->length;
        for (int i = 0; i < 3; i++)
            chain[k][i] = end[i] + beyond * direction[i];
    }
}

static void tighten_chain(const taut_surface *s, one_chain chain)
{
    for (int sweep = 0; sweep < ONE_CHAIN_SWEEPS; sweep++)
        for (int n = 1; n <= ONE_CHAIN_NODES; n++) {
            double *x = chain[sweep % 2 ? ONE_CHAIN_NODES + 1 - n : n], *before = x - 3, *after = x + 3;
            for (int i = 0; i < 3; i++)
                x[i] += ONE_CHAIN_RELAXATION * (0.5 * (before[i] + after[i]) - x[i]);
            for (int round = 0; round < ONE_CHAIN_PROJECTIONS; round++) {
                double out = taut_distance(s, x), normal[3];
                if (!(out < 0.0))
                    break;
                taut_normal(s, x, normal);
                for (int i = 0; i < 3; i++)
                    x[i] -= out * normal[i];
            }
        }
}

/* A better guess of a contact: what a chain touches, laid along it and pulled tight. */
static void improve_by_chain(const taut_surface *s, const double *a, const double *b, const int *pinned,
                             taut_contact *c)
{
    one_chain chain;
    double near = ONE_CHAIN_TOUCHES * s->size[0];
    int first = 0, last = ONE_CHAIN_NODES + 1;
    lay_chain(s, a, b, c, chain);
    tighten_chain(s, chain);
    while (first < ONE_CHAIN_NODES && !(taut_distance(s, chain[first]) < near))
        first++;
    while (last > first + 1 && !(taut_distance(s, chain[last]) < near))
        last--;
    if (pinned[0])
        first = 0;
    c->length = 0.0;
    for (int k = first; k < last; k++)
        c->length += distance3(chain[k], chain[k + 1]);
    for (int i = 0; i < 3; i++) {
        c->start[i] = chain[first][i];
        c->start_direction[i] = chain[first + 1][i] - chain[first][i];
    }
    taut_project(s, c->start, c->start_direction);
}

/* The best guess near one of the planes: between its neighbours by a parabola, if that is no longer. */
static double guess_near_plane(const taut_surface *s, const scaled_line *l, const int *pinned, const double *lengths,
                               int k, taut_contact *guess)
{
    double before = lengths[(k + PLANES - 1) % PLANES], after = lengths[(k + 1) % PLANES], here = lengths[k];
    double bend = before + after - 2.0 * here, shift = 0.0;
    if (here <= before && here < after && bend > 0.0 && bend < INFINITY)
        shift = 0.5 * (before - after) / bend;
    double length = path_in_plane(s, l, pinned, (k + shift) * FULL_TURN / PLANES, guess);
    if (shift != 0.0 && !(length <= here))
        length = path_in_plane(s, l, pinned, k * FULL_TURN / PLANES, guess);
    return length;
}

/* The geodesic near a guess in a plane of a given length; the length of the path, or infinity. */
static double geodesic_near(const taut_surface *s, const double *a, const double *b, const int *pinned, double in_plane,
                            taut_contact *c)
{
    taut_contact guess = *c;
    double length = taut_make_exact(s, a, b, pinned, c);
    if (length > LONGER_THAN_PLANE * in_plane) {
        *c = guess;
        improve_by_chain(s, a, b, pinned, c);
        length = taut_make_exact(s, a, b, pinned, c);
    }
    return s->held_to_side && length < INFINITY && taut_below_edge(s, c) ? INFINITY : length;
}

int taut_over_ellipsoid(const taut_surface *s, const double *a, const double *b, const int *pinned, taut_contact *c)
{
    scaled_line l;
    double lengths[PLANES], best = INFINITY, second = INFINITY, least = INFINITY;
    taut_contact guess, runner_up = *c;
    if (!scale_line(s, a, b, &l))
        return 0;
    for (int k = 0; k < PLANES; k++) {
        lengths[k] = path_in_plane(s, &l, pinned, k * FULL_TURN / PLANES, &guess);
        if (lengths[k] < least)
            least = lengths[k];
    }
    for (int last = -1, k; (k = taut_next_minimum(lengths, PLANES, FLAT_MINIMUM * least, &last)) >= 0;) {
        if (lengths[k] > HOPELESS_PLANE * best)
            break;
        double in_plane = guess_near_plane(s, &l, pinned, lengths, k, &guess);
        if (!(in_plane < INFINITY))
            continue;
        double length = geodesic_near(s, a, b, pinned, in_plane, &guess);
        if (!(length < INFINITY) || fabs(length - best) < SAME_PATH * length)
            continue;
        if (length < best) {
            second = best;
            runner_up = *c;
            best = length;
            *c = guess;
        } else if (length < second) {
            second = length;
            runner_up = guess;
        }
    }
    if (s->takes_runner_up && second < INFINITY)
        *c = runner_up;
    c->runner_up_gap = second - best;
    return best < INFINITY;
}
