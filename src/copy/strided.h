/* strided.h - copies between pieces of memory that lie at a stride */
#ifndef TORUS_A2A_STRIDED_H
#define TORUS_A2A_STRIDED_H

#include <stddef.h>

#include "process/cache_line.h"

/* One side of a copy: the first segment, and the distances, in bytes, from one segment of a row
   to the next and from one row to the next. */
struct strided {
    char *base;
    size_t stride, row;
};

struct copying;

typedef void copying_fn(const struct copying *copying, char *to, const char *from);

/* From one segment to the next of the outer loop, in bytes, and of the inner one. */
struct distances {
    size_t outer, inner;
};

/* A copy that may be carried out many times: what takes time to find out about its shape has
   been found out. In one cache line, as that is likely to be cold. */
struct copying {
    _Alignas(CACHE_LINE) copying_fn *copy;
    unsigned outer, inner; /* segments of the outer loop, and of the inner one each time */
    size_t segment;        /* bytes */
    struct distances to, from;
};

_Static_assert(sizeof(struct copying) == CACHE_LINE,
               "a copying has grown beyond one cache line");

/* Prepares to copy rows of segments pieces of segment bytes each; the bases do not matter.
   There are no more than an int can tell, and there may be no rows. Of a single row the row
   does not matter, of single segments the stride. By reference, as a structure that is written
   word by word and copied by registers stalls the processor. */
void strided_prepare(struct copying *copying, const struct strided *to,
                     const struct strided *from, size_t rows, size_t segments, size_t segment);

/* Copies what was prepared between these bases. The two sides do not overlap, nor do the pieces
   of the sink, and nobody writes to the source meanwhile: some bytes are copied twice. */
static inline void strided_carry_out(const struct copying *copying, char *to, const char *from)
{
    copying->copy(copying, to, from);
}

/* Both at once, under the conditions of both. */
void strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                  size_t segments, size_t segment);

#endif
