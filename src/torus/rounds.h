/* rounds.h - Träff's algorithm: one component all-to-all along each dimension */
#ifndef TORUS_A2A_ROUNDS_H
#define TORUS_A2A_ROUNDS_H

#include "torus/plan.h"
#include "torus/torus.h"

/* Returns a place for the packed blocks of a user's datatype, from which the first round sends
   them. If the first round is through a window, the place is in the window. Local. */
char *rounds_place(const struct torus *torus, const struct plan *plan);

/* Sends block i of source to rank i, and receives rank i's block into block i of sink, in as
   many rounds as the torus has dimensions. Blocks are bytes, plan->block each.

   source   the caller's blocks, or what rounds_place has returned
   sink     may be source: an in-place call. NULL: the blocks stay where they arrive, and
            rounds_arrivals tells where.

   Collective over the torus' communicator. Returns an MPI error code that no error handler has
   seen yet. */
int rounds_run(const struct torus *torus, const struct plan *plan, const char *source,
               char *sink);

/* Returns where the blocks have arrived after a rounds_run without a sink: as composite blocks
   of the first dimension. They stay until the next call on the torus. Local. */
struct arrivals rounds_arrivals(const struct torus *torus, const struct plan *plan);

#endif
