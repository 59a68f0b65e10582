/* recent.h - what the calling thread last left to MPI, to leave it again for a comparison */
#ifndef TORUS_A2A_RECENT_H
#define TORUS_A2A_RECENT_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Good as long as the epoch is: handles of communicators name others once those are freed. */
struct recent {
    unsigned epoch; /* 0: nothing */
    bool always;    /* whatever is received */
    MPI_Comm comm;
    MPI_Count recvcount; /* with this count and type */
    MPI_Datatype recvtype;
};

/* As of what is loaded at the start: as cheap as a global variable, and without the loader's
   help. For each declaration: GCC forgets it otherwise. */
#define RECENT_TLS __attribute__((tls_model("initial-exec")))

extern _Thread_local struct recent recent RECENT_TLS;
extern atomic_uint recent_epoch;

/* Whether a call with these arguments, by the calling thread, is known to go native. What is
   sent adds nothing: it has the size of what is received, or the call is an error. */
static inline bool recent_is_native(MPI_Comm comm, MPI_Count recvcount, MPI_Datatype recvtype)
{
    return recent.comm == comm &&
           recent.epoch == atomic_load_explicit(&recent_epoch, memory_order_relaxed) &&
           (recent.always || (recent.recvcount == recvcount && recent.recvtype == recvtype));
}

/* Remembers that all calls on comm, which has an attribute, go native. */
void recent_all_native(MPI_Comm comm);

/* Remembers that calls with blocks as this go native on comm, which has an attribute; where
   recvtype is of MPI's own, as a user's may be freed and its handle used again. */
void recent_size_native(MPI_Comm comm, MPI_Count recvcount, MPI_Datatype recvtype);

/* All threads forget: a communicator with an attribute is being freed. */
void recent_forget(void);

#endif
