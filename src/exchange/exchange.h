/* exchange.h - one round, and the interface of everything that can carry it out

   An exchange sees bytes alone: blocks of so many bytes, one after the other. A user's derived
   datatype is packed before the first round and unpacked after the last one. */
#ifndef TORUS_A2A_EXCHANGE_H
#define TORUS_A2A_EXCHANGE_H

#include <mpi.h>

#include "exchange/layout.h"
#include "memory/window.h"
#include "settings/exchanges.h"

/* A component all-to-all along one dimension, ready to run. */
struct round {
    /* Where the composite blocks lie among all blocks, in bytes. */
    struct layout layout;
    /* The bytes of one block. */
    size_t block;
    /* The ranks of the dimension, if the dimension takes a communicator. It is the library's
       own and returns errors. Otherwise it is a communicator to keep MPI going with. */
    MPI_Comm comm;
    /* The caller's rank in comm. */
    int me;
    /* What the exchange has opened for the dimension. */
    void *state;
    /* The exchange sends composite blocks from here. */
    const char *in;
    /* The exchange receives composite blocks to the same places here. In an in-place call of
       one dimension, out is in. Out is NULL in a last round whose exchange has arrivals: the
       blocks then stay where they have arrived. */
    char *out;
    /* Room for all blocks that the exchange sends, for the exchange alone. */
    char *send_staging;
    /* Room for all blocks that the exchange receives, for the exchange alone. */
    char *recv_staging;
    /* One request for each peer. */
    MPI_Request *requests;
    /* What the exchange has prepared for this layout. */
    const void *prepared;
};

static inline bool round_is_in_place(const struct round *round)
{
    return round->in == round->out;
}

/* The number of blocks that a round exchanges. The caller's own are among them. */
static inline size_t round_blocks(const struct round *round)
{
    return layout_blocks(&round->layout) / round->block;
}

/* The composite blocks that have arrived in a round. */
struct arrivals {
    /* The composite block of peer 0. */
    const char *first;
    /* The bytes from the composite block of one peer to the composite block of the next peer.
     */
    size_t distance;
};

/* An implementation of the component all-to-all. Functions that are NULL have nothing to do.

   Two ranks may describe the same composite block in different ways, as only bytes travel. */
struct exchange {
    /* Carries out the round. Collective over round->comm. Returns an MPI error code. */
    int (*alltoall)(const struct round *round);

    /* Returns a place for all blocks of the round, in its layout, where peers can read them:
       whoever makes the blocks may write them there, and alltoall finds them as round->in.
       Returns NULL if there is no such place. Local. Either all ranks of the dimension have one
       for a layout, or none has. The place stays the same until alltoall has run. */
    char *(*place)(const struct layout *layout, void *state);

    /* Returns where the blocks lie after a last round with a place whose out was NULL. They
       stay until the next step in the dimension. me is the caller's rank in it. Local. */
    struct arrivals (*arrivals)(const struct layout *layout, const void *state, int me);

    /* The bytes that the exchange keeps for each layout, and how it fills and releases them.
       The bytes begin at a cache line, with zeros. Local. If something fails, prepare leaves
       the zeros, and alltoall does without. */
    size_t prepared_size;
    void (*prepare)(const struct layout *layout, const void *state, void *prepared);
    void (*release)(void *prepared);

    /* Makes what the exchange keeps for a dimension; want is for its windows. Collective over
       comm, which need not outlive the state. Returns an MPI error code, and sets state on
       success. An exchange that sends no messages returns success on all ranks or on none. */
    int (*open)(MPI_Comm comm, const struct window_want *want, void **state);
    /* Frees what open has made. Local. */
    void (*close)(void *state);
    /* The window in the state. NULL if the exchange has none. */
    struct window *(*window)(void *state);
    /* Whether the exchange sends messages. If not, a dimension that has all ranks of the torus
       may do without a communicator. */
    bool sends_messages;
    /* The windows of window_size that one dimension takes. */
    int windows;
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
