/* A path is a row of pieces, each between two of its active points. */
#include "path.h"
#include "walk.h"
#include "../wrap_way.h"

/* The active points of a path in their order. */
typedef struct {
    const double *points;
    int *order, count;
} active_points;

static void ends_of(const active_points *active, int piece, const double **ends)
{
    ends[0] = active->points + 3 * active->order[piece];
    ends[1] = active->points + 3 * active->order[piece + 1];
}

/* By how much a piece grows if it is brought to the front of a surface; infinity if it slips off, or does not touch. */
static double growth_in_front(const path_walk *walk, int use, const double *const *ends)
{
    taut_surface s;
    taut_contact over;
    double a[3], b[3];
    walk_surface(walk, use, HELD_ACCESS, ends, &s);
    if (!(s.shrinkage > LEAST_SHRINKAGE))
        return INFINITY;
    to_local(s.frame, ends[0], a);
    to_local(s.frame, ends[1], b);
    if (!taut_over_surface(&s, a, b, s.pinned, taut_angle(&s, b) - taut_angle(&s, a), &over))
        return INFINITY;
    taut_evaluate(&s, &over, GEODESIC_ERROR);
    if (s.kind == WRAP_CYLINDER && fabs(over.start[2]) > s.half_length && fabs(over.end[2]) > s.half_length)
        return INFINITY;
    return distance3(ends[0], over.at[0]) + over.length + distance3(over.at[1], ends[1]) - distance3(ends[0], ends[1]);
}

/* How the straight line of a piece passes a surface that the path is held to a side of; digits of MARK_SIDE. */
typedef enum {
    BEHIND = 1,
    IN_FRONT, /* through the half plane in front of a cylinder's axis, or through the hole of a torus */
    BESIDE,   /* through neither half plane */
    SIDE_BASE = 5,
} passage;

/* Also whether a line in front passes a cylinder within its length. */
static passage passage_of(const path_walk *walk, int use, const double *const *ends, int *within_length)
{
    double a[3], b[3];
    taut_surface s;
    int behind;
    *within_length = 0;
    walk_surface(walk, use, HELD_ACCESS, ends, &s);
    to_local(s.frame, ends[0], a);
    to_local(s.frame, ends[1], b);
    taut_winding(&s, a, b, &behind);
    double at_a = taut_angle(&s, a), at_b = taut_angle(&s, b);
    if (behind)
        return BEHIND;
    if ((at_a < 0.0) == (at_b < 0.0))
        return BESIDE;
    double t = sin(at_a) * hypot(a[0], a[1]), u = -sin(at_b) * hypot(b[0], b[1]);
    *within_length = s.kind == WRAP_TORUS || fabs(a[2] + (b[2] - a[2]) * t / (t + u)) <= s.half_length;
    return IN_FRONT;
}

/* The piece that grows least if it is brought to the front, of those that are not held there; -1 if there is none. */
static int least_growth(const path_walk *walk, int use, const active_points *active, int first, int last)
{
    int best = -1, count = walk->path->surfaces;
    double least = INFINITY;
    for (int i = first; i < last; i++) {
        const double *ends[2];
        if (walk->access[count * i + use] == HELD_ACCESS)
            continue;
        ends_of(active, i, ends);
        double growth = growth_in_front(walk, use, ends);
        if (growth < least) {
            least = growth;
            best = i;
        }
    }
    return best;
}

/* The access of pieces to a surface that the path passes in front, or through its hole. Pieces that pass behind are
   freed; but if none passes in front, the one that grows least by it is brought there. */
static void free_those_behind(path_walk *walk, int use, const active_points *active, int first, int last)
{
    int count = walk->path->surfaces, some_in_front = 0, best = -1, behind = 0, sides = 0;
    for (int i = first; i < last; i++) {
        const double *ends[2];
        int within_length;
        ends_of(active, i, ends);
        passage side = passage_of(walk, use, ends, &within_length);
        sides = SIDE_BASE * sides + side;
        some_in_front |= within_length;
        if (side != BEHIND)
            continue;
        behind++;
        best = i;
        walk->access[count * i + use] = walk->path->surface[use].kind == WRAP_TORUS ? NO_ACCESS : FREE_ACCESS;
    }
    if (behind > 1 && !some_in_front)
        best = least_growth(walk, use, active, first, last);
    if (best >= 0 && !some_in_front)
        walk->access[count * best + use] = HELD_ACCESS;
    if (walk->marks)
        walk->marks[MARKS * use + MARK_SIDE] = 2 * sides + some_in_front;
}

/* Which pieces may touch which surfaces, and how. */
static void find_access(path_walk *walk, const active_points *active)
{
    const wrap_path *path = walk->path;
    for (int use = 0; use < path->surfaces; use++) {
        const wrap_surface *s = path->surface + use;
        int low = s->first < 0 ? 0 : s->first, high = s->last < 0 ? path->points - 1 : s->last;
        int first = active->count, last = 0;
        for (int i = 0; i < active->count; i++) {
            if (active->order[i] < low || active->order[i] > high)
                continue;
            first = i < first ? i : first;
            last = i;
        }
        int held = s->kind == WRAP_TORUS || (s->kind == WRAP_CYLINDER && s->half && wrap_axis(s->half) < 2);
        for (int i = first; i < last; i++)
            walk->access[path->surfaces * i + use] = held ? HELD_ACCESS : FREE_ACCESS;
        if (held)
            free_those_behind(walk, use, active, first, last);
    }
}

static double walk_path(path_walk *walk, const double *points, const double *is_active)
{
    const wrap_path *path = walk->path;
    int order[path->points + 1];
    active_points active = {points, order, 0};
    unsigned char access[(path->surfaces + 1) * (path->points + 1)], freed[path->surfaces + 1];
    double total = 0.0, unused[6] = {0};
    for (int i = 0; i < path->points; i++)
        if (is_active[i] != 0.0)
            order[active.count++] = i;
    memset(access, NO_ACCESS, sizeof access);
    memset(freed, 0, sizeof freed);
    walk->access = access;
    find_access(walk, &active);
    for (int i = 0; i + 1 < active.count; i++) {
        path_piece piece = {.access = access + path->surfaces * i, .freed = freed, .number = i};
        ends_of(&active, i, piece.ends);
        for (int e = 0; e < 2; e++)
            piece.by_ends[e] = walk->weights ? walk->weights + 3 * order[i + e] : unused + 3 * e;
        if (walk->parts)
            walk_write_point(walk, 0, piece.ends[0]);
        total += walk_piece(walk, &piece);
    }
    if (walk->parts && active.count)
        walk_write_point(walk, 0, points + 3 * order[active.count - 1]);
    return total;
}

double taut_path(const wrap_path *path, const double *points, const double *active, const double *frames,
                 double *weights)
{
    path_walk walk = {.path = path, .frames = frames, .weights = weights};
    memset(weights, 0, sizeof(double) * (3 * path->points + 6 * path->surfaces));
    return walk_path(&walk, points, active);
}

int taut_points(const wrap_path *path, const double *points, const double *active, const double *frames, int pieces,
                double *places)
{
    path_walk walk = {.path = path, .frames = frames, .places = places, .parts = pieces};
    walk_path(&walk, points, active);
    return walk.written;
}

void taut_marks(const wrap_path *path, const double *points, const double *active, const double *frames, int *marks)
{
    path_walk walk = {.path = path, .frames = frames, .marks = marks};
    memset(marks, 0, sizeof(int) * MARKS * path->surfaces);
    walk_path(&walk, points, active);
}
