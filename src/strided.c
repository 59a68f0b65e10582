/* strided.c - copies between pieces of memory that lie at a stride: in which order

   Two loops copy the segments, and either may be the inner one. */
#include "strided.h"

#include <stdbool.h>
#include <string.h>

#include "kernels.h"

/* Half a first-level cache of 32 KiB; below that nothing is pushed out of it. */
enum { CACHED = 16384 };

/* What the inner loop copies at a time, in bytes, and in segments. Measured:
   docs/measurements.md, "Rearrangement against memcpy". */
enum { BAND_BYTES = 256, BAND_LEAST = 4, BAND_MOST = 16 };

/* On the side that the inner loop does not follow, segments may lie a power of two apart, and
   many of their lines would push each other out of the cache before the outer loop comes to
   what lies beside them. So the inner loop is cut into bands. */
static void copy_bands(kernel_fn *kernel, struct strided to, struct strided from, size_t outer,
                       size_t inner, size_t segment, enum order order)
{
    size_t band = BAND_BYTES / segment;

    band = band < BAND_LEAST ? BAND_LEAST : band > BAND_MOST ? BAND_MOST : band;
    for (; inner > 0; inner -= band) {
        if (band > inner)
            band = inner;
        kernel(&to, &from, outer, band, segment, order);
        to.base += band * inner_distance(&to, order);
        from.base += band * inner_distance(&from, order);
    }
}

static void copy_long(const struct strided *to, const struct strided *from, size_t outer,
                      size_t inner, size_t segment, enum order order)
{
    for (size_t i = 0; i < outer; i++) {
        for (size_t j = 0; j < inner; j++)
            memcpy(to->base + i * outer_distance(to, order) + j * inner_distance(to, order),
                   from->base + i * outer_distance(from, order) +
                       j * inner_distance(from, order),
                   segment);
    }
}

static inline void copy(const struct strided *to, const struct strided *from, size_t outer,
                        size_t inner, size_t segment, enum order order)
{
    kernel_fn *kernel = kernel_of(segment);

    if (kernel == NULL)
        copy_long(to, from, outer, inner, segment, order);
    else if (outer > 1 && outer * inner * segment >= CACHED)
        copy_bands(kernel, *to, *from, outer, inner, segment, order);
    else
        kernel(to, from, outer, inner, segment, order);
}

/* Whether the way from row to row should be the inner loop. Segments that fill much of a cache
   line go where the source is closest, smaller ones where the sink is, as stores side by side
   cost less than scattered ones. */
static inline bool rows_are_closer(const struct strided *to, const struct strided *from,
                                   size_t segment)
{
    return segment < 32 ? to->row < to->stride : from->row < from->stride;
}

/* Never inline, as its registers would have to be saved for a mere memcpy, too. */
__attribute__((noinline)) static void copy_strided(const struct strided *to,
                                                   const struct strided *from, size_t rows,
                                                   size_t segments, size_t segment)
{
    if (segments == 1 || (rows > 1 && rows_are_closer(to, from, segment)))
        copy(to, from, segments, rows, segment, ALONG_ROWS);
    else
        copy(to, from, rows, segments, segment, ALONG_SEGMENTS);
}

void strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                  size_t segments, size_t segment)
{
    /* What lies side by side on both sides is one segment. */
    if (segments > 1 && to->stride == segment && from->stride == segment) {
        segment *= segments;
        segments = 1;
    }
    if (rows > 1 && to->row == segment && from->row == segment) {
        segment *= rows;
        rows = 1;
    }
    if (rows == 1 && segments == 1)
        memcpy(to->base, from->base, segment);
    else
        copy_strided(to, from, rows, segments, segment);
}
