/* strided.c - copies between pieces of memory that lie at a stride: in which order

   Two loops copy the segments, and either may be the inner one. */
#include "copy/strided.h"

#include <stdbool.h>
#include <string.h>

#include "copy/kernels.h"

/* Half a first-level cache of 32 KiB; below that nothing is pushed out of it. */
enum { CACHED = 16384 };

/* What the inner loop copies at a time, in bytes, and in segments. Measured:
   docs/measurements.md, "Rearrangement against memcpy". */
enum { BAND_BYTES = 256, BAND_LEAST = 4, BAND_MOST = 16 };

static void copy_single(const struct copying *copying, char *to, const char *from)
{
    memcpy(to, from, copying->segment);
}

static void copy_long(const struct copying *copying, char *to, const char *from)
{
    for (size_t i = 0; i < copying->outer; i++) {
        for (size_t j = 0; j < copying->inner; j++)
            memcpy(to + i * copying->to.outer + j * copying->to.inner,
                   from + i * copying->from.outer + j * copying->from.inner, copying->segment);
    }
}

/* On the side that the inner loop does not follow, segments may lie a power of two apart, and
   many of their lines would push each other out of the cache before the outer loop comes to
   what lies beside them. So the inner loop is cut into bands, the last one narrower, for which
   there may be other loops. */
static void copy_bands(const struct copying *copying, char *to, const char *from)
{
    struct copying band = *copying;
    size_t segments = BAND_BYTES / copying->segment;

    band.inner = segments < BAND_LEAST  ? BAND_LEAST
                 : segments > BAND_MOST ? BAND_MOST
                                        : (unsigned)segments;
    for (unsigned left = copying->inner; left > 0; left -= band.inner) {
        if (band.inner > left)
            band.inner = left;
        copying_fn *kernel = kernel_of(&band);
        kernel(&band, to, from);
        to += band.inner * band.to.inner;
        from += band.inner * band.from.inner;
    }
}

static copying_fn *loops_of(const struct copying *copying)
{
    copying_fn *kernel = kernel_of(copying);

    if (kernel == NULL)
        return copy_long;
    if (copying->outer > 1 &&
        (size_t)copying->outer * copying->inner * copying->segment >= CACHED)
        return copy_bands;
    return kernel;
}

/* Whether the way from row to row should be the inner loop. Segments that fill much of a cache
   line go where the source is closest, smaller ones where the sink is, as stores side by side
   cost less than scattered ones. */
static bool rows_are_closer(const struct strided *to, const struct strided *from,
                            size_t segment)
{
    return segment < 32 ? to->row < to->stride : from->row < from->stride;
}

static void order(struct copying *copying, const struct strided *to, const struct strided *from,
                  size_t rows, size_t segments, size_t segment)
{
    copying->segment = segment;
    if (segments == 1 || (rows > 1 && rows_are_closer(to, from, segment))) {
        copying->outer = (unsigned)segments;
        copying->inner = (unsigned)rows;
        copying->to = (struct distances){.outer = to->stride, .inner = to->row};
        copying->from = (struct distances){.outer = from->stride, .inner = from->row};
    } else {
        copying->outer = (unsigned)rows;
        copying->inner = (unsigned)segments;
        copying->to = (struct distances){.outer = to->row, .inner = to->stride};
        copying->from = (struct distances){.outer = from->row, .inner = from->stride};
    }
}

/* How much is to be copied. */
struct extent {
    size_t rows, segments, segment;
};

/* What lies side by side on both sides is one segment: segments, rows, and segments of what
   rows have become. */
static inline struct extent joined(const struct strided *to, const struct strided *from,
                                   struct extent extent)
{
    if (extent.segments > 1 && to->stride == extent.segment && from->stride == extent.segment) {
        extent.segment *= extent.segments;
        extent.segments = 1;
    }
    if (extent.rows > 1 && to->row == extent.segment && from->row == extent.segment) {
        extent.segment *= extent.rows;
        extent.rows = 1;
        if (extent.segments > 1 && to->stride == extent.segment &&
            from->stride == extent.segment) {
            extent.segment *= extent.segments;
            extent.segments = 1;
        }
    }
    return extent;
}

static void prepare(struct copying *copying, const struct strided *to,
                    const struct strided *from, struct extent extent)
{
    order(copying, to, from, extent.rows, extent.segments, extent.segment);
    copying->copy = extent.rows == 1 && extent.segments == 1 ? copy_single : loops_of(copying);
}

void strided_prepare(struct copying *copying, const struct strided *to,
                     const struct strided *from, size_t rows, size_t segments, size_t segment)
{
    prepare(copying, to, from,
            joined(to, from,
                   (struct extent){.rows = rows, .segments = segments, .segment = segment}));
}

/* Never inline, as its registers would have to be saved for a mere memcpy, too. */
__attribute__((noinline)) static void copy_strided(const struct strided *to,
                                                   const struct strided *from, size_t rows,
                                                   size_t segments, size_t segment)
{
    struct copying copying;

    prepare(&copying, to, from,
            (struct extent){.rows = rows, .segments = segments, .segment = segment});
    strided_carry_out(&copying, to->base, from->base);
}

void strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                  size_t segments, size_t segment)
{
    struct extent extent = joined(
        to, from, (struct extent){.rows = rows, .segments = segments, .segment = segment});

    if (extent.rows == 1 && extent.segments == 1)
        memcpy(to->base, from->base, extent.segment);
    else
        copy_strided(to, from, extent.rows, extent.segments, extent.segment);
}
