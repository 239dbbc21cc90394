/* Putting a contact with a surface into a piece, where the string runs through the surface. */
#include "taut.h"

/* What is left of the string on one side of the stretch. */
typedef struct {
    int has_arc; /* whether the stretch begins, or ends, within an arc of which something is left */
    taut_contact arc;
    double end[3]; /* where the new contact's path begins, or ends, in the frame of the new surface */
} remainder_of_piece;

static void cut_before(const taut_piece *piece, const taut_surface *s, const taut_stretch *stretch,
                       remainder_of_piece *before)
{
    double x[3], world[3];
    int number = stretch->first / 2;
    before->has_arc = 0;
    if (stretch->first % 2 == 0) {
        taut_line(piece, s, number, before->end, x);
        return;
    }
    taut_contact *arc = &before->arc;
    *arc = piece->contact[number];
    const taut_surface *own = piece->surface + arc->surface;
    arc->length *= stretch->low;
    arc->groove_partner = NO_SURFACE;
    taut_geodesic_point(own, arc, arc->length, x, world);
    to_world(own->frame, x, world);
    to_local(s->frame, world, before->end);
    before->has_arc = stretch->low > 0.0;
}

static void cut_after(const taut_piece *piece, const taut_surface *s, const taut_stretch *stretch,
                      remainder_of_piece *after)
{
    double x[3], world[3];
    int number = stretch->last / 2;
    after->has_arc = 0;
    if (stretch->last % 2 == 0) {
        taut_line(piece, s, number, x, after->end);
        return;
    }
    taut_contact *arc = &after->arc;
    *arc = piece->contact[number];
    const taut_surface *own = piece->surface + arc->surface;
    taut_move_start(own, arc, stretch->high * arc->length);
    arc->length *= 1.0 - stretch->high;
    to_world(own->frame, arc->start, world);
    to_local(s->frame, world, after->end);
    after->has_arc = stretch->high < 1.0;
}

/* The angle by which the new contact's path winds about a cylinder or a torus's core. */
static double wanted_winding(const taut_surface *s, const double *a, const double *b)
{
    double winding = taut_angle(s, b) - taut_angle(s, a);
    if (!s->held_to_side)
        winding = remainder(winding, FULL_TURN);
    if (s->takes_runner_up)
        winding -= copysign(FULL_TURN, winding);
    return winding;
}

taut_insertion taut_insert(taut_piece *piece, int number, const taut_stretch *stretch)
{
    taut_surface *s = piece->surface + number;
    remainder_of_piece before, after;
    taut_contact fresh;
    cut_before(piece, s, stretch, &before);
    cut_after(piece, s, stretch, &after);
    int pinned[2] = {stretch->first == 0 && s->pinned[0], stretch->last == 2 * piece->contacts && s->pinned[1]};
    double winding = wanted_winding(s, before.end, after.end);
    if (!taut_over_surface(s, before.end, after.end, pinned, winding, &fresh))
        return DOES_NOT_TOUCH;
    fresh.surface = number;
    fresh.groove_partner = NO_SURFACE;
    if (s->kind == WRAP_ELLIPSOID && fresh.runner_up_gap < NEAR_TIE * distance3(before.end, after.end))
        s->near_tie = 1;
    int kept = stretch->first / 2, rest = (stretch->last + 1) / 2, tail = piece->contacts - rest;
    int place = kept + before.has_arc, next = place + 1 + after.has_arc;
    if (next + tail > MOST_CONTACTS)
        return NO_ROOM;
    memmove(piece->contact + next, piece->contact + rest, sizeof(taut_contact) * tail);
    if (before.has_arc)
        piece->contact[kept] = before.arc;
    piece->contact[place] = fresh;
    if (after.has_arc)
        piece->contact[place + 1] = after.arc;
    piece->contacts = next + tail;
    return INSERTED;
}
