/* Geodesics on surfaces, with their variations: closed forms on cylinders and spheres, else extrapolated midpoints. */
#include "taut.h"
#include "steps.h"

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
        for (int i = 0; i < 3; i++)
            normal[i] = x[i];
        break;
    case WRAP_ELLIPSOID:
        for (int i = 0; i < 3; i++)
            normal[i] = x[i] / (size[i] * size[i]);
        break;
    default: {
        double off = sqrt(x[0] * x[0] + x[1] * x[1]), rest = 1.0 - size[1] / off;
        normal[0] = rest * x[0];
        normal[1] = rest * x[1];
        normal[2] = x[2];
    }
    }
    unit_of(normal);
}

void taut_bend(const taut_surface *s, const double *x, const double *normal, const double *d, double *turn)
{
    const double *size = s->size;
    if (s->kind == WRAP_SPHERE) {
        for (int i = 0; i < 3; i++)
            turn[i] = d[i] / size[0];
    } else if (s->kind == WRAP_CYLINDER) {
        turn[0] = d[0] / size[0];
        turn[1] = d[1] / size[0];
        turn[2] = 0.0;
    } else if (s->kind == WRAP_ELLIPSOID) {
        double steep = 0.0;
        for (int i = 0; i < 3; i++) {
            double weight = 1.0 / (size[i] * size[i]), part = weight * x[i];
            turn[i] = weight * d[i];
            steep += part * part;
        }
        double up = dot3(turn, normal), root = sqrt(steep);
        for (int i = 0; i < 3; i++)
            turn[i] = (turn[i] - up * normal[i]) / root;
    } else {
        double off = sqrt(x[0] * x[0] + x[1] * x[1]), round[3] = {-x[1] / off, x[0] / off, 0.0}, part = dot3(d, round);
        for (int i = 0; i < 3; i++)
            turn[i] = (d[i] - part * round[i]) / size[0] + part * round[i] * (off - size[1]) / (size[0] * off);
    }
}

/* How far outside a place is: exact near the surface, but for ellipsoids, where only the sign and the order are. */
double taut_outside(const taut_surface *s, const double *x)
{
    const double *size = s->size;
    switch (s->kind) {
    case WRAP_CYLINDER:
        return sqrt(x[0] * x[0] + x[1] * x[1]) - size[0];
    case WRAP_SPHERE:
        return size3(x) - size[0];
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

/* Move a place onto the surface, and a direction into its plane. */
void taut_project(const taut_surface *s, double *x, double *direction)
{
    const double *size = s->size;
    double normal[3];
    if (s->kind == WRAP_CYLINDER) {
        double scale = size[0] / sqrt(x[0] * x[0] + x[1] * x[1]);
        x[0] *= scale;
        x[1] *= scale;
    } else if (s->kind == WRAP_TORUS) {
        double off = sqrt(x[0] * x[0] + x[1] * x[1]), core[3] = {size[1] * x[0] / off, size[1] * x[1] / off, 0.0};
        double scale = size[0] / apart3(x, core);
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
    taut_normal(s, x, normal);
    double up = dot3(direction, normal);
    for (int i = 0; i < 3; i++)
        direction[i] -= up * normal[i];
    unit_of(direction);
}

enum { STATES = 11 };

/* The rates of place, direction, both variations with their slopes, and push. */
static void rates(const void *about, const double *y, double *f)
{
    const taut_surface *s = about;
    const double *x = y, *v = y + 3, *size = s->size;
    double normal[3], bent, curved;
    if (s->kind == WRAP_ELLIPSOID) {
        double up = 0.0, steep = 0.0, product = 1.0;
        for (int i = 0; i < 3; i++) {
            double weight = s->weight[i];
            normal[i] = weight * x[i];
            steep += normal[i] * normal[i];
            up += weight * v[i] * v[i];
            product *= weight;
        }
        double shrink = 1.0 / sqrt(steep);
        bent = up * shrink;
        curved = product * shrink * shrink * shrink * shrink;
        for (int i = 0; i < 3; i++)
            normal[i] *= shrink;
    } else {
        double off = sqrt(x[0] * x[0] + x[1] * x[1]), rest = off - size[1], round = (x[0] * v[1] - x[1] * v[0]) / off;
        double speed = dot3(v, v), tube = sqrt(rest * rest + x[2] * x[2]);
        normal[0] = rest * x[0] / (off * tube);
        normal[1] = rest * x[1] / (off * tube);
        normal[2] = x[2] / tube;
        bent = (speed - round * round) / size[0] + round * round * rest / (size[0] * off);
        curved = rest / (size[0] * size[0] * off);
    }
    for (int i = 0; i < 3; i++) {
        f[i] = v[i];
        f[3 + i] = -bent * normal[i];
    }
    f[6] = y[7];
    f[7] = -curved * y[6];
    f[8] = y[9];
    f[9] = -curved * y[8];
    f[10] = bent;
}

/* Follow a geodesic from a state over a length. */
static void integrate(const taut_surface *s, double *y, double length, double error)
{
    double f[STATES], scale = s->kind == WRAP_TORUS ? s->size[0] : (s->size[0] + s->size[1] + s->size[2]) / 3.0;
    rates(s, y, f);
    steps_along(rates, s, STATES, y, length, 0.8 / (f[10] > 0.1 / scale ? f[10] : 0.1 / scale), scale, error);
}

/* The end of a geodesic of the given length. */
static void end_of(const taut_surface *s, const taut_contact *c, double length, double error, double *y)
{
    for (int i = 0; i < 3; i++) {
        y[i] = c->from[i];
        y[3 + i] = c->along[i];
    }
    y[6] = 1.0;
    y[7] = 0.0;
    y[8] = 0.0;
    y[9] = 1.0;
    y[10] = 0.0;
    if (s->kind == WRAP_CYLINDER) {
        double radius = s->size[0], round = (y[0] * y[4] - y[1] * y[3]) / radius; /* of the direction */
        double angle = length * round / radius, cosine = cos(angle), sine = sin(angle);
        double x = y[0], u = y[3];
        y[0] = cosine * x - sine * y[1];
        y[1] = sine * x + cosine * y[1];
        y[2] += length * y[5];
        y[3] = cosine * u - sine * y[4];
        y[4] = sine * u + cosine * y[4];
        y[8] = length;
        y[10] = length * round * round / radius;
    } else if (s->kind == WRAP_SPHERE) {
        double radius = s->size[0], angle = length / radius, cosine = cos(angle), sine = sin(angle);
        for (int i = 0; i < 3; i++) {
            double x = y[i], v = y[3 + i];
            y[i] = cosine * x + radius * sine * v;
            y[3 + i] = cosine * v - sine * x / radius;
        }
        y[6] = cosine;
        y[7] = -sine / radius;
        y[8] = radius * sine;
        y[9] = cosine;
        y[10] = angle;
    } else {
        integrate(s, y, length, error);
    }
}

void taut_follow(const taut_surface *s, taut_contact *c, double error)
{
    double y[STATES];
    end_of(s, c, c->length, error, y);
    for (int i = 0; i < 3; i++) {
        c->to[i] = y[i];
        c->leaving[i] = y[3 + i];
    }
    c->shift[0] = y[6];
    c->turn[0] = y[7];
    c->shift[1] = y[8];
    c->turn[1] = y[9];
    c->push = y[10];
}

void taut_place(const taut_surface *s, const taut_contact *c, double length, double *x, double *direction)
{
    double y[STATES];
    end_of(s, c, length, 1e-10, y);
    for (int i = 0; i < 3; i++) {
        x[i] = y[i];
        direction[i] = y[3 + i];
    }
}
