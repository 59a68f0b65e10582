/* conclude.h - the ranks agree on times, and on what follows from them */
#ifndef TORUS_A2A_CONCLUDE_H
#define TORUS_A2A_CONCLUDE_H

#include "dispatch/known.h"

/* Concludes the trial of this block size, which is complete. torus is the torus on trial.
   Collective over the communicator. Returns an MPI error code that the communicator's error
   handler has seen. */
int conclude_trial(struct known *known, const struct torus *torus, size_t block);

/* Concludes the round of the contest of this block size, which is complete. If the contest is
   over, its trial begins with what it has found. As above. */
int conclude_contest(struct known *known, size_t block);

#endif
