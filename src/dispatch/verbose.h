/* verbose.h - the lines of TORUS_A2A_VERBOSE about communicators */
#ifndef TORUS_A2A_VERBOSE_H
#define TORUS_A2A_VERBOSE_H

#include "dispatch/known.h"

/* Level 1: one line, from rank 0, on a communicator whose calls are all native. */
void verbose_native(const struct known *known);

/* The same line, whatever the level is: the user should hear of a mistake. */
void verbose_mistake(const struct known *known);

/* Level 1: one line, from rank 0, on the torus of a communicator. */
void verbose_torus(const struct known *known);

/* Level 1: one line, from rank 0, on the first blocks that are native although the communicator
   has a torus. */
void verbose_limit(struct known *known, size_t block, enum reason reason);

/* Level 2: one line from each rank on each new block size. */
void verbose_plan(const struct known *known, size_t block);

#endif
