/* strided.c - the memcpy loop that packs, unpacks and moves composite blocks

   A call of memcpy costs more than the copy itself where a segment is one small block. The
   commonest small sizes get a loop in which the compiler knows the length, and so do the sizes
   between them, copied as a first and a last part that overlap, with a third one between them
   where two would be twice as large. */
#include "strided.h"

#include <string.h>

__attribute__((always_inline)) static inline void copy_each(struct strided to,
                                                            struct strided from, size_t rows,
                                                            size_t segments, size_t segment)
{
    for (size_t r = 0; r < rows; r++) {
        char *sink = to.base + r * to.row;
        const char *source = from.base + r * from.row;
        for (size_t m = 0; m < segments; m++)
            memcpy(sink + m * to.stride, source + m * from.stride, segment);
    }
}

/* Two or three parts, of which all but one are shorter than a segment: the last one overlaps
   the one before. No loop, which the compiler would keep. */
__attribute__((always_inline)) static inline void copy_in_parts(struct strided to,
                                                                struct strided from,
                                                                size_t rows, size_t segments,
                                                                size_t segment, size_t parts,
                                                                size_t part)
{
    size_t rest = segment - part;

    for (size_t r = 0; r < rows; r++) {
        for (size_t m = 0; m < segments; m++) {
            char *sink = to.base + r * to.row + m * to.stride;
            const char *source = from.base + r * from.row + m * from.stride;
            memcpy(sink, source, part);
            if (parts == 3)
                memcpy(sink + part, source + part, part);
            memcpy(sink + rest, source + rest, part);
        }
    }
}

static void copy_any(struct strided to, struct strided from, size_t rows, size_t segments,
                     size_t segment)
{
    if (segment > 128)
        copy_each(to, from, rows, segments, segment);
    else if (segment > 96)
        copy_in_parts(to, from, rows, segments, segment, 2, 64);
    else if (segment > 64)
        copy_in_parts(to, from, rows, segments, segment, 3, 32);
    else if (segment > 48)
        copy_in_parts(to, from, rows, segments, segment, 2, 32);
    else if (segment > 32)
        copy_in_parts(to, from, rows, segments, segment, 3, 16);
    else if (segment > 16)
        copy_in_parts(to, from, rows, segments, segment, 2, 16);
    else if (segment > 8)
        copy_in_parts(to, from, rows, segments, segment, 2, 8);
    else
        copy_each(to, from, rows, segments, segment);
}

/* A row whose segments follow one another on both sides is one segment. */
static void merge(const struct strided *to, const struct strided *from, size_t *segments,
                  size_t *segment)
{
    if (to->stride == *segment && from->stride == *segment) {
        *segment *= *segments;
        *segments = 1;
    }
}

static void swap(size_t *a, size_t *b)
{
    size_t former = *a;

    *a = *b;
    *b = former;
}

/* The longer way is the inner loop: one segment for each of many peers is one loop, too. */
void strided_copy(struct strided to, struct strided from, size_t rows, size_t segments,
                  size_t segment)
{
    merge(&to, &from, &segments, &segment);
    if (rows > segments) {
        swap(&rows, &segments);
        swap(&to.row, &to.stride);
        swap(&from.row, &from.stride);
        merge(&to, &from, &segments, &segment);
    }
    switch (segment) {
    case 1:
        copy_each(to, from, rows, segments, 1);
        break;
    case 2:
        copy_each(to, from, rows, segments, 2);
        break;
    case 4:
        copy_each(to, from, rows, segments, 4);
        break;
    case 8:
        copy_each(to, from, rows, segments, 8);
        break;
    case 16:
        copy_each(to, from, rows, segments, 16);
        break;
    case 32:
        copy_each(to, from, rows, segments, 32);
        break;
    case 64:
        copy_each(to, from, rows, segments, 64);
        break;
    default:
        copy_any(to, from, rows, segments, segment);
    }
}
