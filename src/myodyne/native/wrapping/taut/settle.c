/* Settling a piece: make its contacts tangent, and remove or change those of negative length, until none is left. */
#include "taut.h"

static void remove_contact(taut_piece *piece, int number)
{
    memmove(piece->contact + number, piece->contact + number + 1,
            sizeof(taut_contact) * (piece->contacts - number - 1));
    piece->contacts--;
}

/* Make one contact of two with the same surface. */
static void merge_with_next(taut_piece *piece, int number, double between)
{
    taut_contact *c = piece->contact + number, *next = c + 1;
    c->length += between + next->length;
    c->groove_partner = next->groove_partner;
    c->groove_length = next->groove_length;
    remove_contact(piece, number + 1);
}

/* Two contacts with the same surface, with nothing but a straight line between them, are one. */
static void merge_if_same(taut_piece *piece, int number)
{
    taut_contact *c = piece->contact + number, *next = c + 1;
    if (!taut_leads_into_groove(c) && c->surface == next->surface)
        merge_with_next(piece, number, distance3(c->at[1], next->at[0]));
}

void taut_remove_contact(taut_piece *piece, int number)
{
    remove_contact(piece, number);
    if (number >= 1 && number < piece->contacts)
        merge_if_same(piece, number - 1);
}

void taut_remove_surface(taut_piece *piece, int surface)
{
    for (int i = 0; i < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        if (taut_leads_into_groove(c) && (c->surface == surface || c->groove_partner == surface))
            c->groove_partner = NO_SURFACE;
    }
    for (int i = piece->contacts - 1; i >= 0; i--)
        if (piece->contact[i].surface == surface)
            remove_contact(piece, i);
    for (int i = piece->contacts - 2; i >= 0; i--)
        merge_if_same(piece, i);
}

/* Put a contact at a groove onto the groove's other surface; `into` tells whether it leads into the groove or out. */
static void swap_groove_surfaces(taut_piece *piece, int number, int into)
{
    taut_contact *c = piece->contact + number, *before = into ? c : c - 1;
    int other = before->surface == c->surface ? before->groove_partner : before->surface;
    const taut_surface *s = piece->surface + other;
    to_local(s->frame, c->at[into], c->start);
    turn_to_local(s->frame, c->tangent[into], c->start_direction);
    taut_project(s, c->start, c->start_direction);
    c->length = 0.0;
    if (into)
        c->groove_partner = c->surface;
    c->surface = other;
}

/* A contact of negative length: between two grooves, they become one; at one groove, it moves to the other surface; all
   others are removed. */
static void lift_off(taut_piece *piece, int number)
{
    taut_contact *c = piece->contact + number;
    int into = taut_leads_into_groove(c), out = number > 0 && taut_leads_into_groove(c - 1);
    if (into != out) {
        swap_groove_surfaces(piece, number, into);
        return;
    }
    if (into)
        c[-1].groove_length += c->groove_length + c->length;
    taut_remove_contact(piece, number);
}

typedef enum { ALL_MEASURED, ONE_REMOVED, NOT_A_GROOVE } groove_outcome;

/* Measure all grooves; remove the first of negative length. */
static groove_outcome measure_grooves(taut_piece *piece)
{
    for (int i = 0; i + 1 < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        if (!taut_leads_into_groove(c))
            continue;
        if (!taut_measure_groove(piece, c))
            return NOT_A_GROOVE;
        if (!(c->groove_length < 0.0))
            continue;
        if (c->surface == c[1].surface)
            merge_with_next(piece, i, c->groove_length);
        else
            c->groove_partner = NO_SURFACE;
        return ONE_REMOVED;
    }
    return ALL_MEASURED;
}

static void pin_ends(taut_piece *piece)
{
    for (int i = 0; i < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        c->pinned[0] = i == 0 && piece->surface[c->surface].pinned[0];
        c->pinned[1] = i == piece->contacts - 1 && piece->surface[c->surface].pinned[1];
    }
}

/* The contact of the most negative length; -1 if there is none. */
static int most_negative(const taut_piece *piece)
{
    int worst = -1;
    double least = 0.0;
    for (int i = 0; i < piece->contacts; i++)
        if (piece->contact[i].length < least) {
            least = piece->contact[i].length;
            worst = i;
        }
    return worst;
}

int taut_settle(taut_piece *piece)
{
    /* Each round removes a contact or a groove, or moves a contact to the other surface of its groove. */
    for (int round = 0; round < 2 * MOST_CONTACTS; round++) {
        pin_ends(piece);
        if (!taut_newton(piece))
            return 0;
        int negative = most_negative(piece);
        if (negative >= 0) {
            lift_off(piece, negative);
            continue;
        }
        groove_outcome outcome = measure_grooves(piece);
        if (outcome != ONE_REMOVED)
            return outcome == ALL_MEASURED;
    }
    return 0;
}

/* The share of a contact's length, between two, at which it is deepest inside another surface. */
static double deepest_share(const taut_surface *own, const taut_contact *c, const taut_surface *s, double low,
                            double high)
{
    for (int iteration = 0; iteration < DEEPEST_ITERATIONS; iteration++) {
        double third = (high - low) / 3.0, out[2];
        for (int k = 0; k < 2; k++) {
            double x[3], direction[3], world[3];
            taut_geodesic_point(own, c, (low + (1 + k) * (high - low) / 3.0) * c->length, x, direction);
            to_world(own->frame, x, world);
            to_local(s->frame, world, x);
            out[k] = taut_distance(s, x);
        }
        if (out[0] < out[1])
            high -= third;
        else
            low += third;
    }
    return low;
}

int taut_split_at_groove(taut_piece *piece, int number, int surface, double low, double high)
{
    taut_contact *c = piece->contact + number, rest = *c;
    const taut_surface *s = piece->surface + surface, *own = piece->surface + c->surface;
    if (piece->contacts == MOST_CONTACTS || s->kind == WRAP_TORUS || own->kind == WRAP_TORUS)
        return 0;
    double deepest = deepest_share(own, c, s, low, high);
    taut_geodesic_point(own, c, deepest * c->length, rest.start, rest.start_direction);
    rest.length = (1.0 - deepest) * c->length;
    c->length *= deepest;
    c->groove_partner = surface;
    c->groove_length = 0.0;
    memmove(c + 2, c + 1, sizeof(taut_contact) * (piece->contacts - number - 1));
    c[1] = rest;
    piece->contacts++;
    return taut_settle(piece);
}
