/* The shortest string of a piece: the search is run with surfaces in every order, and with the other path round
   cylinders and over ellipsoids where that may be shorter. */
#include "taut.h"

typedef struct {
    taut_piece *trial, *best;
    int *penetrated;   /* for each surface: whether some string ran through it */
    int order_matters; /* in the last search */
    int skip_first;    /* the first order is known already */
    int tries;         /* orders left */
} attempts;

static int is_better(const taut_piece *trial, double length, const taut_piece *best)
{
    if (trial->left_out != best->left_out)
        return trial->left_out < best->left_out;
    /* With surfaces left out, the longer string has left out less. */
    return trial->left_out ? length > best->length : length < best->length;
}

static void attempt(attempts *of)
{
    taut_piece *trial = of->trial, *best = of->best;
    of->order_matters = 0;
    trial->limit = best->left_out ? INFINITY : best->length;
    if (!taut_find_contacts(trial, of->penetrated, &of->order_matters))
        return;
    double length = taut_length(trial);
    if (!is_better(trial, length, best))
        return;
    best->left_out = trial->left_out;
    best->contacts = trial->contacts;
    best->length = length;
    memcpy(best->contact, trial->contact, sizeof(taut_contact) * trial->contacts);
    for (int i = 0; i < trial->surfaces; i++)
        best->surface[i].status = trial->surface[i].status;
}

static void swap(int *row, int i, int k)
{
    int kept = row[i];
    row[i] = row[k];
    row[k] = kept;
}

/* Try all orders of some surfaces, from a place in the row on. */
static void try_orders(attempts *of, int *surfaces, int count, int from)
{
    if (from < count) {
        for (int i = from; i < count; i++) {
            swap(surfaces, from, i);
            try_orders(of, surfaces, count, from + 1);
            swap(surfaces, from, i);
        }
        return;
    }
    if (of->skip_first) {
        of->skip_first = 0;
        return;
    }
    for (int i = 0; i < count; i++)
        of->trial->surface[surfaces[i]].rank = i;
    if (--of->tries < 0)
        return;
    attempt(of);
    if (!of->order_matters)
        of->tries = 0; /* all other orders lead to the same string */
}

/* Whether the other path round a cylinder alone is shorter than the best string: it may be part of a better one. */
static int other_side_may_be_shorter(const taut_piece *piece, const taut_surface *s, double best)
{
    if (s->kind != WRAP_CYLINDER || s->held_to_side || s->status != AVAILABLE)
        return 0;
    double a[3], b[3], winding;
    taut_contact over;
    to_local(s->frame, piece->ends[0], a);
    to_local(s->frame, piece->ends[1], b);
    winding = remainder(taut_angle(s, b) - taut_angle(s, a), FULL_TURN);
    if (!taut_over_surface(s, a, b, s->pinned, winding - copysign(FULL_TURN, winding), &over))
        return 0;
    taut_evaluate(s, &over, GEODESIC_ERROR);
    return distance3(piece->ends[0], over.at[0]) + over.length + distance3(over.at[1], piece->ends[1]) < best;
}

/* Surfaces in a row: first those that were penetrated, then the others; returns how many were. */
static int penetrated_first(const int *penetrated, int count, int *row)
{
    int place = 0, several;
    for (int i = 0; i < count; i++)
        if (penetrated[i])
            row[place++] = i;
    several = place;
    for (int i = 0; i < count; i++)
        if (!penetrated[i])
            row[place++] = i;
    return several;
}

/* Try every order of the penetrated surfaces, with every combination of their alternatives. */
static void try_alternatives(attempts *of)
{
    taut_piece *trial = of->trial;
    int count = trial->surfaces, row[count + 1], flips[2 * count], flipping = 0;
    int several = penetrated_first(of->penetrated, count, row);
    if (several < 2)
        return;
    for (int i = 0; i < count; i++)
        if (of->penetrated[i] && other_side_may_be_shorter(of->best, trial->surface + i, of->best->length))
            flips[flipping++] = i;
    for (int choice = 0; choice < 1 << (flipping < MOST_ALTERNATIVES ? flipping : MOST_ALTERNATIVES); choice++) {
        for (int i = 0; i < flipping; i++)
            trial->surface[flips[i]].takes_runner_up = choice >> i & 1;
        for (int i = several; i < count; i++)
            trial->surface[row[i]].rank = i;
        of->tries = MOST_ORDERS;
        of->skip_first = choice == 0;
        if (choice || of->order_matters)
            try_orders(of, row, several, 0);
        /* The searches so far have shown over which ellipsoids a second path is hardly longer. */
        for (int i = 0; i < count && choice == 0; i++)
            if (trial->surface[i].near_tie)
                flips[flipping++] = i;
    }
}

static int penetrates_any(const taut_piece *piece)
{
    taut_stretch stretch;
    for (int i = 0; i < piece->surfaces; i++)
        if (taut_penetrates(piece, i, &stretch))
            return 1;
    return 0;
}

/* The straight line between the ends. */
static void go_straight(taut_piece *piece, taut_status status)
{
    for (int i = 0; i < piece->surfaces; i++)
        piece->surface[i].status = status;
    piece->contacts = piece->left_out = 0;
    piece->length = taut_length(piece);
}

void taut_shortest(taut_piece *piece)
{
    int count = piece->surfaces, penetrated[count + 1], held = 0;
    piece->contacts = 0;
    piece->length = INFINITY;
    piece->left_out = count + 1;
    for (int i = 0; i < count; i++) {
        taut_surface *s = piece->surface + i;
        s->rank = i;
        s->takes_runner_up = s->near_tie = penetrated[i] = 0;
        held |= s->held_to_side && !taut_is_wound(s);
    }
    if (!penetrates_any(piece)) {
        go_straight(piece, AVAILABLE);
        return;
    }
    taut_surface copies[count];
    taut_piece trial;
    memcpy(copies, piece->surface, sizeof copies);
    trial.ends[0] = piece->ends[0];
    trial.ends[1] = piece->ends[1];
    trial.surface = copies;
    trial.surfaces = count;
    attempts of = {&trial, piece, penetrated, 0, 0, 0};
    attempt(&of);
    try_alternatives(&of);
    /* No string is taut over any of them: all are left out. Held to a half, the caller has another path. */
    if (piece->length == INFINITY && !held)
        go_straight(piece, LEFT_OUT);
}
