/* Small systems with the signature of generated code: derivative(x, u, p) and balance(x, xdot, u, p).
 * The same systems stand in Python in conftest.py.  Work arrays are used and checked as generated code uses
 * them: each function asks for one int and two doubles of work. */
#include <math.h>

#define DERIVATIVE(name) int name##_derivative(const double **arg, double **res, int *iw, double *w, int mem)
#define BALANCE(name) int name##_balance(const double **arg, double **res, int *iw, double *w, int mem)
#define UNUSED (void)mem, iw[0] = 1, w[0] = w[1] = 0

static void fill(double *matrix, double a, double b, double c, double d)
{
    if (matrix) {
        matrix[0] = a;
        matrix[1] = b;
        matrix[2] = c;
        matrix[3] = d;
    }
}

static void set(double *matrix, double value)
{
    if (matrix)
        matrix[0] = value;
}

/* One degree of freedom: acceleration, and its derivatives by q and v. */
#define SINGLE(name, acceleration, by_q, by_v)                                                                   \
    DERIVATIVE(name)                                                                                             \
    {                                                                                                            \
        double q = arg[0][0], v = arg[0][1], u = arg[1][0];                                                      \
        const double *p = arg[2];                                                                                \
        (void)p, (void)q, (void)u, UNUSED;                                                                       \
        res[0][0] = v;                                                                                           \
        res[0][1] = (acceleration) + u;                                                                          \
        return 0;                                                                                                \
    }                                                                                                            \
    BALANCE(name)                                                                                                \
    {                                                                                                            \
        double q = arg[0][0], v = arg[0][1], a = arg[1][1], u = arg[2][0];                                       \
        const double *p = arg[3];                                                                                \
        (void)p, (void)q, (void)v, UNUSED;                                                                       \
        res[0][0] = a - (acceleration) - u;                                                                      \
        set(res[1], -(by_q));                                                                                    \
        set(res[2], -(by_v));                                                                                    \
        set(res[3], 1.0);                                                                                        \
        return 0;                                                                                                \
    }

SINGLE(oscillator, -p[0] * p[0] * q - p[1] * v, -p[0] * p[0], -p[1])
SINGLE(pendulum, -p[0] * sin(q), -p[0] * cos(q), 0.0)
SINGLE(van_der_pol, p[0] * (1 - q * q) * v - q, -2 * p[0] * q * v - 1, p[0] * (1 - q * q))
SINGLE(runaway, 6 * q * q, 12 * q, 0.0)
SINGLE(latch, -p[0] * atan(p[1] * q), -p[0] * p[1] / (1 + p[1] * p[1] * q * q), 0.0)
SINGLE(edge, sqrt(1 - q), -0.5 / sqrt(1 - q), 0.0)

/* Two oscillators side by side; the control drives the first. */
DERIVATIVE(modes)
{
    const double *x = arg[0], *p = arg[2];
    UNUSED;
    res[0][0] = x[2];
    res[0][1] = x[3];
    res[0][2] = -p[0] * p[0] * x[0] - p[1] * x[2] + arg[1][0];
    res[0][3] = -p[2] * p[2] * x[1] - p[3] * x[3];
    return 0;
}

BALANCE(modes)
{
    const double *x = arg[0], *p = arg[3];
    UNUSED;
    res[0][0] = arg[1][2] + p[0] * p[0] * x[0] + p[1] * x[2] - arg[2][0];
    res[0][1] = arg[1][3] + p[2] * p[2] * x[1] + p[3] * x[3];
    fill(res[1], p[0] * p[0], 0, 0, p[2] * p[2]);
    fill(res[2], p[1], 0, 0, p[3]);
    fill(res[3], 1, 0, 0, 1);
    return 0;
}

/* Planar double pendulum, unit masses and lengths, angles from the vertical; the control turns the first. */
DERIVATIVE(double_pendulum)
{
    const double *x = arg[0];
    double g = arg[2][0], s = sin(x[0] - x[1]), c = cos(x[0] - x[1]);
    double f1 = arg[1][0] - s * x[3] * x[3] - 2 * g * sin(x[0]);
    double f2 = s * x[2] * x[2] - g * sin(x[1]);
    double determinant = 2 - c * c;
    UNUSED;
    res[0][0] = x[2];
    res[0][1] = x[3];
    res[0][2] = (f1 - c * f2) / determinant;
    res[0][3] = (2 * f2 - c * f1) / determinant;
    return 0;
}

BALANCE(double_pendulum)
{
    const double *x = arg[0];
    double a1 = arg[1][2], a2 = arg[1][3], g = arg[3][0], s = sin(x[0] - x[1]), c = cos(x[0] - x[1]);
    UNUSED;
    res[0][0] = 2 * a1 + c * a2 + s * x[3] * x[3] + 2 * g * sin(x[0]) - arg[2][0];
    res[0][1] = c * a1 + a2 - s * x[2] * x[2] + g * sin(x[1]);
    fill(res[1], -s * a2 + c * x[3] * x[3] + 2 * g * cos(x[0]), -s * a1 - c * x[2] * x[2],
         s * a2 - c * x[3] * x[3], s * a1 + c * x[2] * x[2] + g * cos(x[1]));
    fill(res[2], 0, -2 * s * x[2], 2 * s * x[3], 0);
    fill(res[3], 2, c, c, 1);
    return 0;
}

/* A function that reports failure, as generated code does when a routine inside it fails. */
DERIVATIVE(refusing)
{
    (void)arg, (void)res, UNUSED;
    return 1;
}

/* The sizes of the structures that structures.py mirrors. */
#include "march.h"
void structure_sizes(int *sizes)
{
    sizes[0] = sizeof(march_kernel);
    sizes[1] = sizeof(march_signal);
    sizes[2] = sizeof(march_tableau);
    sizes[3] = sizeof(march_control);
    sizes[4] = sizeof(march_memory);
    sizes[5] = sizeof(march_course);
    sizes[6] = sizeof(march_problem);
    sizes[7] = sizeof(march_linear_tableau);
    sizes[8] = sizeof(march_body);
}
