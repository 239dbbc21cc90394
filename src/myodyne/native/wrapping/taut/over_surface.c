/* The shortest path over one surface alone: closed forms over cylinders and spheres; a guess made exact by Newton's
   method over ellipsoids and tori. */
#include "taut.h"

/* Length of the tangent from a point at a distance from the centre. */
static double tangent_length(double distance, double radius, int pinned)
{
    double square = distance * distance - radius * radius;
    return !pinned && square > TANGENT_ZERO * radius * radius ? sqrt(square) : 0.0;
}

int taut_over_cylinder(const taut_surface *s, const double *a, const double *b, const int *pinned, double winding,
                       taut_contact *c)
{
    double radius = s->size[0], sense = winding < 0.0 ? -1.0 : 1.0;
    double ta = tangent_length(hypot(a[0], a[1]), radius, pinned[0]);
    double tb = tangent_length(hypot(b[0], b[1]), radius, pinned[1]);
    double turn = fabs(winding) - atan2(ta, radius) - atan2(tb, radius);
    if (!(turn > 0.0))
        return 0;
    /* Unrolled, a helix and its tangents are one straight line. */
    double from = atan2(a[1], a[0]) + sense * atan2(ta, radius), slope = (b[2] - a[2]) / (ta + radius * turn + tb);
    double size = sqrt(1.0 + slope * slope);
    c->start[0] = radius * cos(from);
    c->start[1] = radius * sin(from);
    c->start[2] = a[2] + ta * slope;
    c->start_direction[0] = -sense * sin(from) / size;
    c->start_direction[1] = sense * cos(from) / size;
    c->start_direction[2] = slope / size;
    c->length = radius * turn * size;
    return 1;
}

static int over_sphere(const taut_surface *s, const double *a, const double *b, const int *pinned, taut_contact *c)
{
    double radius = s->size[0], x[3], y[3], n[3]; /* x and y span the plane of the great circle */
    copy3(x, a);
    cross3(a, b, n);
    if (!normalise3(x))
        return 0;
    double part = dot3(b, x), off = norm3(n) / norm3(a);
    if (off < THROUGH_CENTRE * radius) { /* any plane will do */
        if (part > 0.0)
            return 0;
        int least = smallest_component(x);
        for (int i = 0; i < 3; i++)
            y[i] = (i == least) - x[least] * x[i];
    } else {
        for (int i = 0; i < 3; i++)
            y[i] = b[i] - part * x[i];
    }
    normalise3(y);
    double open_a = atan2(tangent_length(norm3(a), radius, pinned[0]), radius);
    double open_b = atan2(tangent_length(norm3(b), radius, pinned[1]), radius);
    double turn = atan2(off, part) - open_a - open_b;
    if (!(turn > 0.0))
        return 0;
    for (int i = 0; i < 3; i++) {
        c->start[i] = radius * (cos(open_a) * x[i] + sin(open_a) * y[i]);
        c->start_direction[i] = cos(open_a) * y[i] - sin(open_a) * x[i];
    }
    c->length = radius * turn;
    return 1;
}

/* Newton's method on one contact between two points in the common frame; the length of the path, or infinity. */
static double solve_alone(const taut_surface *s, const double *a, const double *b, const int *pinned, taut_contact *c)
{
    taut_piece alone;
    alone.ends[0] = a;
    alone.ends[1] = b;
    alone.surface = (taut_surface *)s;
    alone.surfaces = alone.contacts = 1;
    alone.contact[0] = *c;
    alone.contact[0].surface = 0;
    alone.contact[0].groove_partner = NO_SURFACE;
    alone.contact[0].pinned[0] = pinned[0];
    alone.contact[0].pinned[1] = pinned[1];
    if (!taut_newton(&alone))
        return INFINITY;
    *c = alone.contact[0];
    return c->length > 0.0 ? taut_length(&alone) : INFINITY;
}

/* Shorten a contact that begins and ends in projected points by the tangents to the points above, at their heights. */
static void make_room_for_tangents(const taut_surface *s, const double *height, taut_contact *c)
{
    for (int e = 0; e < 2; e++) {
        double tangent = height[e] > 0.0 ? sqrt(2.0 * height[e] / c->normal_curvature[e]) : 0.0;
        if (!(tangent > 0.0))
            continue;
        if (!(2.0 * tangent < c->length))
            tangent = 0.5 * c->length;
        c->length -= tangent;
        if (e == 0)
            taut_move_start(s, c, tangent);
    }
}

/* A point close above the surface has its two tangents close to each other, where Newton's method converges to either.
   So the path from the point projected onto the surface is found first, and the tangent measured along that. */
double taut_make_exact(const taut_surface *s, const double *a, const double *b, const int *pinned, taut_contact *c)
{
    const double *points[2] = {a, b};
    double ends[2][3], projected[2][3], height[2] = {0.0, 0.0}, unused[3] = {0.0, 0.0, 0.0};
    int on[2] = {pinned[0], pinned[1]}, near = 0;
    for (int e = 0; e < 2; e++) {
        double x[3], distance;
        copy3(x, points[e]);
        to_world(s->frame, x, ends[e]);
        distance = pinned[e] ? 0.0 : taut_distance(s, x);
        if (!pinned[e] && distance < CLOSE_ABOVE * s->size[0]) {
            taut_project(s, x, unused);
            on[e] = near = 1;
            height[e] = distance;
        }
        to_world(s->frame, x, projected[e]);
    }
    if (near) {
        if (!(solve_alone(s, projected[0], projected[1], on, c) < INFINITY))
            return INFINITY;
        make_room_for_tangents(s, height, c);
    }
    return solve_alone(s, ends[0], ends[1], pinned, c);
}

static double scaled_part(const taut_surface *s, const double *direction, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += direction[i] * x[i] / s->size[s->kind == WRAP_ELLIPSOID ? i : 0];
    return sum;
}

/* The middle plane goes through the centre, normal to the line; the contact is cut by secants. */
int taut_below_edge(const taut_surface *s, const taut_contact *c)
{
    double x[3], direction[3], from = 0.0, to = c->length, values[2];
    for (int e = 0; e < 2; e++) {
        taut_geodesic_point(s, c, e ? to : 0.0, x, direction);
        values[e] = scaled_part(s, s->line_direction, x);
    }
    if (values[0] > 0.0)
        to = 0.0;
    else if (values[1] < 0.0)
        from = to;
    for (int step = 0; step < EDGE_ITERATIONS && to - from > EDGE_FOUND * c->length; step++) {
        double share = values[0] / (values[0] - values[1]), least = EDGE_LEAST_SHARE;
        share = step % 3 == 2 ? 0.5 : share < least ? least : share > 1.0 - least ? 1.0 - least : share;
        double middle = from + share * (to - from);
        taut_geodesic_point(s, c, middle, x, direction);
        double here = scaled_part(s, s->line_direction, x);
        if (fabs(here) < EDGE_ON_PLANE) {
            from = to = middle;
        } else if (here < 0.0) {
            from = middle;
            values[0] = here;
        } else {
            to = middle;
            values[1] = here;
        }
    }
    taut_geodesic_point(s, c, from, x, direction);
    return scaled_part(s, s->half_direction, x) < s->lowest;
}

int taut_next_minimum(const double *lengths, int count, double flat, int *last)
{
    int next = -1;
    for (int k = 0; k < count; k++) {
        double before = lengths[(k + count - 1) % count], after = lengths[(k + 1) % count], here = lengths[k];
        int minimum = !(here > before || here >= after) || here < flat;
        if (!(here < INFINITY) || !minimum)
            continue;
        if (*last >= 0 && (here < lengths[*last] || (here == lengths[*last] && k <= *last)))
            continue;
        if (next < 0 || here < lengths[next])
            next = k;
    }
    return *last = next;
}

int taut_over_surface(const taut_surface *s, const double *a, const double *b, const int *pinned, double winding,
                      taut_contact *c)
{
    c->runner_up_gap = INFINITY;
    switch (s->kind) {
    case WRAP_CYLINDER:
        return taut_over_cylinder(s, a, b, pinned, winding, c);
    case WRAP_SPHERE:
        return over_sphere(s, a, b, pinned, c) && !(s->held_to_side && taut_below_edge(s, c));
    case WRAP_ELLIPSOID:
        return taut_over_ellipsoid(s, a, b, pinned, c);
    default:
        return taut_over_torus(s, a, b, pinned, winding, c);
    }
}
