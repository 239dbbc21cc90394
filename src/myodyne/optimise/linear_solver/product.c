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

static inline __attribute__((always_inline)) void tile(const int fresh, const int height, const int width, int depth,
                                                       const double *left, int left_stride, const double *right,
                                                       int right_stride, double *target, int target_stride)
{
    Lanes sum[HEIGHT][WIDTH];
    int h, w, k;

#pragma GCC unroll 8
    for (w = 0; w < width; w++)
#pragma GCC unroll 8
        for (h = 0; h < height; h++)
            sum[h][w] = fresh ? (Lanes){0} : *(const Lanes *)(target + (size_t)w * target_stride + h * LANES);
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

/* Tiles of a few columns from a row down. Each kind is a function of its own, so that its sizes are constants. */
#define COLUMNS_OF_TILES(name, fresh, width)                                                                           \
    static void name(int row, int rows, int depth, const double *left, int left_stride, const double *right,          \
                     int right_stride, double *target, int target_stride)                                             \
    {                                                                                                                  \
        for (; row + HEIGHT * LANES <= rows; row += HEIGHT * LANES)                                                    \
            tile(fresh, HEIGHT, width, depth, left + row, left_stride, right, right_stride, target + row,             \
                 target_stride);                                                                                       \
        for (; row < rows; row += LANES)                                                                               \
            tile(fresh, 1, width, depth, left + row, left_stride, right, right_stride, target + row, target_stride);  \
    }

COLUMNS_OF_TILES(subtract_8, 0, 8)
COLUMNS_OF_TILES(subtract_4, 0, 4)
COLUMNS_OF_TILES(subtract_1, 0, 1)
COLUMNS_OF_TILES(write_8, 1, 8)
COLUMNS_OF_TILES(write_4, 1, 4)
COLUMNS_OF_TILES(write_1, 1, 1)

/* Subtracts the product from columns of the target, in each from the diagonal down (and a few rows above it, which hold
 * nothing); a fresh target is taken for zero. Rows are counted from a multiple of LANES above the first column, `skip`
 * rows above its diagonal. */
void ldl_product(int rows, int columns, int skip, int depth, const double *left, int left_stride, const double *right,
                 int right_stride, double *target, int target_stride, int fresh)
{
    int column = 0;

    rows = PADDED(rows);
    while (column < columns) {
        int row = (column + skip) / LANES * LANES, width = columns - column;

        width = width >= 8 ? 8 : width >= 4 ? 4 : 1;
        (fresh ? (width == 8 ? write_8 : width == 4 ? write_4 : write_1)
               : (width == 8 ? subtract_8 : width == 4 ? subtract_4 : subtract_1))(
            row, rows, depth, left, left_stride, right + column, right_stride, target + (size_t)column * target_stride,
            target_stride);
        column += width;
    }
}
