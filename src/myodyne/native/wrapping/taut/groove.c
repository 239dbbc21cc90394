/* Grooves, in which two overlapping surfaces meet. A taut string enters a groove along a geodesic of one surface that
   is tangent to the other, and leaves it in the same way. So where it enters does not depend on where it leaves. */
#include "taut.h"
#include "extrapolation.h"

typedef struct {
    const taut_surface *surface[2];
    double sense; /* 1 or -1: along the cross product of both normals, or against it */
} groove;

/* States along a groove: the place, then for each surface force, moment and growth of its reaction. */
enum { FORCE = 0, MOMENT = 3, GROWTH = 6, REACTION = 7, GROOVE_STATES = 3 + 2 * REACTION };

/* A groove at one of its points. */
typedef struct {
    double tangent[3], normal[2][3];
    double pressure[2]; /* reactions per length: with them, both normals add up to the curvature */
    double local[2][3], local_normal[2][3];
} groove_frame;

/* Zero where both normals are parallel. */
static int frame_at(const groove *g, const double *x, groove_frame *at)
{
    double curvature[2];
    for (int k = 0; k < 2; k++) {
        const taut_surface *s = g->surface[k];
        to_local(s->frame, x, at->local[k]);
        taut_normal(s, at->local[k], at->local_normal[k]);
        turn_to_world(s->frame, at->local_normal[k], at->normal[k]);
    }
    cross3(at->normal[0], at->normal[1], at->tangent);
    double cosine = dot3(at->normal[0], at->normal[1]), square = dot3(at->tangent, at->tangent);
    if (!(square > PARALLEL_NORMALS))
        return 0;
    for (int i = 0; i < 3; i++)
        at->tangent[i] *= g->sense / sqrt(square);
    for (int k = 0; k < 2; k++) {
        double seen[3], turn[3];
        turn_to_local(g->surface[k]->frame, at->tangent, seen);
        taut_shape_operator(g->surface[k], at->local[k], at->local_normal[k], seen, turn);
        curvature[k] = dot3(turn, seen);
    }
    for (int k = 0; k < 2; k++)
        at->pressure[k] = (curvature[k] - cosine * curvature[1 - k]) / square;
    return 1;
}

static void groove_rates(const void *about, const double *y, double *f)
{
    const groove *g = about;
    groove_frame at;
    double moment[3];
    if (!frame_at(g, y, &at)) {
        for (int i = 0; i < GROOVE_STATES; i++)
            f[i] = NAN;
        return;
    }
    copy3(f, at.tangent);
    for (int k = 0; k < 2; k++) {
        double *reaction = f + 3 + REACTION * k;
        cross3(y, at.normal[k], moment);
        for (int i = 0; i < 3; i++) {
            reaction[FORCE + i] = at.pressure[k] * at.normal[k][i];
            reaction[MOMENT + i] = at.pressure[k] * moment[i];
        }
        reaction[GROWTH] = at.pressure[k] * dot3(at.local_normal[k], at.local[k]);
    }
}

static double least_radius(const groove *g)
{
    double a = taut_least_radius(g->surface[0]), b = taut_least_radius(g->surface[1]);
    return b < a ? b : a;
}

static void follow(const groove *g, const double *start, double length, double *y)
{
    double radius = least_radius(g);
    curve along = {groove_rates, g, GROOVE_STATES, radius, GEODESIC_ERROR};
    memset(y, 0, sizeof(double) * GROOVE_STATES);
    copy3(y, start);
    follow_curve(&along, y, length, GROOVE_STEP * radius);
}

/* The groove that a contact leads into. */
static int groove_after(const taut_piece *piece, const taut_contact *c, groove *g)
{
    groove_frame at;
    g->surface[0] = piece->surface + c->surface;
    g->surface[1] = piece->surface + c->groove_partner;
    g->sense = 1.0;
    if (!frame_at(g, c->at[1], &at))
        return 0;
    if (dot3(at.tangent, c->tangent[1]) < 0.0)
        g->sense = -1.0;
    return 1;
}

int taut_groove_nearest(const taut_surface *a, const taut_surface *b, double *x)
{
    groove g = {{a, b}, 1.0};
    groove_frame at;
    double radius = least_radius(&g);
    for (int iteration = 0; iteration < GROOVE_ITERATIONS; iteration++) {
        if (!frame_at(&g, x, &at))
            return 0;
        double out[2] = {taut_distance(a, at.local[0]), taut_distance(b, at.local[1])}, by[2];
        double cosine = dot3(at.normal[0], at.normal[1]);
        for (int k = 0; k < 2; k++)
            by[k] = (out[k] - cosine * out[1 - k]) / (1.0 - cosine * cosine);
        double far = fabs(by[0]) + fabs(by[1]), most = GROOVE_LONGEST_STEP * radius;
        double factor = far > most ? most / far : 1.0;
        if (!(far < GROOVE_FAR_OFF))
            return 0;
        for (int i = 0; i < 3; i++)
            x[i] -= factor * (by[0] * at.normal[0][i] + by[1] * at.normal[1][i]);
        if (fabs(out[0]) + fabs(out[1]) < GROOVE_FOUND * radius)
            return 1;
    }
    return 0;
}

int taut_groove_advance(const taut_surface *a, const taut_surface *b, double length, double *x, double *direction)
{
    groove g = {{a, b}, 1.0};
    groove_frame at;
    double y[GROOVE_STATES];
    if (!frame_at(&g, x, &at))
        return 0;
    if (dot3(at.tangent, direction) < 0.0)
        g.sense = -1.0;
    follow(&g, x, length, y);
    if (!frame_at(&g, y, &at))
        return 0;
    copy3(direction, at.tangent);
    copy3(x, y);
    return 1;
}

void taut_groove_point(const taut_piece *piece, const taut_contact *c, double length, double *x)
{
    groove g;
    double y[GROOVE_STATES];
    if (!groove_after(piece, c, &g))
        return;
    follow(&g, c->at[1], length, y);
    copy3(x, y);
}

void taut_groove_reactions(const taut_piece *piece, const taut_contact *c, taut_reaction *reaction)
{
    groove g;
    double y[GROOVE_STATES];
    memset(reaction, 0, 2 * sizeof *reaction);
    if (!groove_after(piece, c, &g))
        return;
    follow(&g, c->at[1], c->groove_length, y);
    for (int k = 0; k < 2; k++) {
        const double *own = y + 3 + REACTION * k;
        copy3(reaction[k].force, own + FORCE);
        copy3(reaction[k].moment, own + MOMENT);
        reaction[k].growth = own[GROWTH];
    }
}

/* Whether a string would lift off a groove between a contact and the next: where a surface would have to pull. */
static int lifts_off(const groove *g, const taut_contact *c, double radius)
{
    double y[GROOVE_STATES], least = 0.0;
    groove_frame at;
    for (int part = 0; part <= GROOVE_CHECKS && c->groove_length > 0.0; part++) {
        follow(g, c->at[1], 1.0 / GROOVE_CHECKS * part * c->groove_length, y);
        if (!frame_at(g, y, &at))
            return 1;
        for (int k = 0; k < 2; k++)
            if (at.pressure[k] * radius < least)
                least = at.pressure[k] * radius;
    }
    return !(least > GROOVE_LIFTS);
}

int taut_measure_groove(const taut_piece *piece, taut_contact *c)
{
    groove g;
    groove_frame at;
    double y[GROOVE_STATES], off[3];
    const taut_contact *next = c + 1;
    if (!groove_after(piece, c, &g))
        return 0;
    double radius = least_radius(&g), most = GROOVE_LONGEST_SLIDE * radius;
    for (int iteration = 0; iteration < GROOVE_ITERATIONS; iteration++) {
        follow(&g, c->at[1], c->groove_length, y);
        if (!frame_at(&g, y, &at))
            return 0;
        for (int i = 0; i < 3; i++)
            off[i] = next->at[0][i] - y[i];
        double missing = dot3(off, at.tangent);
        if (!(fabs(missing) < GROOVE_FAR_OFF))
            return 0;
        if (fabs(missing) < GROOVE_MEASURED * radius)
            break;
        c->groove_length += fabs(missing) > most ? copysign(most, missing) : missing;
    }
    if (norm3(off) > GROOVE_MISSED * radius || dot3(at.tangent, next->tangent[0]) < GROOVE_TANGENT)
        return 0;
    return !lifts_off(&g, c, radius);
}
