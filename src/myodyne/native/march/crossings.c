/* Sums over all muscles that cross a coordinate.
 *
 * Muscles of one group cross the same coordinates.  Their gradients lie side by side, a row for each of those
 * coordinates, so that four muscles are taken at a time.  What is read beyond the end of a group belongs to its
 * neighbours: where it would count it is masked, and where it is written the next group writes over it. */
#include "crossings.h"
#include "lanes.h"

#include <string.h>

/* How far a change of the coordinates lengthens each muscle. */
void march_body_lengthen(const march_body *body, const double *gradient, const double *change, double *result)
{
    int g, i, k;

    for (g = 0; g < body->groups; g++) {
        march_group at = march_group_at(body, gradient, g);
        for (i = 0; i < at.count; i += LANES) {
            march_lanes total = {0, 0, 0, 0};
            for (k = 0; k < at.rows; k++)
                total += march_load(at.gradient + k * at.count + i) * change[at.coordinate[k]];
            march_store(result + at.first + i, total);
        }
    }
}

/* Sums are taken over tiles of up to three by three rows: nine sums and what they read fit into registers. */
enum { TILE = 3 };
#define INLINE static inline __attribute__((always_inline))

INLINE void pull(march_group at, const int rows, const double *tensions, march_lanes *sums)
{
    march_lanes sum[TILE] = {{0, 0, 0, 0}};
    int i, k;

    for (i = 0; i < at.count; i += LANES) {
        march_lanes tension = march_load_some(tensions + at.first + i, at.count - i);
        for (k = 0; k < rows; k++)
            sum[k] += march_load(at.gradient + k * at.count + i) * tension;
    }
    for (k = 0; k < rows; k++)
        sums[at.coordinate[k]] += sum[k];
}

/* The rows of a group from one of them on. */
static march_group from_row(march_group at, int row)
{
    at.rows -= row;
    at.coordinate += row;
    at.gradient += row * at.count;
    return at;
}

/* What tensions pull at each coordinate. */
void march_body_pull(const march_body *body, const double *gradient, const double *tensions, double *result)
{
    march_lanes *sums = (march_lanes *)body->lanes;
    int g, k;

    memset(sums, 0, sizeof *sums * body->coordinates);
    for (g = 0; g < body->groups; g++) {
        march_group at = march_group_at(body, gradient, g);
        for (; at.rows >= TILE; at = from_row(at, TILE))
            pull(at, TILE, tensions, sums);
        if (at.rows == 2)
            pull(at, 2, tensions, sums);
        else if (at.rows == 1)
            pull(at, 1, tensions, sums);
    }
    for (k = 0; k < body->coordinates; k++)
        result[k] = march_lanes_sum(sums[k]);
}

INLINE void stiffen(march_group row, const int rows, march_group column, const int columns, const double *stiffness,
                    march_lanes *sums, int q)
{
    march_lanes sum[TILE][TILE] = {{{0, 0, 0, 0}}};
    int count = row.count, i, j, k;

    for (i = 0; i < count; i += LANES) {
        march_lanes factor = march_load_some(stiffness + row.first + i, count - i);
        for (k = 0; k < columns; k++) {
            march_lanes part = factor * march_load(column.gradient + k * count + i);
            for (j = 0; j < rows; j++)
                sum[k][j] += part * march_load(row.gradient + j * count + i);
        }
    }
    for (k = 0; k < columns; k++)
        for (j = 0; j < rows; j++)
            sums[column.coordinate[k] * q + row.coordinate[j]] += sum[k][j];
}

/* The tile where two groups of rows of the same muscles meet. */
static void stiffen_tile(march_group row, march_group column, const double *stiffness, march_lanes *sums, int q)
{
    if (row.rows >= TILE && column.rows >= TILE)
        stiffen(row, TILE, column, TILE, stiffness, sums, q);
    else if (row.rows >= TILE && column.rows == 2)
        stiffen(row, TILE, column, 2, stiffness, sums, q);
    else if (row.rows >= TILE)
        stiffen(row, TILE, column, 1, stiffness, sums, q);
    else if (row.rows == 2)
        stiffen(row, 2, column, 2, stiffness, sums, q);
    else
        stiffen(row, 1, column, 1, stiffness, sums, q);
}

/* result = gradient' diagonal(stiffness) gradient, a matrix of the coordinates. */
void march_body_stiffen(const march_body *body, const double *gradient, const double *stiffness, double *result)
{
    march_lanes *sums = (march_lanes *)body->lanes;
    int q = body->coordinates;
    int g, j, k;

    memset(sums, 0, sizeof *sums * q * q);
    for (g = 0; g < body->groups; g++) {
        march_group at = march_group_at(body, gradient, g);
        /* Coordinates rise: the upper half, and the tiles on the diagonal. */
        for (k = 0; k < at.rows; k += TILE)
            for (j = 0; j <= k; j += TILE)
                stiffen_tile(from_row(at, j), from_row(at, k), stiffness, sums, q);
    }
    for (k = 0; k < q; k++)
        for (j = 0; j <= k; j++)
            result[k * q + j] = result[j * q + k] = march_lanes_sum(sums[k * q + j]);
}

/* result += gradient' diagonal(stiffness) across, `across` being laid out as the gradient is. */
void march_body_stiffen_across(const march_body *body, const double *gradient, const double *across,
                               const double *stiffness, double *result)
{
    int g, i, j, k;

    for (g = 0; g < body->groups; g++) {
        march_group at = march_group_at(body, gradient, g);
        const double *other = across + body->first_entry[g];
        for (k = 0; k < at.rows; k++)
            for (j = 0; j < at.rows; j++) {
                double sum = 0;
                for (i = 0; i < at.count; i++)
                    sum += at.gradient[j * at.count + i] * stiffness[at.first + i] * other[k * at.count + i];
                result[at.coordinate[k] * body->coordinates + at.coordinate[j]] += sum;
            }
    }
}
