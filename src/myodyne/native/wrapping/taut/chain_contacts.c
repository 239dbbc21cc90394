/* Contacts from a chain pulled tight: where Newton's method fails from the first guess, what the chain touches is a
   better one. Between two surfaces that follow each other at once, the string may be straight or lie in a groove; which
   of them is tried. */
#include "taut.h"

/* A first guess of a contact from the nodes that touch. */
static void guess_contact(const taut_piece *piece, taut_chain chain, const taut_touch *touch, taut_contact *c)
{
    const taut_surface *s = piece->surface + touch->surface;
    int single = touch->first == touch->last;
    const double *a = chain[single ? touch->first - 1 : touch->first], *b = chain[touch->first + 1];
    double line[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    to_local(s->frame, chain[touch->first], c->start);
    turn_to_local(s->frame, line, c->start_direction);
    taut_project(s, c->start, c->start_direction);
    c->length = single ? SINGLE_NODE * distance3(a, b) : 0.0;
    for (int k = touch->first; k < touch->last; k++)
        c->length += distance3(chain[k], chain[k + 1]);
    c->surface = touch->surface;
    c->groove_partner = NO_SURFACE;
    c->groove_length = 0.0;
}

/* Where a contact enters a groove, or leaves one. */
typedef struct {
    const taut_surface *surface, *other; /* the surface of the contact, and the other one of the groove */
    int end;                             /* of the contact, at the groove: 1 if it enters, 0 if it leaves */
    const double *outer;                 /* the point beyond the other end of the contact */
    int outer_pinned;
    int nodes[2]; /* of the chain: the first in the groove and the last */
} groove_entry;

/* The contact from the outer point to a point of the groove, and its angle to the groove there. */
static int entry_angle(const groove_entry *entry, const double *x, const double *direction, taut_contact *c,
                       double *angle)
{
    int end = entry->end;
    taut_piece alone;
    alone.ends[1 - end] = entry->outer;
    alone.ends[end] = x;
    alone.surface = (taut_surface *)entry->surface;
    alone.surfaces = alone.contacts = 1;
    alone.contact[0] = *c;
    alone.contact[0].surface = 0;
    alone.contact[0].groove_partner = NO_SURFACE;
    alone.contact[0].pinned[end] = 1;
    alone.contact[0].pinned[1 - end] = entry->outer_pinned;
    if (!taut_newton(&alone))
        return 0;
    const taut_contact *found = alone.contact;
    *angle = atan2(dot3(direction, found->binormal[end]), dot3(direction, found->tangent[end]));
    copy3(c->start, found->start);
    copy3(c->start_direction, found->start_direction);
    c->length = found->length;
    return 1;
}

/* Improve the guess of a contact at a groove: move the point `x` along the groove, by the secant method, until contact
   and groove have the same direction there. */
static int find_entry(const groove_entry *entry, double *x, const double *ahead, taut_contact *c)
{
    const taut_surface *s = entry->surface, *other = entry->other;
    double direction[3], angle, last = 0.0, moved = 0.0;
    double size = s->size[0] < other->size[0] ? s->size[0] : other->size[0], most = ENTRY_LONGEST_STEP * size;
    copy3(direction, ahead);
    if (!taut_groove_advance(s, other, 0.0, x, direction))
        return 0;
    for (int iteration = 0; iteration < ENTRY_ITERATIONS; iteration++) {
        if (!entry_angle(entry, x, direction, c, &angle))
            return 0;
        if (fabs(angle) < ENTRY_FOUND)
            return 1;
        double by = iteration ? -moved * angle / (angle - last) : ENTRY_FIRST_STEP * size;
        if (!(fabs(by) < most))
            by = by < 0.0 ? -most : most;
        if (!taut_groove_advance(s, other, by, x, direction))
            return 0;
        last = angle;
        moved = by;
    }
    return 0;
}

/* Where the search for entries and exits begins: at the nodes of the chain; the exit where the entry was found; the
   entry where the exit was found; or both in the middle between the nodes. */
typedef enum { AT_NODES, EXIT_AFTER_ENTRY, ENTRY_AFTER_EXIT, IN_THE_MIDDLE, ENTRY_STARTS } entry_start;

/* The entry of a contact; 0 if it is at no groove, or between two. */
static int entry_of(const taut_piece *piece, taut_chain chain, const taut_touch *touch, int number, groove_entry *entry)
{
    const taut_contact *c = piece->contact + number;
    int into = taut_leads_into_groove(c), out = number && taut_leads_into_groove(c - 1);
    if (into == out)
        return 0;
    int far = into ? number - 1 : number + 1, outermost = far < 0 || far >= piece->contacts;
    entry->end = into;
    entry->surface = piece->surface + c->surface;
    entry->other = taut_groove_beside(piece, number, into);
    entry->outer = outermost ? piece->ends[1 - into] : chain[into ? touch[far].last : touch[far].first];
    entry->outer_pinned = outermost && entry->surface->pinned[1 - into];
    entry->nodes[0] = touch[into ? number : number - 1].last;
    entry->nodes[1] = touch[into ? number + 1 : number].first;
    return 1;
}

/* A point of the groove near the node at its far end, or else near the contact's own node. */
static void first_point(const groove_entry *entry, taut_chain chain, entry_start start, double *x)
{
    const double *first = chain[entry->nodes[0]], *last = chain[entry->nodes[1]];
    for (int attempt = 0; attempt < 2; attempt++) {
        copy3(x, attempt == entry->end ? first : last);
        for (int i = 0; i < 3 && start == IN_THE_MIDDLE; i++)
            x[i] = 0.5 * (first[i] + last[i]);
        if (taut_groove_nearest(entry->surface, entry->other, x))
            return;
    }
}

/* Improve the guesses of all contacts at grooves; whether all were found. */
static int find_entries(taut_piece *piece, taut_chain chain, const taut_touch *touch, entry_start start)
{
    double found[MOST_CONTACTS][3];
    int all = 1;
    for (int i = 0; i < piece->contacts; i++)
        copy3(found[i], chain[touch[i].last]);
    for (int n = 0; n < piece->contacts; n++) {
        int i = start == ENTRY_AFTER_EXIT ? piece->contacts - 1 - n : n;
        groove_entry entry;
        if (!entry_of(piece, chain, touch, i, &entry))
            continue;
        double x[3], ahead[3];
        for (int k = 0; k < 3; k++)
            ahead[k] = chain[entry.nodes[1] + 1][k] - chain[entry.nodes[0] - 1][k];
        first_point(&entry, chain, start, x);
        if (start == EXIT_AFTER_ENTRY && !entry.end)
            copy3(x, found[i - 1]);
        if (start == ENTRY_AFTER_EXIT && entry.end)
            copy3(x, found[i + 1]);
        all &= find_entry(&entry, x, ahead, piece->contact + i);
        copy3(found[i], x);
    }
    return all;
}

/* In which sense the string winds about a cylinder; zero if it does not touch it. */
static double winding_sense(const taut_piece *piece, int number)
{
    for (int i = 0; i < piece->contacts; i++) {
        const taut_contact *c = piece->contact + i;
        if (c->surface == number)
            return c->start[0] * c->start_direction[1] - c->start[1] * c->start_direction[0] < 0.0 ? -1.0 : 1.0;
    }
    return 0.0;
}

/* Whether the string has kept to the front of all cylinders that it is held to. */
static int keeps_sides(const taut_piece *piece, const double *senses)
{
    taut_stretch stretch;
    for (int i = 0; i < piece->surfaces; i++) {
        const taut_surface *s = piece->surface + i;
        if (!s->held_to_side || s->status != AVAILABLE || s->kind != WRAP_CYLINDER)
            continue;
        double sense = winding_sense(piece, i);
        if (sense != 0.0 ? sense != senses[i] : senses[i] != 0.0 && taut_penetrates(piece, i, &stretch))
            return 0;
    }
    return 1;
}

static int penetrates_none(const taut_piece *piece)
{
    taut_stretch stretch;
    for (int i = 0; i < piece->surfaces; i++)
        if (piece->surface[i].status == AVAILABLE && taut_penetrates(piece, i, &stretch))
            return 0;
    return 1;
}

/* Whether a guess settles to a string that is free, keeps its sides, and is shorter than the best. */
static int settles_better(taut_piece *trial, const double *senses, double best)
{
    return taut_settle(trial) && penetrates_none(trial) && keeps_sides(trial, senses) && taut_length(trial) < best;
}

/* Of three contacts with grooves between them, remove the middle one: the groove goes on. Whether there was one. */
static int join_grooves(taut_piece *piece, taut_touch *touch)
{
    for (int i = 0; i + 2 < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        if (!taut_leads_into_groove(c) || !taut_leads_into_groove(c + 1) || c->surface != c[2].surface)
            continue;
        c->groove_length += c[1].groove_length;
        taut_remove_contact(piece, i + 1);
        memmove(touch + i + 1, touch + i + 2, sizeof(taut_touch) * (piece->contacts - i - 1));
        return 1;
    }
    return 0;
}

/* Contacts of a chain, and the links: those after which the next surface follows at once. */
typedef struct {
    taut_touch touch[MOST_CONTACTS];
    int count, link[MOST_LINKS], links;
} chain_contacts;

static void find_links(const taut_piece *piece, chain_contacts *of)
{
    const taut_touch *touch = of->touch;
    of->links = 0;
    for (int i = 0; i + 1 < of->count && of->links < MOST_LINKS; i++)
        if (touch[i + 1].first - touch[i].last <= LINK_GAP && piece->surface[touch[i].surface].kind != WRAP_TORUS &&
            piece->surface[touch[i + 1].surface].kind != WRAP_TORUS)
            of->link[of->links++] = i;
}

/* Guess all contacts, with grooves at the links whose bits are set. */
static void guess_contacts(const taut_piece *piece, taut_chain chain, const chain_contacts *of, int grooves,
                           taut_piece *trial)
{
    trial->contacts = of->count;
    for (int i = 0; i < of->count; i++)
        guess_contact(piece, chain, of->touch + i, trial->contact + i);
    for (int k = 0; k < of->links; k++) {
        if (!(grooves >> k & 1))
            continue;
        const taut_touch *before = of->touch + of->link[k], *after = before + 1;
        taut_contact *c = trial->contact + of->link[k];
        c->groove_partner = after->surface;
        for (int n = before->last; n < after->first; n++)
            c->groove_length += distance3(chain[n], chain[n + 1]);
    }
}

/* Settle a guess from all starts of its entries, and again with grooves joined; the best so far is kept in `piece`. */
static void settle_guess(taut_piece *piece, taut_chain chain, taut_touch *touch, const double *senses,
                         taut_piece *trial, int starts, double *best)
{
    do {
        for (int start = 0, done = 0; start < starts && !done; start++) {
            taut_piece rest;
            taut_copy(&rest, trial);
            if (!find_entries(&rest, chain, touch, start) && start != AT_NODES)
                continue;
            done = settles_better(&rest, senses, *best);
            if (done) {
                *best = taut_length(&rest);
                taut_copy(piece, &rest);
            }
        }
    } while (join_grooves(trial, touch));
}

/* Settle the string from the contacts of the chain: straight between them if that succeeds, else with grooves. */
static int settle_from_chain(taut_piece *piece, taut_chain chain, double near, const double *senses)
{
    chain_contacts found;
    found.count = taut_read_chain(piece, chain, near, found.touch);
    if (found.count <= 0)
        return 0;
    find_links(piece, &found);
    taut_piece trial;
    taut_copy(&trial, piece);
    double best = INFINITY;
    int combinations = 1 << found.links, too_many = found.links > ALL_LINKS;
    for (int grooves = 0; grooves < combinations && !(best < INFINITY && grooves == 1); grooves++) {
        if (too_many && grooves && grooves + 1 < combinations)
            continue;
        guess_contacts(piece, chain, &found, grooves, &trial);
        taut_touch touch[MOST_CONTACTS];
        memcpy(touch, found.touch, sizeof touch);
        settle_guess(piece, chain, touch, senses, &trial, grooves ? ENTRY_STARTS : 1, &best);
    }
    return best < INFINITY;
}

int taut_settle_by_chain(taut_piece *piece)
{
    taut_chain chain;
    double senses[piece->surfaces + 1];
    for (int i = 0; i < piece->surfaces; i++)
        senses[i] = winding_sense(piece, i);
    if (taut_lay_chain(piece, chain) > CHAIN_HOPELESS * piece->limit || !taut_tighten_chain(piece, chain))
        return 0;
    return settle_from_chain(piece, chain, CHAIN_TOUCHES, senses) ||
           settle_from_chain(piece, chain, CHAIN_TOUCHES_NEARLY, senses);
}
