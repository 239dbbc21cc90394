/* A path is a row of pieces, each between two of its points. Where a point lies within a surface, the surface shrinks as
   far as the point, for the pieces that end there. */
#include "taut.h"
#include "path.h"
#include "../wrap_way.h"

/* Of a surface that has shrunk below this share nothing is left. */
static const double SUNK = 1e-8;
static const double ON_SURFACE = 1e-12;

typedef struct { /* a path, and what is collected along it; any but the path may be missing */
    const wrap_path *path;
    const double *frames;
    double *weights; /* by the points, then by the motions of surfaces */
    double *places;  /* points to draw, and how many there are so far, in pieces; only counted if missing */
    int written, pieces;
    int *marks;
    unsigned char *ways; /* for each surface and piece: whether it may be touched there, and how */
} walk_of;

enum { NO_WAY, FREELY, HELD };

/* How far out a place is in units of a surface's size, and the slopes of that. */
static double level(const wrap_surface *s, const double *x, double *slope)
{
    double square = 0.0, value, radius = s->size[0];
    if (s->kind == WRAP_TORUS) {
        double off = sqrt(x[0] * x[0] + x[1] * x[1]), rest = off - s->size[1], far = hypot(rest, x[2]);
        double by = far > 0.0 ? 1.0 / (far * radius) : 0.0;
        slope[0] = off > 0.0 ? by * rest * x[0] / off : 0.0;
        slope[1] = off > 0.0 ? by * rest * x[1] / off : 0.0;
        slope[2] = by * x[2];
        return far / radius;
    }
    for (int i = 0; i < 3; i++) {
        double size = s->kind == WRAP_ELLIPSOID ? s->size[i] : radius;
        double part = s->kind == WRAP_CYLINDER && i == 2 ? 0.0 : x[i] / size;
        square += part * part;
        slope[i] = part / size;
    }
    value = sqrt(square);
    for (int i = 0; i < 3 && value > 0.0; i++)
        slope[i] /= value;
    return value;
}

/* The gradient of a length with respect to a place and to the frame of the surface that the place is seen from. */
static void pull(double *weights, const double *gradient, const double *at, const double *origin, double sign)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        weights[i] += sign * gradient[i];
        weights[3 + i] += sign * ((at[j] - origin[j]) * gradient[k] - (at[k] - origin[k]) * gradient[j]);
    }
}

/* A gradient by the place of an end as seen from a surface: its share of the end, and of the frame. */
static void pull_seen(walk_of *walk, int use, const double *local, const double *at, double *end)
{
    double world[3];
    const double *frame = walk->frames + 12 * use;
    taut_turned(frame, local, world);
    for (int i = 0; i < 3; i++)
        end[i] += world[i];
    pull(walk->weights + 3 * walk->path->points + 6 * use, world, at, frame + 9, -1.0);
}

static double *weights_of(const walk_of *walk, int use)
{
    return walk->weights + 3 * walk->path->points + 6 * use;
}

static int round_body(const taut_surface *s)
{
    return s->kind == WRAP_SPHERE || s->kind == WRAP_ELLIPSOID;
}

static void prepare(const walk_of *walk, int use, int way, const double *const *ends, taut_surface *s)
{
    const wrap_surface *from = walk->path->surface + use;
    double levels[2], slope[3], local[3];
    memset(s, 0, sizeof *s);
    s->kind = from->kind;
    s->use = use;
    s->frame = walk->frames + 12 * use;
    s->axis = wrap_axis(from->half);
    s->side = wrap_side(from->half);
    s->held = way == HELD && !round_body(s);
    s->half_length = 0.5 * from->size[1];
    s->share = 1.0;
    for (int e = 0; e < 2; e++) {
        taut_in(s->frame, ends[e], local);
        levels[e] = level(from, local, slope);
        if (levels[e] < s->share)
            s->share = levels[e];
    }
    for (int e = 0; e < 2; e++)
        s->pinned[e] = levels[e] <= s->share * (1.0 + ON_SURFACE);
    for (int i = 0; i < 3; i++)
        s->size[i] = s->share * from->size[i];
    if (s->kind == WRAP_TORUS)
        s->size[1] = from->size[1];
    for (int i = 0; i < 3 && s->kind == WRAP_ELLIPSOID; i++)
        s->weight[i] = 1.0 / (s->size[i] * s->size[i]);
}

/* The middle plane of the straight line, and how low a path may cross it: see `edge_of`. Zero where all is allowed. */
static int find_edge(taut_surface *s, const double *const *ends)
{
    double u[3], v[3], lean;
    if (!s->side || !round_body(s))
        return 0;
    taut_in(s->frame, ends[0], u);
    taut_in(s->frame, ends[1], v);
    for (int i = 0; i < 3; i++) {
        double size = s->size[s->kind == WRAP_ELLIPSOID ? i : 0];
        u[i] /= size;
        s->edge[i] = v[i] / size - u[i];
        s->front[i] = i == s->axis ? s->side : 0.0;
    }
    if (!(dot3(s->edge, s->edge) > 1e-18))
        return 0;
    unit_of(s->edge);
    lean = dot3(s->front, s->edge);
    for (int i = 0; i < 3; i++)
        s->front[i] -= lean * s->edge[i];
    if (!(dot3(s->front, s->front) > 1e-12))
        return 0;
    unit_of(s->front);
    s->low = dot3(u, s->front);
    if (s->low > 0.0)
        s->low = 0.0;
    return s->low > -1.0;
}

/* What the length has to do with both surfaces of a groove. */
static void lean_on(walk_of *walk, const taut_piece *piece, const taut_contact *c, double *shares)
{
    taut_lean lean[2];
    taut_leaning(piece, c, lean);
    for (int k = 0; k < 2; k++) {
        int number = k ? c->mate : c->surface;
        const taut_surface *s = piece->surface + number;
        double *weights = weights_of(walk, s->use), about[3];
        cross3(s->frame + 9, lean[k].force, about);
        for (int i = 0; i < 3; i++) {
            weights[i] += lean[k].force[i];
            weights[3 + i] += lean[k].moment[i] - about[i];
        }
        shares[number] += lean[k].stretch;
    }
}

/* What the length has to do with the ends of a piece, with the frames of its surfaces, and with their shrinking. */
static void gradients(walk_of *walk, const taut_piece *piece, double *const *by_ends)
{
    double unit[3], shares[piece->surfaces + 1];
    memset(shares, 0, sizeof shares);
    for (int line = 0; line <= piece->contacts; line++) {
        const taut_contact *before = line ? piece->contact + line - 1 : 0;
        const taut_contact *after = line < piece->contacts ? piece->contact + line : 0;
        const double *a = before ? before->at[1] : piece->ends[0], *b = after ? after->at[0] : piece->ends[1];
        int groove = before && before->mate >= 0;
        for (int i = 0; i < 3; i++)
            unit[i] = b[i] - a[i];
        /* Along the tangents, which are exact however short the straight piece is. */
        if (before || after)
            memcpy(unit, after && !groove ? after->tangent[0] : before->tangent[1], sizeof unit);
        unit_of(unit);
        if (groove)
            lean_on(walk, piece, before, shares);
        for (int e = 0; e < 2; e++) {
            const taut_contact *c = e ? after : before;
            double sign = e ? 1.0 : -1.0;
            if (!c) {
                for (int i = 0; i < 3; i++)
                    by_ends[e][i] += sign * unit[i];
                continue;
            }
            const taut_surface *s = piece->surface + c->surface;
            if (groove && e)
                memcpy(unit, after->tangent[0], sizeof unit);
            pull(weights_of(walk, s->use), unit, c->at[1 - e], s->frame + 9, sign);
            /* As all grows about the origin, its length does: that of the contact is what the ends do not take. */
            double local[3], there[3];
            taut_in(s->frame, c->at[1 - e], there);
            for (int i = 0; i < 3; i++)
                local[i] = s->frame[i] * unit[0] + s->frame[3 + i] * unit[1] + s->frame[6 + i] * unit[2];
            shares[c->surface] += sign * dot3(local, there) + (e ? c->length : 0.0);
        }
    }
    for (int n = 0; n < piece->surfaces; n++) {
        const taut_surface *s = piece->surface + n;
        if (!(s->share < 1.0))
            continue;
        double by = s->kind == WRAP_TORUS ? 0.0 : shares[n] / s->share, slope[3], local[3];
        for (int i = 0; i < piece->contacts && s->kind == WRAP_TORUS; i++)
            if (piece->contact[i].surface == n)
                by += piece->contact[i].push * walk->path->surface[s->use].size[0];
        if (by == 0.0)
            continue;
        int end = s->pinned[0] ? 0 : 1;
        taut_in(s->frame, piece->ends[end], local);
        level(walk->path->surface + s->use, local, slope);
        for (int i = 0; i < 3; i++)
            slope[i] *= by;
        pull_seen(walk, s->use, slope, piece->ends[end], by_ends[end]);
    }
}

static void write_place(walk_of *walk, const double *frame, const double *x)
{
    if (walk->places && frame)
        taut_out(frame, x, walk->places + 3 * walk->written);
    else if (walk->places)
        memcpy(walk->places + 3 * walk->written, x, 3 * sizeof(double));
    walk->written++;
}

static void draw(walk_of *walk, const taut_piece *piece)
{
    for (int n = 0; n < piece->contacts; n++) {
        const taut_contact *c = piece->contact + n;
        const taut_surface *s = piece->surface + c->surface;
        for (int k = 0; k <= walk->pieces; k++) {
            double x[3], direction[3];
            taut_place(s, c, c->length * k / walk->pieces, x, direction);
            write_place(walk, s->frame, x);
        }
        for (int k = 1; k < walk->pieces && c->mate >= 0; k++) {
            double x[3];
            taut_along_groove(piece, c, c->bed * k / walk->pieces, x);
            write_place(walk, 0, x);
        }
    }
}

/* Where a path over a ball or an ellipsoid may pass at the lowest in the middle plane of the straight line, as seen from
   the wanted half: not below the edge of the half, or the line itself. Of the two such places, that on one hand. */
static void edge_of(const wrap_surface *s, const dual3 *p, const dual3 *q, dual share, double hand, dual3 *place)
{
    dual3 u, v, edge, front = {{constant(0.0), constant(0.0), constant(0.0)}}, part, aside;
    int axis = wrap_axis(s->half);
    for (int i = 0; i < 3; i++) {
        dual size = times(s->size[s->kind == WRAP_ELLIPSOID ? i : 0], share);
        u.x[i] = quotient(p->x[i], size);
        v.x[i] = quotient(q->x[i], size);
    }
    edge = sub3(&v, &u);
    edge = unit3(&edge);
    front.x[axis] = constant(wrap_side(s->half));
    part = along(dot(&front, &edge), &edge);
    front = sub3(&front, &part);
    front = unit3(&front);
    aside = cross(&edge, &front);
    dual height = dot(&u, &front);
    if (height.v > 0.0)
        height = constant(0.0);
    dual wide = times(hand, root(plus(times(-1.0, mul(height, height)), 1.0)));
    part = along(height, &front);
    aside = along(wide, &aside);
    *place = add3(&part, &aside);
    for (int i = 0; i < 3; i++)
        place->x[i] = mul(place->x[i], times(s->size[s->kind == WRAP_ELLIPSOID ? i : 0], share));
}

/* What is collected of a piece that has been found. */
static void collect(walk_of *walk, const taut_piece *piece, double *const *by_ends, int number)
{
    if (walk->weights)
        gradients(walk, piece, by_ends);
    if (walk->pieces)
        draw(walk, piece);
    if (!walk->marks)
        return;
    for (int n = 0; n < piece->contacts; n++)
        walk->marks[4 * piece->surface[piece->contact[n].surface].use] |= 1 << number % 31;
    for (int n = 0; n < piece->surfaces; n++)
        if (piece->surface[n].off)
            walk->marks[4 * piece->surface[n].use + (piece->surface[n].off > 1 ? 3 : 1)] |= 1 << number % 31;
}

static double walk_piece(walk_of *walk, const double *const *ends, double *const *by_ends, const unsigned char *ways,
                         unsigned char *freed, int number);

/* A piece that must pass the edge of a half, in the middle plane of the straight line: two pieces, that meet there. */
static double over_edge(walk_of *walk, const taut_surface *s, const double *const *ends, double *const *by_ends,
                        const unsigned char *ways, unsigned char *freed, int number, double hand)
{
    const wrap_surface *from = walk->path->surface + s->use;
    double local[2][3], slope[3], middle[3], at[3], by_middle[3] = {0.0, 0.0, 0.0};
    dual3 p, q, place;
    dual share = constant(s->share);
    int sunk = s->pinned[0] ? 0 : 1;
    for (int e = 0; e < 2; e++) {
        taut_in(s->frame, ends[e], local[e]);
        for (int i = 0; i < 3; i++) {
            dual *x = (e ? &q : &p)->x + i;
            *x = constant(local[e][i]);
            x->d[3 * e + i] = 1.0;
        }
    }
    level(from, local[sunk], slope);
    for (int i = 0; i < 3 && s->share < 1.0; i++)
        share.d[3 * sunk + i] = slope[i];
    edge_of(from, &p, &q, share, hand, &place);
    for (int i = 0; i < 3; i++)
        middle[i] = place.x[i].v;
    taut_out(s->frame, middle, at);
    const double *first[2] = {ends[0], at}, *second[2] = {at, ends[1]};
    double *by_first[2] = {by_ends[0], by_middle}, *by_second[2] = {by_middle, by_ends[1]};
    if (walk->marks)
        walk->marks[4 * s->use + 2] |= 1 << number % 31;
    freed[s->use] = 1;
    double length = walk_piece(walk, first, by_first, ways, freed, number);
    length += walk_piece(walk, second, by_second, ways, freed, number);
    freed[s->use] = 0;
    if (!walk->weights)
        return length;
    double seen[3], by[2][3] = {{0}, {0}};
    for (int i = 0; i < 3; i++)
        seen[i] = s->frame[i] * by_middle[0] + s->frame[3 + i] * by_middle[1] + s->frame[6 + i] * by_middle[2];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            by[k / 3][k % 3] += seen[i] * place.x[i].d[k];
    pull(weights_of(walk, s->use), by_middle, at, s->frame + 9, 1.0);
    for (int e = 0; e < 2; e++)
        pull_seen(walk, s->use, by[e], ends[e], by_ends[e]);
    return length;
}

/* One piece, between two places; `ways` are those of its surfaces, `freed` those that are not held to their halves.
   Adds to gradients by the ends; returns the length. */
static double walk_over(walk_of *walk, const double *const *ends, double *const *by_ends, const unsigned char *ways,
                        unsigned char *freed, int number)
{
    int count = walk->path->surfaces, low = -1;
    taut_surface surfaces[count + 1];
    taut_piece piece;
    piece.ends[0] = ends[0];
    piece.ends[1] = ends[1];
    piece.surface = surfaces;
    piece.surfaces = 0;
    for (int use = 0; use < count; use++) {
        taut_surface *s = surfaces + piece.surfaces;
        if (ways[use] == NO_WAY)
            continue;
        prepare(walk, use, ways[use], ends, s);
        if (s->share > SUNK)
            piece.surfaces++;
        if (freed[use] || !find_edge(s, ends))
            s->side = round_body(s) ? 0 : s->side;
    }
    taut_string(&piece);
    for (int n = 0; n < piece.contacts && low < 0; n++) {
        const taut_surface *s = surfaces + piece.contact[n].surface;
        if (round_body(s) && s->side && taut_low(s, piece.contact + n))
            low = piece.contact[n].surface;
    }
    if (low < 0) {
        collect(walk, &piece, by_ends, number);
        return piece.length;
    }
    /* The shortest of those that pass no lower than the edge, and of those that pass it on either hand. */
    for (int n = 0; n < piece.surfaces; n++)
        if (round_body(surfaces + n))
            surfaces[n].held = surfaces[n].side != 0;
    taut_string(&piece);
    walk_of quiet = {walk->path, walk->frames, 0, 0, 0, 0, walk->marks, 0};
    double hands[2];
    for (int h = 0; h < 2; h++)
        hands[h] = over_edge(&quiet, surfaces + low, ends, by_ends, ways, freed, number, h ? -1.0 : 1.0);
    int hand = hands[1] < hands[0];
    if (piece.length <= hands[hand] && !piece.dropped) {
        collect(walk, &piece, by_ends, number);
        return piece.length;
    }
    return over_edge(walk, surfaces + low, ends, by_ends, ways, freed, number, hand ? -1.0 : 1.0);
}

/* The next way of choosing one of each group of surfaces; zero after the last. `rest` are the ways at hand, all of them
   in `ways`. A number counts up, whose digits are the members that are chosen. */
static int next_choice(const walk_of *walk, const unsigned char *ways, int turn, unsigned char *rest)
{
    int count = walk->path->surfaces;
    memcpy(rest, ways, count);
    for (int first = 0; first < count; first++) {
        int members[count], size = 0;
        if (walk->path->surface[first].group != first)
            continue;
        for (int use = first; use < count; use++)
            if (walk->path->surface[use].group == first && ways[use] != NO_WAY)
                members[size++] = use;
        for (int m = 0; m < size; m++)
            if (m != turn % size)
                rest[members[m]] = NO_WAY;
        if (size)
            turn /= size;
    }
    return turn == 0;
}

/* Whether the straight line is free of all surfaces. */
static int straight_on(const walk_of *walk, const double *const *ends, const unsigned char *ways)
{
    for (int use = 0; use < walk->path->surfaces; use++) {
        taut_surface s;
        if (ways[use] == NO_WAY)
            continue;
        prepare(walk, use, ways[use], ends, &s);
        if (s.share > SUNK && taut_passed(&s, ends))
            return 0;
    }
    return 1;
}

/* One piece. Of surfaces that overlap on one body, the string runs over that one which makes it longest: between them it
   would lie in a groove. */
static double walk_piece(walk_of *walk, const double *const *ends, double *const *by_ends, const unsigned char *ways,
                         unsigned char *freed, int number)
{
    unsigned char rest[walk->path->surfaces + 1];
    walk_of quiet = {walk->path, walk->frames, 0, 0, 0, 0, walk->marks, 0};
    double longest = -1.0;
    int best = 0;
    if (next_choice(walk, ways, 1, rest) && !straight_on(walk, ends, ways)) {
        for (int turn = 0; next_choice(walk, ways, turn, rest); turn++) {
            double length = walk_over(&quiet, ends, by_ends, rest, freed, number);
            if (length > longest) {
                longest = length;
                best = turn;
            }
        }
    }
    next_choice(walk, ways, best, rest);
    return walk_over(walk, ends, by_ends, rest, freed, number);
}

/* By how much a piece grows if it is held to the way in front; infinity if it slips off, or does not touch. */
static double growth(const walk_of *walk, int use, const double *const *ends)
{
    taut_surface s;
    taut_contact over;
    double a[3], b[3];
    prepare(walk, use, HELD, ends, &s);
    if (!(s.share > SUNK))
        return INFINITY;
    taut_in(s.frame, ends[0], a);
    taut_in(s.frame, ends[1], b);
    if (!taut_over(&s, a, b, s.pinned, taut_angle(&s, b) - taut_angle(&s, a), &over))
        return INFINITY;
    taut_trace(&s, &over, 1e-13);
    if (s.kind == WRAP_CYLINDER && fabs(over.from[2]) > s.half_length && fabs(over.to[2]) > s.half_length)
        return INFINITY;
    return apart3(ends[0], over.at[0]) + over.length + apart3(over.at[1], ends[1]) - apart3(ends[0], ends[1]);
}

/* The ways of all pieces at a surface that is passed in front, or through its ring. Pieces that do so already keep to it;
   if there are none, the piece behind that grows least is brought to the front. */
static void choose(walk_of *walk, int use, const double *points, const int *order, int first, int last)
{
    const wrap_surface *from = walk->path->surface + use;
    int count = walk->path->surfaces, gate = 0, best = -1, lone = -1, many = 0, sides = 0;
    double least = INFINITY;
    for (int i = first; i < last; i++) {
        const double *ends[2] = {points + 3 * order[i], points + 3 * order[i + 1]};
        double a[3], b[3];
        taut_surface s;
        int behind;
        prepare(walk, use, HELD, ends, &s);
        taut_in(s.frame, ends[0], a);
        taut_in(s.frame, ends[1], b);
        taut_swing(&s, a, b, &behind);
        double at_a = taut_angle(&s, a), at_b = taut_angle(&s, b);
        sides = 5 * sides + (behind ? 1 : (at_a < 0.0) != (at_b < 0.0) ? 2 : 3);
        if (behind) {
            many++;
            lone = i;
            walk->ways[count * i + use] = from->kind == WRAP_TORUS ? NO_WAY : FREELY;
        } else if ((at_a < 0.0) != (at_b < 0.0)) {
            double t = sin(at_a) * hypot(a[0], a[1]), u = -sin(at_b) * hypot(b[0], b[1]);
            gate |= from->kind == WRAP_TORUS || fabs(a[2] + (b[2] - a[2]) * t / (t + u)) <= s.half_length;
        }
    }
    if (!gate && many == 1) {
        best = lone;
    } else if (!gate && many > 1) {
        for (int i = first; i < last; i++) {
            const double *ends[2] = {points + 3 * order[i], points + 3 * order[i + 1]};
            if (walk->ways[count * i + use] == HELD)
                continue;
            double more = growth(walk, use, ends);
            if (more < least) {
                least = more;
                best = i;
            }
        }
    }
    if (best >= 0)
        walk->ways[count * best + use] = HELD;
    if (walk->marks)
        walk->marks[4 * use + 2] = 2 * sides + gate;
}

static double walk_all(walk_of *walk, const double *points, const double *active)
{
    const wrap_path *path = walk->path;
    int order[path->points + 1], length = 0, count = path->surfaces;
    unsigned char ways[(count + 1) * (path->points + 1)], freed[count + 1];
    double total = 0.0, lost[6] = {0};
    for (int i = 0; i < path->points; i++)
        if (active[i] != 0.0)
            order[length++] = i;
    memset(ways, NO_WAY, sizeof ways);
    memset(freed, 0, sizeof freed);
    walk->ways = ways;
    for (int use = 0; use < count; use++) {
        const wrap_surface *s = path->surface + use;
        int low = s->first < 0 ? 0 : s->first, high = s->last < 0 ? path->points - 1 : s->last, first = length,
            last = 0;
        for (int i = 0; i < length; i++) {
            if (order[i] >= low && order[i] <= high) {
                first = i < first ? i : first;
                last = i;
            }
        }
        int held = s->kind == WRAP_TORUS || (s->kind == WRAP_CYLINDER && s->half && wrap_axis(s->half) < 2);
        for (int i = first; i < last; i++)
            ways[count * i + use] = held ? HELD : FREELY;
        if (held)
            choose(walk, use, points, order, first, last);
    }
    for (int i = 0; i + 1 < length; i++) {
        const double *ends[2] = {points + 3 * order[i], points + 3 * order[i + 1]};
        double *by_ends[2] = {walk->weights ? walk->weights + 3 * order[i] : lost,
                              walk->weights ? walk->weights + 3 * order[i + 1] : lost + 3};
        if (walk->pieces)
            write_place(walk, 0, ends[0]);
        total += walk_piece(walk, ends, by_ends, ways + count * i, freed, i);
    }
    if (walk->pieces && length)
        write_place(walk, 0, points + 3 * order[length - 1]);
    return total;
}

double taut_path(const wrap_path *path, const double *points, const double *active, const double *frames,
                 double *weights)
{
    walk_of walk = {path, frames, weights, 0, 0, 0, 0, 0};
    memset(weights, 0, sizeof(double) * (3 * path->points + 6 * path->surfaces));
    return walk_all(&walk, points, active);
}

int taut_points(const wrap_path *path, const double *points, const double *active, const double *frames, int pieces,
                double *places)
{
    walk_of walk = {path, frames, 0, places, 0, pieces, 0, 0};
    walk_all(&walk, points, active);
    return walk.written;
}

void taut_marks(const wrap_path *path, const double *points, const double *active, const double *frames, int *marks)
{
    walk_of walk = {path, frames, 0, 0, 0, 0, marks, 0};
    memset(marks, 0, sizeof(int) * 4 * path->surfaces);
    walk_all(&walk, points, active);
}
