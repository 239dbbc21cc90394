/* The search for the surfaces that a string touches. A straight string is given contacts one by one, in these states:

   PROPOSE  find a surface that the string runs through, and put a contact with it in
   SETTLE   make all contacts tangent: Newton's method, else a groove, else a chain
   DROP     leave a surface out, as no taut string was found over it and the others
   VERIFY   the string is free of all surfaces: has it slipped off one of them? */
#include "taut.h"

typedef enum { PROPOSE, SETTLE, DROP, VERIFY, FOUND, FAILED } search_state;

typedef struct {
    taut_piece *piece;
    int *penetrated, *order_matters;
    int *idle;    /* for each surface: times that it was proposed and the string lifted off again */
    int *met;     /* for each surface: times that it was proposed */
    int rounds;   /* left */
    int proposed; /* the surface that was proposed last, and where the string runs through it */
    taut_stretch stretch;
    taut_piece before; /* the string as it was then */
} search;

/* Whether the search looks at a surface. */
static int in_question(const search *of, int number)
{
    return of->piece->surface[number].status == AVAILABLE && of->idle[number] < MOST_IDLE;
}

static int find_penetrated(search *of)
{
    taut_piece *piece = of->piece;
    for (int rank = 0; rank < piece->surfaces; rank++)
        for (int i = 0; i < piece->surfaces; i++)
            if (piece->surface[i].rank == rank && in_question(of, i) && taut_penetrates(piece, i, &of->stretch)) {
                of->proposed = i;
                return 1;
            }
    return 0;
}

/* Whether the string runs through surfaces of higher rank as well: then another order may lead elsewhere. */
static int runs_through_others(const search *of)
{
    const taut_surface *surface = of->piece->surface;
    taut_stretch stretch;
    for (int i = 0; i < of->piece->surfaces; i++)
        if (surface[i].rank > surface[of->proposed].rank && in_question(of, i) &&
            taut_penetrates(of->piece, i, &stretch))
            return 1;
    return 0;
}

/* Whether the string runs through the proposed surface for a short straight stretch only. */
static int only_grazes(const search *of)
{
    const taut_stretch *stretch = &of->stretch;
    const taut_surface *s = of->piece->surface + of->proposed;
    if (stretch->first != stretch->last || stretch->first % 2 || stretch->first > 2 * of->piece->contacts)
        return 0;
    double a[3], b[3];
    taut_line(of->piece, s, stretch->first / 2, a, b);
    return (stretch->high - stretch->low) * distance3(a, b) < GRAZED * s->size[0];
}

/* Settle an arc that runs inside the proposed surface in the groove of both. */
static int settle_in_groove(search *of)
{
    const taut_stretch *stretch = &of->stretch;
    taut_stretch again;
    if (stretch->first != stretch->last || stretch->first % 2 == 0)
        return 0;
    taut_piece trial;
    taut_copy(&trial, of->piece);
    if (!taut_split_at_groove(&trial, stretch->first / 2, of->proposed, stretch->low, stretch->high) ||
        taut_penetrates(&trial, of->proposed, &again))
        return 0;
    taut_copy(of->piece, &trial);
    return 1;
}

/* A surface that the string runs through without touching it: ignored if only grazed, else left out. */
static search_state ignore_or_drop(search *of)
{
    of->idle[of->proposed] = MOST_IDLE;
    return only_grazes(of) ? PROPOSE : DROP;
}

/* The path over the proposed surface alone does not touch it, although the string runs through it. */
static search_state propose_untouched(search *of)
{
    const taut_surface *s = of->piece->surface + of->proposed;
    if (s->held_to_side && !taut_is_wound(s))
        return FAILED; /* no path above the edge of its half */
    if (!only_grazes(of) && (settle_in_groove(of) || taut_settle_by_chain(of->piece)))
        return PROPOSE;
    return ignore_or_drop(of);
}

static search_state propose(search *of)
{
    if (of->rounds-- == 0)
        return FAILED;
    if (!find_penetrated(of))
        return VERIFY;
    of->penetrated[of->proposed] = 1;
    if (!*of->order_matters)
        *of->order_matters = runs_through_others(of);
    taut_copy(&of->before, of->piece);
    if (++of->met[of->proposed] == MOST_MEETINGS) /* two surfaces take turns, each inside the other */
        return taut_settle_by_chain(of->piece) ? PROPOSE : DROP;
    switch (taut_insert(of->piece, of->proposed, &of->stretch)) {
    case INSERTED:
        return SETTLE;
    case DOES_NOT_TOUCH:
        return propose_untouched(of);
    default:
        return FAILED;
    }
}

static int touches(const taut_piece *piece, int number)
{
    for (int i = 0; i < piece->contacts; i++)
        if (piece->contact[i].surface == number)
            return 1;
    return 0;
}

/* By Newton's method from the inserted contact; or in a groove of the string as it was; or by a chain along the string
   that failed. */
static int settle_somehow(search *of)
{
    taut_piece inserted;
    taut_copy(&inserted, of->piece);
    if (taut_settle(of->piece))
        return 1;
    taut_copy(of->piece, &of->before);
    if (settle_in_groove(of))
        return 1;
    taut_copy(of->piece, &inserted);
    return taut_settle_by_chain(of->piece);
}

static search_state settle(search *of)
{
    if (!settle_somehow(of)) {
        taut_copy(of->piece, &of->before);
        return DROP;
    }
    if (touches(of->piece, of->proposed) || ++of->idle[of->proposed] < MOST_IDLE)
        return PROPOSE;
    return ignore_or_drop(of);
}

static search_state drop(search *of)
{
    of->piece->surface[of->proposed].status = LEFT_OUT;
    of->piece->left_out++;
    return PROPOSE;
}

static int in_groove_with(const taut_contact *c, int number)
{
    return taut_leads_into_groove(c) && (c->surface == number || c->groove_partner == number);
}

/* Where a contact and its grooves begin and end to touch a surface, which is its own or that of its groove. */
static void touched_range(const taut_piece *piece, int contact, int number, double *from, double *to)
{
    const taut_contact *c = piece->contact + contact;
    const double *frame = piece->surface[number].frame;
    int is_partner = number != c->surface;
    const double *first = is_partner ? c->at[1] : c->at[0], *last = c->at[1];
    if (contact && in_groove_with(c - 1, number))
        first = c[-1].at[1];
    if (in_groove_with(c, number))
        last = is_partner && c[1].surface == number ? c[1].at[1] : c[1].at[0];
    to_local(frame, first, from);
    to_local(frame, last, to);
}

/* The last surface off which the string has slipped: beyond the end of a cylinder, or to the wrong half of a torus. */
static int slipped_off(const taut_piece *piece)
{
    int found = NO_SURFACE;
    for (int i = 0; i < piece->contacts; i++) {
        const taut_contact *c = piece->contact + i;
        for (int partner = 0; partner < (taut_leads_into_groove(c) ? 2 : 1); partner++) {
            int number = partner ? c->groove_partner : c->surface;
            const taut_surface *s = piece->surface + number;
            double from[3], to[3];
            touched_range(piece, i, number, from, to);
            if (s->kind == WRAP_CYLINDER && fabs(from[2]) > s->half_length && fabs(to[2]) > s->half_length)
                found = number;
            if (s->kind == WRAP_TORUS && s->side && s->side * (from[s->axis] + to[s->axis]) < 0.0)
                found = number;
        }
    }
    return found;
}

/* Whether the string passes below the edge of a half that it is held to. */
static int below_an_edge(const taut_piece *piece)
{
    for (int i = 0; i < piece->contacts; i++) {
        const taut_surface *s = piece->surface + piece->contact[i].surface;
        if (s->held_to_side && !taut_is_wound(s) && taut_below_edge(s, piece->contact + i))
            return 1;
    }
    return 0;
}

static search_state verify(search *of)
{
    int slipped = slipped_off(of->piece);
    if (slipped == NO_SURFACE)
        return below_an_edge(of->piece) ? FAILED : FOUND;
    of->piece->surface[slipped].status = SLIPPED_OFF;
    taut_remove_surface(of->piece, slipped);
    return taut_settle(of->piece) ? PROPOSE : FAILED;
}

int taut_find_contacts(taut_piece *piece, int *penetrated, int *order_matters)
{
    int count = piece->surfaces, idle[count + 1], met[count + 1];
    search of;
    of.piece = piece;
    of.penetrated = penetrated;
    of.order_matters = order_matters;
    of.idle = idle;
    of.met = met;
    of.rounds = ROUNDS_PER_SURFACE * (count + 1);
    memset(idle, 0, sizeof idle);
    memset(met, 0, sizeof met);
    piece->contacts = piece->left_out = 0;
    for (int i = 0; i < count; i++)
        piece->surface[i].status = AVAILABLE;
    for (search_state state = PROPOSE;;)
        switch (state) {
        case PROPOSE:
            state = propose(&of);
            break;
        case SETTLE:
            state = settle(&of);
            break;
        case DROP:
            state = drop(&of);
            break;
        case VERIFY:
            state = verify(&of);
            break;
        case FOUND:
            return 1;
        case FAILED:
            return 0;
        }
}
