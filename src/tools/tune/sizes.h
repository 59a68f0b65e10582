/* sizes.h - which block sizes are measured, and in which order

   This header goes without mpi.h. */
#ifndef TORUS_A2A_SIZES_H
#define TORUS_A2A_SIZES_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/tune/results.h"

struct sizes {
    /* These sizes are measured first, from the smallest one on. */
    int num;
    size_t bytes[SIZES_MOST];
    /* No sizes between them are measured. */
    bool fixed;
};

/* Lists the powers of 2 from 4 bytes up to `most` bytes. */
void sizes_default(size_t most, struct sizes *sizes);

/* Returns the geometric mean of two sizes, rounded down. */
size_t sizes_mean(size_t small, size_t large);

/* Finds a size that has to be measured. If sizes are not fixed, the sizes of the list are
   followed by sizes between neighbours with different ways, until a choice between two
   neighbours costs at most 5 % or they are near each other. The sizes above the first one that
   no torus has room for are left out. Returns false if nothing is left. */
bool sizes_next(const struct sizes *sizes, const struct results *results, size_t *bytes);

/* Estimates how much work a size makes. The unit does not matter. */
double sizes_work(size_t bytes);

/* The work (sizes_work) of the sizes that still have to be measured, as far as they are known,
   and their number. */
double sizes_work_left(const struct sizes *sizes, const struct results *results, int *num);

#endif
