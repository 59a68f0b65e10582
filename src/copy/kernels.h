/* kernels.h - the loops that copy segments of one length */
#ifndef TORUS_A2A_KERNELS_H
#define TORUS_A2A_KERNELS_H

#include "copy/strided.h"
#include "process/cache_line.h"

/* Kernels start with a cache line: in a call they are likely to be cold. */
#define ANY_PROCESSOR __attribute__((aligned(CACHE_LINE)))
#define WITH_AVX2     __attribute__((target("avx2"), aligned(CACHE_LINE)))

/* The loops for segments of this length, so many and so far apart, on this processor; NULL:
   they are empty, or memcpy is as fast for each of them. */
copying_fn *kernel_of(const struct copying *copying);

#endif
