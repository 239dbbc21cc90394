/* Where a string runs through a surface: straight lines in closed form, arcs by samples. */
#include "taut.h"

/* The part of a straight line inside a surface, as shares of its length. */
static int line_inside(const taut_surface *s, const double *a, const double *b, const int *pinned, double *low,
                       double *high)
{
    if (s->kind == WRAP_TORUS) {
        double nearest[3], length = distance3(a, b);
        if (!(length > 0.0) || !(taut_torus_distance(s, a, b, nearest) < s->size[0] * (1.0 - TORUS_TOUCHED)))
            return 0;
        *low = *high = distance3(a, nearest) / length;
        return 1;
    }
    /* In units of the half axes: |a + t d| = 1. */
    double aa = 0.0, ad = 0.0, dd = 0.0;
    for (int i = 0; i < (s->kind == WRAP_CYLINDER ? 2 : 3); i++) {
        double radius = s->size[s->kind == WRAP_ELLIPSOID ? i : 0], x = a[i] / radius, d = (b[i] - a[i]) / radius;
        aa += x * x;
        ad += x * d;
        dd += d * d;
    }
    if (pinned[0])
        aa = 1.0;
    if (pinned[1])
        aa = 1.0 - 2.0 * ad - dd;
    double square = ad * ad - dd * (aa - 1.0);
    if (!(dd > 0.0) || !(ad < 0.0) || !(-ad < dd) || !(square > QUADRIC_TOUCHED * dd))
        return 0;
    *low = (-ad - sqrt(square)) / dd;
    *high = (-ad + sqrt(square)) / dd;
    if (*low < 0.0)
        *low = 0.0;
    if (*high > 1.0)
        *high = 1.0;
    return 1;
}

/* Whether a contact begins or ends in a groove with a surface, and so touches it there. */
static int shares_groove(const taut_piece *piece, const taut_contact *c, int number)
{
    if (c->groove_partner == number)
        return 1;
    return c > piece->contact && taut_leads_into_groove(c - 1) &&
           (c[-1].groove_partner == number || c[-1].surface == number);
}

/* Points and directions along an arc, in the frame of another surface. */
typedef struct {
    double point[ARC_SAMPLES + 1][3], direction[ARC_SAMPLES + 1][3], step;
} arc_samples;

static void sample_arc(const taut_surface *own, const taut_contact *c, const taut_surface *s, arc_samples *arc)
{
    taut_contact here = *c;
    arc->step = c->length / ARC_SAMPLES;
    for (int k = 0; k <= ARC_SAMPLES; k++) {
        double world[3];
        taut_move_start(own, &here, k ? arc->step : 0.0);
        to_world(own->frame, here.start, world);
        to_local(s->frame, world, arc->point[k]);
        turn_to_world(own->frame, here.start_direction, world);
        turn_to_local(s->frame, world, arc->direction[k]);
    }
}

/* The cubic between a sample and the next. */
static void cubic(const arc_samples *arc, int k, double t, double *x)
{
    for (int i = 0; i < 3; i++) {
        double a = arc->point[k][i], b = arc->point[k + 1][i];
        double u = arc->step * arc->direction[k][i], v = arc->step * arc->direction[k + 1][i];
        x[i] = a + t * (u + t * (3.0 * (b - a) - 2.0 * u - v + t * (2.0 * (a - b) + u + v)));
    }
}

/* Where an arc on another surface runs inside this one: the last sample before and the first after, as shares. */
static int arc_inside(const taut_piece *piece, int number, const taut_contact *c, double *low, double *high)
{
    const taut_surface *s = piece->surface + number;
    double depth = (shares_groove(piece, c, number) ? ARC_DEPTH_AT_GROOVE : ARC_DEPTH) * s->size[0], x[3];
    int first = -1, last = -1;
    arc_samples arc;
    sample_arc(piece->surface + c->surface, c, s, &arc);
    for (int k = 0; k < ARC_SAMPLES; k++)
        for (int part = 0; part <= ARC_PARTS; part++) {
            cubic(&arc, k, 1.0 / ARC_PARTS * part, x);
            if (!(taut_distance(s, x) < -depth))
                continue;
            if (first < 0)
                first = part ? k : (k ? k - 1 : 0);
            last = part < ARC_PARTS ? k + 1 : (k + 2 < ARC_SAMPLES ? k + 2 : ARC_SAMPLES);
        }
    if (first < 0)
        return 0;
    *low = taut_distance(s, arc.point[first]) > 0.0 ? (double)first / ARC_SAMPLES : 0.0;
    *high = taut_distance(s, arc.point[last]) > 0.0 ? (double)last / ARC_SAMPLES : 1.0;
    return 1;
}

void taut_line(const taut_piece *piece, const taut_surface *s, int number, double *a, double *b)
{
    to_local(s->frame, number ? piece->contact[number - 1].at[1] : piece->ends[0], a);
    to_local(s->frame, number < piece->contacts ? piece->contact[number].at[0] : piece->ends[1], b);
}

/* The same for a straight line of a piece, which may also pass behind the surface; a groove is no line. */
static int element_line_inside(const taut_piece *piece, int number, int i, double *low, double *high)
{
    const taut_surface *s = piece->surface + number;
    const taut_contact *before = i > 0 ? piece->contact + i - 1 : 0;
    const taut_contact *after = i < piece->contacts ? piece->contact + i : 0;
    int pinned[2] = {!before && s->pinned[0], !after && s->pinned[1]}, behind = 0;
    double a[3], b[3];
    if (before && (before->surface == number || taut_leads_into_groove(before)))
        return 0;
    if (after && after->surface == number)
        return 0;
    taut_line(piece, s, i, a, b);
    if (line_inside(s, a, b, pinned, low, high))
        return 1;
    if (s->held_to_side && taut_is_wound(s))
        taut_winding(s, a, b, &behind);
    if (behind)
        *low = *high = 0.5;
    return behind;
}

int taut_penetrates(const taut_piece *piece, int number, taut_stretch *stretch)
{
    int found = 0;
    for (int element = 0; element <= 2 * piece->contacts; element++) {
        const taut_contact *c = piece->contact + element / 2;
        double low = 0.0, high = 1.0;
        int inside = element % 2 ? c->surface != number && arc_inside(piece, number, c, &low, &high)
                                 : element_line_inside(piece, number, element / 2, &low, &high);
        /* The stretch goes on only where one element ends inside and the next begins inside. */
        if (found && !(inside && stretch->high == 1.0 && low == 0.0))
            return 1;
        if (!inside)
            continue;
        if (!found) {
            stretch->first = element;
            stretch->low = low;
        }
        stretch->last = element;
        stretch->high = high;
        found = 1;
        if (high < 1.0)
            return 1;
    }
    return found;
}

int taut_line_penetrates(const taut_surface *s, const double *const *ends)
{
    double a[3], b[3], low, high;
    int behind = 0;
    to_local(s->frame, ends[0], a);
    to_local(s->frame, ends[1], b);
    if (s->held_to_side && taut_is_wound(s))
        taut_winding(s, a, b, &behind);
    return behind || line_inside(s, a, b, s->pinned, &low, &high);
}
