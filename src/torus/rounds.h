/* rounds.h - Träff's algorithm: one component all-to-all along each dimension */
#ifndef TORUS_A2A_ROUNDS_H
#define TORUS_A2A_ROUNDS_H

#include "mpi/blocks.h"
#include "torus/plan.h"
#include "torus/torus.h"

/* Sends block i of source to rank i, and receives rank i's into block i of sink, in as many
   rounds as the torus has dimensions; in_place: source and sink are one buffer. Collective over
   the torus' communicator. Returns an MPI error code that no error handler has seen yet. */
int rounds_run(const struct torus *torus, const struct plan *plan, struct blocks source,
               struct blocks sink, bool in_place);

#endif
