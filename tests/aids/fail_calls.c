/* fail_calls.c - a preload that lets one call of the library fail: its n-th allocation, its
   n-th call of one function, or all its requests for pages

   An allocation that fails returns NULL. A call of MPI that fails still takes part in its
   communication, and its result is lost. If a rank did not take part, the other ranks would
   wait inside MPI, and no library could help them. The error handler of the communicator gets
   the error, as it gets the errors of MPI itself. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "config.h"
#include "from_library.h"
#include "mpi/quiet.h"

/* The program under test looks these functions up by name. */
void fail_arm(const char *name, long number);
long fail_disarm(void);
void fail_pages(int madvise_error, int fallocate_error);
long fail_first_pages_asked(void);

/* The name of the function that fails. "malloc" stands for every function that allocates. */
static char armed[64];
/* The number of the call that fails, counted from 1. */
static long fatal;
static _Atomic long calls;

void fail_arm(const char *name, long number)
{
    calls = 0;
    fatal = number;
    snprintf(armed, sizeof armed, "%s", name);
}

/* Returns the number of calls since fail_arm. */
long fail_disarm(void)
{
    armed[0] = '\0';
    return calls;
}

static int madvise_fails, fallocate_fails;

/* From now on every call of madvise and of posix_fallocate fails with these errors. 0 lets the
   calls succeed. */
void fail_pages(int madvise_error, int fallocate_error)
{
    madvise_fails = madvise_error;
    fallocate_fails = fallocate_error;
}

/* How often posix_fallocate was called for the first page of a file. */
static _Atomic long first_pages_asked;

long fail_first_pages_asked(void)
{
    return first_pages_asked;
}

static bool fails(const char *name, const void *caller)
{
    return armed[0] != '\0' && is_from_library(caller) && strcmp(name, armed) == 0 &&
           ++calls == fatal;
}

static bool lacks_memory(const void *caller)
{
    if (!fails("malloc", caller))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return lacks_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t num, size_t size)
{
    return lacks_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(num, size);
}

void *realloc(void *old, size_t size)
{
    return lacks_memory(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return lacks_memory(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (fails("malloc", __builtin_return_address(0)))
        return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}

static int raised(MPI_Comm comm)
{
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_call_errhandler(quiet_place(comm), MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
}

/* A function of MPI. A call is passed on; if it fails, its result goes to a variable that
   nobody reads. comm is the communicator whose error handler gets the error. */
#define FAILING(name, comm, result, parameters, arguments, lost_arguments) \
    int name parameters                                                    \
    {                                                                      \
        static __typeof__(&name) next;                                     \
        bool failing = fails(#name, __builtin_return_address(0));          \
        if (next == NULL)                                                  \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                     \
        if (!failing)                                                      \
            return next arguments;                                         \
        result;                                                            \
        next lost_arguments;                                               \
        return raised(comm);                                               \
    }

FAILING(PMPI_Comm_create_keyval, MPI_COMM_NULL, int lost,
        (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function *delete, int *key,
         void *extra),
        (copy, delete, key, extra), (copy, delete, &lost, extra))
FAILING(PMPI_Comm_group, comm, MPI_Group lost, (MPI_Comm comm, MPI_Group *group), (comm, group),
        (comm, &lost))
FAILING(PMPI_Group_range_incl, MPI_COMM_NULL, MPI_Group lost,
        (MPI_Group old, int num, int ranges[][3], MPI_Group *group), (old, num, ranges, group),
        (old, num, ranges, &lost))
FAILING(PMPI_Group_incl, MPI_COMM_WORLD, MPI_Group lost,
        (MPI_Group old, int num, const int ranks[], MPI_Group *group), (old, num, ranks, group),
        (old, num, ranks, &lost))
FAILING(PMPI_Comm_split_type, old, MPI_Comm lost,
        (MPI_Comm old, int kind, int key, MPI_Info info, MPI_Comm *comm),
        (old, kind, key, info, comm), (old, kind, key, info, &lost))
FAILING(PMPI_Comm_split, old, MPI_Comm lost, (MPI_Comm old, int color, int key, MPI_Comm *comm),
        (old, color, key, comm), (old, color, key, &lost))
FAILING(PMPI_Comm_create_group, old, MPI_Comm lost,
        (MPI_Comm old, MPI_Group group, int tag, MPI_Comm *comm), (old, group, tag, comm),
        (old, group, tag, &lost))
FAILING(PMPI_Comm_create, old, MPI_Comm lost, (MPI_Comm old, MPI_Group group, MPI_Comm *comm),
        (old, group, comm), (old, group, &lost))
FAILING(PMPI_Comm_dup, old, MPI_Comm lost, (MPI_Comm old, MPI_Comm *comm), (old, comm),
        (old, &lost))
FAILING(PMPI_Type_create_hindexed, MPI_COMM_NULL, MPI_Datatype lost,
        (int num, const int lengths[], const MPI_Aint places[], MPI_Datatype old,
         MPI_Datatype *type),
        (num, lengths, places, old, type), (num, lengths, places, old, &lost))
FAILING(PMPI_Type_create_resized, MPI_COMM_NULL, MPI_Datatype lost,
        (MPI_Datatype old, MPI_Aint lower, MPI_Aint extent, MPI_Datatype *type),
        (old, lower, extent, type), (old, lower, extent, &lost))
FAILING(PMPI_Type_commit, MPI_COMM_NULL, (void)0, (MPI_Datatype * type), (type), (type))

/* The functions of the system that shared memory needs. */
int shm_open(const char *name, int flags, mode_t mode)
{
    static __typeof__(&shm_open) next;

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "shm_open");
    if (!fails("shm_open", __builtin_return_address(0)))
        return next(name, flags, mode);
    errno = EACCES;
    return -1;
}

int ftruncate(int file, off_t size)
{
    static __typeof__(&ftruncate) next;

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "ftruncate");
    if (!fails("ftruncate", __builtin_return_address(0)))
        return next(file, size);
    errno = EINVAL;
    return -1;
}

int posix_fallocate(int file, off_t offset, off_t size)
{
    static __typeof__(&posix_fallocate) next;

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "posix_fallocate");
    if (offset == 0 && is_from_library(__builtin_return_address(0)))
        first_pages_asked++;
    if (fallocate_fails != 0 && is_from_library(__builtin_return_address(0)))
        return fallocate_fails;
    return fails("posix_fallocate", __builtin_return_address(0)) ? ENOSPC
                                                                 : next(file, offset, size);
}

int madvise(void *address, size_t size, int advice)
{
    static __typeof__(&madvise) next;

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "madvise");
    if (madvise_fails != 0 && is_from_library(__builtin_return_address(0))) {
        errno = madvise_fails;
        return -1;
    }
    if (!fails("madvise", __builtin_return_address(0)))
        return next(address, size, advice);
    errno = EFAULT;
    return -1;
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    static __typeof__(&mmap) next;

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "mmap");
    if (!fails("mmap", __builtin_return_address(0)))
        return next(address, size, protection, flags, file, offset);
    errno = ENOMEM;
    return MAP_FAILED;
}

/* A call that fails is not passed on, because it would set the attribute. */
int PMPI_Comm_set_attr(MPI_Comm comm, int key, void *value)
{
    static __typeof__(&PMPI_Comm_set_attr) next;

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Comm_set_attr");
    if (fails("PMPI_Comm_set_attr", __builtin_return_address(0)))
        return raised(comm);
    return next(comm, key, value);
}

/* These functions communicate, and then report an error. */
FAILING(PMPI_Allreduce, comm, (void)0,
        (const void *in, void *out, int num, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (in, out, num, type, op, comm), (in, out, num, type, op, comm))
FAILING(PMPI_Wait, MPI_COMM_NULL, (void)0, (MPI_Request * request, MPI_Status *status),
        (request, status), (request, status))

#ifdef HAVE_MPI_ALLTOALL_C
#define LARGE(name) name##_c
typedef MPI_Count large_count;
#else
#define LARGE(name) name
typedef int large_count;
#endif

/* The second macro is needed because FAILING turns the name into a string: the name must be
   expanded before. */
#define FAILING_LARGE(name, ...) FAILING_EXPANDED(name, __VA_ARGS__)
#define FAILING_EXPANDED(name, comm, parameters, arguments) \
    FAILING(name, comm, (void)0, parameters, arguments, arguments)

FAILING_LARGE(LARGE(PMPI_Type_vector), MPI_COMM_NULL,
              (large_count num, large_count length, large_count stride, MPI_Datatype old,
               MPI_Datatype *type),
              (num, length, stride, old, type))
FAILING_LARGE(LARGE(PMPI_Pack), comm,
              (const void *in, large_count num, MPI_Datatype type, void *out, large_count size,
               large_count *position, MPI_Comm comm),
              (in, num, type, out, size, position, comm))
FAILING_LARGE(LARGE(PMPI_Unpack), comm,
              (const void *in, large_count size, large_count *position, void *out,
               large_count num, MPI_Datatype type, MPI_Comm comm),
              (in, size, position, out, num, type, comm))
FAILING_LARGE(LARGE(PMPI_Isend), comm,
              (const void *data, large_count num, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *request),
              (data, num, type, to, tag, comm, request))
FAILING_LARGE(LARGE(PMPI_Recv), comm,
              (void *data, large_count num, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Status *status),
              (data, num, type, from, tag, comm, status))
FAILING_LARGE(LARGE(PMPI_Sendrecv), comm,
              (const void *out, large_count num_out, MPI_Datatype type_out, int to, int tag_out,
               void *in, large_count num_in, MPI_Datatype type_in, int from, int tag_in,
               MPI_Comm comm, MPI_Status *status),
              (out, num_out, type_out, to, tag_out, in, num_in, type_in, from, tag_in, comm,
               status))
FAILING_LARGE(LARGE(PMPI_Alltoall), comm,
              (const void *out, large_count num_out, MPI_Datatype type_out, void *in,
               large_count num_in, MPI_Datatype type_in, MPI_Comm comm),
              (out, num_out, type_out, in, num_in, type_in, comm))
#ifdef HAVE_MPI_ALLTOALL_C
FAILING(PMPI_Alltoall, comm, (void)0,
        (const void *out, int num_out, MPI_Datatype type_out, void *in, int num_in,
         MPI_Datatype type_in, MPI_Comm comm),
        (out, num_out, type_out, in, num_in, type_in, comm),
        (out, num_out, type_out, in, num_in, type_in, comm))
#endif
