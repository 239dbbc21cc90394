/* The shortest path over the tube of a torus, on one side of it: guesses over cylinders along the tube, each made exact
   by Newton's method. */
#include "taut.h"

/* Samples of the line, ever finer about the nearest of them. */
double taut_torus_distance(const taut_surface *s, const double *a, const double *b, double *nearest)
{
    double best = INFINITY, share = 0.0, width = 0.5 / RING_SAMPLES;
    for (int round = 0; round < RING_ROUNDS; round++) {
        double centre = round ? share : 0.5;
        int samples = round ? RING_SAMPLES_NEARBY : RING_SAMPLES;
        for (int k = -samples; k <= samples; k++) {
            double t = centre + k * width, x[3];
            if (t < 0.0 || t > 1.0)
                continue;
            for (int i = 0; i < 3; i++)
                x[i] = a[i] + t * (b[i] - a[i]);
            double out = sqrt(x[0] * x[0] + x[1] * x[1]) - s->size[1], square = out * out + x[2] * x[2];
            if (square < best) {
                best = square;
                share = t;
            }
        }
        width *= 0.25;
    }
    for (int i = 0; i < 3; i++)
        nearest[i] = a[i] + share * (b[i] - a[i]);
    return sqrt(best);
}

/* A guess from the path over a cylinder along the tube, at an angle about the axis of the torus. */
static int guess_at(const taut_surface *s, const double *a, const double *b, const int *pinned, double angle,
                    taut_contact *c)
{
    double co = cos(angle), si = sin(angle), ring = s->size[1], ends[2][3], from[3], along[3], at[2];
    const double *points[2] = {a, b};
    for (int e = 0; e < 2; e++) {
        const double *x = points[e];
        ends[e][0] = ring - co * x[0] - si * x[1];
        ends[e][1] = -x[2];
        ends[e][2] = si * x[0] - co * x[1];
        at[e] = atan2(ends[e][1], ends[e][0]);
    }
    if (!taut_over_cylinder(s, ends[0], ends[1], pinned, at[1] - at[0], c))
        return 0;
    copy3(from, c->start);
    copy3(along, c->start_direction);
    c->start[0] = co * (ring - from[0]) + si * from[2];
    c->start[1] = si * (ring - from[0]) - co * from[2];
    c->start[2] = -from[1];
    c->start_direction[0] = -co * along[0] + si * along[2];
    c->start_direction[1] = -si * along[0] - co * along[2];
    c->start_direction[2] = -along[1];
    taut_project(s, c->start, c->start_direction);
    return 1;
}

/* A guess where a line grazes the tube: an arc about the point of the line nearest to the core. */
static int guess_grazing(const taut_surface *s, const double *a, const double *b, taut_contact *c)
{
    double nearest[3], distance = taut_torus_distance(s, a, b, nearest);
    if (!(distance < s->size[0] && distance > 0.0))
        return 0;
    for (int i = 0; i < 3; i++) {
        c->start[i] = nearest[i];
        c->start_direction[i] = b[i] - a[i];
    }
    taut_project(s, c->start, c->start_direction);
    c->length = sqrt(8.0 * s->size[0] * (s->size[0] - distance));
    for (int i = 0; i < 3; i++)
        c->start[i] -= 0.5 * c->length * c->start_direction[i];
    taut_project(s, c->start, c->start_direction);
    return 1;
}

/* Whether a contact winds about the core in the wanted sense. */
static int winds_rightly(const taut_surface *s, const taut_contact *c, double winding)
{
    double angle = taut_angle(s, c->start), off_axis = hypot(c->start[0], c->start[1]);
    double out = (c->start_direction[0] * c->start[0] + c->start_direction[1] * c->start[1]) / off_axis;
    return (sin(angle) * out - cos(angle) * c->start_direction[2]) * winding > 0.0;
}

int taut_over_torus(const taut_surface *s, const double *a, const double *b, const int *pinned, double winding,
                    taut_contact *c)
{
    double lengths[TORUS_PLACES], best = INFINITY;
    taut_contact guess;
    for (int k = 0; k < TORUS_PLACES; k++) {
        double angle = k * FULL_TURN / TORUS_PLACES, core[3] = {s->size[1] * cos(angle), s->size[1] * sin(angle), 0.0};
        lengths[k] = distance3(a, core) + distance3(core, b);
    }
    for (int last = -1, k; (k = taut_next_minimum(lengths, TORUS_PLACES, 0.0, &last)) >= 0 && lengths[k] < best;) {
        double before = lengths[(k + TORUS_PLACES - 1) % TORUS_PLACES], after = lengths[(k + 1) % TORUS_PLACES];
        double minimum = k + 0.5 * (before - after) / (before + after - 2.0 * lengths[k]);
        if (!guess_at(s, a, b, pinned, minimum * FULL_TURN / TORUS_PLACES, &guess))
            continue;
        double length = taut_make_exact(s, a, b, pinned, &guess);
        if (length < best && winds_rightly(s, &guess, winding)) {
            best = length;
            *c = guess;
        }
    }
    if (best < INFINITY)
        return 1;
    if (!guess_grazing(s, a, b, &guess) || !(taut_make_exact(s, a, b, pinned, &guess) < INFINITY) ||
        !winds_rightly(s, &guess, winding))
        return 0;
    *c = guess;
    return 1;
}
