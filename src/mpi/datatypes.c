/* datatypes.c - asks MPI about datatypes without raising errors, and packs at MPI_BOTTOM

   A function of MPI that gets a datatype and no communicator raises its errors on
   MPI_COMM_WORLD, whose handler is the program's. MPI_Pack_size gets a communicator, and it
   checks a datatype as closely as MPI_Alltoall does. So the library keeps a communicator of
   this process alone to ask on. The communicator has no attributes and no handler of the
   program.

   MPICH's MPI_Pack and MPI_Unpack refuse MPI_BOTTOM, which is its null address. MPI_Gather on
   the same communicator copies from MPI_BOTTOM, or to it. At the other end the elements are
   MPI_PACKED, which matches any type. MPI_BYTE would not do: Open MPI 4.1 may lose the bytes
   after the last whole 64 KiB if it copies from a type with gaps to MPI_BYTE. The library could
   also use another address and a type with other displacements. But it would have to make that
   type for every call, because the program may free its own type before the next call. */
#include "mpi/datatypes.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "mpi/duplicates.h"
#include "mpi/quiet.h"
#include "mpi/which.h"
#include "process/storage.h"

/* The communicator of the process alone lives as long as its parent. In a program with threads
   that uses MPI_Init and sessions, the parent is MPI_COMM_SELF here even if the communicator
   was made from one of a session.

   own    parent         attempt  retired
   none   none           none     no       Nobody has asked yet, or datatypes_take took it.
   none   none           running  no       A thread is making it, and other threads wait.
   none   none           over     no       MPI had none left, or might have had to wait for
                                           another one: the library does not try again.
   made   MPI_COMM_SELF  over     no       It lives until MPI_Finalize.
   made   of a session   over     no       It lives until the parent is freed.
   made   of a session   over     yes      The parent is being freed. Calls that began before
                                           may still use it. */
static _Atomic(MPI_Comm) own = MPI_COMM_NULL, parent = MPI_COMM_NULL;
enum { ATTEMPT_NONE, ATTEMPT_RUNNING, ATTEMPT_OVER };
static atomic_int attempt = ATTEMPT_NONE;
static atomic_bool retired;

/* The calling thread makes the communicator. If MPI fails meanwhile, a handler of the program
   may make a call, which must not wait for the end of the attempt. */
static THREAD_STORAGE bool attempting THREAD_MODEL;

/* MPI does not allow two threads to gather on one communicator at once. */
static pthread_mutex_t gathering = PTHREAD_MUTEX_INITIALIZER;

/* A predefined type that MPI has accepted. */
static _Atomic(MPI_Datatype) known = MPI_DATATYPE_NULL;

/* Makes the group of the calling process alone. */
static int group_of_self(MPI_Comm comm, MPI_Group *self)
{
    MPI_Group all;
    int rank;

    int err = PMPI_Comm_group(comm, &all);
    if (err != MPI_SUCCESS)
        return err;
    PMPI_Group_rank(all, &rank);
    err = PMPI_Group_incl(all, 1, &rank, self);
    PMPI_Group_free(&all);
    return err;
}

/* Makes the communicator from a group, because MPI_Comm_dup would run the program's copy
   callbacks. An error of a group belongs to no communicator, and MPI_COMM_WORLD's handler gets
   it. The library can set that handler aside only where it makes the communicator from
   MPI_COMM_SELF: then there are no other threads. */
static MPI_Comm make_own(MPI_Comm from)
{
    struct quiet world = {.comm = MPI_COMM_NULL};
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group self;

    if (from == MPI_COMM_SELF)
        world = quiet_begin(MPI_COMM_WORLD);
    struct quiet quiet = quiet_begin(from);
    if (group_of_self(from, &self) == MPI_SUCCESS) {
        if (PMPI_Comm_create_group(from, self, QUIET_TAG, &comm) != MPI_SUCCESS)
            comm = MPI_COMM_NULL;
        PMPI_Group_free(&self);
    }
    quiet_end(quiet);
    quiet_end(world);
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/* Makes the communicator from MPI_COMM_SELF, or from the caller's communicator in two cases: a
   program of sessions has no MPI_COMM_SELF, and in a program with threads the library can only
   set aside the error handler of the caller's communicator. A call on MPI_COMM_SELF or on an
   intercommunicator is native; in these two cases it leaves the attempt to a later call.

   Open MPI makes the communicators of a process one after the other. If the process waits for
   one whose other ranks wait for this call, nothing would ever end. So with threads there is no
   communicator of the process, and none is made after MPI_Comm_idup. */
static void try_own(MPI_Comm caller, bool of_session)
{
    int inter = 0, none = ATTEMPT_NONE;

    if (PMPI_Comm_test_inter(caller, &inter) != MPI_SUCCESS)
        return;
    bool threads = quiet_has_threads(), from_caller = of_session || threads;
    if (from_caller && (inter || caller == MPI_COMM_SELF))
        return;
    if (!atomic_compare_exchange_strong(&attempt, &none, ATTEMPT_RUNNING))
        return;
    bool may_wait = (threads && which_is_open_mpi()) || duplicates_may_hinder();
    attempting = true;
    MPI_Comm made = may_wait ? MPI_COMM_NULL : make_own(from_caller ? caller : MPI_COMM_SELF);
    attempting = false;
    atomic_store(&own, made);
    if (made != MPI_COMM_NULL)
        atomic_store_explicit(&parent, of_session ? caller : MPI_COMM_SELF,
                              memory_order_release);
    atomic_store(&attempt, ATTEMPT_OVER);
}

/* To make it waits for no other process, so that a thread does not wait long for another one.
 */
static void wait_for_attempt(void)
{
    while (atomic_load(&attempt) == ATTEMPT_RUNNING)
        sched_yield();
}

/* Returns the communicator of the process alone, or MPI_COMM_NULL. A program of sessions alone
   has no MPI_COMM_SELF, so the function uses the communicator of the call, which no other
   thread may use now. After MPI_Init it no longer uses a communicator that was made from a
   session's: then nothing keeps another thread from freeing that one. */
static MPI_Comm own_comm(MPI_Comm caller)
{
    int initialized = 0;

    if (atomic_load_explicit(&parent, memory_order_acquire) == MPI_COMM_SELF)
        return atomic_load_explicit(&own, memory_order_relaxed);
    if (attempting)
        return MPI_COMM_NULL;
    PMPI_Initialized(&initialized);
    if (atomic_load(&attempt) == ATTEMPT_NONE)
        try_own(caller, !initialized);
    wait_for_attempt();
    bool usable = initialized ? atomic_load(&parent) == MPI_COMM_SELF : !atomic_load(&retired);
    return usable ? atomic_load(&own) : MPI_COMM_NULL;
}

/* If a type was made by a large-count constructor (…_c), MPICH answers the question in its int
   form by an error, and the program's handler would get it. So the function asks in the
   large-count form if the MPI has it. */
bool datatypes_are_predefined(MPI_Datatype type)
{
    int combiner = MPI_COMBINER_DUP;

#ifdef HAVE_MPI_ALLTOALL_C
    MPI_Count ints, addresses, counts, types;

    PMPI_Type_get_envelope_c(type, &ints, &addresses, &counts, &types, &combiner);
#else
    int ints, addresses, types;

    PMPI_Type_get_envelope(type, &ints, &addresses, &types, &combiner);
#endif
    return combiner == MPI_COMBINER_NAMED;
}

static bool takes(MPI_Comm comm, MPI_Datatype type)
{
    int size;

    return PMPI_Pack_size(0, type, comm, &size) == MPI_SUCCESS;
}

/* Without a communicator of the process. The caller's has a handler of the program, which must
   stay where it is if there are threads: another one may be making a communicator from this
   one. Then the answer is no if the call is native in any case, and yes if it may not be. With
   Open MPI it is always yes: only a type that is not committed is a mistake there, and MPI
   tells its size all the same. */
static bool caller_takes(MPI_Comm caller, MPI_Datatype type)
{
    int inter = 0;

    if (quiet_has_threads()) {
        PMPI_Comm_test_inter(caller, &inter);
        return (caller != MPI_COMM_SELF && !inter) || which_is_open_mpi();
    }
    struct quiet quiet = quiet_begin(caller);
    bool taken = takes(caller, type);
    quiet_end(quiet);
    return taken;
}

bool datatypes_are_usable(MPI_Datatype type, MPI_Comm caller)
{
    /* The handle of a predefined type always means the same type. The handle of another type
       may be freed, and then given to a new type. */
    if (type == atomic_load_explicit(&known, memory_order_relaxed))
        return true;
    MPI_Comm comm = own_comm(caller);
    if (comm != MPI_COMM_NULL ? !takes(comm, type) : !caller_takes(caller, type))
        return false;
    if (datatypes_are_predefined(type))
        atomic_store_explicit(&known, type, memory_order_relaxed);
    return true;
}

/* If MPI had no communicator left for the process, MPI_Pack gets another address than
   MPI_BOTTOM, and a type whose displacements are smaller by as much. */
enum { FURTHER = 4096 };

static int make_displaced(MPI_Datatype type, MPI_Datatype *displaced)
{
    const int length = 1;
    const MPI_Aint displacement = -FURTHER;

    int err = PMPI_Type_create_hindexed(1, &length, &displacement, type, displaced);
    if (err != MPI_SUCCESS)
        return err;
    err = PMPI_Type_commit(displaced);
    if (err != MPI_SUCCESS)
        PMPI_Type_free(displaced);
    return err;
}

/* Copies by a gather of one process, which waits for no other process. */
static int gather(const void *from, large_count count, MPI_Datatype type, void *to,
                  large_count to_count, MPI_Datatype to_type, MPI_Comm self)
{
    pthread_mutex_lock(&gathering);
    int err = LARGE(PMPI_Gather)(from, count, type, to, to_count, to_type, 0, self);
    pthread_mutex_unlock(&gathering);
    return err;
}

int datatypes_pack_at_bottom(MPI_Datatype type, large_count count, char *bytes,
                             large_count size, MPI_Comm comm)
{
    large_position position = 0;
    MPI_Comm self = own_comm(comm);
    MPI_Datatype displaced;

    if (self != MPI_COMM_NULL)
        return gather(MPI_BOTTOM, count, type, bytes, size, MPI_PACKED, self);
    int err = make_displaced(type, &displaced);
    if (err != MPI_SUCCESS)
        return err;
    err = LARGE(PMPI_Pack)((void *)(intptr_t)FURTHER, count, displaced, bytes, size, &position,
                           comm);
    PMPI_Type_free(&displaced);
    return err;
}

int datatypes_unpack_at_bottom(MPI_Datatype type, large_count count, const char *bytes,
                               large_count size, MPI_Comm comm)
{
    large_position position = 0;
    MPI_Comm self = own_comm(comm);
    MPI_Datatype displaced;

    if (self != MPI_COMM_NULL)
        return gather(bytes, size, MPI_PACKED, MPI_BOTTOM, count, type, self);
    int err = make_displaced(type, &displaced);
    if (err != MPI_SUCCESS)
        return err;
    err = LARGE(PMPI_Unpack)(bytes, size, &position, (void *)(intptr_t)FURTHER, count,
                             displaced, comm);
    PMPI_Type_free(&displaced);
    return err;
}

MPI_Comm datatypes_comm(MPI_Comm caller)
{
    MPI_Comm self = own_comm(caller);

    return self != MPI_COMM_NULL ? self : caller;
}

MPI_Comm datatypes_comm_to_wait(MPI_Comm caller)
{
    return which_is_open_mpi() ? datatypes_comm(caller) : caller;
}

MPI_Comm datatypes_session(void)
{
    MPI_Comm from = atomic_load(&parent);

    return from == MPI_COMM_SELF ? MPI_COMM_NULL : from;
}

void datatypes_retire(MPI_Comm comm)
{
    if (comm == datatypes_session())
        atomic_store(&retired, true);
}

bool datatypes_are_retired(void)
{
    return atomic_load(&retired);
}

MPI_Comm datatypes_take(void)
{
    MPI_Comm comm = atomic_exchange(&own, MPI_COMM_NULL);

    atomic_store(&parent, MPI_COMM_NULL);
    atomic_store(&retired, false);
    if (comm != MPI_COMM_NULL)
        atomic_store(&attempt, ATTEMPT_NONE);
    return comm;
}
