/* Which rows should be eliminated in pairs.
 *
 * The multiplier of a constraint has a zero on the diagonal, so it is no pivot until one of its variables has gone. Pivots
 * that wait fill the factors far more than the order foresaw. So each such row is tied to a variable with which it makes
 * a sound pivot of two rows, and the two are ordered as one (as Duff & Pralet 2005 do with a weighted matching; here the
 * matching is greedy, for what it leaves over may still wait). */
#include "ldl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A diagonal below this part of the largest entry of its row is taken for none. */
#define WEAK 1e-8
/* A partner's entry must be at least this part of the largest in the row. */
#define SOUND 0.1

typedef struct {
    int *start, *position, *other; /* all entries of each row but the diagonal */
    double *size;
    double *diagonal, *largest;
} Rows;

static void free_rows(Rows *rows)
{
    free(rows->start);
    free(rows->position);
    free(rows->other);
    free(rows->size);
    free(rows->diagonal);
    free(rows->largest);
}

static void put(Rows *rows, int i, int j, double size)
{
    rows->other[rows->position[i]] = j;
    rows->size[rows->position[i]++] = size;
    rows->largest[i] = fmax(rows->largest[i], size);
}

static int fill_rows(Rows *rows, int n, const int *column_start, const int *row, const double *value,
                     const double *scale)
{
    size_t ends = 2 * (size_t)column_start[n] + 1;
    int j, k;

    rows->start = calloc(n + 1, sizeof(int));
    rows->position = malloc((n + 1) * sizeof(int));
    rows->diagonal = calloc(n + 1, sizeof(double));
    rows->largest = calloc(n + 1, sizeof(double));
    rows->other = malloc(ends * sizeof(int));
    rows->size = malloc(ends * sizeof(double));
    if (!rows->start || !rows->position || !rows->diagonal || !rows->largest || !rows->other || !rows->size)
        return LDL_NO_MEMORY;
    for (j = 0; j < n; j++)
        for (k = column_start[j]; k < column_start[j + 1]; k++)
            if (row[k] != j) {
                rows->start[j + 1]++;
                rows->start[row[k] + 1]++;
            }
    for (j = 0; j < n; j++)
        rows->start[j + 1] += rows->start[j];
    memcpy(rows->position, rows->start, (n + 1) * sizeof(int));
    for (j = 0; j < n; j++)
        for (k = column_start[j]; k < column_start[j + 1]; k++) {
            double entry = value[k] * scale[row[k]] * scale[j];
            if (row[k] == j) {
                rows->diagonal[j] += entry;
            } else {
                put(rows, row[k], j, fabs(entry));
                put(rows, j, row[k], fabs(entry));
            }
        }
    return LDL_DONE;
}

/* The partner of a row: free, with a sound entry, and with few links, for the pair inherits them. Or -1. */
static int partner_of(const Rows *rows, int i, const int *partner)
{
    int k, best = -1, fewest = 0;

    for (k = rows->start[i]; k < rows->start[i + 1]; k++) {
        int j = rows->other[k], links = rows->start[j + 1] - rows->start[j];
        if (partner[j] >= 0 || j == i || rows->size[k] < SOUND * rows->largest[i])
            continue;
        if (best < 0 || links < fewest) {
            best = j;
            fewest = links;
        }
    }
    return best;
}

/* Writes the group of each row; returns the number of groups, or -1 without memory. */
int ldl_pairs(int n, const int *column_start, const int *row, const double *value, const double *scale, int *group)
{
    Rows rows = {0};
    int *partner = malloc((n + 1) * sizeof(int));
    int i, groups = -1;

    if (partner && fill_rows(&rows, n, column_start, row, value, scale) == LDL_DONE) {
        memset(partner, -1, (n + 1) * sizeof(int));
        for (i = 0; i < n; i++)
            if (partner[i] < 0 && fabs(rows.diagonal[i]) <= WEAK * rows.largest[i]) {
                int j = partner_of(&rows, i, partner);
                if (j >= 0) {
                    partner[i] = j;
                    partner[j] = i;
                }
            }
        groups = 0;
        for (i = 0; i < n; i++)
            group[i] = partner[i] >= 0 && partner[i] < i ? group[partner[i]] : groups++;
    }
    free(partner);
    free_rows(&rows);
    return groups;
}
