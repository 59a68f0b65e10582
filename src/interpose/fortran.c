/* fortran.c - MPI_ALLTOALL of Fortran programs under Open MPI

   MPICH's Fortran wrappers call MPI_Alltoall, so their calls reach the library. Open MPI's
   wrappers call PMPI_Alltoall, so the library has to stand in for the wrappers themselves. One
   wrapper is a routine with two names that matter: mpi_alltoall_, as compilers spell the name
   in mpif.h and `use mpi`, and the name that the module mpi_f08 calls in Open MPI 4 and 5. In
   Open MPI 6 this module calls wrappers of its own, to which it passes descriptors of the
   arrays. The wrapper has further names, for compilers that spell in other ways. The library
   leaves them alone: Open MPI gives them no MPI_IN_PLACE, and a C program may have a function
   of its own with such a name.

   The library could define PMPI_Alltoall instead, and would then need no conversion. But
   programs and tools use that name to get past a library like this one. Everyone, this library
   too, would then have to look up MPI's own all-to-all at run time. */
#include "config.h"

#ifdef HAVE_OPEN_MPI_FORTRAN

#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

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

/* Returns the library that code or data lies in, or NULL if the loader does not know it. The
   caller gives it back by dlclose. */
static void *library_of(void *place)
{
    Dl_info found;

    return dladdr(place, &found) != 0 ? dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* Finds the function that the caller would reach by this name without the library. RTLD_NEXT
   does not find what was opened with RTLD_LOCAL. */
static void *next_for(const char *name, void *caller)
{
    void *found = dlsym(RTLD_NEXT, name), *library;

    if (found != NULL || (library = library_of(caller)) == NULL)
        return found;
    found = dlsym(library, name);
    dlclose(library);
    return found;
}

/* Whether a function lies in a library that can call MPI. A library without MPI may have an
   mpi_alltoall_ for one process, as sequential solvers do. */
static bool can_call_mpi(void *function)
{
    void *library = library_of(function);

    if (library == NULL)
        return true;
    bool can = dlsym(library, "PMPI_Alltoall") != NULL;
    dlclose(library);
    return can;
}

/* Returns the mpi_alltoall_ that a call is for if it is not for the program's Open MPI, or
   NULL. The loader takes locks for each look-up, so the callers of Open MPI are remembered. */
static alltoall_f_fn *other_alltoall(void *caller)
{
    enum { CALLERS = 64, STEP = 4 };
    static _Atomic(void *) own_callers[CALLERS];
    _Atomic(void *) *place = &own_callers[(uintptr_t)caller / STEP % CALLERS];
    alltoall_f_fn *next;

    if (atomic_load_explicit(place, memory_order_relaxed) == caller)
        return NULL;
    void *found = next_for("mpi_alltoall_", caller);
    *(void **)&next = found != NULL && (!can_call_mpi(found) || foreign_mpi()) ? found : NULL;
    if (next == NULL)
        atomic_store_explicit(place, caller, memory_order_relaxed);
    return next;
}

/* other is NULL if the call is for the program's Open MPI. In mpi_f08 the error is optional. */
static void take(alltoall_f_fn *other, void *sendbuf, const MPI_Fint *sendcount,
                 const MPI_Fint *sendtype, void *recvbuf, const MPI_Fint *recvcount,
                 const MPI_Fint *recvtype, const MPI_Fint *comm, MPI_Fint *error)
{
    if (other != NULL) {
        other(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, error);
        return;
    }
    int err =
        from_fortran(sendbuf, *sendcount, sendtype, recvbuf, *recvcount, recvtype, comm, false);
    if (error != NULL)
        *error = err;
}

EXPORT alltoall_f_fn mpi_alltoall_, ompi_alltoall_f;

void mpi_alltoall_(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                   void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                   const MPI_Fint *comm, MPI_Fint *error)
{
    take(other_alltoall(__builtin_return_address(0)), sendbuf, sendcount, sendtype, recvbuf,
         recvcount, recvtype, comm, error);
}

void ompi_alltoall_f(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                     void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                     const MPI_Fint *comm, MPI_Fint *error)
{
    alltoall_f_fn *older = NULL;

    if (foreign_mpi())
        *(void **)&older = next_for("ompi_alltoall_f", __builtin_return_address(0));
    take(older, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, error);
}

#ifdef HAVE_OPEN_MPI_DESCRIPTORS
#include <ISO_Fortran_binding.h>

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
        *(void **)&ask = next_for("CFI_is_contiguous", caller);
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
        *(void **)&next = next_for("ompi_alltoall_wrapper_f08", caller);
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
        *(void **)&next = next_for("ompi_alltoall_wrapper_f08_c", caller);
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
