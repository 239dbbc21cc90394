/* A surface as one piece of a path meets it. Where an end of the piece lies inside, the surface shrinks as far as the
   end. */
#include "walk.h"
#include "../wrap_way.h"

double walk_level(const wrap_surface *s, const double *x, double *gradient)
{
    double square = 0.0, value, radius = s->size[0];
    if (s->kind == WRAP_TORUS) {
        double off_axis = sqrt(x[0] * x[0] + x[1] * x[1]), out = off_axis - s->size[1], far = hypot(out, x[2]);
        double by = far > 0.0 ? 1.0 / (far * radius) : 0.0;
        gradient[0] = off_axis > 0.0 ? by * out * x[0] / off_axis : 0.0;
        gradient[1] = off_axis > 0.0 ? by * out * x[1] / off_axis : 0.0;
        gradient[2] = by * x[2];
        return far / radius;
    }
    for (int i = 0; i < 3; i++) {
        double size = s->kind == WRAP_ELLIPSOID ? s->size[i] : radius;
        double part = s->kind == WRAP_CYLINDER && i == 2 ? 0.0 : x[i] / size;
        square += part * part;
        gradient[i] = part / size;
    }
    value = sqrt(square);
    for (int i = 0; i < 3 && value > 0.0; i++)
        gradient[i] /= value;
    return value;
}

void walk_surface(const path_walk *walk, int use, piece_access access, const double *const *ends, taut_surface *s)
{
    const wrap_surface *from = walk->path->surface + use;
    double levels[2], gradient[3], local[3];
    memset(s, 0, sizeof *s);
    s->kind = from->kind;
    s->use = use;
    s->frame = walk->frames + 12 * use;
    s->axis = wrap_axis(from->half);
    s->side = wrap_side(from->half);
    s->held_to_side = access == HELD_ACCESS && !walk_is_convex(s);
    s->half_length = 0.5 * from->size[1];
    s->shrinkage = 1.0;
    for (int e = 0; e < 2; e++) {
        to_local(s->frame, ends[e], local);
        levels[e] = walk_level(from, local, gradient);
        if (levels[e] < s->shrinkage)
            s->shrinkage = levels[e];
    }
    for (int e = 0; e < 2; e++)
        s->pinned[e] = levels[e] <= s->shrinkage * (1.0 + END_ON_SURFACE);
    for (int i = 0; i < 3; i++)
        s->size[i] = s->shrinkage * from->size[i];
    if (s->kind == WRAP_TORUS)
        s->size[1] = from->size[1];
    for (int i = 0; i < 3 && s->kind == WRAP_ELLIPSOID; i++)
        s->inverse_square[i] = 1.0 / (s->size[i] * s->size[i]);
}
