/* torus.h - the torus of a communicator: what the rounds run on */
#ifndef TORUS_A2A_TORUS_H
#define TORUS_A2A_TORUS_H

#include <mpi.h>

#include "exchange/exchange.h"
#include "memory/buffers.h"
#include "policy/policy.h"
#include "torus/dimension.h"
#include "torus/plan.h"

struct table_shape;

struct torus {
    /* The user's communicator. MPI_COMM_NULL while the torus waits for one. */
    MPI_Comm comm;
    /* The caller's rank in comm, and the size of comm. */
    int rank, size;
    /* What the torus is to be, and what has asked for it, a constant text. No factors if the
       library chooses them. */
    struct candidate candidate;
    const char *source;
    /* The factors, the exchanges and the threshold. torus_choose_shape sets them. */
    struct shape shape;
    /* The largest block that all ranks would send through the torus, in bytes. It never rises:
       a thread may remember that a larger block is native. */
    size_t block_limit;

    /* A number that the ranks compare when torus_build begins, and whether all have brought the
       same. It has a meaning for the caller alone. */
    uint64_t offer;
    bool same_offer;

    /* Whether there is something to free in what follows. While the ranks take a step, some of
       it may be missing. */
    bool built;
    struct dimension dimension[FACTORS_MAX];
    /* One request for each peer of the largest dimension. */
    MPI_Request *requests;
    struct plan_cache plans;
    struct buffers buffers;
    /* The largest block for which all ranks have buffers, in bytes. */
    size_t block_room;
    /* What this rank has taken from the accounts of the process: bytes of shared memory, and
       communicators. */
    size_t windows;
    int communicators;
    /* How calls through the torus are counted. NULL if none was. */
    const struct table_shape *counted_shape;
    /* The next torus of the same communicator. */
    struct torus *next;
};

/* Returns a torus of comm without a shape, for blocks of up to limit bytes, or NULL if there is
   no memory. Local. The caller owns it and frees it by torus_free. */
struct torus *torus_new(MPI_Comm comm, int rank, int size, size_t limit);

/* Whether blocks of this size go through the torus, once it is built. */
bool torus_takes(const struct torus *torus, size_t block);

/* Frees what torus_build has made. The shape stays. Waits for no other rank, unless the MPI's
   MPI_Comm_free does. */
void torus_release(struct torus *torus);

/* Frees the torus and all that it holds; NULL is allowed. Waits like torus_release. */
void torus_free(struct torus *torus);

#endif
