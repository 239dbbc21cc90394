/* The lower half of C -= A B^T for dense blocks of columns, which is where the time of a factorisation goes.
 *
 * A tile of C stays in registers while the depth is run through. Blocks are a few hundred rows at most, so they lie in
 * the cache as they are and are not packed. Rows of the three blocks are padded: whole registers may be read and written. */
#include "ldl.h"

/* Columns of a tile, and registers of each: 16 sums in the 32 registers of AVX-512 and of ARM, 8 in the 16 of others. */
#if defined(__AVX512F__)
#define WIDTH 8
#define HEIGHT 2
#elif defined(__AVX__)
#define WIDTH 4
#define HEIGHT 2
#elif defined(__aarch64__)
#define WIDTH 4
#define HEIGHT 4
#else
#define WIDTH 2
#define HEIGHT 4
#endif

static inline __attribute__((always_inline)) void tile(const int fresh, const int height, const int width, int depth,
                                                       const double *left, int left_stride, const double *right,
                                                       int right_stride, double *target, int target_stride)
{
    Register sum[HEIGHT][WIDTH];
    int h, w, k;

#pragma GCC unroll 8
    for (w = 0; w < width; w++)
#pragma GCC unroll 8
        for (h = 0; h < height; h++)
            sum[h][w] = fresh ? (Register){0} : *(const Register *)(target + (size_t)w * target_stride + h * REGISTER);
    for (k = 0; k < depth; k++) {
        Register a[HEIGHT];
#pragma GCC unroll 8
        for (h = 0; h < height; h++)
            a[h] = *(const Register *)(left + h * REGISTER);
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
            *(Register *)(target + (size_t)w * target_stride + h * REGISTER) = sum[h][w];
}

/* Tiles of a few columns from a row down. Each kind is a function of its own, so that its sizes are constants. */
#define COLUMNS_OF_TILES(name, fresh, width)                                                                           \
    static void name(int row, int rows, int depth, const double *left, int left_stride, const double *right,          \
                     int right_stride, double *target, int target_stride)                                             \
    {                                                                                                                  \
        for (; row + HEIGHT * REGISTER <= rows; row += HEIGHT * REGISTER)                                              \
            tile(fresh, HEIGHT, width, depth, left + row, left_stride, right, right_stride, target + row,             \
                 target_stride);                                                                                       \
        for (; row < rows; row += LANES)                                                                               \
            tile(fresh, LANES / REGISTER, width, depth, left + row, left_stride, right, right_stride, target + row,   \
                 target_stride);                                                                                       \
    }

COLUMNS_OF_TILES(subtract_wide, 0, WIDTH)
COLUMNS_OF_TILES(subtract_some, 0, WIDTH / 2)
COLUMNS_OF_TILES(subtract_one, 0, 1)
COLUMNS_OF_TILES(write_wide, 1, WIDTH)
COLUMNS_OF_TILES(write_some, 1, WIDTH / 2)
COLUMNS_OF_TILES(write_one, 1, 1)

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

        width = width >= WIDTH ? WIDTH : width >= WIDTH / 2 ? WIDTH / 2 : 1;
        (fresh ? (width == WIDTH ? write_wide : width == 1 ? write_one : write_some)
               : (width == WIDTH ? subtract_wide : width == 1 ? subtract_one : subtract_some))(
            row, rows, depth, left, left_stride, right + column, right_stride, target + (size_t)column * target_stride,
            target_stride);
        column += width;
    }
}
