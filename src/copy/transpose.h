/* transpose.h - transposes matrices of small blocks in vector registers */
#ifndef TORUS_A2A_TRANSPOSE_H
#define TORUS_A2A_TRANSPOSE_H

#include "copy/strided.h"

/* The loops for a copy that gathers single blocks, from the columns of the source to the rows
   of the sink, where they lie side by side; NULL: it does not, or its blocks are not of 4, 8 or
   16 bytes, or too few. Only where the processor has AVX2. */
copying_fn *transposing(const struct copying *copying);

#endif
