/* Controls as functions of time: piecewise polynomials, constant beyond their ends. */
#include "march.h"

#include <string.h>

/* The piece that holds the instant.  A cursor, because marches ask for times that follow each other. */
static int piece_at(march_signal *signal, march_instant at)
{
    const double *breaks = signal->breaks;
    int piece = signal->cursor;
    double bound = at.side == MARCH_FROM_RIGHT ? at.time + at.slack : at.time - at.slack;
    int inclusive = at.side == MARCH_FROM_RIGHT;

    while (piece > 0 && !(inclusive ? breaks[piece] <= bound : breaks[piece] < bound))
        piece--;
    while (piece + 1 < signal->pieces && (inclusive ? breaks[piece + 1] <= bound : breaks[piece + 1] < bound))
        piece++;
    signal->cursor = piece;
    return piece;
}

/* The polynomials that hold at an instant, and the time since their break. */
static const double *polynomials_at(march_signal *signal, march_instant at, double *local)
{
    int piece = piece_at(signal, at);

    *local = at.time - signal->breaks[piece];
    if (piece == 0 && *local < 0)
        *local = 0;
    if (piece == signal->pieces - 1 && at.time > signal->breaks[piece + 1])
        *local = signal->breaks[piece + 1] - signal->breaks[piece];
    return signal->coefficients + (size_t)piece * (signal->degree + 1) * signal->count;
}

void march_controls(march_signal *signal, march_instant at, double *values)
{
    int count = signal->count;
    const double *coefficients;
    double local;
    int power, i;

    if (count == 0)
        return;
    coefficients = polynomials_at(signal, at, &local);
    memcpy(values, coefficients + (size_t)signal->degree * count, sizeof(double) * count);
    for (power = signal->degree - 1; power >= 0; power--)
        for (i = 0; i < count; i++)
            values[i] = values[i] * local + coefficients[(size_t)power * count + i];
}

/* The rates of change of the controls; beyond their ends they are constant. */
void march_control_rates(march_signal *signal, march_instant at, double *values)
{
    int count = signal->count;
    const double *coefficients;
    double local;
    int power, i;

    memset(values, 0, sizeof(double) * count);
    if (count == 0 || at.time < signal->breaks[0] - at.slack || at.time > signal->breaks[signal->pieces] - at.slack)
        return;
    coefficients = polynomials_at(signal, at, &local);
    for (power = signal->degree; power >= 1; power--)
        for (i = 0; i < count; i++)
            values[i] = values[i] * local + power * coefficients[(size_t)power * count + i];
}
