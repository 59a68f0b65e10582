/* fortran.c - MPI_ALLTOALL of Fortran programs under Open MPI

   MPICH's Fortran wrappers call MPI_Alltoall, so their calls reach the library. Open MPI's
   wrappers call PMPI_Alltoall, so the library has to stand in for the wrapper itself. The
   wrapper is one routine with several names: one for each way in which compilers spell a name
   (mpif.h and `use mpi`), and one that the module mpi_f08 calls.

   The library could define PMPI_Alltoall instead, and would then need no conversion. But
   programs and tools use that name to get past a library like this one. Everyone, this library
   too, would then have to look up MPI's own all-to-all at run time. */
#include "config.h"

#ifdef HAVE_OPEN_MPI_FORTRAN

#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

#include "dispatch/dispatch.h"
#include "interpose/export.h"
#include "interpose/foreign.h"

/* Variables of Open MPI. A Fortran program passes them as MPI_BOTTOM and MPI_IN_PLACE, and only
   their addresses matter. */
extern int mpi_fortran_bottom_, mpi_fortran_in_place_;

static void *buffer_from_fortran(void *buffer)
{
    if (buffer == &mpi_fortran_bottom_)
        return MPI_BOTTOM;
    return buffer == &mpi_fortran_in_place_ ? MPI_IN_PLACE : buffer;
}

typedef void alltoall_f_fn(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                           void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                           const MPI_Fint *comm, MPI_Fint *error);

/* Returns the wrapper of another MPI. A call has come here by one of the compilers' names,
   which all MPIs share. */
static alltoall_f_fn *next_alltoall(void)
{
    static const char *const names[] = {"mpi_alltoall_", "mpi_alltoall", "mpi_alltoall__",
                                        "MPI_ALLTOALL"};
    void *found = NULL;
    alltoall_f_fn *next;

    for (size_t i = 0; found == NULL && i < sizeof names / sizeof names[0]; i++)
        found = dlsym(RTLD_NEXT, names[i]);
    *(void **)&next = found;
    return next;
}

EXPORT alltoall_f_fn ompi_alltoall_f;

void ompi_alltoall_f(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                     void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                     const MPI_Fint *comm, MPI_Fint *error)
{
    if (foreign_mpi()) {
        next_alltoall()(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                        error);
        return;
    }
    const struct call call =
        call_of(buffer_from_fortran(sendbuf), *sendcount, (handle)PMPI_Type_f2c(*sendtype),
                buffer_from_fortran(recvbuf), *recvcount, (handle)PMPI_Type_f2c(*recvtype),
                (handle)PMPI_Comm_f2c(*comm), false);
    int err = dispatch_alltoall(&call);

    /* In mpi_f08 this argument is optional. */
    if (error != NULL)
        *error = err;
}

#define ALSO_KNOWN_AS(name) EXPORT alltoall_f_fn name __attribute__((alias("ompi_alltoall_f")))

ALSO_KNOWN_AS(mpi_alltoall);
ALSO_KNOWN_AS(mpi_alltoall_);
ALSO_KNOWN_AS(mpi_alltoall__);
ALSO_KNOWN_AS(MPI_ALLTOALL);

#else

/* ISO C does not allow an empty file. */
typedef int fortran_comes_through_c;

#endif
