/* transpose.c - transposes matrices of small blocks in vector registers

   To gather single blocks for each peer is to transpose. One by one, each takes a load and a
   store of its own; in tiles a register full of them does, which comes close to memcpy. A tile
   is 16 bytes of each of so many rows that columns of 32 bytes arise or more, or of 16 where no
   more rows are left. Where rows or columns are no multiple of it the last tile reaches back
   into the one before, and writes the same there once more.

   The inner loop of the copy goes down a column of the source, and along a row of the sink. */
#include "copy/transpose.h"

#include <immintrin.h>
#include <string.h>

#include "copy/kernels.h"

#define INLINE_AVX2 __attribute__((target("avx2"), always_inline)) static inline

/* The first block, and the bytes from one row to the next. */
struct sink {
    char *base;
    size_t row;
};

struct source {
    const char *base;
    size_t row, column; /* and from one column to the next */
};

/* Sixteen bytes of two rows side by side. */
INLINE_AVX2 __m256 two(const char *low, const char *high)
{
    __m128 first = _mm_loadu_ps((const float *)low);

    return _mm256_insertf128_ps(_mm256_castps128_ps256(first),
                                _mm_loadu_ps((const float *)high), 1);
}

/* Eight bytes of two rows side by side. */
INLINE_AVX2 __m128 halves(const char *low, const char *high)
{
    long long first, second;

    memcpy(&first, low, sizeof first);
    memcpy(&second, high, sizeof second);
    return _mm_castsi128_ps(_mm_set_epi64x(second, first));
}

/* The four rows of low and the four of high, of four blocks of 4 bytes each, become four rows
   of eight. */
INLINE_AVX2 void tile_8x4(struct sink to, struct source from)
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
INLINE_AVX2 void tile_4x4(struct sink to, struct source from)
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

/* Four rows of two blocks of 4 bytes, which are as narrow as that, become two rows of four. */
INLINE_AVX2 void tile_4x2_narrow(struct sink to, struct source from)
{
    __m128 row01 = halves(from.base, from.base + from.row);
    __m128 row23 = halves(from.base + 2 * from.row, from.base + 3 * from.row);

    _mm_storeu_ps((float *)to.base, _mm_shuffle_ps(row01, row23, 0x88));
    _mm_storeu_ps((float *)(to.base + to.row), _mm_shuffle_ps(row01, row23, 0xdd));
}

/* Four rows of two blocks of 8 bytes become two rows of four. */
INLINE_AVX2 void tile_4x2(struct sink to, struct source from)
{
    __m256d even = _mm256_castps_pd(two(from.base, from.base + 2 * from.row));
    __m256d odd = _mm256_castps_pd(two(from.base + from.row, from.base + 3 * from.row));

    _mm256_storeu_pd((double *)to.base, _mm256_unpacklo_pd(even, odd));
    _mm256_storeu_pd((double *)(to.base + to.row), _mm256_unpackhi_pd(even, odd));
}

/* Four rows of one block of 16 bytes become a row of four. */
INLINE_AVX2 void tile_4x1(struct sink to, struct source from)
{
    _mm256_storeu_ps((float *)to.base, two(from.base, from.base + from.row));
    _mm256_storeu_ps((float *)(to.base + 32),
                     two(from.base + 2 * from.row, from.base + 3 * from.row));
}

typedef void tile_fn(struct sink to, struct source from);

/* How blocks of block bytes are transposed: tiles of LOW rows and so many columns, and higher
   ones, of twice as many rows, where they are ahead; else NULL. */
struct tiles {
    tile_fn *high, *low;
    size_t columns, block;
};

enum { LOW = 4 };

/* Down the columns of one tile. */
INLINE_AVX2 void transpose_columns(struct tiles tiles, struct sink to, struct source from,
                                   size_t rows)
{
    size_t left = rows;

    if (tiles.high != NULL) {
#pragma GCC unroll 2
        for (; left >= 2 * LOW; left -= 2 * LOW) {
            tiles.high(to, from);
            to.base += 2 * LOW * tiles.block;
            from.base += 2 * LOW * from.row;
        }
    }
#pragma GCC unroll 4
    for (; left >= LOW; left -= LOW) {
        tiles.low(to, from);
        to.base += LOW * tiles.block;
        from.base += LOW * from.row;
    }
    if (left > 0) {
        to.base -= (LOW - left) * tiles.block;
        from.base -= (LOW - left) * from.row;
        tiles.low(to, from);
    }
}

INLINE_AVX2 void transpose(struct tiles tiles, struct sink to, struct source from, size_t rows,
                           size_t columns)
{
#pragma GCC unroll 8
    for (size_t left = columns / tiles.columns; left > 0; left--) {
        transpose_columns(tiles, to, from, rows);
        to.base += tiles.columns * to.row;
        from.base += tiles.columns * from.column;
    }
    if (columns % tiles.columns > 0) {
        size_t back = tiles.columns - columns % tiles.columns;
        to.base -= back * to.row;
        from.base -= back * from.column;
        transpose_columns(tiles, to, from, rows);
    }
}

#define TRANSPOSING(name, tiles, rows, columns)                                           \
    WITH_AVX2 static void name(const struct copying *copying, char *to, const char *from) \
    {                                                                                     \
        const struct sink sink = {.base = to, .row = copying->to.outer};                  \
        const struct source source = {                                                    \
            .base = from, .row = copying->from.inner, .column = copying->from.outer};     \
                                                                                          \
        transpose(tiles, sink, source, rows, columns);                                    \
    }

#define TILES_4        ((struct tiles){tile_8x4, tile_4x4, 4, 4})
#define TILES_4_NARROW ((struct tiles){NULL, tile_4x2_narrow, 2, 4})
#define TILES_8        ((struct tiles){NULL, tile_4x2, 2, 8})
#define TILES_16       ((struct tiles){NULL, tile_4x1, 1, 16})

/* Besides those for any number of rows and columns there are some for the numbers that 16 and
   32 ranks have in two dimensions, or three, where the loops would cost as much as the tiles.
 */
#define TRANSPOSING_WIDE(name, tiles)    \
    TRANSPOSING(name##_4x4, tiles, 4, 4) \
    TRANSPOSING(name##_8x4, tiles, 8, 4) \
    TRANSPOSING(name##_4x8, tiles, 4, 8)

#define TRANSPOSING_NARROW(name, tiles)  \
    TRANSPOSING(name##_8x2, tiles, 8, 2) \
    TRANSPOSING(name##_16x2, tiles, 16, 2)

#define TRANSPOSING_ANY(name, tiles) TRANSPOSING(name, tiles, copying->inner, copying->outer)

TRANSPOSING_WIDE(transpose_4, TILES_4)
TRANSPOSING_ANY(transpose_4, TILES_4)
TRANSPOSING_NARROW(transpose_4, TILES_4_NARROW)
TRANSPOSING_ANY(transpose_4_narrow, TILES_4_NARROW)
TRANSPOSING_WIDE(transpose_8, TILES_8)
TRANSPOSING_NARROW(transpose_8, TILES_8)
TRANSPOSING_ANY(transpose_8, TILES_8)
TRANSPOSING_WIDE(transpose_16, TILES_16)
TRANSPOSING_NARROW(transpose_16, TILES_16)
TRANSPOSING_ANY(transpose_16, TILES_16)

static const struct {
    size_t rows, columns;
    copying_fn *of_4, *of_8, *of_16;
} shapes[] = {
    {4, 4, transpose_4_4x4, transpose_8_4x4, transpose_16_4x4},
    {8, 4, transpose_4_8x4, transpose_8_8x4, transpose_16_8x4},
    {4, 8, transpose_4_4x8, transpose_8_4x8, transpose_16_4x8},
    {8, 2, transpose_4_8x2, transpose_8_8x2, transpose_16_8x2},
    {16, 2, transpose_4_16x2, transpose_8_16x2, transpose_16_16x2},
};

static copying_fn *of_block(size_t block, copying_fn *of_4, copying_fn *of_8, copying_fn *of_16)
{
    return block == 4 ? of_4 : block == 8 ? of_8 : of_16;
}

copying_fn *transposing(const struct copying *copying)
{
    const size_t rows = copying->inner, columns = copying->outer, block = copying->segment;

    if ((block != 4 && block != 8 && block != 16) || copying->to.inner != block || rows < LOW)
        return NULL;
    if (block < 16 && (copying->from.outer != block || columns < 2))
        return NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (rows == shapes[i].rows && columns == shapes[i].columns)
            return of_block(block, shapes[i].of_4, shapes[i].of_8, shapes[i].of_16);
    }
    return of_block(block, columns < 4 ? transpose_4_narrow : transpose_4, transpose_8,
                    transpose_16);
}
