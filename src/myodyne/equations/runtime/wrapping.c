/* Lengths of paths over surfaces, and the forces that a unit of tension in them puts on the bodies.

   A path is a list of nodes: its own points, and for each surface it runs over the two points of tangency. Surfaces
   are taken in turn, each between its present neighbours, until the length stands still. Every step that was taken is
   kept, with its derivatives; going back over the steps gives the exact derivative of the length that was found. */
#include "wrapping.h"
#include <stddef.h>
#include <string.h>

typedef struct {                /* the paths of a model; see equations/wrapping.py */
    int paths, bodies, moving, sweeps;
    double tolerance;           /* m: below this change of the length the sweeps end */
    const int *points;          /* where the points of each path begin, and the end */
    const int *point_body, *point_moving, *point_slot;
    const double *point_at;
    const int *wraps;           /* where the wraps of each path begin, and the end */
    const wrap_use *uses;
    const wrap_surface *surfaces;
    const int *slots, *slot_body;
    int slot_count, point_count;
} wrap_tables;

typedef struct {                /* one way that was taken over a surface, with poses and places in the ground's axes */
    int use, left, right;       /* the nodes before and after */
    double rotation[9], origin[3], touches[6][SEEDS], length[SEEDS];
    wrap_curve curve;
} wrap_step;

typedef struct {                /* the path that is being laid */
    const wrap_tables *tables;
    const double *rotations, *positions;
    const wrap_use *uses;
    int first, count, wraps;    /* its first point in the tables, how many, and how many surfaces */
    const unsigned char *active;
    double *nodes, *gradients;  /* of all points, then two of each step */
    wrap_step *steps;
    int taken;
    int *order, *present, length; /* the nodes of the present path; the step that each use last took, or -1 */
} wrap_path;

/* The most that work arrays must hold, per path: points, uses, and steps that may be taken. */
long myodyne_wrapping_work(int points, int uses, int sweeps) {
    long steps = (long)uses * sweeps + 1, nodes = points + 2 * steps;
    return steps * (long)sizeof(wrap_step) + nodes * 6 * (long)sizeof(double) +
           (points + 4L * uses + 4) * (long)sizeof(int) + steps * (long)sizeof(double);
}

static void surface_pose(const wrap_path *path, const wrap_surface *s, double rotation[9], double origin[3]) {
    const double *r = path->rotations + 9 * s->body, *o = path->positions + 3 * s->body;
    for (int i = 0; i < 3; i++) {
        origin[i] = o[i];
        for (int j = 0; j < 3; j++) {
            origin[i] += r[3 * i + j] * s->origin[j];
            rotation[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++) rotation[3 * i + j] += r[3 * i + k] * s->rotation[3 * k + j];
        }
    }
}

static double distance(const double *a, const double *b) {
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

static int over(const wrap_surface *s, int method, int alone, const dual3 *p, const dual3 *q, wrap_way *way) {
    switch (s->kind) {
    case CYLINDER: return wrap_cylinder(s->size[0], s->size[1], s->axis, s->sign, alone, p, q, way);
    case SPHERE: return wrap_sphere(s, p, q, way);
    case ELLIPSOID: return wrap_ellipsoid(s, method, p, q, way);
    default: return wrap_torus(s, alone, p, q, way);
    }
}

/* The way over a surface between two nodes; fills `step` and the places of its two nodes. */
static int try_piece(const wrap_path *path, int use, int left, int right, wrap_step *step, double *places) {
    const wrap_use *u = path->uses + use;
    const wrap_surface *s = path->tables->surfaces + u->surface;
    const double *ends[2] = {path->nodes + 3 * left, path->nodes + 3 * right};
    dual3 local[2];
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 3; i++) {
            double x = 0.0;
            for (int k = 0; k < 3; k++) x += step->rotation[3 * k + i] * (ends[e][k] - step->origin[k]);
            local[e].x[i] = constant(x);
            local[e].x[i].d[3 * e + i] = 1.0;
        }
    wrap_way way;
    int code = over(s, u->method, path->wraps == 1, &local[0], &local[1], &way);
    if (code != MET && code != MUST) return code;
    step->use = use, step->left = left, step->right = right, step->curve = way.curve;
    memcpy(step->length, way.length.d, sizeof step->length);
    const dual3 *touches[2] = {&way.touch, &way.leave};
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 3; i++) {
            memcpy(step->touches[3 * e + i], touches[e]->x[i].d, sizeof step->length);
            places[3 * e + i] = step->origin[i];
            for (int k = 0; k < 3; k++) places[3 * e + i] += step->rotation[3 * i + k] * touches[e]->x[k].v;
        }
    places[6] = way.length.v;
    return code;
}

static int surface_of(const wrap_path *path, int node) {
    if (node < path->count) return -1;
    return path->uses[path->steps[(node - path->count) / 2].use].surface;
}

static void drop(wrap_path *path, int use) {
    if (path->present[use] < 0) return;
    int node = path->count + 2 * path->present[use];
    for (int i = 0; i < path->length; i++)
        if (path->order[i] == node) {
            for (int j = i; j + 2 < path->length; j++) path->order[j] = path->order[j + 2];
            path->length -= 2;
            break;
        }
    path->present[use] = -1;
}

/* Lay the path over one surface anew; the fate of the piece that was tried last, or -1 if no point is in play. */
static int lay_over(wrap_path *path, int use, double *arc_of_step) {
    const wrap_use *u = path->uses + use;
    int low = u->first, high = u->last, start = -1, end = -1, last = STRAIGHT, best = -1;
    drop(path, use);
    while (low <= high && !path->active[low]) low++;
    while (high >= low && !path->active[high]) high--;
    if (low > high) return -1;
    for (int i = 0; i < path->length; i++) {
        if (path->order[i] == low) start = i;
        if (path->order[i] == high) end = i;
    }
    wrap_step step, *kept = path->steps + path->taken;
    double places[7], chosen[7], least = INFINITY;
    surface_pose(path, path->tables->surfaces + u->surface, step.rotation, step.origin);
    for (int i = start; i < end; i++) {
        int left = path->order[i], right = path->order[i + 1];
        if (surface_of(path, left) >= 0 && surface_of(path, left) == surface_of(path, right)) continue;
        last = try_piece(path, use, left, right, &step, places);
        if (last != MET && last != MUST) continue;
        double change = -INFINITY;      /* a line that pierces the surface settles it */
        if (last == MET) {
            const double *a = path->nodes + 3 * left, *b = path->nodes + 3 * right;
            change = distance(a, places) + places[6] + distance(places + 3, b) - distance(a, b);
        }
        if (change < least) {
            least = change, best = i + 1, *kept = step;
            memcpy(chosen, places, sizeof chosen);
        }
        if (last == MUST) break;
    }
    if (best < 0) return last;
    int node = path->count + 2 * path->taken;
    memcpy(path->nodes + 3 * node, chosen, 6 * sizeof(double));
    arc_of_step[path->taken] = chosen[6];
    for (int j = path->length - 1; j >= best; j--) path->order[j + 2] = path->order[j];
    path->order[best] = node, path->order[best + 1] = node + 1;
    path->length += 2;
    path->present[use] = path->taken++;
    return last;
}

static double length_of(const wrap_path *path, const double *arc_of_step) {
    double length = 0.0;
    for (int i = 0; i + 1 < path->length; i++) {
        int a = path->order[i], b = path->order[i + 1], inside = a >= path->count && (a - path->count) % 2 == 0;
        length += inside ? arc_of_step[(a - path->count) / 2] : distance(path->nodes + 3 * a, path->nodes + 3 * b);
    }
    return length;
}

/* Find the path: the order of surfaces, of trials and of exchange is OpenSim's. */
static double lay(wrap_path *path, int *turns, double *arc_of_step) {
    double before = INFINITY, length = 0.0;
    int fates[2] = {STRAIGHT, STRAIGHT}, sweeps = path->wraps < 2 ? 1 : path->tables->sweeps;
    for (int i = 0; i < path->wraps; i++) turns[i] = i;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        for (int i = 0; i < path->wraps; i++) {
            int fate = lay_over(path, turns[i], arc_of_step);
            if (fate < 0) return length_of(path, arc_of_step);
            if (i < 2) fates[i] = fate;
        }
        length = length_of(path, arc_of_step);
        if (fabs(length - before) < path->tables->tolerance) break;
        before = length;
        if (sweep == 0 && path->wraps > 1 && fates[0] == STRAIGHT && fates[1] == INSIDE) {
            turns[0] = 1, turns[1] = 0;
            drop(path, 0);
        }
    }
    return path->wraps ? length : length_of(path, arc_of_step);
}

static void add_wrench(double *wrench, const double *force, const double *at, double sign) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        wrench[i] += sign * force[i];
        wrench[3 + i] += sign * (at[j] * force[k] - at[k] * force[j]);
    }
}

/* Go back over the steps: the gradient of the length by every node, and the wrenches on the bodies of surfaces. */
static void go_back(wrap_path *path, double *wrenches) {
    double *gradients = path->gradients;
    memset(gradients, 0, sizeof(double) * 3 * (path->count + 2 * path->taken));
    for (int i = 0; i + 1 < path->length; i++) {
        int a = path->order[i], b = path->order[i + 1];
        if (a >= path->count && (a - path->count) % 2 == 0) continue;
        double size = distance(path->nodes + 3 * a, path->nodes + 3 * b);
        for (int k = 0; k < 3 && size > 0.0; k++) {
            double unit = (path->nodes[3 * b + k] - path->nodes[3 * a + k]) / size;
            gradients[3 * a + k] -= unit, gradients[3 * b + k] += unit;
        }
    }
    for (int s = path->taken - 1; s >= 0; s--) {
        const wrap_step *step = path->steps + s;
        int node = path->count + 2 * s, ends[2] = {step->left, step->right};
        double out[6], by[6], *wrench = wrenches + 6 * path->uses[step->use].slot;
        int kept = path->present[step->use] == s;
        for (int e = 0; e < 2; e++)
            for (int i = 0; i < 3; i++) {
                out[3 * e + i] = 0.0;
                for (int k = 0; k < 3; k++)
                    out[3 * e + i] += step->rotation[3 * k + i] * gradients[3 * (node + e) + k];
            }
        for (int i = 0; i < 6; i++) {
            by[i] = kept ? step->length[i] : 0.0;
            for (int k = 0; k < 6; k++) by[i] += out[k] * step->touches[k][i];
        }
        for (int e = 0; e < 2; e++) {
            double pull[3];
            for (int i = 0; i < 3; i++) {
                pull[i] = 0.0;
                for (int k = 0; k < 3; k++) pull[i] += step->rotation[3 * i + k] * by[3 * e + k];
                gradients[3 * ends[e] + i] += pull[i];
            }
            /* Moving all together changes nothing: what the points do not take, the surface takes. */
            add_wrench(wrench, gradients + 3 * (node + e), path->nodes + 3 * (node + e), -1.0);
            add_wrench(wrench, pull, path->nodes + 3 * ends[e], 1.0);
        }
    }
}

static void place_points(wrap_path *path, const double *moving) {
    const wrap_tables *t = path->tables;
    path->length = 0, path->taken = 0;
    for (int i = 0; i < path->count; i++) {
        int point = path->first + i, body = t->point_body[point], mobile = t->point_moving[point];
        const double *at = mobile >= 0 ? moving + 3 * mobile : t->point_at + 3 * point;
        const double *r = path->rotations + 9 * body, *o = path->positions + 3 * body;
        for (int k = 0; k < 3; k++)
            path->nodes[3 * i + k] = o[k] + r[3 * k] * at[0] + r[3 * k + 1] * at[1] + r[3 * k + 2] * at[2];
        if (path->active[i]) path->order[path->length++] = i;
    }
    for (int i = 0; i < path->wraps; i++) path->present[i] = -1;
}

static wrap_path path_of(const wrap_tables *t, int number, void *work) {
    wrap_path path;
    memset(&path, 0, sizeof path);
    path.tables = t;
    path.first = t->points[number], path.count = t->points[number + 1] - t->points[number];
    path.wraps = t->wraps[number + 1] - t->wraps[number], path.uses = t->uses + t->wraps[number];
    int steps = path.wraps * t->sweeps + 1, nodes = path.count + 2 * steps;
    path.steps = work;
    path.nodes = (double *)(path.steps + steps);
    path.gradients = path.nodes + 3 * nodes;
    path.order = (int *)(path.gradients + 3 * nodes + steps);
    path.present = path.order + path.count + 2 * path.wraps + 2;
    return path;
}

/* Lengths, and the wrenches of unit tension: force and moment about the origin of each body, in the ground's axes, one
   after the other for the slots of each path; the gradient by the places of moving points, in the axes of their body. */
void myodyne_wrapped(const wrap_tables *t, long rows, const double *rotations, const double *positions,
                     const double *moving, const unsigned char *active, double *lengths, double *wrenches,
                     double *by_moving, void *work) {
    for (long row = 0; row < rows; row++) {
        double *forces = wrenches + row * 6 * t->slot_count;
        memset(forces, 0, sizeof(double) * 6 * t->slot_count);
        for (int number = 0; number < t->paths; number++) {
            wrap_path path = path_of(t, number, work);
            path.rotations = rotations + row * 9 * t->bodies, path.positions = positions + row * 3 * t->bodies;
            path.active = active + row * t->point_count + path.first;
            double *arcs = path.gradients + 3 * (path.count + 2 * (path.wraps * t->sweeps + 1));
            place_points(&path, moving + row * 3 * t->moving);
            lengths[row * t->paths + number] = lay(&path, path.present + path.wraps, arcs);
            go_back(&path, forces);
            for (int i = 0; i < path.count; i++) {
                int point = path.first + i, mobile = t->point_moving[point];
                const double *g = path.gradients + 3 * i, *r = path.rotations + 9 * t->point_body[point];
                add_wrench(forces + 6 * t->point_slot[point], g, path.nodes + 3 * i, -1.0);
                for (int k = 0; k < 3 && mobile >= 0; k++)
                    by_moving[(row * t->moving + mobile) * 3 + k] = r[k] * g[0] + r[3 + k] * g[1] + r[6 + k] * g[2];
            }
        }
        for (int slot = 0; slot < t->slot_count; slot++) {     /* from the ground's origin to the body's */
            double *f = forces + 6 * slot;
            const double *o = positions + (row * t->bodies + t->slot_body[slot]) * 3;
            for (int i = 0; i < 3; i++) {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                f[3 + i] -= o[j] * f[k] - o[k] * f[j];
            }
        }
    }
}

/* The points of one path in one pose, for drawing: `pieces` per surface. Returns how many were written. */
int myodyne_wrapped_points(const wrap_tables *t, int number, const double *rotations, const double *positions,
                           const double *moving, const unsigned char *active, int pieces, double *points, void *work) {
    wrap_path path = path_of(t, number, work);
    path.rotations = rotations, path.positions = positions, path.active = active + path.first;
    double *arcs = path.gradients + 3 * (path.count + 2 * (path.wraps * t->sweeps + 1));
    int written = 0;
    place_points(&path, moving);
    lay(&path, path.present + path.wraps, arcs);
    for (int i = 0; i < path.length; i++) {
        int node = path.order[i], inside = node >= path.count && (node - path.count) % 2 == 0;
        memcpy(points + 3 * written++, path.nodes + 3 * node, 3 * sizeof(double));
        if (!inside) continue;
        const wrap_step *step = path.steps + (node - path.count) / 2;
        const wrap_curve *c = &step->curve;
        for (int piece = 1; piece < pieces; piece++) {
            double share = (double)piece / pieces, angle = c->start + share * c->turn;
            double *at = points + 3 * written++;
            for (int k = 0; k < 3; k++) at[k] = step->origin[k];
            for (int k = 0; k < 3; k++) {
                double local = c->centre[k] + c->a[k] * cos(angle) + c->b[k] * sin(angle) + share * c->rise[k];
                for (int j = 0; j < 3; j++) at[j] += step->rotation[3 * j + k] * local;
            }
        }
    }
    return written;
}
