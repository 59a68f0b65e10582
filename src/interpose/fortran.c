/* fortran.c - MPI_ALLTOALL of Fortran programs under Open MPI

   MPICH's Fortran wrappers call MPI_Alltoall, so their calls reach the library. Open MPI's
   wrappers call PMPI_Alltoall, so the library has to stand in for the wrappers themselves. One
   wrapper is a routine with several names: one for each way in which compilers spell a name
   (mpif.h and `use mpi`), and one that the module mpi_f08 calls in Open MPI 4 and 5. In Open
   MPI 6 this module calls wrappers of its own, to which it passes descriptors of the arrays.

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
#include "process/process.h"

/* Variables of Open MPI. A Fortran program passes them as MPI_BOTTOM and MPI_IN_PLACE, and only
   their addresses matter. */
extern int mpi_fortran_bottom_, mpi_fortran_in_place_;

static void *buffer_from_fortran(void *buffer)
{
    if (buffer == &mpi_fortran_bottom_)
        return MPI_BOTTOM;
    return buffer == &mpi_fortran_in_place_ ? MPI_IN_PLACE : buffer;
}

/* Converts all arguments but the counts. */
static int from_fortran(void *sendbuf, int64_t sendcount, const MPI_Fint *sendtype,
                        void *recvbuf, int64_t recvcount, const MPI_Fint *recvtype,
                        const MPI_Fint *comm, bool large)
{
    const struct call call =
        call_of(buffer_from_fortran(sendbuf), sendcount, (handle)PMPI_Type_f2c(*sendtype),
                buffer_from_fortran(recvbuf), recvcount, (handle)PMPI_Type_f2c(*recvtype),
                (handle)PMPI_Comm_f2c(*comm), large);

    return dispatch_alltoall(&call);
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
    int err =
        from_fortran(sendbuf, *sendcount, sendtype, recvbuf, *recvcount, recvtype, comm, false);

    /* In mpi_f08 this argument is optional. */
    if (error != NULL)
        *error = err;
}

#define ALSO_KNOWN_AS(name) EXPORT alltoall_f_fn name __attribute__((alias("ompi_alltoall_f")))

ALSO_KNOWN_AS(mpi_alltoall);
ALSO_KNOWN_AS(mpi_alltoall_);
ALSO_KNOWN_AS(mpi_alltoall__);
ALSO_KNOWN_AS(MPI_ALLTOALL);

#ifdef HAVE_OPEN_MPI_DESCRIPTORS
#include <ISO_Fortran_binding.h>

/* Finds a function of the Fortran bindings, or of the Fortran runtime that they need. The
   caller is code of the bindings. RTLD_NEXT does not find bindings that were opened with
   RTLD_LOCAL. */
static void *of_bindings(const char *name, void *caller)
{
    Dl_info bindings;
    void *found = dlsym(RTLD_NEXT, name);

    if (found != NULL || dladdr(caller, &bindings) == 0)
        return found;
    void *library = dlopen(bindings.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL)
        return NULL;
    found = dlsym(library, name);
    dlclose(library);
    return found;
}

typedef int contiguous_fn(const CFI_cdesc_t *array);

/* Returns whether the elements of a buffer lie one after the other. The Fortran runtime says
   so, because the wrapper of Open MPI asks it too, and both must come to the same answer.
   MPI_BOTTOM and MPI_IN_PLACE are no arrays. */
static bool is_contiguous(const CFI_cdesc_t *buffer, void *caller)
{
    static _Atomic(contiguous_fn *) known;
    contiguous_fn *ask = known;

    if (buffer->rank == 0)
        return true;
    if (ask == NULL) {
        *(void **)&ask = of_bindings("CFI_is_contiguous", caller);
        known = ask;
    }
    return ask != NULL && ask(buffer);
}

/* Returns whether the library may take a call, and counts it if not. Open MPI reports an error
   for an array that is not contiguous. */
static bool takes(const CFI_cdesc_t *sendbuf, const CFI_cdesc_t *recvbuf, void *caller)
{
    if (foreign_mpi())
        return false;
    if (is_contiguous(sendbuf, caller) && is_contiguous(recvbuf, caller))
        return true;
    process_count(COUNT_NATIVE);
    return false;
}

typedef void alltoall_f08_fn(CFI_cdesc_t *sendbuf, const MPI_Fint *sendcount,
                             const MPI_Fint *sendtype, CFI_cdesc_t *recvbuf,
                             const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                             const MPI_Fint *comm, MPI_Fint *error);

EXPORT alltoall_f08_fn ompi_alltoall_wrapper_f08;

void ompi_alltoall_wrapper_f08(CFI_cdesc_t *sendbuf, const MPI_Fint *sendcount,
                               const MPI_Fint *sendtype, CFI_cdesc_t *recvbuf,
                               const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                               const MPI_Fint *comm, MPI_Fint *error)
{
    void *caller = __builtin_return_address(0);
    alltoall_f08_fn *next;

    if (!takes(sendbuf, recvbuf, caller)) {
        *(void **)&next = of_bindings("ompi_alltoall_wrapper_f08", caller);
        if (next != NULL)
            next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, error);
        else if (error != NULL)
            *error = MPI_ERR_INTERN;
        return;
    }
    int err = from_fortran(sendbuf->base_addr, *sendcount, sendtype, recvbuf->base_addr,
                           *recvcount, recvtype, comm, false);
    if (error != NULL)
        *error = err;
}

typedef void alltoall_f08_c_fn(CFI_cdesc_t *sendbuf, const MPI_Count *sendcount,
                               const MPI_Fint *sendtype, CFI_cdesc_t *recvbuf,
                               const MPI_Count *recvcount, const MPI_Fint *recvtype,
                               const MPI_Fint *comm, MPI_Fint *error);

EXPORT alltoall_f08_c_fn ompi_alltoall_wrapper_f08_c;

void ompi_alltoall_wrapper_f08_c(CFI_cdesc_t *sendbuf, const MPI_Count *sendcount,
                                 const MPI_Fint *sendtype, CFI_cdesc_t *recvbuf,
                                 const MPI_Count *recvcount, const MPI_Fint *recvtype,
                                 const MPI_Fint *comm, MPI_Fint *error)
{
    void *caller = __builtin_return_address(0);
    alltoall_f08_c_fn *next;

    if (!takes(sendbuf, recvbuf, caller)) {
        *(void **)&next = of_bindings("ompi_alltoall_wrapper_f08_c", caller);
        if (next != NULL)
            next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, error);
        else if (error != NULL)
            *error = MPI_ERR_INTERN;
        return;
    }
    int err = from_fortran(sendbuf->base_addr, *sendcount, sendtype, recvbuf->base_addr,
                           *recvcount, recvtype, comm, true);
    if (error != NULL)
        *error = err;
}
#endif

#else

/* ISO C does not allow an empty file. */
typedef int fortran_comes_through_c;

#endif
