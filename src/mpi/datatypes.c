/* datatypes.c - datatypes: questions whose answer may be an error, and types seen from
   elsewhere

   Errors of MPI's calls on datatypes alone go to the handler of MPI_COMM_WORLD: the program's.
   MPI_Pack_size is the one that names a communicator, and it looks at a type as closely as
   MPI_Alltoall does. So the library keeps a communicator of the process alone, without any
   attribute or handler of the program's, to ask on.

   MPICH's MPI_Pack and MPI_Unpack refuse MPI_BOTTOM, its null address. A gather of one process
   copies from there and to there. The elements are MPI_PACKED at the other end, which matches
   any type; from a type with gaps to, say, MPI_BYTE Open MPI 4.1 may lose what follows the last
   whole 64 KiB. A type displaced to another address would have to be made for every call, as
   the program's own may be gone before the next. */
#include "mpi/datatypes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "mpi/quiet.h"

/* The process' own communicator, and what it lives as long as. (In a program of both MPI_Init
   and sessions, with threads, it may come from a session's, and lives on all the same.)

   own     parent          tried
   none    none            no      nobody has asked yet, or it was taken
   none    none            yes     being made; or MPI had none left, and is not asked again
   made    MPI_COMM_SELF   yes     until MPI_Finalize
   made    of a session    yes     until that is freed
   made    of a session    yes     retired: that is being freed, but calls may use this still */
static _Atomic(MPI_Comm) own = MPI_COMM_NULL, parent = MPI_COMM_NULL;
static atomic_bool tried, retired;

/* Two threads must not gather on one communicator at once. */
static pthread_mutex_t gathering = PTHREAD_MUTEX_INITIALIZER;

/* A predefined type that was usable. */
static _Atomic(MPI_Datatype) known = MPI_DATATYPE_NULL;

/* The group of the calling process. */
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

/* No duplicate of MPI_COMM_SELF: that would run the program's copy callbacks. */
static MPI_Comm make_own(MPI_Comm from)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Errhandler handler = quiet_begin(from);
    MPI_Group self;

    if (group_of_self(from, &self) == MPI_SUCCESS) {
        if (PMPI_Comm_create_group(from, self, QUIET_TAG, &comm) != MPI_SUCCESS)
            comm = MPI_COMM_NULL;
        PMPI_Group_free(&self);
    }
    quiet_end(from, handler);
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/* From MPI_COMM_SELF; from the caller's communicator in a program of sessions, which has none,
   and where there are threads: only the handler of the caller's can be set aside then. Such a
   call on MPI_COMM_SELF or an intercommunicator, which is native, leaves it to a later one. */
static MPI_Comm try_own(MPI_Comm caller, bool of_session)
{
    int inter = 0;

    if (PMPI_Comm_test_inter(caller, &inter) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    bool from_caller = of_session || quiet_has_threads();
    if (from_caller && (inter || caller == MPI_COMM_SELF))
        return MPI_COMM_NULL;
    if (atomic_exchange(&tried, true))
        return MPI_COMM_NULL;
    MPI_Comm made = make_own(from_caller ? caller : MPI_COMM_SELF);
    atomic_store(&own, made);
    if (made != MPI_COMM_NULL)
        atomic_store_explicit(&parent, of_session ? caller : MPI_COMM_SELF,
                              memory_order_release);
    return made;
}

/* The own communicator, or MPI_COMM_NULL. A program of sessions alone has no MPI_COMM_SELF, but
   the communicator of the call, which no other thread may use now. What comes from a session is
   not used any more when MPI_Init has been called: no call keeps it from being freed then. */
static MPI_Comm own_comm(MPI_Comm caller)
{
    int initialized = 0;

    if (atomic_load_explicit(&parent, memory_order_acquire) == MPI_COMM_SELF)
        return atomic_load_explicit(&own, memory_order_relaxed);
    PMPI_Initialized(&initialized);
    if (!atomic_load(&tried))
        return try_own(caller, !initialized);
    return initialized || atomic_load(&retired) ? MPI_COMM_NULL : atomic_load(&own);
}

/* MPICH tells nothing of a type that was made by a large-count constructor (…_c), unless asked
   by the large-count form: an error, which would go to the program's handler. */
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

bool datatypes_are_usable(MPI_Datatype type, MPI_Comm caller)
{
    int size;

    /* A predefined type stays what it is; the handle of another may be a new one's next time.
     */
    if (type == atomic_load_explicit(&known, memory_order_relaxed))
        return true;
    MPI_Comm comm = own_comm(caller);
    if (comm == MPI_COMM_NULL)
        return true;
    if (PMPI_Pack_size(0, type, comm, &size) != MPI_SUCCESS)
        return false;
    if (datatypes_are_predefined(type))
        atomic_store_explicit(&known, type, memory_order_relaxed);
    return true;
}

/* The same elements seen from further on, where no communicator was left for the process. */
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

/* A copy within the process, which waits for nobody. */
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
        atomic_store(&tried, false);
    return comm;
}
