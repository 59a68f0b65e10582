/* strided.c - the loops that pack, unpack and move composite blocks

   A call of memcpy costs more than the copy itself where a segment is small. So a segment of up
   to 16 registers is copied in place, in parts as large as a register. The last part, which may
   be half as large, ends with the segment and overlaps the one before. All of it is compiled
   twice, for registers of 32 bytes, with AVX2, and of 16. */
#include "strided.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#ifdef HAVE_AVX2
#include <sys/platform/x86.h>

#include "transpose.h"
#endif

#define INLINE __attribute__((always_inline)) static inline

/* Above so many registers memcpy is as fast. */
enum { REGISTERS_MOST = 16 };

/* Half a first-level cache of 32 KiB; below that nothing is pushed out of it. */
enum { CACHED = 16384 };

/* What is copied of each row at a time, in bytes, and in segments. Measured:
   docs/measurements.md, "Rearrangement against memcpy". */
enum { BAND_BYTES = 256, BAND_LEAST = 4, BAND_MOST = 16 };

/* For a part of 32 bytes, where GCC would take two registers of 16 for memcpy. */
typedef char bytes32 __attribute__((vector_size(32), aligned(1), may_alias));

INLINE void copy_part(char *to, const char *from, size_t part)
{
    if (part == sizeof(bytes32))
        *(bytes32 *)to = *(const bytes32 *)from;
    else
        memcpy(to, from, part);
}

/* One segment: whole parts of part bytes, and one of last bytes that ends with it. The compiler
   would keep a loop over few parts; that over many is unrolled, as its time would depend on
   where it happens to lie. */
INLINE void copy_segment(char *to, const char *from, size_t segment, size_t whole, size_t part,
                         size_t last)
{
    if (whole > 0)
        copy_part(to, from, part);
    if (whole > 1)
        copy_part(to + part, from + part, part);
    if (whole > 2)
        copy_part(to + 2 * part, from + 2 * part, part);
#pragma GCC unroll 2
    for (size_t i = 3; i < whole; i++)
        copy_part(to + i * part, from + i * part, part);
    copy_part(to + segment - last, from + segment - last, last);
}

/* How many segments of each row to copy before the next row. On the side that the inner loop
   does not follow, segments may lie a power of two apart, and many of their lines would push
   each other out of the cache before the next row comes to them. A single row has no next. */
INLINE size_t band_of(size_t rows, size_t segments, size_t segment)
{
    if (rows == 1 || rows * segments * segment < CACHED)
        return segments;
    size_t band = BAND_BYTES / segment;
    return band < BAND_LEAST ? BAND_LEAST : band > BAND_MOST ? BAND_MOST : band;
}

/* Single parts go two at a time: a loop of a load and a store is so short that its time depends
   on where it happens to lie. */
INLINE void copy_band(struct strided to, struct strided from, size_t rows, size_t segments,
                      size_t segment, size_t whole, size_t part, size_t last)
{
    for (; rows > 0; rows--) {
        char *sink = to.base;
        const char *source = from.base;
        size_t left = segments;
        for (; whole == 0 && left > 1; left -= 2) {
            copy_part(sink, source, last);
            copy_part(sink + to.stride, source + from.stride, last);
            sink += 2 * to.stride;
            source += 2 * from.stride;
        }
        for (; left > 0; left--) {
            copy_segment(sink, source, segment, whole, part, last);
            sink += to.stride;
            source += from.stride;
        }
        to.base += to.row;
        from.base += from.row;
    }
}

INLINE void copy_in_parts(struct strided to, struct strided from, size_t rows, size_t segments,
                          size_t segment, size_t whole, size_t part, size_t last)
{
    const size_t band = band_of(rows, segments, segment);

    while (segments > 0) {
        size_t num = segments < band ? segments : band;
        copy_band(to, from, rows, num, segment, whole, part, last);
        to.base += num * to.stride;
        from.base += num * from.stride;
        segments -= num;
    }
}

/* Segments longer than these whole parts, by one part at most. A last part that overlaps less
   lies across two cache lines less often. */
INLINE void copy_longer(struct strided to, struct strided from, size_t rows, size_t segments,
                        size_t segment, size_t whole, size_t part)
{
    if (segment - whole * part <= part / 2)
        copy_in_parts(to, from, rows, segments, segment, whole, part, part / 2);
    else
        copy_in_parts(to, from, rows, segments, segment, whole, part, part);
}

INLINE void copy_odd(struct strided to, struct strided from, size_t rows, size_t segments,
                     size_t segment, size_t part)
{
    if (segment > 4 * part)
        copy_longer(to, from, rows, segments, segment, (segment - 1) / part, part);
    else if (segment > 3 * part)
        copy_longer(to, from, rows, segments, segment, 3, part);
    else if (segment > 2 * part)
        copy_longer(to, from, rows, segments, segment, 2, part);
    else if (segment > part)
        copy_longer(to, from, rows, segments, segment, 1, part);
    else if (segment > 16)
        copy_longer(to, from, rows, segments, segment, 1, 16);
    else if (segment > 8)
        copy_longer(to, from, rows, segments, segment, 1, 8);
    else if (segment > 4)
        copy_longer(to, from, rows, segments, segment, 1, 4);
    else if (segment > 2)
        copy_longer(to, from, rows, segments, segment, 1, 2);
}

INLINE void copy_small(struct strided to, struct strided from, size_t rows, size_t segments,
                       size_t segment, size_t part)
{
    switch (segment) {
    case 1:
        copy_in_parts(to, from, rows, segments, segment, 0, 1, 1);
        break;
    case 2:
        copy_in_parts(to, from, rows, segments, segment, 0, 2, 2);
        break;
    case 4:
        copy_in_parts(to, from, rows, segments, segment, 0, 4, 4);
        break;
    case 8:
        copy_in_parts(to, from, rows, segments, segment, 0, 8, 8);
        break;
    case 16:
        copy_in_parts(to, from, rows, segments, segment, 0, 16, 16);
        break;
    case 32:
        copy_in_parts(to, from, rows, segments, segment, 32 / part - 1, part, part);
        break;
    default:
        copy_odd(to, from, rows, segments, segment, part);
    }
}

/* A row whose segments follow one another on both sides is one segment. */
INLINE void merge(struct strided to, struct strided from, size_t *segments, size_t *segment)
{
    if (to.stride == *segment && from.stride == *segment) {
        *segment *= *segments;
        *segments = 1;
    }
}

INLINE void swap(size_t *a, size_t *b)
{
    size_t former = *a;

    *a = *b;
    *b = former;
}

/* Whether the way from row to row should be the inner loop. Segments that fill much of a cache
   line go where the source is closest, smaller ones where the sink is, as stores side by side
   cost less than scattered ones. */
INLINE bool rows_are_closer(struct strided to, struct strided from, size_t segment)
{
    return segment < 32 ? to.row < to.stride : from.row < from.stride;
}

/* Part is the size of a register. */
INLINE void copy(struct strided to, struct strided from, size_t rows, size_t segments,
                 size_t segment, size_t part)
{
    merge(to, from, &segments, &segment);
    if (segments == 1 || (rows > 1 && rows_are_closer(to, from, segment))) {
        swap(&rows, &segments);
        swap(&to.row, &to.stride);
        swap(&from.row, &from.stride);
        merge(to, from, &segments, &segment);
    }
#ifdef HAVE_AVX2
    if (part == sizeof(bytes32) && to.stride == segment && from.row == segment &&
        transpose((struct matrix){.base = to.base, .row = to.row},
                  (struct matrix){.base = from.base, .row = from.stride}, segments, rows,
                  segment))
        return;
#endif
    if (segment <= REGISTERS_MOST * part) {
        copy_small(to, from, rows, segments, segment, part);
        return;
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t m = 0; m < segments; m++)
            memcpy(to.base + r * to.row + m * to.stride,
                   from.base + r * from.row + m * from.stride, segment);
    }
}

#ifdef HAVE_AVX2
__attribute__((target("avx2"))) static void copy_avx2(const struct strided *to,
                                                      const struct strided *from, size_t rows,
                                                      size_t segments, size_t segment)
{
    copy(*to, *from, rows, segments, segment, 32);
}

/* Asked once, as that is a call into libc; __builtin_cpu_supports would bring a constructor
   into the library. */
static bool has_avx2(void)
{
    enum { UNKNOWN, YES, NO };
    static _Atomic unsigned char known;
    unsigned char answer = atomic_load_explicit(&known, memory_order_relaxed);

    if (answer == UNKNOWN) {
        answer = CPU_FEATURE_ACTIVE(AVX2) ? YES : NO;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == YES;
}
#endif

void strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                  size_t segments, size_t segment)
{
    if (rows == 1 && segments == 1) {
        memcpy(to->base, from->base, segment);
        return;
    }
#ifdef HAVE_AVX2
    if (has_avx2()) {
        copy_avx2(to, from, rows, segments, segment);
        return;
    }
#endif
    copy(*to, *from, rows, segments, segment, 16);
}
