/* The lower half of C -= A B^T for dense blocks of columns, which is where the time of a factorisation goes.
 *
 * A tile of C stays in registers while the depth is run through. Blocks are a few hundred rows at most, so they lie in
 * the cache as they are and are not packed. Rows of the three blocks are padded: whole registers may be read and written. */
#include "ldl.h"

typedef double Lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

#define WIDTH 8
#if defined(__AVX512F__)
#define HEIGHT 2 /* registers of one column of a tile: 16 sums of the 32 registers */
#else
#define HEIGHT 1
#endif

static inline __attribute__((always_inline)) void tile(const int height, const int width, int depth,
                                                       const double *left, int left_stride, const double *right,
                                                       int right_stride, double *target, int target_stride)
{
    Lanes sum[HEIGHT][WIDTH];
    int h, w, k;

#pragma GCC unroll 8
    for (w = 0; w < width; w++)
#pragma GCC unroll 8
        for (h = 0; h < height; h++)
            sum[h][w] = *(const Lanes *)(target + (size_t)w * target_stride + h * LANES);
    for (k = 0; k < depth; k++) {
        Lanes a[HEIGHT];
#pragma GCC unroll 8
        for (h = 0; h < height; h++)
            a[h] = *(const Lanes *)(left + h * LANES);
#pragma GCC unroll 8
        for (w = 0; w < width; w++)
#pragma GCC unroll 8
            for (h = 0; h < height; h++)
                sum[h][w] -= a[h] * right[w];
        left += left_stride;
        right += right_stride;
    }
#pragma GCC unroll 8
    for (w = 0; w < width; w++)
#pragma GCC unroll 8
        for (h = 0; h < height; h++)
            *(Lanes *)(target + (size_t)w * target_stride + h * LANES) = sum[h][w];
}

#define COLUMNS_OF_TILES(width)                                                                                        \
    for (; row + HEIGHT * LANES <= rows; row += HEIGHT * LANES)                                                        \
        tile(HEIGHT, width, depth, left + row, left_stride, right, right_stride, target + row, target_stride);        \
    for (; row < rows; row += LANES)                                                                                   \
        tile(1, width, depth, left + row, left_stride, right, right_stride, target + row, target_stride)

static void columns_of_8(int row, int rows, int depth, const double *left, int left_stride, const double *right,
                         int right_stride, double *target, int target_stride)
{
    COLUMNS_OF_TILES(8);
}

static void columns_of_4(int row, int rows, int depth, const double *left, int left_stride, const double *right,
                         int right_stride, double *target, int target_stride)
{
    COLUMNS_OF_TILES(4);
}

static void columns_of_1(int row, int rows, int depth, const double *left, int left_stride, const double *right,
                         int right_stride, double *target, int target_stride)
{
    COLUMNS_OF_TILES(1);
}

/* Subtracts the product from columns of the target, in each from the diagonal down (and a few rows above it, which hold
 * nothing). Rows are counted from a multiple of LANES above the first column, `skip` rows above its diagonal. */
void ldl_product(int rows, int columns, int skip, int depth, const double *left, int left_stride, const double *right,
                 int right_stride, double *target, int target_stride)
{
    int column = 0;

    rows = PADDED(rows);
    while (column < columns) {
        int row = (column + skip) / LANES * LANES, width = columns - column;

        width = width >= 8 ? 8 : width >= 4 ? 4 : 1;
        (width == 8 ? columns_of_8 : width == 4 ? columns_of_4 : columns_of_1)(
            row, rows, depth, left, left_stride, right + column, right_stride, target + (size_t)column * target_stride,
            target_stride);
        column += width;
    }
}
