/* transpose.c - transposes matrices of small blocks in vector registers

   To gather single blocks for each peer is to transpose. One by one, each takes a load and a
   store of its own; in tiles a register full of them does, which comes close to memcpy. A tile
   is 16 bytes of each of so many rows that columns of 32 bytes arise, or of 16 where no more
   rows are left. Where rows or columns are no multiple of it the last tile reaches back into
   the one before, and writes the same there once more. */
#include "transpose.h"

#include <immintrin.h>

#define WITH_AVX2   __attribute__((target("avx2")))
#define INLINE_AVX2 __attribute__((target("avx2"), always_inline)) static inline

/* Sixteen bytes of two rows side by side. */
INLINE_AVX2 __m256 two(const char *low, const char *high)
{
    __m128 first = _mm_loadu_ps((const float *)low);

    return _mm256_insertf128_ps(_mm256_castps128_ps256(first),
                                _mm_loadu_ps((const float *)high), 1);
}

/* The four rows of low and the four of high, of four blocks of 4 bytes each, become four rows
   of eight. */
INLINE_AVX2 void tile_8x4(struct matrix to, struct matrix from)
{
    const char *low = from.base, *high = from.base + 4 * from.row;
    __m256 row0 = two(low, high);
    __m256 row1 = two(low + from.row, high + from.row);
    __m256 row2 = two(low + 2 * from.row, high + 2 * from.row);
    __m256 row3 = two(low + 3 * from.row, high + 3 * from.row);
    __m256 left01 = _mm256_unpacklo_ps(row0, row1), right01 = _mm256_unpackhi_ps(row0, row1);
    __m256 left23 = _mm256_unpacklo_ps(row2, row3), right23 = _mm256_unpackhi_ps(row2, row3);

    _mm256_storeu_ps((float *)to.base, _mm256_shuffle_ps(left01, left23, 0x44));
    _mm256_storeu_ps((float *)(to.base + to.row), _mm256_shuffle_ps(left01, left23, 0xee));
    _mm256_storeu_ps((float *)(to.base + 2 * to.row),
                     _mm256_shuffle_ps(right01, right23, 0x44));
    _mm256_storeu_ps((float *)(to.base + 3 * to.row),
                     _mm256_shuffle_ps(right01, right23, 0xee));
}

/* Four rows of four blocks of 4 bytes. */
INLINE_AVX2 void tile_4x4(struct matrix to, struct matrix from)
{
    __m128 row0 = _mm_loadu_ps((const float *)from.base);
    __m128 row1 = _mm_loadu_ps((const float *)(from.base + from.row));
    __m128 row2 = _mm_loadu_ps((const float *)(from.base + 2 * from.row));
    __m128 row3 = _mm_loadu_ps((const float *)(from.base + 3 * from.row));

    _MM_TRANSPOSE4_PS(row0, row1, row2, row3);
    _mm_storeu_ps((float *)to.base, row0);
    _mm_storeu_ps((float *)(to.base + to.row), row1);
    _mm_storeu_ps((float *)(to.base + 2 * to.row), row2);
    _mm_storeu_ps((float *)(to.base + 3 * to.row), row3);
}

/* Four rows of two blocks of 8 bytes become two rows of four. */
INLINE_AVX2 void tile_4x2(struct matrix to, struct matrix from)
{
    __m256d even = _mm256_castps_pd(two(from.base, from.base + 2 * from.row));
    __m256d odd = _mm256_castps_pd(two(from.base + from.row, from.base + 3 * from.row));

    _mm256_storeu_pd((double *)to.base, _mm256_unpacklo_pd(even, odd));
    _mm256_storeu_pd((double *)(to.base + to.row), _mm256_unpackhi_pd(even, odd));
}

typedef void tile_fn(struct matrix to, struct matrix from);

/* As many rows as the tile has, from row row on: one tile after the other. */
INLINE_AVX2 void transpose_band(tile_fn *tile, struct matrix to, struct matrix from, size_t row,
                                size_t columns, size_t block)
{
    const size_t width = 16 / block;

    to.base += row * block;
    from.base += row * from.row;
    for (size_t left = columns / width; left > 0; left--) {
        tile(to, from);
        to.base += width * to.row;
        from.base += width * block;
    }
    if (columns % width > 0) {
        size_t back = width - columns % width;
        to.base -= back * to.row;
        from.base -= back * block;
        tile(to, from);
    }
}

WITH_AVX2 static void transpose_4_bytes(struct matrix to, struct matrix from, size_t rows,
                                        size_t columns)
{
    size_t row = 0;

    for (; row + 8 <= rows; row += 8)
        transpose_band(tile_8x4, to, from, row, columns, 4);
    for (; row + 4 <= rows; row += 4)
        transpose_band(tile_4x4, to, from, row, columns, 4);
    if (row < rows)
        transpose_band(tile_4x4, to, from, rows - 4, columns, 4);
}

WITH_AVX2 static void transpose_8_bytes(struct matrix to, struct matrix from, size_t rows,
                                        size_t columns)
{
    size_t row = 0;

    for (; row + 4 <= rows; row += 4)
        transpose_band(tile_4x2, to, from, row, columns, 8);
    if (row < rows)
        transpose_band(tile_4x2, to, from, rows - 4, columns, 8);
}

bool transpose(struct matrix to, struct matrix from, size_t rows, size_t columns, size_t block)
{
    if (rows < 4 || columns < 4)
        return false;
    if (block == 4)
        transpose_4_bytes(to, from, rows, columns);
    else if (block == 8)
        transpose_8_bytes(to, from, rows, columns);
    else
        return false;
    return true;
}
