/* torus.h - the torus of a communicator: agreed on, built, and given plans */
#ifndef TORUS_A2A_TORUS_H
#define TORUS_A2A_TORUS_H

#include <mpi.h>

#include "exchange/exchange.h"
#include "memory/buffers.h"
#include "policy/policy.h"
#include "torus/dimension.h"
#include "torus/plan.h"

struct torus {
    MPI_Comm comm;    /* the user's; the attribute on it is this struct */
    int rank;         /* of the caller in comm */
    int size;         /* of comm */
    uint64_t name;    /* the same on all ranks, and of no other torus */
    const char *why;  /* every call on comm is MPI's, for this reason; NULL: it has a torus */
    bool mismatch;    /* the reason is that the ranks' wishes differed */
    struct wish wish; /* what all ranks want */
    bool shaped;      /* shape is chosen: from the first call that may use a torus */
    struct placement placement;
    struct shape shape;
    bool built; /* communicators and plans are there: from the first call that uses them */

    struct dimension dimension[FACTORS_MAX];
    MPI_Request *requests; /* one per peer of the largest dimension */
    struct plan_cache plans;
    struct buffers buffers;
    size_t windows;     /* bytes of shared memory of this rank */
    int communicators;  /* taken from the process' account */
    size_t block_room;  /* all ranks have buffers for blocks of this many bytes */
    size_t block_limit; /* the largest block that all ranks would send through the torus */

    bool said_limit;               /* the line about larger blocks was printed */
    struct torus *previous, *next; /* in the list of all attributes of the process */
};

/* Whether some rank of comm belongs to another MPI_COMM_WORLD: spawned, or connected to. It may
   be without the library, so that comm has a torus only if the program asks for one. All ranks
   see it alike, each from its side. Local. */
bool torus_spans_worlds(MPI_Comm comm);

/* Puts the attribute on comm, which has none: the ranks compare their wishes, and where they
   are the same and every rank is able, comm is to have a torus. Collective over comm, but for
   intercommunicators and single ranks, which never have one.

   wish   what the calling rank wants; copied.
   able   whether this rank takes part; false makes all ranks native.
   torus  set on success; NULL where some rank could not keep the attribute: native this time.

   Errors are those of MPI_Allreduce, and have been through comm's error handler. */
int torus_agree(MPI_Comm comm, const struct wish *wish, bool able, struct torus **torus);

/* Makes what is still missing for blocks of this many bytes, at most block_limit: finds the
   placement, chooses the shape, makes the dimension communicators and buffers. block 0 makes no
   buffers. Where some rank could not, the torus ends: why is set. A shape for smaller blocks
   only leaves built false. Collective over comm. */
int torus_build(struct torus *torus, size_t block);

/* The plan of a block size up to block_limit; NULL where some rank has no memory for it, and
   block_limit is then lower. Collective where block is larger than block_room. */
int torus_plan(struct torus *torus, size_t block, struct plan **plan);

/* Frees all that the torus holds, and the torus. Waits for no other rank, as far as the MPI
   frees communicators so. */
void torus_free(struct torus *torus);

#endif
