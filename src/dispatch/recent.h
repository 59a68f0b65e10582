/* recent.h - where the calling thread's last calls went, to send the same calls there again

   A look-up and the size of a block cost some 40 nanoseconds in a process that is alone on its
   processor, and microseconds in one of many processes, whose turns begin with cold caches.

   Without mpi.h, for files that declare MPI's functions themselves. */
#ifndef TORUS_A2A_RECENT_H
#define TORUS_A2A_RECENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "mpi/hash.h"
#include "policy/rent.h"
#include "process/storage.h"

struct plan;
struct table_row;
struct torus;
struct trial;

/* The last call on a communicator. It is valid while the epoch is the same: when communicators
   are freed, MPI gives their handles to others. */
struct recent {
    /* The epoch of the call. 0 if there was none. */
    unsigned epoch;
    /* Whether all calls on comm go the same way, whatever they receive. */
    bool always;
    handle comm;
    /* What the call receives, with a type of MPI's own. */
    int64_t recvcount;
    handle recvtype;
    const struct torus *torus;
    /* NULL if the call is native. */
    const struct plan *plan;
    /* What the calls on comm have paid, and what this call pays. NULL if the call pays nothing.
     */
    struct rent *rent;
    int64_t share;
    /* The trial that the call counts in, or NULL. */
    struct trial *trial;
    /* The bytes of a block. The plan is for this call as long as its block is this. */
    size_t block;
    /* Where the call is counted. NULL if calls are not counted. */
    struct table_row *row;
};

/* A program may use several communicators in turn, such as the rows and columns of a grid. */
enum { RECENT_BITS = 3, RECENT_MAX = 1 << RECENT_BITS };

extern THREAD_STORAGE struct recent recent_calls[RECENT_MAX] THREAD_MODEL;
extern atomic_uint recent_epoch;

static inline struct recent *recent_place(handle comm)
{
    return &recent_calls[hash_comm(comm, RECENT_BITS)];
}

/* What the calling thread remembers of a call that receives so, or NULL. */
static inline const struct recent *recent_find(handle comm, int64_t recvcount, handle recvtype)
{
    const struct recent *last = recent_place(comm);
    bool same = last->comm == comm &&
                last->epoch == atomic_load_explicit(&recent_epoch, memory_order_relaxed) &&
                (last->always || (last->recvcount == recvcount && last->recvtype == recvtype));

    return same ? last : NULL;
}

/* Whether this is certainly the address of a buffer. MPI_IN_PLACE and MPI_BOTTOM are a few
   bytes from either end of the address space. */
static inline bool recent_is_buffer(const void *address)
{
    return (uintptr_t)address + 4096 > 2 * 4096;
}

/* Whether such a call goes native, and is counted at the most in what its communicator has
   paid, which the function does. The arguments are as the program has passed them. A call that
   may be an error does not count here. */
static inline bool recent_is_native(const void *sendbuf, int64_t sendcount, handle sendtype,
                                    const void *recvbuf, int64_t recvcount, handle recvtype,
                                    handle comm)
{
    const struct recent *known =
        recent_find(handle_alone(comm), recvcount, handle_alone(recvtype));

    if (known == NULL || known->plan != NULL || known->trial != NULL || known->row != NULL)
        return false;
    /* What the call sends adds nothing: either it has the size of what is received, or the call
       is an error. */
    if (known->rent == NULL)
        return true;
    return sendcount == recvcount && sendtype == recvtype && sendbuf != recvbuf &&
           recent_is_buffer(sendbuf) && recent_is_buffer(recvbuf) &&
           rent_pay_quickly(known->rent, known->share);
}

/* Remembers that all calls on comm, which has an attribute, go native. */
void recent_all_native(handle comm);

/* Remembers that calls which receive so go native on comm, which has an attribute. The function
   does so only if recvtype is of MPI's own, as a user's type may be freed and its handle used
   again. The calls count in the trial, if it is not NULL. row is where the report counts them,
   or NULL, here and below. */
void recent_size_native(handle comm, int64_t recvcount, handle recvtype, struct trial *trial,
                        struct table_row *row);

/* Remembers that calls which receive so go native on comm, and pay a share of its rent until
   all is paid. Only if recvtype is of MPI's own. */
void recent_rented(handle comm, int64_t recvcount, handle recvtype, struct rent *rent,
                   int64_t share, struct table_row *row);

/* Remembers the plan of calls which receive so on comm, by its torus. recvtype is of MPI's own
   and has no holes. The calls count in the trial, if it is not NULL. */
void recent_planned(handle comm, int64_t recvcount, handle recvtype, const struct torus *torus,
                    const struct plan *plan, struct trial *trial, struct table_row *row);

/* All threads forget: a torus is being freed, or all calls are about to go native. */
void recent_forget(void);

#endif
