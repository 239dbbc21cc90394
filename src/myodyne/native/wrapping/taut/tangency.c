/* The equations of a taut string: two for each end of each contact, in four unknowns for each contact.

   They say that the straight line at an end has no part along the normal of the surface, nor along the binormal. The
   unknowns are how far the start moves ahead and sideways, how far its direction turns, and the length. */
#include "taut.h"

void taut_evaluate(const taut_surface *s, taut_contact *c, double error)
{
    taut_geodesic_end(s, c, error);
    for (int e = 0; e < 2; e++) {
        const double *x = e ? c->end : c->start, *t = e ? c->end_direction : c->start_direction;
        double normal[3], binormal[3], turn[3];
        taut_normal(s, x, normal);
        cross3(normal, t, binormal);
        taut_shape_operator(s, x, normal, t, turn);
        c->normal_curvature[e] = dot3(turn, t);
        c->torsion[e] = dot3(turn, binormal);
        taut_shape_operator(s, x, normal, binormal, turn);
        c->binormal_curvature[e] = dot3(turn, binormal);
        to_world(s->frame, x, c->at[e]);
        turn_to_world(s->frame, t, c->tangent[e]);
        turn_to_world(s->frame, normal, c->normal[e]);
        turn_to_world(s->frame, binormal, c->binormal[e]);
    }
}

const taut_surface *taut_groove_beside(const taut_piece *piece, int number, int end)
{
    const taut_contact *c = piece->contact + number, *before = end ? c : c - 1;
    if ((!end && !number) || !taut_leads_into_groove(before))
        return 0;
    return piece->surface + (before->surface == c->surface ? before->groove_partner : before->surface);
}

/* How an end of a contact moves ahead and sideways, and how it turns, by each unknown. */
typedef struct {
    double ahead[UNKNOWNS], sideways[UNKNOWNS], turning[UNKNOWNS];
} end_motion;

static end_motion motion_of(const taut_contact *c, int end)
{
    end_motion first = {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}};
    end_motion last = {
        {1.0, 0.0, 0.0, 1.0}, {0.0, c->end_shift[0], c->end_shift[1], 0.0}, {0.0, c->end_turn[0], c->end_turn[1], 0.0}};
    return end ? last : first;
}

/* An end in a groove: it lies on the other surface too, and is tangent to it. */
static void groove_equations(const taut_surface *other, const taut_contact *c, int end, const end_motion *by,
                             double *own, double *next, double *residual)
{
    const double *axes[3] = {c->tangent[end], c->binormal[end], c->normal[end]};
    double x[3], seen[3][3], normal[3], turn[2][3];
    to_local(other->frame, c->at[end], x);
    taut_normal(other, x, normal);
    for (int k = 0; k < 3; k++)
        turn_to_local(other->frame, axes[k], seen[k]);
    for (int k = 0; k < 2; k++)
        taut_shape_operator(other, x, normal, seen[k], turn[k]);
    double tm = dot3(seen[0], normal), bm = dot3(seen[1], normal), nm = dot3(seen[2], normal);
    residual[0] = taut_distance(other, x);
    residual[1] = tm;
    for (int i = 0; i < UNKNOWNS; i++) {
        double ahead = by->ahead[i], sideways = by->sideways[i];
        own[i] = ahead * tm + sideways * bm;
        next[i] = by->turning[i] * bm - (c->normal_curvature[end] * ahead + c->torsion[end] * sideways) * nm +
                  ahead * dot3(turn[0], seen[0]) + sideways * dot3(turn[1], seen[0]);
    }
}

/* An end that is pinned: it must lie in the end of the piece. */
static void pinned_equations(const taut_contact *c, int end, const end_motion *by, const double *line, double *own,
                             double *next, double *residual)
{
    double along = dot3(line, c->tangent[end]), sideways = dot3(line, c->binormal[end]);
    for (int i = 0; i < UNKNOWNS; i++) {
        own[i] = by->ahead[i];
        next[i] = by->sideways[i];
    }
    residual[0] = end ? -along : along;
    residual[1] = end ? -sideways : sideways;
}

/* An end that a straight line is tangent to. */
static void tangent_equations(const taut_contact *c, int end, const end_motion *by, const double *line, double *own,
                              double *next, double *residual)
{
    double curvature = c->normal_curvature[end], torsion = c->torsion[end], across = c->binormal_curvature[end];
    double lt = dot3(line, c->tangent[end]), ln = dot3(line, c->normal[end]), lb = dot3(line, c->binormal[end]);
    residual[0] = ln;
    residual[1] = lb;
    for (int i = 0; i < UNKNOWNS; i++) {
        own[i] = by->ahead[i] * (curvature * lt + torsion * lb) + by->sideways[i] * (torsion * lt + across * lb);
        next[i] = (end ? -by->sideways[i] : by->sideways[i]) -
                  (torsion * by->ahead[i] + across * by->sideways[i]) * ln - by->turning[i] * lt;
    }
}

/* What the unknowns of the contact at the other end of the straight line do to both equations. */
static void neighbour_terms(const taut_contact *c, int end, const taut_contact *other, double *first, double *second)
{
    double sign = end ? 1.0 : -1.0, motion[UNKNOWNS][3];
    for (int k = 0; k < 3; k++) {
        double tangent = other->tangent[1 - end][k], binormal = other->binormal[1 - end][k];
        motion[AHEAD][k] = tangent;
        motion[LENGTH][k] = end ? 0.0 : tangent;
        motion[SIDEWAYS][k] = (end ? 1.0 : other->end_shift[0]) * binormal;
        motion[ROTATION][k] = (end ? 0.0 : other->end_shift[1]) * binormal;
    }
    for (int i = 0; i < UNKNOWNS; i++) {
        first[i] = sign * dot3(motion[i], c->normal[end]);
        second[i] = sign * dot3(motion[i], c->binormal[end]);
    }
}

void taut_end_equations(const taut_piece *piece, int number, int end, int width, double *rows, double *residual)
{
    const taut_contact *c = piece->contact + number;
    double *own = rows + UNKNOWNS * number, *next = own + width, line[3];
    int neighbour = end ? number + 1 : number - 1, outer = neighbour < 0 || neighbour >= piece->contacts;
    const double *there = outer ? piece->ends[end] : piece->contact[neighbour].at[1 - end];
    for (int i = 0; i < 3; i++)
        line[i] = end ? there[i] - c->at[1][i] : c->at[0][i] - there[i];
    const end_motion by = motion_of(c, end);
    const taut_surface *groove = taut_groove_beside(piece, number, end);
    if (groove) {
        groove_equations(groove, c, end, &by, own, next, residual);
    } else if (outer && c->pinned[end]) {
        pinned_equations(c, end, &by, line, own, next, residual);
    } else {
        tangent_equations(c, end, &by, line, own, next, residual);
        if (outer)
            return;
        double *far = rows + UNKNOWNS * neighbour;
        neighbour_terms(c, end, piece->contact + neighbour, far, far + width);
    }
}
