/* The four surfaces: normals, curvature, distance, projection, and angles about cylinders and tori. */
#include "taut.h"

void taut_normal(const taut_surface *s, const double *x, double *normal)
{
    const double *size = s->size;
    switch (s->kind) {
    case WRAP_CYLINDER:
        normal[0] = x[0];
        normal[1] = x[1];
        normal[2] = 0.0;
        break;
    case WRAP_SPHERE:
        copy3(normal, x);
        break;
    case WRAP_ELLIPSOID:
        for (int i = 0; i < 3; i++)
            normal[i] = x[i] / (size[i] * size[i]);
        break;
    default: {
        double off_axis = sqrt(x[0] * x[0] + x[1] * x[1]), part = 1.0 - size[1] / off_axis;
        normal[0] = part * x[0];
        normal[1] = part * x[1];
        normal[2] = x[2];
    }
    }
    normalise3(normal);
}

static void turn_on_ellipsoid(const double *size, const double *x, const double *normal, const double *d, double *turn)
{
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        double weight = 1.0 / (size[i] * size[i]), part = weight * x[i];
        turn[i] = weight * d[i];
        square += part * part;
    }
    double up = dot3(turn, normal), slope = sqrt(square);
    for (int i = 0; i < 3; i++)
        turn[i] = (turn[i] - up * normal[i]) / slope;
}

static void turn_on_torus(const double *size, const double *x, const double *d, double *turn)
{
    double off_axis = sqrt(x[0] * x[0] + x[1] * x[1]), around[3] = {-x[1] / off_axis, x[0] / off_axis, 0.0};
    double part = dot3(d, around);
    for (int i = 0; i < 3; i++)
        turn[i] = (d[i] - part * around[i]) / size[0] + part * around[i] * (off_axis - size[1]) / (size[0] * off_axis);
}

void taut_shape_operator(const taut_surface *s, const double *x, const double *normal, const double *direction,
                         double *turn)
{
    switch (s->kind) {
    case WRAP_CYLINDER:
        turn[0] = direction[0] / s->size[0];
        turn[1] = direction[1] / s->size[0];
        turn[2] = 0.0;
        break;
    case WRAP_SPHERE:
        for (int i = 0; i < 3; i++)
            turn[i] = direction[i] / s->size[0];
        break;
    case WRAP_ELLIPSOID:
        turn_on_ellipsoid(s->size, x, normal, direction, turn);
        break;
    default:
        turn_on_torus(s->size, x, direction, turn);
    }
}

double taut_distance(const taut_surface *s, const double *x)
{
    const double *size = s->size;
    switch (s->kind) {
    case WRAP_CYLINDER:
        return sqrt(x[0] * x[0] + x[1] * x[1]) - size[0];
    case WRAP_SPHERE:
        return norm3(x) - size[0];
    case WRAP_ELLIPSOID: {
        double square = 0.0, slope = 0.0;
        for (int i = 0; i < 3; i++) {
            double part = x[i] / size[i];
            square += part * part;
            slope += part * part / (size[i] * size[i]);
        }
        return slope > 0.0 ? 0.5 * (square - 1.0) / sqrt(slope) : -size[0];
    }
    default:
        return hypot(sqrt(x[0] * x[0] + x[1] * x[1]) - size[1], x[2]) - size[0];
    }
}

static void project_point(const taut_surface *s, double *x)
{
    const double *size = s->size;
    if (s->kind == WRAP_CYLINDER) {
        double scale = size[0] / sqrt(x[0] * x[0] + x[1] * x[1]);
        x[0] *= scale;
        x[1] *= scale;
    } else if (s->kind == WRAP_TORUS) {
        double off_axis = sqrt(x[0] * x[0] + x[1] * x[1]);
        double core[3] = {size[1] * x[0] / off_axis, size[1] * x[1] / off_axis, 0.0};
        double scale = size[0] / distance3(x, core);
        for (int i = 0; i < 3; i++)
            x[i] = core[i] + scale * (x[i] - core[i]);
    } else {
        double square = 0.0;
        for (int i = 0; i < 3; i++) {
            double part = x[i] / size[s->kind == WRAP_SPHERE ? 0 : i];
            square += part * part;
        }
        for (int i = 0; i < 3; i++)
            x[i] /= sqrt(square);
    }
}

void taut_project(const taut_surface *s, double *x, double *direction)
{
    double normal[3];
    project_point(s, x);
    taut_normal(s, x, normal);
    double up = dot3(direction, normal);
    for (int i = 0; i < 3; i++)
        direction[i] -= up * normal[i];
    normalise3(direction);
}

double taut_least_radius(const taut_surface *s)
{
    double least = s->size[0];
    for (int i = 1; i < 3 && s->kind == WRAP_ELLIPSOID; i++)
        if (s->size[i] < least)
            least = s->size[i];
    return least;
}

double taut_angle(const taut_surface *s, const double *x)
{
    if (s->kind == WRAP_TORUS)
        return atan2(-x[2], s->size[1] - sqrt(x[0] * x[0] + x[1] * x[1]));
    int whole = !s->side || s->axis > 1;
    double middle = whole ? 0.0 : 0.25 * FULL_TURN * s->axis + (s->side < 0 ? 0.5 * FULL_TURN : 0.0);
    return remainder(atan2(x[1], x[0]) - middle, FULL_TURN);
}

double taut_winding(const taut_surface *s, const double *a, const double *b, int *behind)
{
    double winding = taut_angle(s, b) - taut_angle(s, a);
    if (s->kind == WRAP_TORUS) {
        *behind = 0;
        if ((a[2] < 0.0) == (b[2] < 0.0))
            return winding;
        /* Where the line crosses the plane of the core: inside the core's circle it passes through the hole. */
        double t = a[2] / (a[2] - b[2]), x = a[0] + t * (b[0] - a[0]), y = a[1] + t * (b[1] - a[1]);
        *behind = x * x + y * y > s->size[1] * s->size[1];
        return *behind ? winding - copysign(FULL_TURN, winding) : winding;
    }
    *behind = fabs(winding) > 0.5 * FULL_TURN;
    return remainder(winding, FULL_TURN);
}
