/* quiet.c - calls of our own on the user's communicators, whose errors are our affair

   On MPI_COMM_WORLD and MPI_COMM_SELF several threads may be at it at once: the first one
   replaces the user's handler, the last one puts it back. The lock is not held meanwhile: MPI
   may hold one of its own around a callback that comes here. So who begins while another one
   is replacing or putting back is not waited for, and may be heard; the user's handler is never
   lost. Other communicators are one thread's at a time. SimGrid keeps handlers by rank, and
   there the ranks are all that runs in turn. */
#include "quiet.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "config.h"

enum state { USERS, OURS, ON_ITS_WAY_BACK };

struct shared {
    enum state state;
    int threads; /* that are at it */
    MPI_Errhandler handler;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct shared *shared_of(MPI_Comm comm)
{
#ifndef RANKS_SHARE_THREADS
    static struct shared world, self; /* under the lock, but for the handlers */

    if (comm == MPI_COMM_WORLD)
        return &world;
    if (comm == MPI_COMM_SELF)
        return &self;
#endif
    (void)comm;
    return NULL;
}

static MPI_Errhandler replace(MPI_Comm comm)
{
    MPI_Errhandler handler;

    PMPI_Comm_get_errhandler(comm, &handler);
    /* SimGrid knows none of a rank that set none, once another rank of the process did. */
    if (handler == MPI_ERRHANDLER_NULL)
        handler = MPI_ERRORS_ARE_FATAL;
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return handler;
}

static void put_back(MPI_Comm comm, MPI_Errhandler handler)
{
    PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);
}

MPI_Errhandler quiet_begin(MPI_Comm comm)
{
    struct shared *shared = shared_of(comm);

    if (shared == NULL)
        return replace(comm);
    pthread_mutex_lock(&lock);
    bool first = shared->state == USERS;
    shared->state = first ? OURS : shared->state;
    shared->threads++;
    pthread_mutex_unlock(&lock);
    if (first)
        shared->handler = replace(comm);
    return MPI_ERRHANDLER_NULL;
}

void quiet_end(MPI_Comm comm, MPI_Errhandler handler)
{
    struct shared *shared = shared_of(comm);

    if (shared == NULL) {
        put_back(comm, handler);
        return;
    }
    pthread_mutex_lock(&lock);
    bool last = --shared->threads == 0 && shared->state == OURS;
    shared->state = last ? ON_ITS_WAY_BACK : shared->state;
    pthread_mutex_unlock(&lock);
    if (!last)
        return;
    put_back(comm, shared->handler);
    pthread_mutex_lock(&lock);
    shared->state = USERS;
    pthread_mutex_unlock(&lock);
}
