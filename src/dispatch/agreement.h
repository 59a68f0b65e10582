/* agreement.h - the ranks of a communicator agree whether it is to have a torus

   Two things have to be the same on all ranks: what they want, and when they begin to make a
   torus. As a rule the ranks of MPI_COMM_WORLD compare their settings once, and the calls on
   further communicators need no agreement until they have paid for a torus. In a program that
   calls on some processes only, the ranks of each group compare once (groups.h). */
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
   Collective over comm in that case, unless the ranks have agreed on MPI_COMM_WORLD before, or
   on another communicator of the same group.
   known and errors as above; MPI_ERR_NO_MEM, which the error handler has seen, is one more.
   known is NULL, too, if the ranks of comm are threads. */
int agreement_find(MPI_Comm comm, struct known **known);

/* Whether the calls on a communicator need no agreement until they have paid for a torus. */
bool agreement_can_wait(void);

/* Puts an attribute on comm, which has none, if agreement_can_wait: the calls have to pay.
   known is NULL if comm is being freed, or is none, or its ranks are threads: native. Local.
   Returns MPI_ERR_NO_MEM, which the error handler has seen, if there is no memory to count the
   calls. */
int agreement_put_off(MPI_Comm comm, struct known **known);

/* The ranks of a communicator in STAGE_RENTED agree that it is to have a torus, as its calls
   have paid for one. The next stage is STAGE_AGREED or STAGE_NATIVE. If some rank lacks memory,
   the calls have to pay again. Collective over the communicator. Errors as above. The
   error handler may have freed the communicator, and known with it. */
int agreement_buy(struct known *known);

/* Returns why a communicator has no attribute after agreement_find or agreement_put_off. Local.
 */
enum reason agreement_reason_of_none(MPI_Comm comm);

/* Returns why a block of so many bytes would not go through a torus of comm, as far as the
   calling rank knows, before its ranks have agreed. Local. comm is a communicator. */
enum reason agreement_foresee(MPI_Comm comm, size_t block);

#endif
