/* A piece by way of a chain: where Newton's method fails from the first guess, a chain of many links is pulled tight over
   all surfaces, and what it touches then is a better one. It also tells where the string may lie in grooves. */
#include "taut.h"

enum { NODES = 80, SWEEPS = 240, LAST = 40, MOST_LINKS = 4, FREE_LINKS = 2 };

typedef struct {
    int surface, first, last;
} touch_of; /* nodes of the chain that touch a surface */

/* Lay the chain along the string as it is; returns its length. */
static double lay(taut_piece *piece, double (*chain)[3])
{
    double start[2 * MOST_CONTACTS + 2], whole = 0.0;
    const double *here = piece->ends[0];
    taut_contact going = {0};
    double gone = 0.0;
    int elements = 2 * piece->contacts + 1, element = 0, last = -1;
    for (int i = 0; i < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        taut_trace(piece->surface + c->surface, c, 1e-6);
        start[2 * i] = whole;
        whole += apart3(here, c->at[0]);
        start[2 * i + 1] = whole;
        whole += c->length;
        here = c->at[1];
    }
    start[elements - 1] = whole;
    whole += apart3(here, piece->ends[1]);
    start[elements] = whole;
    for (int k = 0; k <= NODES + 1; k++) {
        double at = whole * k / (NODES + 1);
        while (element + 1 < elements && start[element + 1] <= at)
            element++;
        const taut_contact *c = piece->contact + element / 2;
        if (element % 2) {
            const taut_surface *s = piece->surface + c->surface;
            double x[3], way[3];
            if (last != element) {
                going = *c;
                gone = start[element];
                last = element;
            }
            taut_place(s, &going, at - gone, x, way);
            memcpy(going.from, x, sizeof x);
            memcpy(going.along, way, sizeof way);
            taut_out(s->frame, x, chain[k]);
            gone = at;
        } else {
            const double *a = element ? c[-1].at[1] : piece->ends[0];
            const double *b = element + 1 < elements ? c->at[0] : piece->ends[1];
            double long_ = start[element + 1] - start[element],
                   share = long_ > 0.0 ? (at - start[element]) / long_ : 0.0;
            for (int i = 0; i < 3; i++)
                chain[k][i] = a[i] + share * (b[i] - a[i]);
        }
    }
    memcpy(chain[0], piece->ends[0], sizeof chain[0]);
    memcpy(chain[NODES + 1], piece->ends[1], sizeof chain[0]);
    return whole;
}

/* How far outside a place in the common frame is; if within, it is moved out. */
static double moved_out(const taut_surface *s, double *x, double slack)
{
    double local[3], normal[3], world[3], out;
    taut_in(s->frame, x, local);
    out = taut_outside(s, local);
    if (!(out < slack))
        return out;
    taut_normal(s, local, normal);
    taut_turned(s->frame, normal, world);
    for (int i = 0; i < 3; i++)
        x[i] -= out * world[i];
    return out;
}

static double length_of(double (*chain)[3])
{
    double length = 0.0;
    for (int k = 0; k <= NODES; k++)
        length += apart3(chain[k], chain[k + 1]);
    return length;
}

/* Pull the chain tight, far more than needed at first; whether it may become short enough. */
static int tighten(const taut_piece *piece, double (*chain)[3])
{
    double last = INFINITY, over = 1.9;
    for (int sweep = 0, rest = SWEEPS; rest > 0; sweep++, rest--) {
        if (over > 1.0 && sweep % 20 == 19) {
            double length = length_of(chain);
            if (!(length < last * (1.0 - 1e-5)) || rest <= LAST) {
                over = 1.0;
                rest = LAST;
            }
            last = length;
        }
        for (int n = 1; n <= NODES; n++) {
            int k = sweep % 2 ? NODES + 1 - n : n;
            for (int i = 0; i < 3; i++)
                chain[k][i] += over * (0.5 * (chain[k - 1][i] + chain[k + 1][i]) - chain[k][i]);
            for (int round = 0, again = 1; round < 6 && again; round++) {
                again = 0;
                for (int i = 0; i < piece->surfaces; i++) {
                    const taut_surface *s = piece->surface + i;
                    again |= !s->off && moved_out(s, chain[k], 0.0) < -1e-7 * s->size[0];
                }
            }
        }
    }
    return length_of(chain) < piece->limit;
}

/* The contacts that the chain has, in their order; -1 if there are too many. Where it touches two surfaces at once, in a
   groove, it goes over to the other at the end of that. */
static int read_off(const taut_piece *piece, double (*chain)[3], double near, touch_of *touch)
{
    int count = 0, in_groove = 0;
    for (int k = 1; k <= NODES; k++) {
        int on[2], many = 0;
        for (int i = 0; i < piece->surfaces && many < 2; i++) {
            const taut_surface *s = piece->surface + i;
            double x[3] = {chain[k][0], chain[k][1], chain[k][2]};
            if (!s->off && moved_out(s, x, 0.0) < near * s->size[0])
                on[many++] = i;
        }
        if (many == 2 && in_groove) {
            touch[count - 1].first = touch[count - 1].last = k;
            continue;
        }
        in_groove = many == 2;
        for (int n = 0; n < many; n++) {
            int from = count ? touch[count - 1].surface : -1; /* a string does not leave a round body and come back */
            if (from >= 0 && piece->surface[from].kind == WRAP_TORUS && touch[count - 1].last < k - 1)
                from = -1;
            int surface = on[in_groove && from == on[1] ? 1 - n : n];
            if (from == surface) {
                touch[count - 1].last = k;
                continue;
            }
            if (count == MOST_CONTACTS)
                return -1;
            touch[count].surface = surface;
            touch[count].first = touch[count].last = k;
            count++;
        }
    }
    return count;
}

/* A first guess of a contact from the nodes that touch. */
static void guess(const taut_piece *piece, double (*chain)[3], const touch_of *touch, taut_contact *c)
{
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
    for (int k = touch->first; k < touch->last; k++)
        c->length += apart3(chain[k], chain[k + 1]);
    c->surface = touch->surface;
    c->mate = -1;
    c->bed = 0.0;
}

/* A contact of its own, from a place to a place of a groove, or the other way round: by how much it turns off the groove
   there, to either side. */
static int turned_off(const taut_surface *s, int end, const double *outer, int pinned, const double *x,
                      const double *way, taut_contact *c, double *angle)
{
    taut_piece alone;
    alone.ends[1 - end] = outer;
    alone.ends[end] = x;
    alone.surface = (taut_surface *)s;
    alone.surfaces = alone.contacts = 1;
    alone.contact[0] = *c;
    alone.contact[0].surface = 0;
    alone.contact[0].mate = -1;
    alone.contact[0].pinned[end] = 1;
    alone.contact[0].pinned[1 - end] = pinned;
    if (!taut_settle(&alone))
        return 0;
    const taut_contact *found = alone.contact;
    *angle = atan2(dot3(way, found->aside[end]), dot3(way, found->tangent[end]));
    memcpy(c->from, found->from, sizeof c->from);
    memcpy(c->along, found->along, sizeof c->along);
    c->length = found->length;
    return 1;
}

/* Make the guess of a contact that runs into a groove, or out of one, better: move along the groove until both have one
   direction there; zero if that fails. */
static int lead_in(const taut_surface *s, const taut_surface *other, int end, const double *outer, int pinned,
                   double *x, const double *direction, taut_contact *c)
{
    double way[3], angle, last = 0.0, moved = 0.0, size = s->size[0] < other->size[0] ? s->size[0] : other->size[0];
    memcpy(way, direction, sizeof way);
    if (!taut_groove_on(s, other, 0.0, x, way))
        return 0;
    for (int round = 0; round < 8; round++) {
        if (!turned_off(s, end, outer, pinned, x, way, c, &angle))
            return 0;
        if (fabs(angle) < 1e-2)
            return 1;
        double by = round ? -moved * angle / (angle - last) : 0.02 * size;
        if (!(fabs(by) < 0.4 * size))
            by = by < 0.0 ? -0.4 * size : 0.4 * size;
        if (!taut_groove_on(s, other, by, x, way))
            return 0;
        last = angle;
        moved = by;
    }
    return 0;
}

/* Whether a string that is settled runs through no surface. */
static int clear(const taut_piece *piece)
{
    for (int i = 0; i < piece->surfaces; i++)
        if (!piece->surface[i].off && taut_passes(piece, i))
            return 0;
    return 1;
}

/* All contacts at grooves; `touch` tells which nodes of the chain they were read off. The place where the string comes
   into a groove is sought from the node there, and so is that where it leaves; or either from where the other is; or both
   from between the nodes. */
enum { AT_NODES, AFTER_IN, AFTER_OUT, BETWEEN, STARTS };

static int lead_all(taut_piece *piece, double (*chain)[3], const touch_of *touch, int start)
{
    double found[MOST_CONTACTS][3];
    int all = 1;
    for (int i = 0; i < piece->contacts; i++)
        memcpy(found[i], chain[touch[i].last], sizeof found[i]);
    for (int n = 0; n < piece->contacts; n++) {
        int i = start == AFTER_OUT ? piece->contacts - 1 - n : n;
        taut_contact *c = piece->contact + i;
        int into = c->mate >= 0, out = i && c[-1].mate >= 0;
        if (into == out)
            continue;
        const taut_contact *from = into ? c : c - 1;
        const taut_surface *s = piece->surface + c->surface;
        const taut_surface *other = piece->surface + (from->surface == c->surface ? from->mate : from->surface);
        int far = into ? i - 1 : i + 1, last = far < 0 || far >= piece->contacts;
        const double *outer = last ? piece->ends[1 - into] : chain[into ? touch[far].last : touch[far].first];
        int nodes[2] = {touch[into ? i : i - 1].last, touch[into ? i + 1 : i].first};
        double x[3], way[3];
        for (int k = 0; k < 3; k++)
            way[k] = chain[nodes[1] + 1][k] - chain[nodes[0] - 1][k];
        for (int k = 0; k < 2; k++) {
            memcpy(x, chain[nodes[k == into ? 0 : 1]], sizeof x);
            for (int m = 0; m < 3 && start == BETWEEN; m++)
                x[m] = 0.5 * (chain[nodes[0]][m] + chain[nodes[1]][m]);
            if (taut_meet(s, other, x))
                break;
        }
        if (start == AFTER_IN && !into)
            memcpy(x, found[i - 1], sizeof x);
        if (start == AFTER_OUT && into)
            memcpy(x, found[i + 1], sizeof x);
        all &= lead_in(s, other, into, outer, last && s->pinned[1 - into], x, way, c);
        memcpy(found[i], x, sizeof x);
    }
    return all;
}

/* In which sense the string turns about a cylinder; zero if it does not touch it. */
static double sense_at(const taut_piece *piece, int number)
{
    for (int i = 0; i < piece->contacts; i++) {
        const taut_contact *c = piece->contact + i;
        if (c->surface == number)
            return c->from[0] * c->along[1] - c->from[1] * c->along[0] < 0.0 ? -1.0 : 1.0;
    }
    return 0.0;
}

/* Whether the string has kept to the front of all cylinders that it is held to. */
static int kept_to_front(const taut_piece *piece, const double *senses)
{
    for (int i = 0; i < piece->surfaces; i++) {
        const taut_surface *s = piece->surface + i;
        if (!s->held || s->off || s->kind != WRAP_CYLINDER)
            continue;
        double sense = sense_at(piece, i);
        if (sense != 0.0 ? sense != senses[i] : senses[i] != 0.0 && taut_passes(piece, i))
            return 0;
    }
    return 1;
}

/* Settle a guess; whether it is shorter than what was found. */
static int settles(taut_piece *trial, const double *senses, double best)
{
    return taut_relax(trial) && clear(trial) && kept_to_front(trial, senses) && taut_length(trial) < best;
}

/* Of three contacts with grooves between them, leave out that in the middle: the groove goes on. */
static int go_on(taut_piece *piece, touch_of *touch)
{
    for (int i = 0; i + 2 < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        if (c->mate < 0 || c[1].mate < 0 || c->surface != c[2].surface)
            continue;
        c->bed += c[1].bed;
        taut_take_out(piece, i + 1);
        memmove(touch + i + 1, touch + i + 2, sizeof(touch_of) * (piece->contacts - i - 1));
        return 1;
    }
    return 0;
}

/* Settle the string from what the chain touches, or comes near to. */
static int settle_from(taut_piece *piece, double (*chain)[3], double near, const double *senses)
{
    touch_of touch[MOST_CONTACTS];
    int link[MOST_LINKS], links = 0, count = read_off(piece, chain, near, touch);
    if (count <= 0)
        return 0;
    /* Where two surfaces follow each other at once, the string may go over straight, or along a groove. */
    for (int i = 0; i + 1 < count && links < MOST_LINKS; i++) {
        if (touch[i + 1].first - touch[i].last <= 2 && piece->surface[touch[i].surface].kind != WRAP_TORUS &&
            piece->surface[touch[i + 1].surface].kind != WRAP_TORUS) {
            link[links++] = i;
        }
    }
    taut_piece trial;
    taut_copy(&trial, piece);
    double best = INFINITY;
    /* Straight between surfaces if that can be, else along grooves. */
    for (int grooves = 0; grooves < 1 << links && !(best < INFINITY && grooves == 1); grooves++) {
        trial.contacts = count;
        for (int i = 0; i < count; i++)
            guess(piece, chain, touch + i, trial.contact + i);
        if (links > FREE_LINKS && grooves && grooves + 1 < 1 << links)
            continue; /* too many to try them all */
        for (int k = 0; k < links; k++) {
            if (grooves >> k & 1) {
                taut_contact *c = trial.contact + link[k];
                c->mate = touch[link[k] + 1].surface;
                for (int n = touch[link[k]].last; n < touch[link[k] + 1].first; n++)
                    c->bed += apart3(chain[n], chain[n + 1]);
            }
        }
        touch_of own[MOST_CONTACTS];
        memcpy(own, touch, sizeof own);
        do {
            for (int start = 0, done = 0; start < (grooves ? STARTS : 1) && !done; start++) {
                taut_piece rest;
                taut_copy(&rest, &trial);
                if (!lead_all(&rest, chain, own, start) && start)
                    continue;
                done = settles(&rest, senses, best);
                if (done) {
                    best = taut_length(&rest);
                    taut_copy(piece, &rest);
                }
            }
        } while (go_on(&trial, own));
    }
    return best < INFINITY;
}

int taut_chain(taut_piece *piece)
{
    double chain[NODES + 2][3], senses[piece->surfaces + 1];
    for (int i = 0; i < piece->surfaces; i++)
        senses[i] = sense_at(piece, i);
    /* Pulled tight, it hardly becomes that much shorter. */
    if (lay(piece, chain) > 1.05 * piece->limit || !tighten(piece, chain))
        return 0;
    return settle_from(piece, chain, 1e-5, senses) || settle_from(piece, chain, 1e-3, senses);
}
