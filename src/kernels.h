/* kernels.h - the loops that copy segments of one length */
#ifndef TORUS_A2A_KERNELS_H
#define TORUS_A2A_KERNELS_H

#include "strided.h"

/* Which way the inner loop goes: the outer one then goes the other way. */
enum order { ALONG_SEGMENTS, ALONG_ROWS };

/* From one segment to the next of the inner loop, in bytes, and of the outer one. */
static inline size_t inner_distance(const struct strided *side, enum order order)
{
    return order == ALONG_ROWS ? side->row : side->stride;
}

static inline size_t outer_distance(const struct strided *side, enum order order)
{
    return order == ALONG_ROWS ? side->stride : side->row;
}

/* Copies outer times inner segments, under the conditions of strided_copy. */
typedef void kernel_fn(const struct strided *to, const struct strided *from, size_t outer,
                       size_t inner, size_t segment, enum order order);

/* The kernel for segments of this length on this processor; NULL: they are empty, or memcpy is
   as fast for each of them. */
kernel_fn *kernel_of(size_t segment);

#endif
