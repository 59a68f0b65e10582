/* interpose.c - the MPI functions that the library stands in for */
#include <dlfcn.h>

#include "attribute.h"
#include "dispatch.h"
#include "library.h"
#include "torus_a2a.h"

#include "config.h"

TORUS_A2A_API int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype,
                               MPI_Comm comm)
{
    const struct call call = {.sendbuf = sendbuf,
                              .sendcount = sendcount,
                              .sendtype = sendtype,
                              .recvbuf = recvbuf,
                              .recvcount = recvcount,
                              .recvtype = recvtype,
                              .comm = comm};

    return dispatch_alltoall(&call);
}

#ifdef HAVE_MPI_ALLTOALL_C
TORUS_A2A_API int MPI_Alltoall_c(const void *sendbuf, MPI_Count sendcount,
                                 MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                                 MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct call call = {.sendbuf = sendbuf,
                              .sendcount = sendcount,
                              .sendtype = sendtype,
                              .recvbuf = recvbuf,
                              .recvcount = recvcount,
                              .recvtype = recvtype,
                              .comm = comm,
                              .large = true};

    return dispatch_alltoall(&call);
}
#endif

/* Left to MPI: their rounds would need progress while the program is elsewhere, which nobody
   but MPI can give (docs/guide.md). Seen here to be counted. */
TORUS_A2A_API int MPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                MPI_Comm comm, MPI_Request *request)
{
    library_count(COUNT_NONBLOCKING);
    return PMPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                          request);
}

#ifdef HAVE_MPI_ALLTOALL_C
TORUS_A2A_API int MPI_Ialltoall_c(const void *sendbuf, MPI_Count sendcount,
                                  MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    library_count(COUNT_NONBLOCKING);
    return PMPI_Ialltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                            request);
}
#endif

#ifdef HAVE_MPI_ALLTOALL_INIT
TORUS_A2A_API int MPI_Alltoall_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    library_count(COUNT_PERSISTENT);
    return PMPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                              info, request);
}
#endif

#ifdef HAVE_MPI_ALLTOALL_INIT_C
TORUS_A2A_API int MPI_Alltoall_init_c(const void *sendbuf, MPI_Count sendcount,
                                      MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                      MPI_Request *request)
{
    library_count(COUNT_PERSISTENT);
    return PMPI_Alltoall_init_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                comm, info, request);
}
#endif

typedef int finalize_fn(void);

/* The next of that name: this hook belongs to other tools as much as to MPI. */
static finalize_fn *next_finalize(const char *name)
{
    finalize_fn *next;

    *(void **)&next = dlsym(RTLD_NEXT, name);
    return next;
}

TORUS_A2A_API int MPI_Finalize(void)
{
    finalize_fn *next = next_finalize("MPI_Finalize");

    attribute_close();
    return next != NULL ? next() : PMPI_Finalize();
}

#ifdef PIC
/* In a shared library, where there is a next one for sure. MPICH's mpi_f08 goes straight here.
 */
TORUS_A2A_API int PMPI_Finalize(void)
{
    attribute_close();
    return next_finalize("PMPI_Finalize")();
}
#endif
