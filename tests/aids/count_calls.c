/* count_calls.c - a preload that counts the library's allocations, the MPI objects that it
   makes, the communicators that it has, its collective calls, and its look-ups of attributes */
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>

#include "from_library.h"

static _Atomic long allocations, objects, communicators, collectives, lookups;

/* The program under test looks these functions up by name. */
long counted_allocations(void);
long counted_objects(void);
long counted_communicators(void);
long counted_collectives(void);
long counted_lookups(void);

long counted_allocations(void)
{
    return allocations;
}

long counted_objects(void)
{
    return objects;
}

long counted_communicators(void)
{
    return communicators;
}

long counted_collectives(void)
{
    return collectives;
}

static void count(_Atomic long *counter, const void *caller)
{
    if (is_from_library(caller))
        ++*counter;
}

long counted_lookups(void)
{
    return lookups;
}

void *malloc(size_t size)
{
    count(&allocations, __builtin_return_address(0));
    return __libc_malloc(size);
}

void *calloc(size_t num, size_t size)
{
    count(&allocations, __builtin_return_address(0));
    return __libc_calloc(num, size);
}

void *realloc(void *old, size_t size)
{
    count(&allocations, __builtin_return_address(0));
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count(&allocations, __builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    count(&allocations, __builtin_return_address(0));
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}

/* An MPI function whose calls are counted and passed on. */
#define COUNTED_AS(counter, name, parameters, arguments) \
    int name parameters                                  \
    {                                                    \
        static __typeof__(&name) next;                   \
        count(&counter, __builtin_return_address(0));    \
        if (next == NULL)                                \
            *(void **)&next = dlsym(RTLD_NEXT, #name);   \
        return next arguments;                           \
    }

/* One that makes an object. */
#define COUNTED(name, parameters, arguments) COUNTED_AS(objects, name, parameters, arguments)

COUNTED_AS(lookups, PMPI_Comm_get_attr, (MPI_Comm comm, int key, void *value, int *found),
           (comm, key, value, found))

COUNTED_AS(collectives, PMPI_Allreduce,
           (const void *source, void *sink, int num, MPI_Datatype type, MPI_Op op,
            MPI_Comm comm),
           (source, sink, num, type, op, comm))
COUNTED_AS(collectives, PMPI_Allgather,
           (const void *source, int sends, MPI_Datatype sent, void *sink, int receives,
            MPI_Datatype received, MPI_Comm comm),
           (source, sends, sent, sink, receives, received, comm))
COUNTED_AS(collectives, PMPI_Barrier, (MPI_Comm comm), (comm))

COUNTED(PMPI_Type_contiguous, (int num, MPI_Datatype old, MPI_Datatype *type), (num, old, type))
COUNTED(PMPI_Type_vector,
        (int num, int length, int stride, MPI_Datatype old, MPI_Datatype *type),
        (num, length, stride, old, type))
COUNTED(PMPI_Type_create_hvector,
        (int num, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type),
        (num, length, stride, old, type))
COUNTED(PMPI_Type_indexed,
        (int num, const int lengths[], const int places[], MPI_Datatype old,
         MPI_Datatype *type),
        (num, lengths, places, old, type))
COUNTED(PMPI_Type_create_hindexed,
        (int num, const int lengths[], const MPI_Aint places[], MPI_Datatype old,
         MPI_Datatype *type),
        (num, lengths, places, old, type))
COUNTED(PMPI_Type_create_indexed_block,
        (int num, int length, const int places[], MPI_Datatype old, MPI_Datatype *type),
        (num, length, places, old, type))
COUNTED(PMPI_Type_create_struct,
        (int num, const int lengths[], const MPI_Aint places[], const MPI_Datatype types[],
         MPI_Datatype *type),
        (num, lengths, places, types, type))
COUNTED(PMPI_Type_create_resized,
        (MPI_Datatype old, MPI_Aint lower, MPI_Aint extent, MPI_Datatype *type),
        (old, lower, extent, type))
COUNTED(PMPI_Type_dup, (MPI_Datatype old, MPI_Datatype *type), (old, type))
COUNTED(PMPI_Type_commit, (MPI_Datatype * type), (type))

#if MPI_VERSION >= 4
COUNTED(PMPI_Type_contiguous_c, (MPI_Count num, MPI_Datatype old, MPI_Datatype *type),
        (num, old, type))
COUNTED(PMPI_Type_vector_c,
        (MPI_Count num, MPI_Count length, MPI_Count stride, MPI_Datatype old,
         MPI_Datatype *type),
        (num, length, stride, old, type))
COUNTED(PMPI_Type_create_hvector_c,
        (MPI_Count num, MPI_Count length, MPI_Count stride, MPI_Datatype old,
         MPI_Datatype *type),
        (num, length, stride, old, type))
COUNTED(PMPI_Type_create_resized_c,
        (MPI_Datatype old, MPI_Count lower, MPI_Count extent, MPI_Datatype *type),
        (old, lower, extent, type))
COUNTED(PMPI_Comm_idup_with_info,
        (MPI_Comm old, MPI_Info info, MPI_Comm *comm, MPI_Request *request),
        (old, info, comm, request))
#endif

COUNTED(PMPI_Comm_dup, (MPI_Comm old, MPI_Comm *comm), (old, comm))
COUNTED(PMPI_Comm_idup, (MPI_Comm old, MPI_Comm *comm, MPI_Request *request),
        (old, comm, request))

/* Counts the communicator that an MPI function has made, which is a collective call. */
static int count_made(int err, const void *caller)
{
    count(&collectives, caller);
    if (err == MPI_SUCCESS)
        count(&communicators, caller);
    return err;
}

int PMPI_Comm_create(MPI_Comm old, MPI_Group group, MPI_Comm *comm)
{
    static __typeof__(&PMPI_Comm_create) next;

    count(&objects, __builtin_return_address(0));
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Comm_create");
    return count_made(next(old, group, comm), __builtin_return_address(0));
}

int PMPI_Comm_create_group(MPI_Comm old, MPI_Group group, int tag, MPI_Comm *comm)
{
    static __typeof__(&PMPI_Comm_create_group) next;

    count(&objects, __builtin_return_address(0));
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Comm_create_group");
    return count_made(next(old, group, tag, comm), __builtin_return_address(0));
}

int PMPI_Comm_split(MPI_Comm old, int colour, int key, MPI_Comm *comm)
{
    static __typeof__(&PMPI_Comm_split) next;

    count(&objects, __builtin_return_address(0));
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Comm_split");
    return count_made(next(old, colour, key, comm), __builtin_return_address(0));
}

int PMPI_Comm_split_type(MPI_Comm old, int kind, int key, MPI_Info info, MPI_Comm *comm)
{
    static __typeof__(&PMPI_Comm_split_type) next;

    count(&objects, __builtin_return_address(0));
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Comm_split_type");
    return count_made(next(old, kind, key, info, comm), __builtin_return_address(0));
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    static __typeof__(&PMPI_Comm_free) next;

    if (is_from_library(__builtin_return_address(0)))
        communicators--;
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Comm_free");
    return next(comm);
}

COUNTED(PMPI_Cart_create,
        (MPI_Comm old, int ndims, const int dims[], const int periods[], int reorder,
         MPI_Comm *comm),
        (old, ndims, dims, periods, reorder, comm))
COUNTED(PMPI_Cart_sub, (MPI_Comm old, const int keep[], MPI_Comm *comm), (old, keep, comm))

COUNTED(PMPI_Comm_group, (MPI_Comm comm, MPI_Group *group), (comm, group))
COUNTED(PMPI_Group_incl, (MPI_Group old, int num, const int ranks[], MPI_Group *group),
        (old, num, ranks, group))
COUNTED(PMPI_Group_range_incl, (MPI_Group old, int num, int ranges[][3], MPI_Group *group),
        (old, num, ranges, group))

COUNTED(PMPI_Info_create, (MPI_Info * info), (info))
COUNTED(PMPI_Op_create, (MPI_User_function * function, int commute, MPI_Op *op),
        (function, commute, op))
COUNTED(PMPI_Comm_create_keyval,
        (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function *delete, int *key,
         void *extra),
        (copy, delete, key, extra))
COUNTED(PMPI_Comm_create_errhandler,
        (MPI_Comm_errhandler_function * function, MPI_Errhandler *handler), (function, handler))
COUNTED(PMPI_Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *handler), (comm, handler))

COUNTED(PMPI_Win_allocate_shared,
        (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *memory, MPI_Win *win),
        (size, unit, info, comm, memory, win))
COUNTED(PMPI_Win_create,
        (void *memory, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
        (memory, size, unit, info, comm, win))
COUNTED(PMPI_Send_init,
        (const void *buffer, int num, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
         MPI_Request *request),
        (buffer, num, type, peer, tag, comm, request))
COUNTED(PMPI_Recv_init,
        (void *buffer, int num, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
         MPI_Request *request),
        (buffer, num, type, peer, tag, comm, request))
COUNTED(PMPI_Alloc_mem, (MPI_Aint size, MPI_Info info, void *memory), (size, info, memory))
