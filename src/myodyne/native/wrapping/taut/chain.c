/* A chain of nodes over all surfaces. It needs no guess of the contacts, only of the side on which it passes them: laid
   along a string that fails to settle and pulled tight, it shows what the string touches, and where grooves are. */
#include "taut.h"

/* The lengths of a piece at which its elements begin: straight lines even, arcs odd. Returns the whole length. */
static double element_starts(taut_piece *piece, double *start)
{
    const double *here = piece->ends[0];
    double whole = 0.0;
    int last = 2 * piece->contacts;
    for (int i = 0; i < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        taut_evaluate(piece->surface + c->surface, c, GUESS_ERROR);
        start[2 * i] = whole;
        whole += distance3(here, c->at[0]);
        start[2 * i + 1] = whole;
        whole += c->length;
        here = c->at[1];
    }
    start[last] = whole;
    whole += distance3(here, piece->ends[1]);
    start[last + 1] = whole;
    return whole;
}

/* A point of the straight line before a contact, at a length of the piece. */
static void point_on_line(const taut_piece *piece, int number, const double *start, double at, double *x)
{
    const double *a = number ? piece->contact[number - 1].at[1] : piece->ends[0];
    const double *b = number < piece->contacts ? piece->contact[number].at[0] : piece->ends[1];
    double length = start[1] - start[0], share = length > 0.0 ? (at - start[0]) / length : 0.0;
    for (int i = 0; i < 3; i++)
        x[i] = a[i] + share * (b[i] - a[i]);
}

/* Lay the chain along a piece in equal links; returns its length. */
double taut_lay_chain(taut_piece *piece, taut_chain chain)
{
    double start[2 * MOST_CONTACTS + 2], whole = element_starts(piece, start), reached = 0.0;
    int elements = 2 * piece->contacts + 1, element = 0, last = -1;
    taut_contact here = {0}; /* the rest of the arc, from the last node on: cheaper than from its start each time */
    for (int k = 0; k <= CHAIN_NODES + 1; k++) {
        double at = whole * k / (CHAIN_NODES + 1);
        while (element + 1 < elements && start[element + 1] <= at)
            element++;
        if (element % 2 == 0) {
            point_on_line(piece, element / 2, start + element, at, chain[k]);
            continue;
        }
        if (last != element) {
            here = piece->contact[element / 2];
            reached = start[element];
            last = element;
        }
        const taut_surface *s = piece->surface + here.surface;
        taut_move_start(s, &here, at - reached);
        to_world(s->frame, here.start, chain[k]);
        reached = at;
    }
    copy3(chain[0], piece->ends[0]);
    copy3(chain[CHAIN_NODES + 1], piece->ends[1]);
    return whole;
}

/* Distance of a point in the common frame from a surface; if inside, it is moved out. */
static double move_out(const taut_surface *s, double *x)
{
    double local[3], normal[3], world[3], out;
    to_local(s->frame, x, local);
    out = taut_distance(s, local);
    if (!(out < 0.0))
        return out;
    taut_normal(s, local, normal);
    turn_to_world(s->frame, normal, world);
    for (int i = 0; i < 3; i++)
        x[i] -= out * world[i];
    return out;
}

/* Move a node out of all surfaces. */
static void move_out_of_all(const taut_piece *piece, double *x)
{
    for (int round = 0, again = 1; round < CHAIN_PROJECTIONS && again; round++) {
        again = 0;
        for (int i = 0; i < piece->surfaces; i++) {
            const taut_surface *s = piece->surface + i;
            again |= s->status == AVAILABLE && move_out(s, x) < -CHAIN_DEPTH * s->size[0];
        }
    }
}

static double chain_length(taut_chain chain)
{
    double length = 0.0;
    for (int k = 0; k <= CHAIN_NODES; k++)
        length += distance3(chain[k], chain[k + 1]);
    return length;
}

/* Pull the chain tight, at first with over-relaxation; whether it is shorter than the limit of the piece. */
int taut_tighten_chain(const taut_piece *piece, taut_chain chain)
{
    double last = INFINITY, relaxation = CHAIN_RELAXATION;
    for (int sweep = 0, left = CHAIN_SWEEPS; left > 0; sweep++, left--) {
        if (relaxation > 1.0 && sweep % CHAIN_CHECK == CHAIN_CHECK - 1) {
            double length = chain_length(chain);
            if (!(length < last * (1.0 - CHAIN_STILL)) || left <= CHAIN_LAST_SWEEPS) {
                relaxation = 1.0;
                left = CHAIN_LAST_SWEEPS;
            }
            last = length;
        }
        for (int n = 1; n <= CHAIN_NODES; n++) {
            int k = sweep % 2 ? CHAIN_NODES + 1 - n : n;
            for (int i = 0; i < 3; i++)
                chain[k][i] += relaxation * (0.5 * (chain[k - 1][i] + chain[k + 1][i]) - chain[k][i]);
            move_out_of_all(piece, chain[k]);
        }
    }
    return chain_length(chain) < piece->limit;
}

/* The first two surfaces that a node touches; returns how many. */
static int touched_by(const taut_piece *piece, const double *node, double near, int *surfaces)
{
    int count = 0;
    for (int i = 0; i < piece->surfaces && count < 2; i++) {
        const taut_surface *s = piece->surface + i;
        double x[3] = {node[0], node[1], node[2]};
        if (s->status == AVAILABLE && move_out(s, x) < near * s->size[0])
            surfaces[count++] = i;
    }
    return count;
}

/* The contacts of the chain in their order; -1 if there are too many. Where it touches two surfaces at once, in a
   groove, the contact with the second begins at the groove's end. */
int taut_read_chain(const taut_piece *piece, taut_chain chain, double near, taut_touch *touch)
{
    int count = 0, in_groove = 0;
    for (int k = 1; k <= CHAIN_NODES; k++) {
        int on[2], many = touched_by(piece, chain[k], near, on);
        if (many == 2 && in_groove) {
            touch[count - 1].first = touch[count - 1].last = k;
            continue;
        }
        in_groove = many == 2;
        for (int n = 0; n < many; n++) {
            int before = count ? touch[count - 1].surface : NO_SURFACE;
            /* A string does not leave a convex surface and come back, but it may touch a torus twice. */
            if (before >= 0 && piece->surface[before].kind == WRAP_TORUS && touch[count - 1].last < k - 1)
                before = NO_SURFACE;
            int surface = on[in_groove && before == on[1] ? 1 - n : n];
            if (before == surface) {
                touch[count - 1].last = k;
                continue;
            }
            if (count == MOST_CONTACTS)
                return -1;
            touch[count++] = (taut_touch){surface, k, k};
        }
    }
    return count;
}
