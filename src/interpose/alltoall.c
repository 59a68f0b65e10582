/* alltoall.c - the MPI functions that the library stands in for

   They take handles as foreign.h has them, as a program of another MPI may call: mpi.h has
   other declarations for the names, so the functions have names of their own here and are
   known to the linker by MPI's. */
#include <dlfcn.h>
#include <stdatomic.h>

#include "dispatch/attribute.h"
#include "dispatch/dispatch.h"
#include "dispatch/recent.h"
#include "interpose/foreign.h"
#include "process/process.h"
#include "torus_a2a.h"

#include "config.h"

TORUS_A2A_API alltoall_fn alltoall __asm__("MPI_Alltoall");

int alltoall(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf, int recvcount,
             handle recvtype, handle comm)
{
    /* Before anything is stored: dispatch would come to the same, some nanoseconds later. */
    if (recent_is_native((MPI_Comm)comm, recvcount, (MPI_Datatype)recvtype) || foreign_mpi())
        return native_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                               comm);
    const struct call call = {.sendbuf = sendbuf,
                              .sendcount = sendcount,
                              .sendtype = (MPI_Datatype)sendtype,
                              .recvbuf = recvbuf,
                              .recvcount = recvcount,
                              .recvtype = (MPI_Datatype)recvtype,
                              .comm = (MPI_Comm)comm};

    return dispatch_alltoall(&call);
}

#ifdef HAVE_MPI_ALLTOALL_C
typedef int alltoall_c_fn(const void *sendbuf, MPI_Count sendcount, handle sendtype,
                          void *recvbuf, MPI_Count recvcount, handle recvtype, handle comm);

TORUS_A2A_API alltoall_c_fn alltoall_c __asm__("MPI_Alltoall_c");
extern alltoall_c_fn native_alltoall_c __asm__("PMPI_Alltoall_c");

int alltoall_c(const void *sendbuf, MPI_Count sendcount, handle sendtype, void *recvbuf,
               MPI_Count recvcount, handle recvtype, handle comm)
{
    if (foreign_mpi())
        return native_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                 comm);
    const struct call call = {.sendbuf = sendbuf,
                              .sendcount = sendcount,
                              .sendtype = (MPI_Datatype)sendtype,
                              .recvbuf = recvbuf,
                              .recvcount = recvcount,
                              .recvtype = (MPI_Datatype)recvtype,
                              .comm = (MPI_Comm)comm,
                              .large = true};

    return dispatch_alltoall(&call);
}
#endif

/* Of a foreign MPI there is nothing to say at the end. */
static void count(enum count what)
{
    if (!foreign_mpi())
        process_count(what);
}

/* Left to MPI: their rounds would need progress while the program is elsewhere, which nobody
   but MPI can give (docs/guide.md). Seen here to be counted. */
typedef int ialltoall_fn(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf,
                         int recvcount, handle recvtype, handle comm, MPI_Request *request);

TORUS_A2A_API ialltoall_fn ialltoall __asm__("MPI_Ialltoall");
extern ialltoall_fn native_ialltoall __asm__("PMPI_Ialltoall");

int ialltoall(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf, int recvcount,
              handle recvtype, handle comm, MPI_Request *request)
{
    count(COUNT_NONBLOCKING);
    return native_ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                            request);
}

#ifdef HAVE_MPI_ALLTOALL_C
typedef int ialltoall_c_fn(const void *sendbuf, MPI_Count sendcount, handle sendtype,
                           void *recvbuf, MPI_Count recvcount, handle recvtype, handle comm,
                           MPI_Request *request);

TORUS_A2A_API ialltoall_c_fn ialltoall_c __asm__("MPI_Ialltoall_c");
extern ialltoall_c_fn native_ialltoall_c __asm__("PMPI_Ialltoall_c");

int ialltoall_c(const void *sendbuf, MPI_Count sendcount, handle sendtype, void *recvbuf,
                MPI_Count recvcount, handle recvtype, handle comm, MPI_Request *request)
{
    count(COUNT_NONBLOCKING);
    return native_ialltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                              request);
}
#endif

#ifdef HAVE_MPI_ALLTOALL_INIT
typedef int alltoall_init_fn(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf,
                             int recvcount, handle recvtype, handle comm, handle info,
                             MPI_Request *request);

TORUS_A2A_API alltoall_init_fn alltoall_init __asm__("MPI_Alltoall_init");
extern alltoall_init_fn native_alltoall_init __asm__("PMPI_Alltoall_init");

int alltoall_init(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf,
                  int recvcount, handle recvtype, handle comm, handle info,
                  MPI_Request *request)
{
    count(COUNT_PERSISTENT);
    return native_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                comm, info, request);
}
#endif

#ifdef HAVE_MPI_ALLTOALL_INIT_C
typedef int alltoall_init_c_fn(const void *sendbuf, MPI_Count sendcount, handle sendtype,
                               void *recvbuf, MPI_Count recvcount, handle recvtype, handle comm,
                               handle info, MPI_Request *request);

TORUS_A2A_API alltoall_init_c_fn alltoall_init_c __asm__("MPI_Alltoall_init_c");
extern alltoall_init_c_fn native_alltoall_init_c __asm__("PMPI_Alltoall_init_c");

int alltoall_init_c(const void *sendbuf, MPI_Count sendcount, handle sendtype, void *recvbuf,
                    MPI_Count recvcount, handle recvtype, handle comm, handle info,
                    MPI_Request *request)
{
    count(COUNT_PERSISTENT);
    return native_alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                  comm, info, request);
}
#endif

/* The hooks below belong to other tools as much as to MPI: they go on to the next of that name.
   NULL where there is none, as in a static program. */
static void *next_of(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

typedef int comm_free_fn(MPI_Comm *comm);

/* known is for what has been looked up: the loader's lock is not for every call. */
static int free_by(const char *name, comm_free_fn *native, _Atomic(comm_free_fn *) *known,
                   MPI_Comm *comm)
{
    comm_free_fn *next = atomic_load_explicit(known, memory_order_relaxed);

    if (next == NULL) {
        *(void **)&next = next_of(name);
        if (next == NULL)
            next = native;
        atomic_store_explicit(known, next, memory_order_relaxed);
    }
    if (comm == NULL || foreign_mpi())
        return next(comm);
    MPI_Comm outer = attribute_begin_free(*comm);
    int err = next(comm);
    attribute_end_free(outer);
    return err;
}

TORUS_A2A_API int MPI_Comm_free(MPI_Comm *comm)
{
    static _Atomic(comm_free_fn *) known;

    return free_by("MPI_Comm_free", PMPI_Comm_free, &known, comm);
}

TORUS_A2A_API int MPI_Comm_disconnect(MPI_Comm *comm)
{
    static _Atomic(comm_free_fn *) known;

    return free_by("MPI_Comm_disconnect", PMPI_Comm_disconnect, &known, comm);
}

TORUS_A2A_API int MPI_Finalize(void)
{
    int (*next)(void);

    *(void **)&next = next_of("MPI_Finalize");
    attribute_close();
    return next != NULL ? next() : PMPI_Finalize();
}

#ifdef PIC
/* In a shared library, where there is a next one for sure. MPICH's mpi_f08 goes straight here.
 */
TORUS_A2A_API int PMPI_Finalize(void)
{
    int (*next)(void);

    *(void **)&next = next_of("PMPI_Finalize");
    attribute_close();
    return next();
}
#endif
