/* kernels.h - the loops that copy segments of one length */
#ifndef TORUS_A2A_KERNELS_H
#define TORUS_A2A_KERNELS_H

#include "strided.h"

/* The loops for segments of this length, so many and so far apart, on this processor; NULL:
   they are empty, or memcpy is as fast for each of them. */
copying_fn *kernel_of(const struct copying *copying);

#endif
