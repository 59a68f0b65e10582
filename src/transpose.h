/* transpose.h - transposes matrices of small blocks in vector registers */
#ifndef TORUS_A2A_TRANSPOSE_H
#define TORUS_A2A_TRANSPOSE_H

#include <stdbool.h>
#include <stddef.h>

/* A matrix of blocks: the first of them, and the bytes from one row to the next. The blocks of
   a row lie side by side. */
struct matrix {
    char *base;
    size_t row;
};

/* Copies from, with so many rows and columns of blocks of block bytes, so that its rows are
   the columns of to. The two do not overlap. Only where the processor has AVX2. Returns false,
   and has done nothing, where blocks are not of 4 or 8 bytes, or too few. */
bool transpose(struct matrix to, struct matrix from, size_t rows, size_t columns, size_t block);

#endif
