/* Sums over all muscles that cross a coordinate, for several runs at once; ../crossings.c takes four of one run. */
#include "../crossings.h"

#include <string.h>

void march_body_lengthen(const march_body *body, const march_number *gradient, const march_number *change,
                         march_number *result)
{
    int g, i, k;

    for (g = 0; g < body->groups; g++) {
        march_group at = march_group_at(body, gradient, g);
        for (i = 0; i < at.count; i++) {
            march_number total = march_all(0);
            for (k = 0; k < at.rows; k++)
                total += at.gradient[k * at.count + i] * change[at.coordinate[k]];
            result[at.first + i] = total;
        }
    }
}

void march_body_pull(const march_body *body, const march_number *gradient, const march_number *tensions,
                     march_number *result)
{
    int g, i, k;

    memset(result, 0, sizeof *result * body->coordinates);
    for (g = 0; g < body->groups; g++) {
        march_group at = march_group_at(body, gradient, g);
        for (k = 0; k < at.rows; k++) {
            march_number total = result[at.coordinate[k]];
            for (i = 0; i < at.count; i++)
                total += at.gradient[k * at.count + i] * tensions[at.first + i];
            result[at.coordinate[k]] = total;
        }
    }
}

void march_body_stiffen(const march_body *body, const march_number *gradient, const march_number *stiffness,
                        march_number *result)
{
    int q = body->coordinates;
    int g, i, j, k;

    memset(result, 0, sizeof *result * q * q);
    for (g = 0; g < body->groups; g++) {
        march_group at = march_group_at(body, gradient, g);
        for (i = 0; i < at.count; i++)
            for (k = 0; k < at.rows; k++) {
                march_number part = stiffness[at.first + i] * at.gradient[k * at.count + i];
                march_number *column = result + at.coordinate[k] * q;
                /* Coordinates rise: the upper half. */
                for (j = 0; j <= k; j++)
                    column[at.coordinate[j]] += part * at.gradient[j * at.count + i];
            }
    }
    for (k = 0; k < q; k++)
        for (j = 0; j < k; j++)
            result[j * q + k] = result[k * q + j];
}

void march_body_stiffen_across(const march_body *body, const march_number *gradient, const march_number *across,
                               const march_number *stiffness, march_number *result)
{
    int g, i, j, k;

    for (g = 0; g < body->groups; g++) {
        march_group at = march_group_at(body, gradient, g);
        const march_number *other = across + body->first_entry[g];
        for (k = 0; k < at.rows; k++)
            for (j = 0; j < at.rows; j++) {
                march_number sum = march_all(0);
                for (i = 0; i < at.count; i++)
                    sum += at.gradient[j * at.count + i] * stiffness[at.first + i] * other[k * at.count + i];
                result[at.coordinate[k] * body->coordinates + at.coordinate[j]] += sum;
            }
    }
}
