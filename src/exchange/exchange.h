/* exchange.h - one round, and the interface of everything that can carry it out */
#ifndef TORUS_A2A_EXCHANGE_H
#define TORUS_A2A_EXCHANGE_H

#include <mpi.h>

#include "copy/strided.h"
#include "exchange/layout.h"
#include "memory/window.h"
#include "mpi/blocks.h"
#include "settings/exchanges.h"

/* What an exchange has made for all rounds of one layout. */
struct prepared {
    MPI_Datatype type; /* one composite block in packed memory, or MPI_DATATYPE_NULL */
    /* Where blocks are so small that copying the caller's own along, to where peers read and
       from there, costs less than leaving them out, which takes more copies: for shm there are
       two then, for leaders three or four. */
    bool together;
    struct copying copies[4];
};

/* A component all-to-all along one dimension, ready to run. */
struct round {
    struct layout layout;  /* in bytes */
    MPI_Comm comm;         /* the dimension; returns errors */
    int me;                /* the caller's rank in it */
    void *state;           /* what the exchange has opened for the dimension */
    struct blocks in;      /* composite blocks are sent from here */
    struct blocks out;     /* and received to the same places here */
    bool aliased;          /* in and out are one buffer */
    char *send_staging;    /* room for all blocks, for the exchange alone */
    char *recv_staging;    /* the same */
    MPI_Request *requests; /* one for each peer */
    const struct prepared *prepared;
};

/* The blocks that a round exchanges, the caller's own among them. */
static inline size_t round_blocks(const struct round *round)
{
    return layout_blocks(&round->layout) / round->in.block;
}

/* An implementation of the component all-to-all. What travels is bytes: two ranks may describe
   the same composite block in different ways. */
struct exchange {
    /* Carries out the round. Collective over round->comm; returns an MPI error code. */
    int (*alltoall)(const struct round *round);
    /* A place for all blocks of the round in its layout, in bytes: the round before leaves them
       there as round->in, and alltoall need not copy them to where peers read. NULL, or NULL
       returned: there is none. Local; all ranks of the dimension have one for a layout, or none
       has. The same when alltoall asks again: no round in between takes a step in this
       dimension. */
    char *(*place)(const struct layout *layout, void *state);
    /* Makes what can be kept for all rounds of this layout; NULL: nothing. Local. What fails
       is left as it was, and alltoall does without. */
    void (*prepare)(const struct layout *layout, const void *state, struct prepared *prepared);
    /* Makes what is kept for a dimension; NULL: nothing. want is for its windows. Collective
       over comm. Returns an MPI error code; state is set on success. */
    int (*open)(MPI_Comm comm, const struct window_want *want, void **state);
    /* The window in there; NULL: there is none. */
    struct window *(*window)(void *state);
    /* Frees it. Local. */
    void (*close)(void *state);
    int communicators; /* ids that one dimension takes */
    int windows;       /* of window_size, for one dimension */
};

/* After an error a round goes on, and so do the rounds after it, so that no peer waits for what
   never comes. The first error is the one to report. */
static inline void error_keep(int *err, int other)
{
    if (*err == MPI_SUCCESS)
        *err = other;
}

/* The implementation of an id, EXCHANGE_AUTO excepted. */
const struct exchange *exchange_of(enum exchange_id id);

/* The implementations, each in the file of its name. */
#define EXCHANGE_DECLARE(id, name, help) extern const struct exchange exchange_##name;
EXCHANGES(EXCHANGE_DECLARE)
#undef EXCHANGE_DECLARE

#endif
