/* Solution with the factors of a matrix: down the tree of fronts, and up again. */
#include "ldl.h"

/* y -= L x for the rows below the pivots; four columns at a time, for the vector would be read too often otherwise. */
static void subtract_columns(const double *columns, int stride, int pivots, int rows, const double *x,
                             double *restrict y)
{
    int j = 0, i;

    for (; j + 4 <= pivots; j += 4) {
        const double *restrict l0 = columns + (size_t)j * stride, *restrict l1 = l0 + stride;
        const double *restrict l2 = l1 + stride, *restrict l3 = l2 + stride;
        double x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];

        for (i = 0; i < rows; i++)
            y[i] -= l0[i] * x0 + l1[i] * x1 + l2[i] * x2 + l3[i] * x3;
    }
    for (; j < pivots; j++) {
        const double *restrict l0 = columns + (size_t)j * stride;
        double x0 = x[j];

        for (i = 0; i < rows; i++)
            y[i] -= l0[i] * x0;
    }
}

/* The inner product of a column and a vector: compilers may not change the order of a sum, so it is written out. */
static double inner(const double *l, const double *y, int rows)
{
    Register sum = {0}, more = {0};
    double total = 0;
    int i = 0, k;

    for (; i + 2 * REGISTER <= rows; i += 2 * REGISTER) {
        sum += *(const Register *)(l + i) * *(const Register *)(y + i);
        more += *(const Register *)(l + i + REGISTER) * *(const Register *)(y + i + REGISTER);
    }
    sum += more;
    for (k = 0; k < REGISTER; k++)
        total += sum[k];
    for (; i < rows; i++)
        total += l[i] * y[i];
    return total;
}

static void forward(const Front *front, double *vector, double *local)
{
    int p = front->pivots, rest = front->waiting + front->below, i, j;

    for (i = 0; i < p; i++)
        local[i] = vector[front->rows[i]];
    for (j = 0; j < p; j++) {
        const double *restrict l = front->columns + (size_t)j * front->stride;
        double x = local[j];
        for (i = j + 1; i < p; i++)
            local[i] -= l[i] * x;
    }
    for (i = 0; i < rest; i++)
        local[p + i] = 0;
    subtract_columns(front->columns + p, front->stride, p, rest, local, local + p);
    for (i = 0; i < rest; i++)
        vector[front->rows[p + i]] += local[p + i];
    for (j = 0; j < p; j++) {
        const double *inverse = front->inverse + 2 * (size_t)j;
        if (inverse[1] != 0) {
            double first = local[j], second = local[j + 1];
            vector[front->rows[j]] = inverse[0] * first + inverse[1] * second;
            vector[front->rows[j + 1]] = inverse[1] * first + inverse[2] * second;
            j++;
        } else {
            vector[front->rows[j]] = inverse[0] * local[j];
        }
    }
}

static void backward(const Front *front, double *vector, double *local)
{
    int p = front->pivots, rows = p + front->waiting + front->below, i, j;

    for (i = 0; i < rows; i++)
        local[i] = vector[front->rows[i]];
    for (j = p - 1; j >= 0; j--) {
        const double *l = front->columns + (size_t)j * front->stride;
        local[j] -= inner(l + j + 1, local + j + 1, rows - j - 1);
    }
    for (j = 0; j < p; j++)
        vector[front->rows[j]] = local[j];
}

/* Overwrites the vector by the solution; work holds 2 n numbers. */
void ldl_solve(const Matrix *m, double *vector, double *work)
{
    const Analysis *a = m->analysis;
    double *local = work + m->n;
    int i, f;

    for (i = 0; i < m->n; i++)
        work[i] = vector[a->order[i]] * m->scale[a->order[i]];
    for (f = 0; f < a->fronts; f++)
        forward(m->front + f, work, local);
    for (f = a->fronts - 1; f >= 0; f--)
        backward(m->front + f, work, local);
    for (i = 0; i < m->n; i++)
        vector[a->order[i]] = work[i] * m->scale[a->order[i]];
}
