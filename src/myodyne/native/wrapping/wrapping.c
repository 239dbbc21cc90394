/* The path over surfaces exactly as in OpenSim 4.6; the shortest paths are in taut/path.c.

   A path is a list of nodes: its own points, and for each surface it runs over the two points of tangency. Surfaces
   are taken in turn, each between its present neighbours, until the length stops changing. Every step that was taken is
   kept, with its derivatives; going back over the steps gives the exact derivative of the length that was found. */
#include "taut/path.h"
#include "wrap_way.h"
#include <string.h>

/* OpenSim's most sweeps over all surfaces, and its change of the length (m) below which they end. */
enum { SWEEPS = 8 };
static const double STILL = 0.0005;

typedef struct {          /* one path that was taken over a surface */
    int use, left, right; /* which surface, and the nodes before and after */
    double arc;
} wrap_step;

typedef struct { /* a piece that was tried: what became of it, and the step it was if it was taken */
    int use, left, right, fate, step;
    double arc, places[6];
} wrap_trial;

enum { TRIALS = 64 };

typedef struct { /* the path that is being laid */
    const wrap_path *path;
    const double *active, *frames;
    double *nodes, *gradients; /* of all points, then two of each step */
    wrap_step *steps;
    int *order, *present; /* the nodes in their order; the step that each surface last took, or -1 */
    int *seen;            /* the step whose nodes count in the length of straight pieces, or -1: see `shown` */
    int length, taken, tried;
    wrap_trial trials[TRIALS];
} wrap_course;

static int most_steps(const wrap_path *path)
{
    return path->surfaces * SWEEPS + 1;
}
static int most_nodes(const wrap_path *path)
{
    return path->points + 2 * most_steps(path);
}

static double distance(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/* Whether a node is the first of two on a surface, and the step that laid it there. */
static int on_surface(const wrap_course *course, int node)
{
    return node >= course->path->points && (node - course->path->points) % 2 == 0;
}
static int step_of(const wrap_course *course, int node)
{
    return (node - course->path->points) / 2;
}

/* Where a node stands for the length of straight pieces. OpenSim 4.6 keeps the place in the ground at which it first
   looked at the points of a surface, while later sweeps move them on. */
static int shown(wrap_course *course, int node)
{
    if (node < course->path->points)
        return node;
    int step = step_of(course, node), *seen = course->seen + course->steps[step].use;
    if (*seen < 0)
        *seen = step;
    return node + 2 * (*seen - step);
}

static double span(wrap_course *course, int a, int b)
{
    return distance(course->nodes + 3 * shown(course, a), course->nodes + 3 * shown(course, b));
}

static int how_to(const wrap_path *path)
{
    return path->surfaces == 1 ? ALONE : AMONG_OTHERS;
}

/* The places of two nodes in the frame of a surface. */
static void seen_from(const wrap_course *course, int use, int left, int right, double local[6])
{
    const double *rotation = course->frames + 12 * use, *origin = rotation + 9;
    for (int i = 0; i < 3; i++) {
        local[i] = local[3 + i] = 0.0;
        for (int k = 0; k < 3; k++) {
            local[i] += rotation[3 * k + i] * (course->nodes[3 * left + k] - origin[k]);
            local[3 + i] += rotation[3 * k + i] * (course->nodes[3 * right + k] - origin[k]);
        }
    }
}

static int same(const wrap_trial *trial, int use, int left, int right)
{
    return trial->use == use && trial->left == left && trial->right == right;
}

/* Try the path over a surface between two nodes. Nodes never move, so that a piece need not be tried twice. */
static void try_piece(wrap_course *course, int use, int left, int right, wrap_trial *trial)
{
    for (int i = 0; i < course->tried; i++) {
        const wrap_trial *known = course->trials + i;
        if (same(known, use, left, right)) {
            *trial = *known;
            return;
        }
    }
    const double *rotation = course->frames + 12 * use, *origin = rotation + 9;
    double local[6], touches[6];
    seen_from(course, use, left, right, local);
    trial->use = use;
    trial->left = left;
    trial->right = right;
    trial->step = -1;
    int how = how_to(course->path);
    trial->fate = wrap_try(course->path->surface + use, how, local, local + 3, touches, &trial->arc);
    for (int e = 0; e < 6 && (trial->fate == MET || trial->fate == MUST); e += 3) {
        for (int i = 0; i < 3; i++) {
            trial->places[e + i] = origin[i];
            for (int k = 0; k < 3; k++)
                trial->places[e + i] += rotation[3 * i + k] * touches[e + k];
        }
    }
    if (course->tried < TRIALS)
        course->trials[course->tried++] = *trial;
}

/* Make a step of a trial, or find the one that it was. */
static int step_from(wrap_course *course, const wrap_trial *trial)
{
    if (trial->step >= 0)
        return trial->step;
    int number = course->taken++;
    wrap_step step = {trial->use, trial->left, trial->right, trial->arc};
    course->steps[number] = step;
    memcpy(course->nodes + 3 * (course->path->points + 2 * number), trial->places, sizeof trial->places);
    for (int i = 0; i < course->tried; i++) {
        wrap_trial *known = course->trials + i;
        if (same(known, trial->use, trial->left, trial->right))
            known->step = number;
    }
    return number;
}

/* The path of a step again, with derivatives. */
static void in_full(const wrap_course *course, const wrap_step *step, wrap_way *way)
{
    double local[6];
    dual3 ends[2];
    seen_from(course, step->use, step->left, step->right, local);
    for (int i = 0; i < 6; i++) {
        dual *x = ends[i / 3].x + i % 3;
        *x = constant(local[i]);
        x->d[i] = 1.0;
    }
    int how = how_to(course->path);
    wrap_over(course->path->surface + step->use, how, ends, ends + 1, way);
}

static void drop(wrap_course *course, int use)
{
    if (course->present[use] < 0)
        return;
    int node = course->path->points + 2 * course->present[use];
    for (int i = 0; i < course->length; i++) {
        if (course->order[i] == node) {
            for (int j = i; j + 2 < course->length; j++)
                course->order[j] = course->order[j + 2];
            course->length -= 2;
            break;
        }
    }
    course->present[use] = -1;
}

/* Lay the path over one surface anew; what became of the piece that was tried last, or -1 if no point is in play. */
static int lay_over(wrap_course *course, int use)
{
    const wrap_surface *s = course->path->surface + use;
    int low = s->first < 0 ? 0 : s->first, high = s->last < 0 ? course->path->points - 1 : s->last;
    int start = -1, end = -1, last = STRAIGHT, best = -1;
    drop(course, use);
    while (low <= high && course->active[low] == 0.0)
        low++;
    while (high >= low && course->active[high] == 0.0)
        high--;
    if (low > high)
        return -1;
    for (int i = 0; i < course->length; i++) {
        if (course->order[i] == low)
            start = i;
        if (course->order[i] == high)
            end = i;
    }
    wrap_trial trial, chosen;
    double least = INFINITY;
    for (int i = start; i < end; i++) {
        int left = course->order[i], right = course->order[i + 1];
        if (on_surface(course, left))
            continue;
        try_piece(course, use, left, right, &trial);
        last = trial.fate;
        if (last != MET && last != MUST)
            continue;
        double change = -INFINITY; /* a line that pierces the surface decides */
        if (last == MET) {
            const double *a = course->nodes + 3 * shown(course, left), *b = course->nodes + 3 * shown(course, right);
            change = distance(a, trial.places) + trial.arc + distance(trial.places + 3, b) - distance(a, b);
        }
        if (change < least) {
            least = change;
            best = i + 1;
            chosen = trial;
        }
        if (last == MUST)
            break;
    }
    if (best < 0)
        return last;
    int number = step_from(course, &chosen), node = course->path->points + 2 * number;
    for (int j = course->length - 1; j >= best; j--)
        course->order[j + 2] = course->order[j];
    course->order[best] = node;
    course->order[best + 1] = node + 1;
    course->length += 2;
    course->present[use] = number;
    return last;
}

static double length_of(wrap_course *course)
{
    double length = 0.0;
    for (int i = 0; i + 1 < course->length; i++) {
        int a = course->order[i], b = course->order[i + 1];
        length += on_surface(course, a) ? course->steps[step_of(course, a)].arc : span(course, a, b);
    }
    return length;
}

/* Find the path: the order of surfaces, of trials and of their exchange is OpenSim's. */
static double lay(wrap_course *course, const double *points)
{
    const wrap_path *path = course->path;
    int fates[2] = {STRAIGHT, STRAIGHT}, swapped = 0;
    int sweeps = path->surfaces < 2 ? 1 : SWEEPS;
    double before = INFINITY;
    memcpy(course->nodes, points, sizeof(double) * 3 * path->points);
    course->length = course->taken = course->tried = 0;
    for (int i = 0; i < path->points; i++)
        if (course->active[i] != 0.0)
            course->order[course->length++] = i;
    for (int i = 0; i < path->surfaces; i++)
        course->present[i] = course->seen[i] = -1;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        for (int i = 0; i < path->surfaces; i++) {
            int fate = lay_over(course, swapped && i < 2 ? 1 - i : i);
            if (fate < 0)
                return length_of(course);
            if (i < 2)
                fates[i] = fate;
        }
        double length = length_of(course);
        if (fabs(length - before) < STILL)
            break;
        before = length;
        if (sweep == 0 && path->surfaces > 1 && fates[0] == STRAIGHT && fates[1] == INSIDE) {
            swapped = 1;
            drop(course, 0);
        }
    }
    return length_of(course);
}

/* Add what a gradient at a place does when the frame of a surface moves, and turns about its origin. */
static void add_motion(double *weights, const double *gradient, const double *at, const double *origin, double sign)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        weights[i] += sign * gradient[i];
        weights[3 + i] += sign * ((at[j] - origin[j]) * gradient[k] - (at[k] - origin[k]) * gradient[j]);
    }
}

/* Pass the gradient by the nodes of a step on to the nodes before and after it, and to the frame of its surface. */
static void pass_on(wrap_course *course, int number, double *weights)
{
    const wrap_step *step = course->steps + number;
    const double *rotation = course->frames + 12 * step->use, *origin = rotation + 9;
    int node = course->path->points + 2 * number, ends[2] = {step->left, step->right};
    double out[6], by[6], any = 0.0;
    int kept = course->present[step->use] == number;
    for (int i = 0; i < 6; i++)
        any += fabs(course->gradients[3 * node + i]);
    if (!kept && any == 0.0)
        return;
    wrap_way way;
    in_full(course, step, &way);
    const dual *touches[6];
    for (int k = 0; k < 3; k++) {
        touches[k] = way.touch.x + k;
        touches[3 + k] = way.leave.x + k;
    }
    for (int e = 0; e < 2; e++) {
        for (int i = 0; i < 3; i++) {
            out[3 * e + i] = 0.0;
            for (int k = 0; k < 3; k++)
                out[3 * e + i] += rotation[3 * k + i] * course->gradients[3 * (node + e) + k];
        }
    }
    for (int i = 0; i < 6; i++) {
        by[i] = kept ? way.length.d[i] : 0.0;
        for (int k = 0; k < 6; k++)
            by[i] += out[k] * touches[k]->d[i];
    }
    for (int e = 0; e < 2; e++) {
        double pull[3];
        for (int i = 0; i < 3; i++) {
            pull[i] = 0.0;
            for (int k = 0; k < 3; k++)
                pull[i] += rotation[3 * i + k] * by[3 * e + k];
            course->gradients[3 * ends[e] + i] += pull[i];
        }
        /* Moving all together moves the nodes along: what the ends do not take of that, the frame takes. */
        add_motion(weights, course->gradients + 3 * (node + e), course->nodes + 3 * (node + e), origin, 1.0);
        add_motion(weights, pull, course->nodes + 3 * ends[e], origin, -1.0);
    }
}

static void go_back(wrap_course *course, double *weights)
{
    int points = course->path->points;
    memset(course->gradients, 0, sizeof(double) * 3 * (points + 2 * course->taken));
    memset(weights, 0, sizeof(double) * (3 * points + 6 * course->path->surfaces));
    for (int i = 0; i + 1 < course->length; i++) {
        int a = course->order[i], b = course->order[i + 1];
        if (on_surface(course, a))
            continue;
        a = shown(course, a);
        b = shown(course, b);
        double size = distance(course->nodes + 3 * a, course->nodes + 3 * b);
        for (int k = 0; k < 3 && size > 0.0; k++) {
            double unit = (course->nodes[3 * b + k] - course->nodes[3 * a + k]) / size;
            course->gradients[3 * a + k] -= unit;
            course->gradients[3 * b + k] += unit;
        }
    }
    for (int s = course->taken - 1; s >= 0; s--)
        pass_on(course, s, weights + 3 * points + 6 * course->steps[s].use);
    memcpy(weights, course->gradients, sizeof(double) * 3 * points);
}

double wrap_length(const wrap_path *path, const double *points, const double *active, const double *frames,
                   double *weights)
{
    if (path->shortest)
        return taut_path(path, points, active, frames, weights);
    wrap_step steps[most_steps(path)];
    double nodes[3 * most_nodes(path)], gradients[3 * most_nodes(path)];
    int order[path->points + 2 * path->surfaces + 2], present[path->surfaces + 1], seen[path->surfaces + 1];
    wrap_course course; /* field by field: to clear the trials as well would take longer than many a path */
    course.path = path;
    course.active = active;
    course.frames = frames;
    course.nodes = nodes;
    course.steps = steps;
    course.order = order;
    course.present = present;
    course.seen = seen;
    course.gradients = gradients;
    double length = lay(&course, points);
    go_back(&course, weights);
    return length;
}

void wrap_rows(long count, int paths, const wrap_path *path, const double *points, const double *active,
               const double *frames, double *lengths, double *weights)
{
    for (long row = 0; row < count; row++) {
        for (int i = 0; i < paths; i++) {
            *lengths++ = wrap_length(path + i, points, active, frames, weights);
            points += 3 * path[i].points;
            active += path[i].points;
            frames += 12 * path[i].surfaces;
            weights += 3 * path[i].points + 6 * path[i].surfaces;
        }
    }
}

int wrap_points(const wrap_path *path, const double *points, const double *active, const double *frames, int pieces,
                double *places)
{
    if (path->shortest)
        return taut_points(path, points, active, frames, pieces, places);
    wrap_step steps[most_steps(path)];
    double nodes[3 * most_nodes(path)];
    int order[path->points + 2 * path->surfaces + 2], present[path->surfaces + 1], seen[path->surfaces + 1];
    int written = 0;
    wrap_course course;
    course.path = path;
    course.active = active;
    course.frames = frames;
    course.nodes = nodes;
    course.steps = steps;
    course.order = order;
    course.present = present;
    course.seen = seen;
    lay(&course, points);
    for (int i = 0; i < course.length; i++) {
        int node = order[i];
        memcpy(places + 3 * written++, nodes + 3 * node, 3 * sizeof(double));
        if (!on_surface(&course, node))
            continue;
        const wrap_step *step = steps + step_of(&course, node);
        wrap_way way;
        in_full(&course, step, &way);
        const wrap_curve *c = &way.curve;
        const double *rotation = frames + 12 * step->use, *origin = rotation + 9;
        for (int piece = 1; piece < pieces; piece++) {
            double share = (double)piece / pieces, angle = c->start + share * c->turn, *at = places + 3 * written++;
            memcpy(at, origin, 3 * sizeof(double));
            for (int k = 0; k < 3; k++) {
                double local = c->centre[k] + c->a[k] * cos(angle) + c->b[k] * sin(angle) + share * c->rise[k];
                for (int j = 0; j < 3; j++)
                    at[j] += rotation[3 * j + k] * local;
            }
        }
    }
    return written;
}
