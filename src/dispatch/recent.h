/* recent.h - where the calling thread's last calls went, to send the same calls there again

   Looking up and measuring costs some 40 nanoseconds in a process that is alone on its
   processor, and microseconds in one of many, whose turns begin with cold caches. */
#ifndef TORUS_A2A_RECENT_H
#define TORUS_A2A_RECENT_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "mpi/hash.h"
#include "process/storage.h"

struct plan;
struct torus;

/* The last call on a communicator. Good as long as the epoch is: the handles of communicators
   name others once those are freed. */
struct recent {
    unsigned epoch; /* 0: nothing */
    bool always;    /* whatever is received */
    MPI_Comm comm;
    MPI_Count recvcount; /* with this count and type, which is of MPI's own */
    MPI_Datatype recvtype;
    const struct torus *torus;
    const struct plan *plan; /* NULL: native */
    size_t block;            /* bytes; the plan's, as long as the plan is for this */
};

/* For several communicators in turn, as of the rows and columns of a grid. */
enum { RECENT_BITS = 3, RECENT_MAX = 1 << RECENT_BITS };

extern THREAD_STORAGE struct recent recent_calls[RECENT_MAX] THREAD_MODEL;
extern atomic_uint recent_epoch;

static inline struct recent *recent_place(MPI_Comm comm)
{
    return &recent_calls[hash_comm(comm, RECENT_BITS)];
}

/* What is known of a call that receives so, by the calling thread; or NULL. */
static inline const struct recent *recent_find(MPI_Comm comm, MPI_Count recvcount,
                                               MPI_Datatype recvtype)
{
    const struct recent *last = recent_place(comm);
    bool same = last->comm == comm &&
                last->epoch == atomic_load_explicit(&recent_epoch, memory_order_relaxed) &&
                (last->always || (last->recvcount == recvcount && last->recvtype == recvtype));

    return same ? last : NULL;
}

/* Whether such a call goes native. What it sends adds nothing: it has the size of what is
   received, or the call is an error. */
static inline bool recent_is_native(MPI_Comm comm, MPI_Count recvcount, MPI_Datatype recvtype)
{
    const struct recent *known = recent_find(comm, recvcount, recvtype);

    return known != NULL && known->plan == NULL;
}

/* Remembers that all calls on comm, which has an attribute, go native. */
void recent_all_native(MPI_Comm comm);

/* Remembers that calls which receive so go native on comm, which has an attribute; where
   recvtype is of MPI's own, as a user's may be freed and its handle used again. */
void recent_size_native(MPI_Comm comm, MPI_Count recvcount, MPI_Datatype recvtype);

/* Remembers the plan of calls which receive so on comm, by its torus; recvtype is of MPI's own
   and has no holes. */
void recent_planned(MPI_Comm comm, MPI_Count recvcount, MPI_Datatype recvtype,
                    const struct torus *torus, const struct plan *plan);

/* All threads forget: a torus is being freed, or all calls are about to go native. */
void recent_forget(void);

#endif
