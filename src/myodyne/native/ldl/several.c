/* Solution for several vectors at once: each number of the factors is read once for all of them.
 *
 * Estimated second derivatives make IPOPT solve with a dozen vectors after each factorisation, and a single vector
 * takes as long as reading the factors twice. The vectors lie side by side: all numbers of a row follow one another. */
#include "ldl.h"

#define PIECES (LDL_TOGETHER / REGISTER)

typedef struct {
    Register piece[PIECES];
} Numbers;

static inline Numbers numbers(const double *at)
{
    Numbers found;
    int k;

    for (k = 0; k < PIECES; k++)
        found.piece[k] = *(const Register *)(at + k * REGISTER);
    return found;
}

static inline void store(double *at, Numbers x)
{
    int k;

    for (k = 0; k < PIECES; k++)
        *(Register *)(at + k * REGISTER) = x.piece[k];
}

/* y + factor x */
static inline Numbers added(Numbers y, double factor, Numbers x)
{
    int k;

    for (k = 0; k < PIECES; k++)
        y.piece[k] += factor * x.piece[k];
    return y;
}

static inline double *row_of(double *vectors, int row)
{
    return vectors + (size_t)row * LDL_TOGETHER;
}

/* The rows of four columns, and of single ones after them: local -= L local, from the first pivot to the last. */
static void eliminate(const Front *front, int rows, double *local)
{
    int p = front->pivots, i, j = 0, a, b;

    for (; j + 4 <= p; j += 4) {
        const double *l[4];
        Numbers x[4];

        for (a = 0; a < 4; a++)
            l[a] = front->columns + (size_t)(j + a) * front->stride;
        for (a = 0; a < 4; a++) {
            x[a] = numbers(row_of(local, j + a));
            for (b = 0; b < a; b++)
                x[a] = added(x[a], -l[b][j + a], x[b]);
            store(row_of(local, j + a), x[a]);
        }
        for (i = j + 4; i < rows; i++) {
            Numbers y = numbers(row_of(local, i));

            y = added(added(y, -l[0][i], x[0]), -l[1][i], x[1]);
            store(row_of(local, i), added(added(y, -l[2][i], x[2]), -l[3][i], x[3]));
        }
    }
    for (; j < p; j++) {
        const double *l = front->columns + (size_t)j * front->stride;
        Numbers x = numbers(row_of(local, j));

        for (i = j + 1; i < rows; i++)
            store(row_of(local, i), added(numbers(row_of(local, i)), -l[i], x));
    }
}

static void forward(const Front *front, double *vectors, double *local)
{
    int p = front->pivots, rows = p + front->waiting + front->below, i, j;
    Numbers none = {{{0}}};

    for (i = 0; i < p; i++)
        store(row_of(local, i), numbers(row_of(vectors, front->rows[i])));
    for (; i < rows; i++)
        store(row_of(local, i), none);
    eliminate(front, rows, local);
    for (i = p; i < rows; i++) {
        double *target = row_of(vectors, front->rows[i]);
        store(target, added(numbers(target), 1.0, numbers(row_of(local, i))));
    }
    for (j = 0; j < p; j++) {
        const double *inverse = front->inverse + 2 * (size_t)j;
        Numbers first = numbers(row_of(local, j));

        if (inverse[1] != 0) {
            Numbers second = numbers(row_of(local, j + 1));
            store(row_of(vectors, front->rows[j]), added(added(none, inverse[0], first), inverse[1], second));
            store(row_of(vectors, front->rows[j + 1]), added(added(none, inverse[1], first), inverse[2], second));
            j++;
        } else {
            store(row_of(vectors, front->rows[j]), added(none, inverse[0], first));
        }
    }
}

static void backward(const Front *front, double *vectors, double *local)
{
    int p = front->pivots, rows = p + front->waiting + front->below, i, j = p, a, b;
    Numbers none = {{{0}}};

    for (i = 0; i < rows; i++)
        store(row_of(local, i), numbers(row_of(vectors, front->rows[i])));
    for (; j >= 4; j -= 4) {
        const double *l[4];
        Numbers sum[4] = {none, none, none, none};

        for (a = 0; a < 4; a++)
            l[a] = front->columns + (size_t)(j - 4 + a) * front->stride;
        for (i = j; i < rows; i++) {
            Numbers y = numbers(row_of(local, i));
            for (a = 0; a < 4; a++)
                sum[a] = added(sum[a], l[a][i], y);
        }
        for (a = 3; a >= 0; a--) {
            for (b = a + 1; b < 4; b++)
                sum[a] = added(sum[a], l[a][j - 4 + b], numbers(row_of(local, j - 4 + b)));
            store(row_of(local, j - 4 + a), added(numbers(row_of(local, j - 4 + a)), -1.0, sum[a]));
        }
    }
    for (; j > 0; j--) {
        const double *l = front->columns + (size_t)(j - 1) * front->stride;
        Numbers sum = none;

        for (i = j; i < rows; i++)
            sum = added(sum, l[i], numbers(row_of(local, i)));
        store(row_of(local, j - 1), added(numbers(row_of(local, j - 1)), -1.0, sum));
    }
    for (i = 0; i < p; i++)
        store(row_of(vectors, front->rows[i]), numbers(row_of(local, i)));
}

/* Overwrites at most LDL_TOGETHER vectors by the solutions; work holds 2 n LDL_TOGETHER numbers. */
void ldl_solve_several(const Matrix *m, int count, double *vectors, size_t stride, double *work)
{
    const Analysis *a = m->analysis;
    double *local = work + (size_t)m->n * LDL_TOGETHER;
    int i, k, f;

    for (i = 0; i < m->n; i++)
        for (k = 0; k < LDL_TOGETHER; k++)
            row_of(work, i)[k] = k < count ? vectors[a->order[i] + k * stride] * m->scale[a->order[i]] : 0;
    for (f = 0; f < a->fronts; f++)
        forward(m->front + f, work, local);
    for (f = a->fronts - 1; f >= 0; f--)
        backward(m->front + f, work, local);
    for (i = 0; i < m->n; i++)
        for (k = 0; k < count; k++)
            vectors[a->order[i] + k * stride] = row_of(work, i)[k] * m->scale[a->order[i]];
}
