/* Grooves, in which two surfaces meet: where they overlap, a taut string may lie in one for a while. It comes in along a
   geodesic of one of them that touches the other, and leaves in the same way; so where it comes in does not depend on
   where it goes, nor the other way round. */
#include "taut.h"
#include "steps.h"

typedef struct {
    const taut_surface *surface[2];
    double sense;
} groove_of;

enum { LEAN = 7, GROOVE_STATES = 3 + 2 * LEAN };

/* Its direction, and how strongly a string that lies in it leans on both: the sum of both normals, weighted so, is what
   it is bent by. */
static int directed(const groove_of *groove, const double *x, double *t, double (*normal)[3], double *weight,
                    double (*local)[3])
{
    double own[2][3], bent[2];
    for (int k = 0; k < 2; k++) {
        const taut_surface *s = groove->surface[k];
        taut_in(s->frame, x, local[k]);
        taut_normal(s, local[k], own[k]);
        taut_turned(s->frame, own[k], normal[k]);
    }
    cross3(normal[0], normal[1], t);
    double both = dot3(normal[0], normal[1]), square = dot3(t, t);
    if (!(square > 1e-12))
        return 0;
    for (int i = 0; i < 3; i++)
        t[i] *= groove->sense / sqrt(square);
    for (int k = 0; k < 2; k++) {
        const double *f = groove->surface[k]->frame;
        double seen[3], turn[3];
        for (int i = 0; i < 3; i++)
            seen[i] = f[i] * t[0] + f[3 + i] * t[1] + f[6 + i] * t[2];
        taut_bend(groove->surface[k], local[k], own[k], seen, turn);
        bent[k] = dot3(turn, seen);
    }
    for (int k = 0; k < 2; k++)
        weight[k] = (bent[k] - both * bent[1 - k]) / square;
    return 1;
}

static void groove_rates(const void *about, const double *y, double *f)
{
    const groove_of *groove = about;
    double normal[2][3], weight[2], local[2][3], round[3];
    if (!directed(groove, y, f, normal, weight, local)) {
        for (int i = 0; i < GROOVE_STATES; i++)
            f[i] = NAN;
        return;
    }
    for (int k = 0; k < 2; k++) {
        double *lean = f + 3 + LEAN * k, seen[3];
        taut_normal(groove->surface[k], local[k], seen);
        cross3(y, normal[k], round);
        for (int i = 0; i < 3; i++) {
            lean[i] = weight[k] * normal[k][i];
            lean[3 + i] = weight[k] * round[i];
        }
        lean[6] = weight[k] * dot3(seen, local[k]);
    }
}

static double narrowest(const groove_of *groove)
{
    double least = groove->surface[0]->size[0];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < (groove->surface[k]->kind == WRAP_ELLIPSOID ? 3 : 1); i++)
            if (groove->surface[k]->size[i] < least)
                least = groove->surface[k]->size[i];
    }
    return least;
}

/* The groove that a contact runs into. */
static int groove_after(const taut_piece *piece, const taut_contact *c, groove_of *groove)
{
    double normal[2][3], weight[2], local[2][3], t[3];
    groove->surface[0] = piece->surface + c->surface;
    groove->surface[1] = piece->surface + c->mate;
    groove->sense = 1.0;
    if (!directed(groove, c->at[1], t, normal, weight, local))
        return 0;
    if (dot3(t, c->tangent[1]) < 0.0)
        groove->sense = -1.0;
    return 1;
}

static void follow(const groove_of *groove, const double *from, double length, double *y)
{
    memset(y, 0, sizeof(double) * GROOVE_STATES);
    memcpy(y, from, 3 * sizeof(double));
    double size = narrowest(groove);
    steps_along(groove_rates, groove, GROOVE_STATES, y, length, 0.7 * size, size, 1e-13);
}

int taut_meet(const taut_surface *a, const taut_surface *b, double *x)
{
    groove_of groove = {{a, b}, 1.0};
    double normal[2][3], weight[2], local[2][3], t[3];
    for (int round = 0; round < 30; round++) {
        if (!directed(&groove, x, t, normal, weight, local))
            return 0;
        double out[2] = {taut_outside(a, local[0]), taut_outside(b, local[1])}, both = dot3(normal[0], normal[1]);
        double size = narrowest(&groove), by[2];
        for (int k = 0; k < 2; k++)
            by[k] = (out[k] - both * out[1 - k]) / (1.0 - both * both);
        double far = fabs(by[0]) + fabs(by[1]), share = far > 0.3 * size ? 0.3 * size / far : 1.0;
        if (!(far < 1e9))
            return 0;
        for (int i = 0; i < 3; i++)
            x[i] -= share * (by[0] * normal[0][i] + by[1] * normal[1][i]);
        if (fabs(out[0]) + fabs(out[1]) < 1e-12 * size)
            return 1;
    }
    return 0;
}

int taut_groove_on(const taut_surface *a, const taut_surface *b, double length, double *x, double *direction)
{
    groove_of groove = {{a, b}, 1.0};
    double y[GROOVE_STATES], normal[2][3], weight[2], local[2][3], t[3];
    if (!directed(&groove, x, t, normal, weight, local))
        return 0;
    if (dot3(t, direction) < 0.0)
        groove.sense = -1.0;
    follow(&groove, x, length, y);
    if (!directed(&groove, y, direction, normal, weight, local))
        return 0;
    memcpy(x, y, 3 * sizeof(double));
    return 1;
}

void taut_along_groove(const taut_piece *piece, const taut_contact *c, double length, double *x)
{
    groove_of groove;
    double y[GROOVE_STATES];
    if (!groove_after(piece, c, &groove))
        return;
    follow(&groove, c->at[1], length, y);
    memcpy(x, y, 3 * sizeof(double));
}

void taut_leaning(const taut_piece *piece, const taut_contact *c, taut_lean *lean)
{
    groove_of groove;
    double y[GROOVE_STATES];
    memset(lean, 0, 2 * sizeof *lean);
    if (!groove_after(piece, c, &groove))
        return;
    follow(&groove, c->at[1], c->bed, y);
    for (int k = 0; k < 2; k++) {
        const double *own = y + 3 + LEAN * k;
        memcpy(lean[k].force, own, sizeof lean[k].force);
        memcpy(lean[k].moment, own + 3, sizeof lean[k].moment);
        lean[k].stretch = own[6];
    }
}

/* How long the groove is between a contact and the next, from a guess; zero if it does not lead there, or if a string
   would lift off on its way. */
static int measure(const taut_piece *piece, taut_contact *c)
{
    groove_of groove;
    double y[GROOVE_STATES], normal[2][3], weight[2], local[2][3], t[3], off[3], size, least = 0.0;
    const taut_contact *next = c + 1;
    if (!groove_after(piece, c, &groove))
        return 0;
    size = narrowest(&groove);
    for (int round = 0; round < 30; round++) {
        follow(&groove, c->at[1], c->bed, y);
        if (!directed(&groove, y, t, normal, weight, local))
            return 0;
        for (int i = 0; i < 3; i++)
            off[i] = next->at[0][i] - y[i];
        double miss = dot3(off, t);
        if (!(fabs(miss) < 1e9))
            return 0;
        if (fabs(miss) < 1e-13 * size)
            break;
        c->bed += fabs(miss) > 0.5 * size ? copysign(0.5 * size, miss) : miss;
    }
    if (size3(off) > 1e-7 * size || dot3(t, next->tangent[0]) < 0.999)
        return 0;
    for (int part = 0; part <= 4 && c->bed > 0.0; part++) {
        follow(&groove, c->at[1], 0.25 * part * c->bed, y);
        if (!directed(&groove, y, t, normal, weight, local))
            return 0;
        for (int k = 0; k < 2; k++)
            if (weight[k] * size < least)
                least = weight[k] * size;
    }
    return least > -1e-6;
}

static void take_out(taut_piece *piece, int number)
{
    memmove(piece->contact + number, piece->contact + number + 1,
            sizeof(taut_contact) * (piece->contacts - number - 1));
    piece->contacts--;
}

/* Make one of two contacts with the same surface. */
static void merge(taut_piece *piece, int number, double between)
{
    taut_contact *c = piece->contact + number, *next = c + 1;
    c->length += between + next->length;
    c->mate = next->mate;
    c->bed = next->bed;
    take_out(piece, number + 1);
}

void taut_take_out(taut_piece *piece, int number)
{
    take_out(piece, number);
    if (number < 1 || number >= piece->contacts)
        return;
    taut_contact *c = piece->contact + number - 1, *next = c + 1;
    if (c->mate < 0 && c->surface == next->surface)
        merge(piece, number - 1, apart3(c->at[1], next->at[0]));
}

void taut_leave(taut_piece *piece, int surface)
{
    for (int i = 0; i < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        if (c->mate >= 0 && (c->surface == surface || c->mate == surface))
            c->mate = -1;
    }
    for (int i = piece->contacts - 1; i >= 0; i--)
        if (piece->contact[i].surface == surface)
            take_out(piece, i);
    for (int i = piece->contacts - 2; i >= 0; i--) {
        taut_contact *c = piece->contact + i;
        if (c->mate < 0 && c->surface == c[1].surface)
            merge(piece, i, apart3(c->at[1], c[1].at[0]));
    }
}

/* Put a contact that has turned round onto the other surface of its groove. */
static void change_over(taut_piece *piece, int number, int into)
{
    taut_contact *c = piece->contact + number, *first = into ? c : c - 1;
    int other = first->surface == c->surface ? first->mate : first->surface;
    const taut_surface *s = piece->surface + other;
    double along[3];
    taut_in(s->frame, c->at[into], c->from);
    for (int i = 0; i < 3; i++) {
        const double *t = c->tangent[into];
        along[i] = s->frame[i] * t[0] + s->frame[3 + i] * t[1] + s->frame[6 + i] * t[2];
    }
    taut_project(s, c->from, along);
    memcpy(c->along, along, sizeof along);
    c->length = 0.0;
    if (into)
        c->mate = c->surface;
    c->surface = other;
}

/* Contacts of negative length: one between two grooves leaves one groove, one at the end of a groove goes over to the
   other surface, all others are taken out. */
static void lift_off(taut_piece *piece, int number)
{
    int into = piece->contact[number].mate >= 0, out = number > 0 && piece->contact[number - 1].mate >= 0;
    if (into != out) {
        change_over(piece, number, into);
        return;
    }
    if (into)
        piece->contact[number - 1].bed += piece->contact[number].bed + piece->contact[number].length;
    taut_take_out(piece, number);
}

/* Measure grooves, and leave those of negative length; -1 if there is one that cannot be. */
static int lay_down(taut_piece *piece)
{
    for (int i = 0; i + 1 < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        if (c->mate < 0)
            continue;
        if (!measure(piece, c))
            return -1;
        if (!(c->bed < 0.0))
            continue;
        if (c->surface == c[1].surface)
            merge(piece, i, c->bed);
        else
            c->mate = -1;
        return 1;
    }
    return 0;
}

static void pin(taut_piece *piece)
{
    for (int i = 0; i < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        c->pinned[0] = i == 0 && piece->surface[c->surface].pinned[0];
        c->pinned[1] = i == piece->contacts - 1 && piece->surface[c->surface].pinned[1];
    }
}

int taut_relax(taut_piece *piece)
{
    for (int round = 0; round < 2 * MOST_CONTACTS; round++) {
        pin(piece);
        if (!taut_settle(piece))
            return 0;
        int worst = -1, laid;
        double least = 0.0;
        for (int i = 0; i < piece->contacts; i++) {
            if (piece->contact[i].length < least) {
                least = piece->contact[i].length;
                worst = i;
            }
        }
        if (worst >= 0) {
            lift_off(piece, worst);
            continue;
        }
        laid = lay_down(piece);
        if (laid <= 0)
            return laid == 0;
    }
    return 0;
}

int taut_split(taut_piece *piece, int number, int surface, double low, double high)
{
    const taut_surface *s = piece->surface + surface;
    if (piece->contacts == MOST_CONTACTS)
        return 0;
    taut_contact *c = piece->contact + number, rest = *c;
    const taut_surface *own = piece->surface + c->surface;
    if (s->kind == WRAP_TORUS || own->kind == WRAP_TORUS)
        return 0;
    for (int round = 0; round < 40; round++) { /* the deepest place, by thirds */
        double out[2];
        for (int k = 0; k < 2; k++) {
            double x[3], way[3], world[3];
            taut_place(own, c, (low + (1 + k) * (high - low) / 3.0) * c->length, x, way);
            taut_out(own->frame, x, world);
            taut_in(s->frame, world, x);
            out[k] = taut_outside(s, x);
        }
        double third = (high - low) / 3.0;
        if (out[0] < out[1])
            high -= third;
        else
            low += third;
    }
    taut_place(own, c, low * c->length, rest.from, rest.along);
    rest.length = (1.0 - low) * c->length;
    c->length *= low;
    c->mate = surface;
    c->bed = 0.0;
    memmove(c + 2, c + 1, sizeof(taut_contact) * (piece->contacts - number - 1));
    c[1] = rest;
    piece->contacts++;
    return taut_relax(piece);
}
