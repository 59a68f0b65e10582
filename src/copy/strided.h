/* strided.h - copies segments that lie at a stride

   A copy is a matrix of segments of the same length: so many rows, each with so many segments.
   Both sides, the source and the sink, say for themselves where their segments lie. */
#ifndef TORUS_A2A_STRIDED_H
#define TORUS_A2A_STRIDED_H

#include <stddef.h>

#include "process/cache_line.h"
#include "process/simulation.h"

/* One side of a copy. */
struct strided {
    /* The first segment of the first row. */
    char *base;
    /* Bytes from one segment of a row to the next segment of this row. */
    size_t stride;
    /* Bytes from one row to the next row. */
    size_t row;
};

struct copying;

typedef void copying_fn(const struct copying *copying, char *to, const char *from);

/* Bytes from one segment to the next one, on one side. */
struct distances {
    /* From one step of the outer loop to the next step. */
    size_t outer;
    /* From one step of the inner loop to the next step. */
    size_t inner;
};

/* A copy that has been prepared, and that can be carried out many times. It fits one cache
   line, because a call finds it in the cache only by luck. */
struct copying {
    /* The function that carries the copy out. */
    _Alignas(CACHE_LINE) copying_fn *copy;
    /* How many steps the outer loop takes. */
    unsigned outer;
    /* How many segments the inner loop copies in each step of the outer loop. */
    unsigned inner;
    /* The bytes of one segment. */
    size_t segment;
    /* Where the segments of the sink lie. */
    struct distances to;
    /* Where the segments of the source lie. */
    struct distances from;
};

_Static_assert(sizeof(struct copying) == CACHE_LINE,
               "a copying has grown beyond one cache line");

/* Prepares to copy `rows` rows of `segments` segments, each of `segment` bytes. The bases of
   the two sides are not read. `rows` and `segments` fit an int, and `rows` may be 0. The
   distance between rows does not matter if there is one row, and the stride does not matter if
   a row has one segment. */
void strided_prepare(struct copying *copying, const struct strided *to,
                     const struct strided *from, size_t rows, size_t segments, size_t segment);

/* Carries out a prepared copy between these bases. The source and the sink do not overlap, and
   no two segments of the sink overlap. Nobody may write to the source meanwhile, because some
   bytes are copied twice. */
static inline void strided_carry_out(const struct copying *copying, char *to, const char *from)
{
    const size_t segments = (size_t)copying->outer * copying->inner;

    copying->copy(copying, to, from);
    simulation_copy(segments, segments * copying->segment);
}

/* Prepares a copy and carries it out once. What strided_prepare and strided_carry_out ask for
   holds here, too. */
void strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                  size_t segments, size_t segment);

#endif
