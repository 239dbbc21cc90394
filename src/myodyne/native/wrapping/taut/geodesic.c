/* Geodesics with their variations: closed forms on cylinders and spheres, else the extrapolated midpoint rule.

   The variations are Jacobi fields: y'' = -K y along the geodesic, K being the Gaussian curvature. One begins with a
   shift sideways of one, the other with a turn of one. */
#include "taut.h"
#include "extrapolation.h"

enum { PLACE = 0, DIRECTION = 3, BY_SHIFT = 6, BY_TURN = 8, CURVATURE = 10, GEODESIC_STATES = 11 };

typedef struct {
    double normal[3], normal_curvature, gaussian_curvature;
} local_shape;

static void ellipsoid_shape(const taut_surface *s, const double *x, const double *v, local_shape *shape)
{
    double up = 0.0, square = 0.0, product = 1.0;
    for (int i = 0; i < 3; i++) {
        double weight = s->inverse_square[i];
        shape->normal[i] = weight * x[i];
        square += shape->normal[i] * shape->normal[i];
        up += weight * v[i] * v[i];
        product *= weight;
    }
    double inverse = 1.0 / sqrt(square);
    shape->normal_curvature = up * inverse;
    shape->gaussian_curvature = product * inverse * inverse * inverse * inverse;
    for (int i = 0; i < 3; i++)
        shape->normal[i] *= inverse;
}

static void torus_shape(const taut_surface *s, const double *x, const double *v, local_shape *shape)
{
    const double *size = s->size;
    double off_axis = sqrt(x[0] * x[0] + x[1] * x[1]), out = off_axis - size[1];
    double around = (x[0] * v[1] - x[1] * v[0]) / off_axis, speed = dot3(v, v), tube = sqrt(out * out + x[2] * x[2]);
    shape->normal[0] = out * x[0] / (off_axis * tube);
    shape->normal[1] = out * x[1] / (off_axis * tube);
    shape->normal[2] = x[2] / tube;
    shape->normal_curvature = (speed - around * around) / size[0] + around * around * out / (size[0] * off_axis);
    shape->gaussian_curvature = out / (size[0] * size[0] * off_axis);
}

static void geodesic_rates(const void *about, const double *y, double *f)
{
    const taut_surface *s = about;
    local_shape shape;
    if (s->kind == WRAP_ELLIPSOID)
        ellipsoid_shape(s, y + PLACE, y + DIRECTION, &shape);
    else
        torus_shape(s, y + PLACE, y + DIRECTION, &shape);
    for (int i = 0; i < 3; i++) {
        f[PLACE + i] = y[DIRECTION + i];
        f[DIRECTION + i] = -shape.normal_curvature * shape.normal[i];
    }
    f[BY_SHIFT] = y[BY_SHIFT + 1];
    f[BY_SHIFT + 1] = -shape.gaussian_curvature * y[BY_SHIFT];
    f[BY_TURN] = y[BY_TURN + 1];
    f[BY_TURN + 1] = -shape.gaussian_curvature * y[BY_TURN];
    f[CURVATURE] = shape.normal_curvature;
}

static void integrate(const taut_surface *s, double *y, double length, double error)
{
    const double *size = s->size;
    double f[GEODESIC_STATES], scale = s->kind == WRAP_TORUS ? size[0] : (size[0] + size[1] + size[2]) / 3.0;
    geodesic_rates(s, y, f);
    double curvature = f[CURVATURE] > LEAST_CURVATURE / scale ? f[CURVATURE] : LEAST_CURVATURE / scale;
    curve geodesic = {geodesic_rates, s, GEODESIC_STATES, scale, error};
    follow_curve(&geodesic, y, length, GEODESIC_STEP / curvature);
}

static void helix(double radius, double *y, double length)
{
    double around = (y[0] * y[4] - y[1] * y[3]) / radius; /* part of the direction */
    double angle = length * around / radius, cosine = cos(angle), sine = sin(angle);
    double x = y[0], u = y[3];
    y[0] = cosine * x - sine * y[1];
    y[1] = sine * x + cosine * y[1];
    y[2] += length * y[5];
    y[3] = cosine * u - sine * y[4];
    y[4] = sine * u + cosine * y[4];
    y[BY_TURN] = length;
    y[CURVATURE] = length * around * around / radius;
}

static void great_circle(double radius, double *y, double length)
{
    double angle = length / radius, cosine = cos(angle), sine = sin(angle);
    for (int i = 0; i < 3; i++) {
        double x = y[i], v = y[3 + i];
        y[i] = cosine * x + radius * sine * v;
        y[3 + i] = cosine * v - sine * x / radius;
    }
    y[BY_SHIFT] = cosine;
    y[BY_SHIFT + 1] = -sine / radius;
    y[BY_TURN] = radius * sine;
    y[BY_TURN + 1] = cosine;
    y[CURVATURE] = angle;
}

/* The state at a length along a geodesic. */
static void state_at(const taut_surface *s, const taut_contact *c, double length, double error, double *y)
{
    for (int i = 0; i < 3; i++) {
        y[PLACE + i] = c->start[i];
        y[DIRECTION + i] = c->start_direction[i];
    }
    y[BY_SHIFT] = 1.0;
    y[BY_SHIFT + 1] = 0.0;
    y[BY_TURN] = 0.0;
    y[BY_TURN + 1] = 1.0;
    y[CURVATURE] = 0.0;
    if (s->kind == WRAP_CYLINDER)
        helix(s->size[0], y, length);
    else if (s->kind == WRAP_SPHERE)
        great_circle(s->size[0], y, length);
    else
        integrate(s, y, length, error);
}

void taut_geodesic_end(const taut_surface *s, taut_contact *c, double error)
{
    double y[GEODESIC_STATES];
    state_at(s, c, c->length, error, y);
    copy3(c->end, y + PLACE);
    copy3(c->end_direction, y + DIRECTION);
    c->end_shift[0] = y[BY_SHIFT];
    c->end_turn[0] = y[BY_SHIFT + 1];
    c->end_shift[1] = y[BY_TURN];
    c->end_turn[1] = y[BY_TURN + 1];
    c->total_curvature = y[CURVATURE];
}

void taut_geodesic_point(const taut_surface *s, const taut_contact *c, double length, double *x, double *direction)
{
    double y[GEODESIC_STATES];
    state_at(s, c, length, POINT_ERROR, y);
    copy3(x, y + PLACE);
    copy3(direction, y + DIRECTION);
}

void taut_move_start(const taut_surface *s, taut_contact *c, double by)
{
    double start[3], direction[3];
    taut_geodesic_point(s, c, by, start, direction);
    copy3(c->start, start);
    copy3(c->start_direction, direction);
}
