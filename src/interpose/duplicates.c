/* duplicates.c - notes that the program duplicates communicators without waiting for them

   These functions belong to other tools as much as to MPI: each call goes on to the next
   function of that name. Only Open MPI minds (src/mpi/duplicates.h). */
#include "mpi/duplicates.h"

#include <mpi.h>

#include "interpose/export.h"
#include "interpose/next.h"
#include "mpi/which.h"

#include "config.h"

#ifdef WHICH_MAY_BE_OPEN_MPI

typedef int idup_fn(MPI_Comm comm, MPI_Comm *made, MPI_Request *request);

EXPORT int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request)
{
    idup_fn *next;

    *(void **)&next = next_of("MPI_Comm_idup");
    duplicates_note();
    return next != NULL ? next(comm, made, request) : PMPI_Comm_idup(comm, made, request);
}

#ifdef PIC
/* The bindings for Fortran call this function. */
EXPORT int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request)
{
    idup_fn *next;

    *(void **)&next = next_of("PMPI_Comm_idup");
    duplicates_note();
    return next(comm, made, request);
}
#endif

#ifdef HAVE_MPI_COMM_IDUP_WITH_INFO
typedef int idup_info_fn(MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *request);

EXPORT int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made,
                                   MPI_Request *request)
{
    idup_info_fn *next;

    *(void **)&next = next_of("MPI_Comm_idup_with_info");
    duplicates_note();
    return next != NULL ? next(comm, info, made, request)
                        : PMPI_Comm_idup_with_info(comm, info, made, request);
}

#ifdef PIC
EXPORT int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made,
                                    MPI_Request *request)
{
    idup_info_fn *next;

    *(void **)&next = next_of("PMPI_Comm_idup_with_info");
    duplicates_note();
    return next(comm, info, made, request);
}
#endif
#endif
#endif
