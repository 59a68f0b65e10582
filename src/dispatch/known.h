/* known.h - what is known of a communicator: the attribute on it */
#ifndef TORUS_A2A_KNOWN_H
#define TORUS_A2A_KNOWN_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"
#include "torus/torus.h"

struct table_shape;

/* How far all ranks of a communicator have come, by collective steps. */
enum stage {
    /* Every call is native, for a reason. */
    STAGE_NATIVE,
    /* All ranks want a torus. */
    STAGE_AGREED,
    /* The torus has a shape for the placement of the ranks. */
    STAGE_SHAPED,
    /* The torus is built. */
    STAGE_BUILT
};

struct known {
    /* The user's communicator, which has this struct as an attribute. */
    MPI_Comm comm;
    /* The caller's rank in comm, and the size of comm. */
    int rank, size;
    /* The same on all ranks, and different from every other communicator's. */
    uint64_t name;
    enum stage stage;
    /* Why calls are native in STAGE_NATIVE. */
    enum reason reason;
    /* What all ranks want. */
    struct wish wish;
    /* Where the ranks are, from STAGE_SHAPED on. */
    struct placement placement;
    /* The toruses of the communicator, one today. None in STAGE_NATIVE. */
    struct torus *toruses;
    /* Whether the line about native blocks was printed. */
    bool said_limit;
    /* How calls on the communicator are counted, as far as the stage was reached when that was
       found. NULL if no call was counted. */
    const struct table_shape *counted_shape;
    enum stage counted_stage;
    /* The neighbours in the list of all communicators with an attribute. */
    struct known *previous, *next;
};

/* Returns what is known of a communicator before its ranks have agreed: nothing. If wanted, it
   has a torus without a shape. Returns NULL if there is no memory. Local. */
struct known *known_new(MPI_Comm comm, const struct wish *wish, bool wanted);

/* Concludes that every call on the communicator is native: frees its toruses, and says so if
   TORUS_A2A_VERBOSE asks for it. All ranks conclude so alike. */
void known_end(struct known *known, enum reason reason);

/* Takes the step that the decision about this block size waits for: gives the torus a shape,
   builds it, or grows it. Collective over the communicator. Returns an MPI error code that the
   communicator's error handler has seen. */
int known_prepare(struct known *known, size_t block);

/* Frees what is known, and the toruses. Waits for no other rank, unless the MPI's MPI_Comm_free
   does. */
void known_free(struct known *known);

#endif
