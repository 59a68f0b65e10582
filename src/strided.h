/* strided.h - copies between pieces of memory that lie at a stride */
#ifndef TORUS_A2A_STRIDED_H
#define TORUS_A2A_STRIDED_H

#include <stddef.h>

/* One side of a copy: the first segment, and the distances, in bytes, from one segment of a row
   to the next and from one row to the next. */
struct strided {
    char *base;
    size_t stride, row;
};

/* Copies rows of segments pieces of segment bytes each. The two sides do not overlap, nor do
   the pieces of the sink, and nobody writes to the source meanwhile: some bytes are copied
   twice. Of a single row the row does not matter, of single segments the stride. By reference,
   as a structure that is written word by word and copied by registers stalls the processor. */
void strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                  size_t segments, size_t segment);

#endif
