/* verbose.h - the lines of TORUS_A2A_VERBOSE about communicators */
#ifndef TORUS_A2A_VERBOSE_H
#define TORUS_A2A_VERBOSE_H

#include "dispatch/known.h"
#include "dispatch/learned.h"

/* One line on a communicator whose calls are all native: from rank 0 at level 1, and from every
   rank at level 2. */
void verbose_native(const struct known *known);

/* The same line, whatever the level is: the user should hear of a mistake. */
void verbose_mistake(const struct known *known);

/* One line on a torus of a communicator, at the same levels. */
void verbose_torus(const struct known *known, const struct torus *torus);

/* One line on the first blocks that are native although the communicator has a torus, at the
   same levels. */
void verbose_limit(struct known *known, size_t block, enum reason reason);

/* One line on a communicator whose first calls are native, at the same levels. */
void verbose_rented(struct known *known);

/* One line on block sizes for which a trial has changed the way, at the same levels; at level 2
   also if it has not. */
void verbose_trial(const struct known *known, size_t block, const struct finding *finding,
                   bool changed);

/* One line on what a contest has found, at the same levels. */
void verbose_contest(const struct known *known, const struct torus *best, size_t block,
                     const struct finding *finding);

/* One line on a communicator that begins with what trials on others have found, at the same
   levels. */
void verbose_learned(const struct known *known);

/* Level 2: one line from each rank on each new block size. */
void verbose_plan(const struct known *known, size_t block);

#endif
