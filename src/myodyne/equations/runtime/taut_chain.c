/* A piece by way of a chain: where Newton's method fails from the first guess, a chain of many links is pulled tight over
   all surfaces, and what it touches then is a better one. It also tells where the string may lie in grooves. */
#include "taut.h"

enum { NODES = 80, SWEEPS = 240, MOST_LINKS = 4 };

typedef struct { int surface, first, last; } touch_of;      /* nodes of the chain that touch a surface */

/* Lay the chain along the string as it is. */
static void lay(taut_piece *piece, double (*chain)[3]) {
    double start[2 * MOST_CONTACTS + 2], whole = 0.0;
    const double *here = piece->ends[0];
    int elements = 2 * piece->contacts + 1, element = 0;
    for (int i = 0; i < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        taut_trace(piece->surface + c->surface, c, 1e-6);
        start[2 * i] = whole, whole += apart3(here, c->at[0]);
        start[2 * i + 1] = whole, whole += c->length;
        here = c->at[1];
    }
    start[elements - 1] = whole, whole += apart3(here, piece->ends[1]), start[elements] = whole;
    for (int k = 0; k <= NODES + 1; k++) {
        double at = whole * k / (NODES + 1);
        while (element + 1 < elements && start[element + 1] <= at) element++;
        const taut_contact *c = piece->contact + element / 2;
        if (element % 2) {
            const taut_surface *s = piece->surface + c->surface;
            double x[3], way[3];
            taut_place(s, c, at - start[element], x, way);
            taut_out(s->frame, x, chain[k]);
        } else {
            const double *a = element ? c[-1].at[1] : piece->ends[0];
            const double *b = element + 1 < elements ? c->at[0] : piece->ends[1];
            double long_ = start[element + 1] - start[element], share = long_ > 0.0 ? (at - start[element]) / long_ : 0.0;
            for (int i = 0; i < 3; i++) chain[k][i] = a[i] + share * (b[i] - a[i]);
        }
    }
    memcpy(chain[0], piece->ends[0], sizeof chain[0]), memcpy(chain[NODES + 1], piece->ends[1], sizeof chain[0]);
}

/* How far outside a place in the common frame is; if within, it is moved out. */
static double moved_out(const taut_surface *s, double *x, double slack) {
    double local[3], normal[3], world[3], out;
    taut_in(s->frame, x, local);
    out = taut_outside(s, local);
    if (!(out < slack)) return out;
    taut_normal(s, local, normal);
    taut_turned(s->frame, normal, world);
    for (int i = 0; i < 3; i++) x[i] -= out * world[i];
    return out;
}

static void tighten(const taut_piece *piece, double (*chain)[3]) {
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double over = 4 * sweep < 3 * SWEEPS ? 1.9 : 1.0;
        for (int n = 1; n <= NODES; n++) {
            int k = sweep % 2 ? NODES + 1 - n : n;
            for (int i = 0; i < 3; i++) chain[k][i] += over * (0.5 * (chain[k - 1][i] + chain[k + 1][i]) - chain[k][i]);
            for (int round = 0, again = 1; round < 6 && again; round++) {
                again = 0;
                for (int i = 0; i < piece->surfaces; i++) {
                    const taut_surface *s = piece->surface + i;
                    again |= !s->off && moved_out(s, chain[k], 0.0) < -1e-7 * s->size[0];
                }
            }
        }
    }
}

/* The contacts that the chain has, in their order; -1 if there are too many. Where it touches two surfaces at once, in a
   groove, it goes over to the other at the end of that. */
static int read_off(const taut_piece *piece, double (*chain)[3], touch_of *touch) {
    int count = 0, in_groove = 0;
    for (int k = 1; k <= NODES; k++) {
        int on[2], many = 0;
        for (int i = 0; i < piece->surfaces && many < 2; i++) {
            const taut_surface *s = piece->surface + i;
            double x[3] = {chain[k][0], chain[k][1], chain[k][2]};
            if (!s->off && moved_out(s, x, 0.0) < 1e-5 * s->size[0]) on[many++] = i;
        }
        if (many == 2 && in_groove) {
            touch[count - 1].first = touch[count - 1].last = k;
            continue;
        }
        in_groove = many == 2;
        for (int n = 0; n < many; n++) {
            int from = count && touch[count - 1].last >= k - 1 ? touch[count - 1].surface : -1;
            int surface = on[in_groove && from == on[1] ? 1 - n : n];
            if (from == surface) {
                touch[count - 1].last = k;
                continue;
            }
            if (count == MOST_CONTACTS) return -1;
            touch[count].surface = surface, touch[count].first = touch[count].last = k;
            count++;
        }
    }
    return count;
}

/* A first guess of a contact from the nodes that touch. */
static void guess(const taut_piece *piece, double (*chain)[3], const touch_of *touch, taut_contact *c) {
    const taut_surface *s = piece->surface + touch->surface;
    int single = touch->first == touch->last;
    const double *a = chain[single ? touch->first - 1 : touch->first], *b = chain[touch->first + 1];
    double along[3];
    taut_in(s->frame, chain[touch->first], c->from);
    for (int i = 0; i < 3; i++)
        along[i] = s->frame[i] * (b[0] - a[0]) + s->frame[3 + i] * (b[1] - a[1]) + s->frame[6 + i] * (b[2] - a[2]);
    taut_project(s, c->from, along);
    memcpy(c->along, along, sizeof along);
    c->length = single ? 0.1 * apart3(a, b) : 0.0;
    for (int k = touch->first; k < touch->last; k++) c->length += apart3(chain[k], chain[k + 1]);
    c->surface = touch->surface, c->mate = -1, c->bed = 0.0;
}

/* Whether a string that is settled runs through any surface that it touches. */
static int clear(const taut_piece *piece) {
    for (int i = 0; i < piece->contacts; i++) {
        const taut_contact *c = piece->contact + i;
        if (taut_passes(piece, c->surface) || (c->mate >= 0 && taut_passes(piece, c->mate))) return 0;
    }
    return 1;
}

int taut_chain(taut_piece *piece) {
    double chain[NODES + 2][3];
    touch_of touch[MOST_CONTACTS];
    int link[MOST_LINKS], links = 0;
    lay(piece, chain);
    tighten(piece, chain);
    int count = read_off(piece, chain, touch);
    if (count <= 0) return 0;
    /* Where two surfaces follow each other at once, the string may go over straight, or along a groove. */
    for (int i = 0; i + 1 < count && links < MOST_LINKS; i++)
        if (touch[i + 1].first - touch[i].last <= 2 && piece->surface[touch[i].surface].kind != WRAP_TORUS &&
            piece->surface[touch[i + 1].surface].kind != WRAP_TORUS) link[links++] = i;
    taut_piece trial = *piece;
    double best = INFINITY;
    for (int grooves = 0; grooves < 1 << links; grooves++) {
        trial.contacts = count;
        for (int i = 0; i < count; i++) guess(piece, chain, touch + i, trial.contact + i);
        for (int k = 0; k < links; k++)
            if (grooves >> k & 1) {
                taut_contact *c = trial.contact + link[k];
                c->mate = touch[link[k] + 1].surface;
                for (int n = touch[link[k]].last; n < touch[link[k] + 1].first; n++) c->bed += apart3(chain[n], chain[n + 1]);
            }
        if (!taut_relax(&trial) || !clear(&trial)) continue;
        double length = taut_length(&trial);
        if (length < best) best = length, *piece = trial;
    }
    return best < INFINITY;
}
