/* Newton's method on all contacts of a piece together. */
#include "taut.h"

/* How exact geodesics are, relative to the size of the surface: at first, and in the end. */
static const double COARSE = 1e-6, FINE = 1e-13;

/* Follow a contact, and note all that its equations need. */
void taut_trace(const taut_surface *s, taut_contact *c, double error)
{
    taut_follow(s, c, error);
    for (int e = 0; e < 2; e++) {
        const double *x = e ? c->to : c->from, *t = e ? c->leaving : c->along;
        double normal[3], aside[3], turn[3];
        taut_normal(s, x, normal);
        cross3(normal, t, aside);
        taut_bend(s, x, normal, t, turn);
        c->bent[e] = dot3(turn, t);
        c->twisted[e] = dot3(turn, aside);
        taut_bend(s, x, normal, aside, turn);
        c->across[e] = dot3(turn, aside);
        taut_out(s->frame, x, c->at[e]);
        taut_turned(s->frame, t, c->tangent[e]);
        taut_turned(s->frame, normal, c->normal[e]);
        taut_turned(s->frame, aside, c->aside[e]);
    }
}

/* The other surface of the groove that a contact runs into, or out of; none if it is straight there. */
static const taut_surface *beside(const taut_piece *piece, int number, int end)
{
    const taut_contact *c = piece->contact + number, *from = end ? c : c - 1;
    if ((!end && !number) || from->mate < 0)
        return 0;
    return piece->surface + (from->surface == c->surface ? from->mate : from->surface);
}

/* The equations of an end in a groove: it lies on the other surface too, and runs along it. */
static void in_groove(const taut_surface *other, const taut_contact *c, int end, const double (*moves)[4], double *own,
                      double *next, double *rest)
{
    const double *parts[3] = {c->tangent[end], c->aside[end], c->normal[end]}, *f = other->frame;
    double x[3], seen[3][3], m[3], turn[2][3];
    taut_in(f, c->at[end], x);
    taut_normal(other, x, m);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            seen[k][i] = f[i] * parts[k][0] + f[3 + i] * parts[k][1] + f[6 + i] * parts[k][2];
    for (int k = 0; k < 2; k++)
        taut_bend(other, x, m, seen[k], turn[k]);
    double tm = dot3(seen[0], m), bm = dot3(seen[1], m), nm = dot3(seen[2], m);
    rest[0] = taut_outside(other, x);
    rest[1] = tm;
    for (int i = 0; i < 4; i++) {
        double ahead = moves[0][i], sideways = moves[1][i];
        own[i] = ahead * tm + sideways * bm;
        next[i] = moves[2][i] * bm - (c->bent[end] * ahead + c->twisted[end] * sideways) * nm +
                  ahead * dot3(turn[0], seen[0]) + sideways * dot3(turn[1], seen[0]);
    }
}

/* The equations of one end of a contact: the straight piece there must have no part along the normal, nor aside. Those
   of an end that is pinned: it must lie in its place. */
static void equations(const taut_piece *piece, int number, int end, int width, double *rows, double *rest)
{
    const taut_contact *c = piece->contact + number;
    const double *t = c->tangent[end], *n = c->normal[end], *b = c->aside[end];
    double bent = c->bent[end], twisted = c->twisted[end], across = c->across[end];
    double *own = rows + 4 * number, *other = own + width, line[3];
    int next = end ? number + 1 : number - 1, outer = next < 0 || next >= piece->contacts;
    const double *there = outer ? piece->ends[end] : piece->contact[next].at[1 - end];
    for (int i = 0; i < 3; i++)
        line[i] = end ? there[i] - c->at[1][i] : c->at[0][i] - there[i];
    /* How this end moves: along, aside, and how it turns, by the four numbers of the contact. */
    const double moves[3][4] = {{1.0, 0.0, 0.0, end},
                                {0.0, end ? c->shift[0] : 1.0, end ? c->shift[1] : 0.0, 0.0},
                                {0.0, end ? c->turn[0] : 0.0, end ? c->turn[1] : 1.0, 0.0}};
    const double *ahead = moves[0], *sideways = moves[1], *turning = moves[2];
    const taut_surface *groove = beside(piece, number, end);
    if (groove) {
        in_groove(groove, c, end, moves, own, other, rest);
        return;
    }
    if (outer && c->pinned[end]) {
        for (int i = 0; i < 4; i++) {
            own[i] = ahead[i];
            other[i] = sideways[i];
        }
        rest[0] = end ? -dot3(line, t) : dot3(line, t);
        rest[1] = end ? -dot3(line, b) : dot3(line, b);
        return;
    }
    double lt = dot3(line, t), ln = dot3(line, n), lb = dot3(line, b);
    rest[0] = ln;
    rest[1] = lb;
    for (int i = 0; i < 4; i++) {
        own[i] = ahead[i] * (bent * lt + twisted * lb) + sideways[i] * (twisted * lt + across * lb);
        other[i] =
            (end ? -sideways[i] : sideways[i]) - (twisted * ahead[i] + across * sideways[i]) * ln - turning[i] * lt;
    }
    if (outer)
        return;
    const taut_contact *o = piece->contact + next;
    double *far = rows + 4 * next, sign = end ? 1.0 : -1.0;
    double theirs[4][3];
    for (int k = 0; k < 3; k++) {
        double along = o->tangent[1 - end][k], aside = o->aside[1 - end][k];
        theirs[0][k] = along;
        theirs[3][k] = end ? 0.0 : along;
        theirs[1][k] = (end ? 1.0 : o->shift[0]) * aside;
        theirs[2][k] = (end ? 0.0 : o->shift[1]) * aside;
    }
    for (int i = 0; i < 4; i++) {
        far[i] = sign * dot3(theirs[i], n);
        far[width + i] = sign * dot3(theirs[i], b);
    }
}

/* Gauss, with pivots; zero if the matrix is singular. */
static int eliminate(int count, double *matrix, double *rest)
{
    for (int k = 0; k < count; k++) {
        int pivot = k;
        for (int i = k + 1; i < count; i++)
            if (fabs(matrix[count * i + k]) > fabs(matrix[count * pivot + k]))
                pivot = i;
        double head = matrix[count * pivot + k];
        if (!(fabs(head) > 1e-300))
            return 0;
        for (int j = k; j < count && pivot != k; j++) {
            double swap = matrix[count * k + j];
            matrix[count * k + j] = matrix[count * pivot + j];
            matrix[count * pivot + j] = swap;
        }
        double swap = rest[k];
        rest[k] = rest[pivot];
        rest[pivot] = swap;
        for (int i = k + 1; i < count; i++) {
            double factor = matrix[count * i + k] / head;
            if (factor == 0.0)
                continue;
            for (int j = k + 1; j < count; j++)
                matrix[count * i + j] -= factor * matrix[count * k + j];
            rest[i] -= factor * rest[k];
        }
    }
    for (int k = count - 1; k >= 0; k--) {
        for (int j = k + 1; j < count; j++)
            rest[k] -= matrix[count * k + j] * rest[j];
        rest[k] /= matrix[count * k + k];
    }
    return 1;
}

static double scale_of(const taut_surface *s)
{
    if (s->kind != WRAP_ELLIPSOID)
        return s->size[0];
    double least = s->size[0];
    for (int i = 1; i < 3; i++)
        if (s->size[i] < least)
            least = s->size[i];
    return least;
}

/* Longer than any shortest way over a surface, or far off it: Newton's method is lost. */
static int runs_away(const taut_surface *s, const taut_contact *c)
{
    double widest = s->size[0];
    if (s->kind == WRAP_CYLINDER)
        return 0;
    for (int i = 1; i < 3 && s->kind == WRAP_ELLIPSOID; i++)
        if (s->size[i] > widest)
            widest = s->size[i];
    return c->length > 7.0 * widest || c->length < -2.0 * widest;
}

/* Move a contact by its four numbers. */
static void move(const taut_surface *s, taut_contact *c, const double *by, double share)
{
    double normal[3], aside[3];
    taut_normal(s, c->from, normal);
    cross3(normal, c->along, aside);
    double turn = share * by[2], cosine = cos(turn), sine = sin(turn);
    for (int i = 0; i < 3; i++) {
        c->from[i] += share * (by[0] * c->along[i] + by[1] * aside[i]);
        c->along[i] = cosine * c->along[i] + sine * aside[i];
    }
    /* The plane turns with the place, and the direction along with it. */
    taut_project(s, c->from, c->along);
    c->length += share * by[3];
}

/* The equations hold as well if a straight piece runs against its tangent: the string then goes past its end, and
   comes back. Move such ends over to the other tangent; whether there were any. */
static int turned_round(taut_piece *piece)
{
    int found = 0;
    for (int i = 0; i < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        const taut_surface *s = piece->surface + c->surface;
        for (int e = 0; e < 2; e++) {
            int next = e ? i + 1 : i - 1, outer = next < 0 || next >= piece->contacts;
            const double *there = outer ? piece->ends[e] : piece->contact[next].at[1 - e];
            double line = 0.0;
            for (int k = 0; k < 3; k++)
                line += (e ? there[k] - c->at[1][k] : c->at[0][k] - there[k]) * c->tangent[e][k];
            if ((outer && c->pinned[e]) || beside(piece, i, e) || line > -1e-9 * scale_of(s))
                continue;
            found = 1;
            if (!e) {
                double from[3], along[3];
                taut_place(s, c, -2.0 * line, from, along);
                memcpy(c->from, from, sizeof from);
                memcpy(c->along, along, sizeof along);
            }
            c->length += 2.0 * line;
            taut_trace(s, c, FINE);
        }
    }
    return found;
}

/* The equations hold as well where two surfaces meet: the string then has a kink there, and no straight piece. */
static int kinked(const taut_piece *piece)
{
    for (int i = 0; i + 1 < piece->contacts; i++) {
        const taut_contact *a = piece->contact + i, *b = a + 1;
        double line = apart3(a->at[1], b->at[0]), size = scale_of(piece->surface + a->surface);
        if (a->mate < 0 && line < 1e-3 * size && dot3(a->tangent[1], b->tangent[0]) < 1.0 - 1e-9)
            return 1;
    }
    return 0;
}

int taut_settle(taut_piece *piece)
{
    int count = piece->contacts, width = 4 * count, turns = 0;
    double matrix[16 * MOST_CONTACTS * MOST_CONTACTS], rest[4 * MOST_CONTACTS];
    if (!count)
        return 1;
    double coarse = COARSE;
    for (int e = 0; e < 2; e++) { /* close above a surface, the tangents of an end are close to each other */
        const taut_surface *s = piece->surface + piece->contact[e ? count - 1 : 0].surface;
        double local[3];
        taut_in(s->frame, piece->ends[e], local);
        if (!piece->contact[e ? count - 1 : 0].pinned[e] && taut_outside(s, local) < 2e-3 * s->size[0])
            coarse = FINE;
    }
    for (int i = 0; i < count; i++)
        taut_trace(piece->surface + piece->contact[i].surface, piece->contact + i, coarse);
    for (int round = 0; round < 20; round++) {
        memset(matrix, 0, sizeof(double) * width * width);
        for (int i = 0; i < count; i++)
            for (int e = 0; e < 2; e++)
                equations(piece, i, e, width, matrix + (4 * i + 2 * e) * width, rest + 4 * i + 2 * e);
        if (!eliminate(width, matrix, rest))
            return 0;
        double share = 1.0, largest = 0.0;
        for (int i = 0; i < width; i++) {
            double scale = i % 4 == 2 ? 1.0 : scale_of(piece->surface + piece->contact[i / 4].surface);
            double change = fabs(rest[i]) / scale, most = i % 4 == 3 ? 2.0 : 0.5;
            if (!(change < 1e6))
                return 0;
            largest = change > largest ? change : largest;
            if (share * change > most)
                share = most / change;
        }
        if (round > 10 && largest > 0.1)
            return 0; /* it wanders */
        for (int i = 0; i < count; i++) {
            taut_contact *c = piece->contact + i;
            const taut_surface *s = piece->surface + c->surface;
            move(s, c, rest + 4 * i, -share);
            if (runs_away(s, c))
                return 0;
            /* Tangents from close above turn much by little: if coarse geodesics do not settle, they are the cause. */
            taut_trace(s, c, largest < 1e-3 || round > 5 ? FINE : coarse);
        }
        if (largest < 1e-9 && !turned_round(piece))
            return !kinked(piece);
        if (largest < 1e-9 && ++turns > 2)
            return 0;
    }
    return 0;
}

double taut_length(const taut_piece *piece)
{
    const double *here = piece->ends[0];
    double length = 0.0;
    for (int i = 0; i < piece->contacts; i++) {
        const taut_contact *c = piece->contact + i;
        length += (i && c[-1].mate >= 0 ? c[-1].bed : apart3(here, c->at[0])) + c->length;
        here = c->at[1];
    }
    return length + apart3(here, piece->ends[1]);
}
