/* Which surfaces a piece touches, and in which order: surfaces that the string passes through are put in one by one, and
   those that it lifts off from are taken out again, until it is free everywhere. */
#include "taut.h"

static const double TURN = 6.283185307179586;
/* Ways over an ellipsoid that differ by less, relative to the line, may change places once other surfaces are touched. */
static const double CLOSE = 0.02;

/* The angle about the axis of a cylinder, or the tube of a ring: zero on the wanted side, and cut opposite of it. */
double taut_angle(const taut_surface *s, const double *x)
{
    if (s->kind == WRAP_TORUS)
        return atan2(-x[2], s->size[1] - sqrt(x[0] * x[0] + x[1] * x[1]));
    double wanted = !s->side || s->axis > 1 ? 0.0 : 0.25 * TURN * s->axis + (s->side < 0 ? 0.5 * TURN : 0.0);
    return remainder(atan2(x[1], x[0]) - wanted, TURN);
}

/* By how much the straight line swings round, and whether it passes behind. */
double taut_swing(const taut_surface *s, const double *a, const double *b, int *behind)
{
    double swing = taut_angle(s, b) - taut_angle(s, a);
    if (s->kind == WRAP_TORUS) {
        *behind = 0;
        if ((a[2] < 0.0) == (b[2] < 0.0))
            return swing;
        double t = a[2] / (a[2] - b[2]), x = a[0] + t * (b[0] - a[0]), y = a[1] + t * (b[1] - a[1]);
        *behind = x * x + y * y > s->size[1] * s->size[1];
        return *behind ? swing - copysign(TURN, swing) : swing;
    }
    *behind = fabs(swing) > 0.5 * TURN;
    return remainder(swing, TURN);
}

static int winds(const taut_surface *s)
{
    return s->kind == WRAP_CYLINDER || s->kind == WRAP_TORUS;
}

/* The part of a straight line that runs inside a surface, as shares of it. */
static int pierced(const taut_surface *s, const double *a, const double *b, const int *pinned, double *low,
                   double *high)
{
    if (s->kind == WRAP_TORUS) {
        double near[3], reach = apart3(a, b);
        if (!(reach > 0.0) || !(taut_nearest(s, a, b, near) < s->size[0] * (1.0 - 1e-12)))
            return 0;
        *low = *high = apart3(a, near) / reach;
        return 1;
    }
    double aa = 0.0, ad = 0.0, dd = 0.0;
    for (int i = 0; i < (s->kind == WRAP_CYLINDER ? 2 : 3); i++) {
        double radius = s->size[s->kind == WRAP_ELLIPSOID ? i : 0], x = a[i] / radius, d = (b[i] - a[i]) / radius;
        aa += x * x;
        ad += x * d;
        dd += d * d;
    }
    if (pinned[0])
        aa = 1.0;
    if (pinned[1])
        aa = 1.0 - 2.0 * ad - dd;
    double depth = ad * ad - dd * (aa - 1.0);
    if (!(dd > 0.0) || !(ad < 0.0) || !(-ad < dd) || !(depth > 1e-13 * dd))
        return 0;
    *low = (-ad - sqrt(depth)) / dd;
    *high = (-ad + sqrt(depth)) / dd;
    if (*low < 0.0)
        *low = 0.0;
    if (*high > 1.0)
        *high = 1.0;
    return 1;
}

typedef struct {
    int first, last;
    double low, high;
} run_of; /* elements of a piece: straight lines even, arcs odd */

/* Whether a contact ends in a groove of another surface, which it touches there. */
static int beside(const taut_piece *piece, const taut_contact *c, const taut_surface *s)
{
    int number = (int)(s - piece->surface);
    if (c->mate == number)
        return 1;
    return c > piece->contact && c[-1].mate >= 0 && (c[-1].mate == number || c[-1].surface == number);
}

/* Where an arc on another surface runs inside this one: the last sample before and the first after it, as shares. */
static int buried(const taut_piece *piece, const taut_surface *s, const taut_contact *c, double *low, double *high)
{
    const taut_surface *own = piece->surface + c->surface;
    double places[SAMPLES + 1][3], ways[SAMPLES + 1][3], step = c->length / SAMPLES;
    double depth = (beside(piece, c, s) ? 1e-4 : 2e-6) * s->size[0];
    int first = -1, last = -1;
    taut_contact here = *c;
    for (int k = 0; k <= SAMPLES; k++) {
        double x[3], d[3], world[3];
        taut_place(own, &here, k ? step : 0.0, x, d);
        memcpy(here.from, x, sizeof x);
        memcpy(here.along, d, sizeof d);
        taut_out(own->frame, x, world);
        taut_in(s->frame, world, places[k]);
        taut_turned(own->frame, d, world);
        for (int i = 0; i < 3; i++)
            ways[k][i] = s->frame[i] * world[0] + s->frame[3 + i] * world[1] + s->frame[6 + i] * world[2];
    }
    for (int k = 0; k < SAMPLES; k++) {
        for (int part = 0; part <= 4; part++) {
            double t = 0.25 * part, x[3];
            for (int i = 0; i < 3; i++) {
                double a = places[k][i], b = places[k + 1][i], u = step * ways[k][i], v = step * ways[k + 1][i];
                x[i] = a + t * (u + t * (3.0 * (b - a) - 2.0 * u - v + t * (2.0 * (a - b) + u + v)));
            }
            if (taut_outside(s, x) < -depth) {
                if (first < 0)
                    first = part ? k : (k ? k - 1 : 0);
                last = part < 4 ? k + 1 : (k + 2 < SAMPLES ? k + 2 : SAMPLES);
            }
        }
    }
    if (first < 0)
        return 0;
    *low = taut_outside(s, places[first]) > 0.0 ? (double)first / SAMPLES : 0.0;
    *high = taut_outside(s, places[last]) > 0.0 ? (double)last / SAMPLES : 1.0;
    return 1;
}

static void line_at(const taut_piece *piece, const taut_surface *s, int number, double *a, double *b)
{
    taut_in(s->frame, number ? piece->contact[number - 1].at[1] : piece->ends[0], a);
    taut_in(s->frame, number < piece->contacts ? piece->contact[number].at[0] : piece->ends[1], b);
}

/* Whether the string passes through a surface, or behind one that it is held in front of, and where first. */
static int passes(const taut_piece *piece, int number, run_of *run)
{
    const taut_surface *s = piece->surface + number;
    int found = 0;
    for (int element = 0; element <= 2 * piece->contacts; element++) {
        int i = element / 2, inside;
        double low = 0.0, high = 1.0, a[3], b[3];
        if (element % 2) {
            inside = piece->contact[i].surface != number && buried(piece, s, piece->contact + i, &low, &high);
        } else {
            int before = i > 0 && piece->contact[i - 1].surface == number;
            int after = i < piece->contacts && piece->contact[i].surface == number, behind = 0;
            int pinned[2] = {i == 0 && s->pinned[0], i == piece->contacts && s->pinned[1]};
            line_at(piece, s, i, a, b);
            if (i > 0 && piece->contact[i - 1].mate >= 0)
                before = 1; /* a groove, not a straight line */
            inside = !before && !after && pierced(s, a, b, pinned, &low, &high);
            if (s->held && winds(s) && !inside && !before && !after)
                taut_swing(s, a, b, &behind);
            if (behind) {
                inside = 1;
                low = high = 0.5;
            }
        }
        if (found && !(inside && run->high == 1.0 && low == 0.0))
            return 1;
        if (!inside)
            continue;
        if (!found) {
            run->first = element;
            run->low = low;
        }
        run->last = element;
        run->high = high;
        found = 1;
        if (high < 1.0)
            return 1;
    }
    return found;
}

int taut_passes(const taut_piece *piece, int number)
{
    run_of run;
    return passes(piece, number, &run);
}

int taut_passed(const taut_surface *s, const double *const *ends)
{
    double a[3], b[3], low, high;
    int behind = 0;
    taut_in(s->frame, ends[0], a);
    taut_in(s->frame, ends[1], b);
    if (s->held && winds(s))
        taut_swing(s, a, b, &behind);
    return behind || pierced(s, a, b, s->pinned, &low, &high);
}

/* Put a surface in where the string runs through it; 0 if the way over it does not touch, -1 if there is no room. */
static int put_in(taut_piece *piece, int number, const run_of *run)
{
    const taut_surface *s = piece->surface + number;
    taut_contact before, after, fresh;
    int kept = run->first / 2, rest = (run->last + 1) / 2, cut[2] = {run->first % 2, run->last % 2};
    double a[3], b[3], x[3], world[3];
    if (cut[0]) {
        before = piece->contact[kept];
        const taut_surface *own = piece->surface + before.surface;
        before.length *= run->low;
        before.mate = -1;
        taut_place(own, &before, before.length, x, world);
        taut_out(own->frame, x, world);
        taut_in(s->frame, world, a);
        cut[0] = run->low > 0.0;
    } else {
        line_at(piece, s, kept, a, x);
    }
    if (cut[1]) {
        after = piece->contact[run->last / 2];
        const taut_surface *own = piece->surface + after.surface;
        double from[3], along[3];
        taut_place(own, &after, run->high * after.length, from, along);
        memcpy(after.from, from, sizeof from);
        memcpy(after.along, along, sizeof along);
        after.length *= 1.0 - run->high;
        taut_out(own->frame, from, world);
        taut_in(s->frame, world, b);
        cut[1] = run->high < 1.0;
    } else {
        line_at(piece, s, run->last / 2, x, b);
    }
    int pinned[2] = {run->first == 0 && s->pinned[0], run->last == 2 * piece->contacts && s->pinned[1]};
    double swing = taut_angle(s, b) - taut_angle(s, a);
    if (!s->held)
        swing = remainder(swing, TURN);
    if (s->flipped)
        swing -= copysign(TURN, swing);
    if (!taut_over(s, a, b, pinned, swing, &fresh))
        return 0;
    fresh.surface = number;
    fresh.mate = -1;
    if (s->kind == WRAP_ELLIPSOID && fresh.rival < CLOSE * apart3(a, b))
        piece->surface[number].doubt = 1;
    int tail = piece->contacts - rest, count = kept + cut[0] + 1 + cut[1] + tail;
    if (count > MOST_CONTACTS)
        return -1;
    memmove(piece->contact + kept + cut[0] + 1 + cut[1], piece->contact + rest, sizeof(taut_contact) * tail);
    if (cut[0])
        piece->contact[kept] = before;
    piece->contact[kept + cut[0]] = fresh;
    if (cut[1])
        piece->contact[kept + cut[0] + 1] = after;
    piece->contacts = count;
    return 1;
}

/* Whether a contact, and the grooves beside it, touch a surface. */
static int in_groove(const taut_contact *c, int number)
{
    return c->mate >= 0 && (c->surface == number || c->mate == number);
}

/* The surface from which the string slips: off both ends of a cylinder, or on the wrong half of a ring; -1 if none. */
static int slips(const taut_piece *piece)
{
    int found = -1;
    for (int i = 0; i < piece->contacts; i++) {
        const taut_contact *c = piece->contact + i;
        for (int k = 0; k < (c->mate >= 0 ? 2 : 1); k++) {
            int number = k ? c->mate : c->surface;
            const taut_surface *s = piece->surface + number;
            double from[3], to[3];
            const double *first = k ? c->at[1] : c->at[0], *last = c->at[1];
            if (i && in_groove(c - 1, number))
                first = c[-1].at[1];
            if (in_groove(c, number))
                last = k && c[1].surface == number ? c[1].at[1] : c[1].at[0];
            taut_in(s->frame, first, from);
            taut_in(s->frame, last, to);
            if (s->kind == WRAP_CYLINDER && fabs(from[2]) > s->half_length && fabs(to[2]) > s->half_length)
                found = number;
            if (s->kind == WRAP_TORUS && s->side && s->side * (from[s->axis] + to[s->axis]) < 0.0)
                found = number;
        }
    }
    return found;
}

/* Whether the string passes below the edge of a half that it is held to. */
static int low(const taut_piece *piece)
{
    for (int i = 0; i < piece->contacts; i++) {
        const taut_surface *s = piece->surface + piece->contact[i].surface;
        if (s->held && !winds(s) && taut_low(s, piece->contact + i))
            return 1;
    }
    return 0;
}

/* Whether a surface that the string runs through, although it does not lean on it, is but grazed. */
static int grazed(const taut_piece *piece, int number, const run_of *run)
{
    const taut_surface *s = piece->surface + number;
    if (run->first != run->last || run->first % 2 || run->first > 2 * piece->contacts)
        return 0;
    double a[3], b[3];
    line_at(piece, s, run->first / 2, a, b);
    return (run->high - run->low) * apart3(a, b) < 1e-2 * s->size[0];
}

/* Such a surface: grazed, it does not matter; else it is left out. */
static void give_up(taut_piece *piece, int number, const run_of *run, int *idle)
{
    idle[number] = 3;
    if (!grazed(piece, number, run)) {
        piece->surface[number].off = 2;
        piece->dropped++;
    }
}

/* Lead an arc that runs inside another surface round it, in the groove between both. */
static int lead_round(taut_piece *piece, int number, const run_of *run)
{
    if (run->first != run->last || run->first % 2 == 0)
        return 0;
    taut_piece trial;
    taut_copy(&trial, piece);
    if (!taut_split(&trial, run->first / 2, number, run->low, run->high) || taut_passes(&trial, number))
        return 0;
    taut_copy(piece, &trial);
    return 1;
}

/* Where Newton's method fails: in a groove of the string as it was, or by a chain along that which failed. */
static int other_way(taut_piece *piece, const taut_piece *kept, const taut_piece *put_down, int number,
                     const run_of *run)
{
    taut_copy(piece, kept);
    if (lead_round(piece, number, run))
        return 1;
    taut_copy(piece, put_down);
    return taut_chain(piece);
}

/* Find the contacts, looking at surfaces in the order of their ranks; whether all went well. `used` marks surfaces that
   the string ran through at some time; `chosen` tells whether it ran through several at once, so that their order may
   matter. */
static int build(taut_piece *piece, int *used, int *chosen)
{
    int idle[piece->surfaces + 1], met[piece->surfaces + 1];
    taut_piece kept, put_down;
    memset(idle, 0, sizeof idle);
    memset(met, 0, sizeof met);
    piece->contacts = piece->dropped = 0;
    for (int i = 0; i < piece->surfaces; i++)
        piece->surface[i].off = 0;
    for (int round = 0; round < 6 * piece->surfaces + 6; round++) {
        int found = -1;
        run_of run;
        for (int rank = 0; rank < piece->surfaces && found < 0; rank++) {
            for (int i = 0; i < piece->surfaces; i++)
                if (piece->surface[i].rank == rank && !piece->surface[i].off && idle[i] < 3 && passes(piece, i, &run))
                    found = i;
        }
        if (found < 0) {
            int slipped = slips(piece);
            if (slipped < 0)
                return !low(piece);
            piece->surface[slipped].off = 1;
            taut_leave(piece, slipped);
            if (!taut_relax(piece))
                return 0;
            continue;
        }
        used[found] = 1;
        for (int i = 0; i < piece->surfaces && !*chosen; i++) {
            const taut_surface *s = piece->surface + i;
            *chosen = s->rank > piece->surface[found].rank && !s->off && idle[i] < 3 && taut_passes(piece, i);
        }
        taut_copy(&kept, piece);
        if (++met[found] == 3) { /* two surfaces take turns, each inside the other */
            if (!taut_chain(piece)) {
                piece->surface[found].off = 2;
                piece->dropped++;
            }
            continue;
        }
        int put = put_in(piece, found, &run);
        if (put < 0)
            return 0;
        if (!put) {
            if (piece->surface[found].held && !winds(piece->surface + found))
                return 0;
            if (!grazed(piece, found, &run) && (lead_round(piece, found, &run) || taut_chain(piece)))
                continue;
            give_up(piece, found, &run, idle);
            continue;
        }
        taut_copy(&put_down, piece);
        if (!taut_relax(piece) && !other_way(piece, &kept, &put_down, found, &run)) {
            taut_copy(piece, &kept);
            piece->surface[found].off = 2;
            piece->dropped++;
            continue;
        }
        int touched = 0;
        for (int i = 0; i < piece->contacts; i++)
            touched |= piece->contact[i].surface == found;
        if (!touched && ++idle[found] == 3)
            give_up(piece, found, &run, idle);
    }
    return 0;
}

typedef struct {
    taut_piece *piece, *best;
    int *used, skip, chosen;
} search_of;

static void attempt(search_of *search)
{
    search->chosen = 0;
    search->piece->limit = search->best->dropped ? INFINITY : search->best->length;
    if (!build(search->piece, search->used, &search->chosen))
        return;
    double length = taut_length(search->piece);
    int dropped = search->piece->dropped, fewer = dropped - search->best->dropped;
    if (fewer < 0 || (fewer == 0 && (dropped ? length > search->best->length : length < search->best->length))) {
        search->best->dropped = dropped;
        taut_contact *into = search->best->contact;
        memcpy(into, search->piece->contact, sizeof(taut_contact) * search->piece->contacts);
        search->best->contacts = search->piece->contacts;
        search->best->length = length;
        for (int i = 0; i < search->piece->surfaces; i++)
            search->best->surface[i].off = search->piece->surface[i].off;
    }
}

/* All orders of the surfaces in `chosen`, from a place on. */
static void orders(search_of *search, int *chosen, int count, int from, int *tries)
{
    if (from == count) {
        if (search->skip) { /* known already */
            search->skip = 0;
            return;
        }
        for (int i = 0; i < count; i++)
            search->piece->surface[chosen[i]].rank = i;
        if (--*tries < 0)
            return;
        attempt(search);
        if (!search->chosen)
            *tries = 0; /* all other orders lead to the same */
        return;
    }
    for (int i = from; i < count; i++) {
        int swap = chosen[from];
        chosen[from] = chosen[i];
        chosen[i] = swap;
        orders(search, chosen, count, from + 1, tries);
        swap = chosen[from];
        chosen[from] = chosen[i];
        chosen[i] = swap;
    }
}

/* Whether the other way round a cylinder alone is shorter than what was found: then it may be part of something better. */
static int worth_flipping(const taut_piece *piece, const taut_surface *s, double best)
{
    if (s->kind != WRAP_CYLINDER || s->held || s->off)
        return 0;
    double a[3], b[3], swing;
    taut_contact over;
    taut_in(s->frame, piece->ends[0], a);
    taut_in(s->frame, piece->ends[1], b);
    swing = remainder(taut_angle(s, b) - taut_angle(s, a), TURN);
    if (!taut_over(s, a, b, s->pinned, swing - copysign(TURN, swing), &over))
        return 0;
    taut_trace(s, &over, 1e-13);
    return apart3(piece->ends[0], over.at[0]) + over.length + apart3(over.at[1], piece->ends[1]) < best;
}

void taut_string(taut_piece *piece)
{
    int count = piece->surfaces, used[count + 1], chosen[count + 1], tries = 24;
    piece->contacts = 0;
    piece->length = INFINITY;
    piece->dropped = count + 1;
    for (int i = 0; i < count; i++) {
        piece->surface[i].rank = i;
        piece->surface[i].flipped = piece->surface[i].doubt = used[i] = 0;
    }
    run_of run;
    int any = 0;
    for (int i = 0; i < count && !any; i++)
        any = passes(piece, i, &run);
    if (!any) {
        piece->dropped = 0;
        for (int i = 0; i < count; i++)
            piece->surface[i].off = 0;
        piece->length = taut_length(piece);
        return;
    }
    taut_surface copies[count];
    taut_piece trial;
    memcpy(copies, piece->surface, sizeof copies);
    trial.ends[0] = piece->ends[0];
    trial.ends[1] = piece->ends[1];
    trial.surface = copies;
    trial.surfaces = count;
    search_of search = {&trial, piece, used, 0, 0};
    attempt(&search);
    int several = 0;
    for (int i = 0; i < count; i++)
        several += used[i];
    if (several > 1) {
        int flips[2 * count], flipping = 0, place = 0;
        for (int i = 0; i < count; i++)
            if (used[i])
                chosen[place++] = i;
        for (int i = 0; i < count; i++)
            if (!used[i])
                chosen[place++] = i;
        for (int i = 0; i < count; i++)
            if (used[i] && worth_flipping(piece, copies + i, piece->length))
                flips[flipping++] = i;
        for (int way = 0; way < (1 << (flipping < 3 ? flipping : 3)); way++) {
            for (int i = 0; i < flipping; i++)
                copies[flips[i]].flipped = way >> i & 1;
            for (int i = several; i < count; i++)
                copies[chosen[i]].rank = i;
            tries = 24;
            search.skip = way == 0;
            if (way || search.chosen)
                orders(&search, chosen, several, 0, &tries);
            for (int i = 0; i < count && way == 0; i++)
                if (copies[i].doubt)
                    flips[flipping++] = i;
        }
    }
    int held = 0;
    for (int i = 0; i < count; i++)
        held |= copies[i].held && !winds(copies + i);
    if (piece->length == INFINITY && !held) { /* no string is taut over any of them: all are left out, and marked so */
        for (int i = 0; i < count; i++)
            piece->surface[i].off = 2;
        piece->contacts = piece->dropped = 0;
        piece->length = taut_length(piece);
    }
}
