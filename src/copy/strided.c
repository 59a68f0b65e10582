/* strided.c - copies segments that lie at a stride

   To call memcpy takes longer than to copy a short segment. So short segments are copied by
   loops that contain a memcpy of constant length, which the compiler turns into loads and
   stores. The lengths of C's types have loops of their own, because blocks of one element are
   common. Each other loop serves all lengths from one of its parts to two of them. The longest
   segments are left to long_copy. */
#include "copy/strided.h"

#include <stdbool.h>
#include <string.h>

#include "copy/long.h"

/* Longer segments, in bytes, are copied by memcpy or long_copy. Both constants were measured:
   docs/decisions.md, "Copies at a stride". */
enum { SHORT_MOST = 128 };

/* The inner loop follows the sink if segments are shorter, in bytes, and else the source. */
enum { SOURCE_LEAST = 32 };

/* Copies one segment in two parts: one starts where the segment starts, the other ends where
   the segment ends, and they may overlap. A segment as long as a part is copied once. */
__attribute__((always_inline)) static inline void copy_segment(char *to, const char *from,
                                                               size_t segment, size_t part)
{
    if (segment > part)
        memcpy(to, from, part);
    memcpy(to + segment - part, from + segment - part, part);
}

/* Copies all segments. The distances are read before the loops: otherwise the compiler reads
   them again after each segment, because the segment might have overwritten them. */
__attribute__((always_inline)) static inline void copy_segments(const struct copying *copying,
                                                                char *to, const char *from,
                                                                size_t segment, size_t part)
{
    const struct distances sink = copying->to, source = copying->from;
    const size_t outer = copying->outer, inner = copying->inner;

    for (size_t i = 0; i < outer; i++) {
        char *sink_next = to + i * sink.outer;
        const char *source_next = from + i * source.outer;

        for (size_t left = inner; left > 0; left--) {
            copy_segment(sink_next, source_next, segment, part);
            sink_next += sink.inner;
            source_next += source.inner;
        }
    }
}

static void copy_1(const struct copying *copying, char *to, const char *from)
{
    copy_segments(copying, to, from, 1, 1);
}

static void copy_2(const struct copying *copying, char *to, const char *from)
{
    copy_segments(copying, to, from, 2, 2);
}

static void copy_4(const struct copying *copying, char *to, const char *from)
{
    copy_segments(copying, to, from, 4, 4);
}

static void copy_8(const struct copying *copying, char *to, const char *from)
{
    copy_segments(copying, to, from, 8, 8);
}

static void copy_16(const struct copying *copying, char *to, const char *from)
{
    copy_segments(copying, to, from, 16, 16);
}

static void copy_to_16(const struct copying *copying, char *to, const char *from)
{
    copy_segments(copying, to, from, copying->segment, 8);
}

static void copy_to_32(const struct copying *copying, char *to, const char *from)
{
    copy_segments(copying, to, from, copying->segment, 16);
}

static void copy_to_64(const struct copying *copying, char *to, const char *from)
{
    copy_segments(copying, to, from, copying->segment, 32);
}

static void copy_to_128(const struct copying *copying, char *to, const char *from)
{
    copy_segments(copying, to, from, copying->segment, 64);
}

static void copy_by_memcpy(const struct copying *copying, char *to, const char *from)
{
    copy_segments(copying, to, from, copying->segment, copying->segment);
}

static void copy_single(const struct copying *copying, char *to, const char *from)
{
    memcpy(to, from, copying->segment);
}

static void copy_by_long_copy(const struct copying *copying, char *to, const char *from)
{
    for (size_t i = 0; i < copying->outer; i++) {
        for (size_t k = 0; k < copying->inner; k++)
            long_copy(to + i * copying->to.outer + k * copying->to.inner,
                      from + i * copying->from.outer + k * copying->from.inner,
                      copying->segment);
    }
}

static copying_fn *loops_for(size_t segment)
{
    static copying_fn *const exact[] = {
        [1] = copy_1, [2] = copy_2, [4] = copy_4, [8] = copy_8, [16] = copy_16};

    if (segment <= 16 && exact[segment] != NULL)
        return exact[segment];
    if (segment < 8 || segment > SHORT_MOST)
        return copy_by_memcpy;
    if (segment <= 32)
        return segment <= 16 ? copy_to_16 : copy_to_32;
    return segment <= 64 ? copy_to_64 : copy_to_128;
}

/* Whether the inner loop should go from row to row. It writes short segments to places that lie
   close to each other, because scattered stores cost more than scattered loads. A longer
   segment fills much of a cache line by itself: then the inner loop reads from places that lie
   close. */
static bool rows_are_closer(const struct strided *to, const struct strided *from,
                            size_t segment)
{
    return segment < SOURCE_LEAST ? to->row < to->stride : from->row < from->stride;
}

static struct distances distances_on(const struct strided *side, bool rows_inside)
{
    if (rows_inside)
        return (struct distances){.outer = side->stride, .inner = side->row};
    return (struct distances){.outer = side->row, .inner = side->stride};
}

/* Joins segments that lie side by side on both sides into a longer one. The segments of the
   inner loop are joined first, since only then can the steps of the outer loop lie side by
   side. */
static void join_segments(struct copying *copying)
{
    if (copying->inner > 1 && copying->to.inner == copying->segment &&
        copying->from.inner == copying->segment) {
        copying->segment *= copying->inner;
        copying->inner = 1;
    }
    if (copying->inner == 1 && copying->to.outer == copying->segment &&
        copying->from.outer == copying->segment && copying->outer > 1) {
        copying->segment *= copying->outer;
        copying->outer = 1;
    }
}

void strided_prepare(struct copying *copying, const struct strided *to,
                     const struct strided *from, size_t rows, size_t segments, size_t segment)
{
    const bool rows_inside = segments == 1 || (rows > 1 && rows_are_closer(to, from, segment));

    copying->outer = (unsigned)(rows_inside ? segments : rows);
    copying->inner = (unsigned)(rows_inside ? rows : segments);
    copying->segment = segment;
    copying->to = distances_on(to, rows_inside);
    copying->from = distances_on(from, rows_inside);
    join_segments(copying);
    if (copying->segment >= LONG_LEAST)
        copying->copy = copy_by_long_copy;
    else if (copying->inner == 1 && copying->outer == 1)
        copying->copy = copy_single;
    else
        copying->copy = loops_for(copying->segment);
}

void strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                  size_t segments, size_t segment)
{
    struct copying copying;

    strided_prepare(&copying, to, from, rows, segments, segment);
    strided_carry_out(&copying, to->base, from->base);
}
