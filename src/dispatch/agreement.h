/* agreement.h - the ranks of a communicator agree whether it is to have a torus */
#ifndef TORUS_A2A_AGREEMENT_H
#define TORUS_A2A_AGREEMENT_H

#include "dispatch/known.h"

/* Puts an attribute on comm, which has none: the ranks compare their wishes. If all wishes are
   the same, and all ranks are able, comm is to have a torus.

   wish       what the calling rank wants; copied
   sensible   false if this rank's settings, or arguments, make no sense: all ranks go native
   known      the attribute. NULL if some rank could not keep it: native this time

   Collective over comm, except for intercommunicators and single ranks, which never have a
   torus. Errors are those of MPI_Allreduce, and comm's error handler has seen them. */
int agreement_make(MPI_Comm comm, const struct wish *wish, bool sensible, struct known **known);

/* Finds the attribute of comm. If there is none, the ranks make one, as the settings say.
   Collective over comm in that case. known and errors as above. */
int agreement_find(MPI_Comm comm, struct known **known);

/* Returns why comm would have no torus, as far as the calling rank knows, before its ranks have
   agreed. Local. comm is a communicator. */
enum reason agreement_foresee(MPI_Comm comm);

#endif
