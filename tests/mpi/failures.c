/* failures.c - an allocation or a call of the library fails; the program gets an error, or the
   library goes on without it

   failures                  every call fails once, on all ranks and then on one rank
   failures FUNCTION NUMBER  this call of FUNCTION fails on all ranks; calls are counted from
                             the first all-to-all of the process
   failures FUNCTION NUMBER many
                             the same, and each all-to-all is made 40 times
   failures room             a torus gets no window, and no memory for its buffers; needs 8
                             ranks and TORUS_A2A_MAX_MEMORY=25m
   failures account          other communicators have the memory that a wide window needs; needs
                             4 ranks, TORUS_A2A_MAX_MEMORY=7m and TORUS_A2A_THRESHOLD=auto
   failures left             the error handler of one rank leaves a timed call by longjmp; needs
                             TORUS_A2A_TUNE=guard or full, and a torus by messages
   failures replaced         the error handler frees the communicator of a timed call, and calls
                             on another communicator; needs the same
   failures freed            the error handler frees the communicator when an all-reduce of the
                             library fails
   failures nested           the error handler calls on the same communicator when such an
                             all-reduce fails
   failures first            the first call on a communicator fails on one rank, whose error
                             handler calls on it; needs TORUS_A2A_AFTER=4
   failures alone            the process's first call makes a communicator of this process
   alone. That fails, and the error handler makes calls failures alone_threads    the same with
   MPI_THREAD_MULTIPLE failures interrupted      the system interrupts every request for pages;
   needs 4 ranks and TORUS_A2A_DIMS=2x2 failures older            the system cannot add pages
   later; needs TORUS_A2A_THRESHOLD=auto

   fail_calls must be preloaded. */
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../mpi_tap.h"
#include "../right.h"
#include "../windows.h"
#include "torus_a2a.h"

enum { EVERYBODY = -1, CALLS_MAX = 500, MANY = 40 };

typedef void arm_fn(const char *name, long number);
typedef long disarm_fn(void);
typedef void pages_fn(int madvise_error, int fallocate_error);

static arm_fn *arm;
static disarm_fn *disarm;
static pages_fn *fail_pages;
static long (*first_pages_asked)(void);
static int rank, procs;
static int handled;
/* How often each all-to-all is made. */
static int repeats = 1;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
}

static bool look_up(void)
{
    *(void **)&arm = dlsym(RTLD_DEFAULT, "fail_arm");
    *(void **)&disarm = dlsym(RTLD_DEFAULT, "fail_disarm");
    *(void **)&fail_pages = dlsym(RTLD_DEFAULT, "fail_pages");
    *(void **)&first_pages_asked = dlsym(RTLD_DEFAULT, "fail_first_pages_asked");
    return arm != NULL && disarm != NULL && fail_pages != NULL && first_pages_asked != NULL;
}

static MPI_Comm make_comm(void)
{
    MPI_Errhandler own;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(comm, own);
    MPI_Errhandler_free(&own);
    return comm;
}

/* A type of one int and a gap of one int. Its address counts from MPI_BOTTOM. */
static MPI_Datatype spaced_type(const int *data)
{
    const int one = 1;
    MPI_Aint address;
    MPI_Datatype at, type;

    MPI_Get_address(data, &address);
    MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &at);
    MPI_Type_create_resized(at, 0, 2 * (MPI_Aint)sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&at);
    return type;
}

/* Returns whether a call either gave the right result without an error, or reported its error
   to the handler once. If the call failed on one rank, the other ranks may have received
   anything. */
static bool is_clean(int code, bool right, bool may_fail)
{
    int failed = code != MPI_SUCCESS, any = 0;

    PMPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    bool clean = handled == failed && (any ? may_fail : right);
    if (!clean)
        fprintf(stderr, "# rank %d: code %d, handler called %d times, data %s\n", rank, code,
                handled, right ? "right" : "wrong");
    return clean;
}

static bool call_plain(MPI_Comm comm, int count, bool may_fail)
{
    size_t ints = (size_t)procs * (size_t)count;
    int *out = calloc(ints, sizeof *out), *in = calloc(ints, sizeof *in);
    bool right = true;

    for (size_t i = 0; i < ints; i++)
        out[i] = right_value(rank, (int)i / count, (int)i % count);
    handled = 0;
    int code = MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm);
    for (size_t i = 0; i < ints; i++)
        right = right && in[i] == right_value((int)i / count, rank, (int)i % count);
    free(out);
    free(in);
    return is_clean(code, right, may_fail);
}

static bool call_spaced(MPI_Comm comm, bool may_fail)
{
    int *out = calloc(2 * (size_t)procs, sizeof *out);
    int *in = calloc(2 * (size_t)procs, sizeof *in);
    MPI_Datatype source = spaced_type(out), sink = spaced_type(in);
    bool right = true;

    for (int i = 0; i < procs; i++)
        out[2 * i] = right_value(rank, i, 0);
    handled = 0;
    int code = MPI_Alltoall(MPI_BOTTOM, 1, source, MPI_BOTTOM, 1, sink, comm);
    for (int i = 0; i < procs; i++)
        right = right && in[2 * i] == right_value(i, rank, 0) && in[2 * i + 1] == 0;
    MPI_Type_free(&source);
    MPI_Type_free(&sink);
    free(out);
    free(in);
    return is_clean(code, right, may_fail);
}

/* Makes calls that repeat a block size, that need larger buffers, and that have to pack. */
static bool call_all(MPI_Comm comm, bool may_fail)
{
    bool good = call_plain(comm, 1, may_fail);

    for (int i = 0; i < repeats; i++)
        good = call_plain(comm, 1, may_fail) && good;
    for (int i = 0; i < repeats; i++)
        good = call_plain(comm, 40, may_fail) && good;
    for (int i = 0; i < repeats; i++)
        good = call_spaced(comm, may_fail) && good;
    for (int i = 0; i < repeats; i++)
        good = call_plain(comm, 3, may_fail) && good;
    for (int i = 0; i < repeats; i++)
        good = call_plain(comm, 400, may_fail) && good;
    return good;
}

/* The library keeps the memory of one communicator that was freed. A call on this one takes it,
   so that the next communicator allocates. */
static MPI_Comm take_kept(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    right_alltoall(comm, 1);
    return comm;
}

/* Lets call number of the function fail on victim. Returns whether all all-to-alls were clean,
   during the failure and after it. *reached tells whether there was such a call. */
static bool fail_once(const char *name, int victim, long number, bool *reached)
{
    MPI_Comm comm = make_comm(), other = take_kept();
    bool failing = victim == EVERYBODY || victim == rank;

    if (failing)
        arm(name, number);
    bool good = call_all(comm, true);
    int mine = failing && disarm() >= number, any = 0;
    good = call_all(comm, false) && good;
    PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&other);
    *reached = any != 0;
    return good;
}

/* Lets each call of the function fail, one after the other. Returns how many calls there were.
   In the last turn nothing fails any more; it shows that new communicators still work. */
static long fail_each(const char *name, int victim)
{
    bool good = true, reached = true;
    long number = 0;

    while (reached && number < CALLS_MAX) {
        number++;
        good = fail_once(name, victim, number, &reached) && good;
    }
    if (victim == EVERYBODY)
        ok_all(good && !reached, "%s fails on all ranks, %ld times, and nothing breaks", name,
               number - 1);
    else
        ok_all(good && !reached, "%s fails on rank %d, %ld times, and nothing breaks", name,
               victim, number - 1);
    return number - 1;
}

/* Tries the functions that the library may call for a torus. PMPI_Allreduce fails on all ranks
   only: if it fails on one rank, the other ranks believe that all ranks have agreed, and no
   library could repair this. */
static void fail_all(void)
{
    static const char *const names[] = {
        "malloc",
        "PMPI_Comm_set_attr",
        "PMPI_Comm_group",
        "PMPI_Group_range_incl",
        "PMPI_Comm_split",
        "PMPI_Comm_split_type",
        "PMPI_Comm_create_group",
        "PMPI_Comm_create",
        "PMPI_Comm_dup",
        "shm_open",
        "ftruncate",
        "posix_fallocate",
        "madvise",
        "mmap",
        "PMPI_Type_create_hindexed",
        "PMPI_Type_create_resized",
        "PMPI_Type_commit",
        "PMPI_Type_vector",
        "PMPI_Type_vector_c",
        "PMPI_Pack",
        "PMPI_Pack_c",
        "PMPI_Unpack",
        "PMPI_Unpack_c",
        "PMPI_Isend",
        "PMPI_Isend_c",
        "PMPI_Recv",
        "PMPI_Recv_c",
        "PMPI_Sendrecv",
        "PMPI_Sendrecv_c",
        "PMPI_Alltoall_c",
        "PMPI_Wait",
    };

    /* What a process makes or reads only once is there (fail_first). */
    MPI_Comm comm = make_comm();
    bool good = call_all(comm, false);
    MPI_Comm_free(&comm);
    ok_all(good, "nothing fails");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (fail_each(names[i], EVERYBODY) == 0)
            continue;
        fail_each(names[i], 0);
        fail_each(names[i], procs - 1);
    }
    fail_each("PMPI_Allreduce", EVERYBODY);
}

/* Lets a call fail in the first all-to-all, which makes what a process has only once. */
static void fail_first(const char *name, long number)
{
    bool reached;
    bool good = fail_once(name, EVERYBODY, number, &reached);

    ok_all(good, "call %ld of %s fails in the first all-to-all, and nothing breaks%s", number,
           name, reached ? "" : " (there is no such call)");
}

/* The first communicator takes a part of the memory. The second one gets no shared memory, and
   for large blocks its messages need more memory for buffers than is left. Smaller blocks find
   enough memory. */
static void fail_room(void)
{
    MPI_Comm first = make_comm(), second = make_comm();
    bool good = call_plain(first, 100000, false);

    arm("shm_open", 1);
    good = call_plain(second, 250000, false) && good;
    bool reached = disarm() > 0;
    good = call_plain(second, 125000, false) && call_plain(second, 2, false) && good;
    ok_all(
        good && (reached || rank != 0),
        "blocks without memory for their buffers are exchanged, and smaller blocks after them");
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
}

/* The blocks of the first call are too large for a torus, and there is memory for a wide
   window. Before the second call other communicators take the memory that a wide window needs.
   What is left is enough for a narrow window. */
static void fail_account(void)
{
    enum { OTHERS = 21 };
    MPI_Comm early = make_comm(), others[OTHERS];
    torus_a2a_decision decision;
    bool good = call_plain(early, 25000, false);

    for (int i = 0; i < OTHERS; i++) {
        others[i] = make_comm();
        good = call_plain(others[i], 4096, false) && good;
    }
    good = call_plain(early, 1, false) && good;
    torus_a2a_query(early, sizeof(int), &decision);
    ok_all(good && decision.torus && strcmp(decision.exchange, "shm") == 0,
           "a communicator without memory for a wide window has a narrow one (%s)",
           decision.reason);
    for (int i = 0; i < OTHERS; i++)
        MPI_Comm_free(&others[i]);
    MPI_Comm_free(&early);
}

static bool goes_by(MPI_Comm comm, bool shared_memory)
{
    torus_a2a_decision decision;

    torus_a2a_query(comm, sizeof(int), &decision);
    return decision.torus && (strstr(decision.exchange, "shm") != NULL) == shared_memory;
}

/* A new communicator exchanges messages if the system does not give pages for its windows. */
static void fail_first_pages(int madvise_error, int fallocate_error, bool on_all)
{
    MPI_Comm comm = make_comm();

    if (on_all || rank == procs - 1)
        fail_pages(madvise_error, fallocate_error);
    bool good = call_all(comm, false) && goes_by(comm, false);
    fail_pages(0, 0);
    ok_all(good, "calls go by messages after madvise error %d, posix_fallocate error %d, on %s",
           madvise_error, fallocate_error, on_all ? "all ranks" : "one rank");
    MPI_Comm_free(&comm);
}

/* A window that exists is used for the blocks that it has pages for. */
static void fail_later_pages(int madvise_error)
{
    MPI_Comm comm = make_comm();
    bool good = call_plain(comm, 1, false) && goes_by(comm, true);

    fail_pages(madvise_error, 0);
    good = call_plain(comm, 4000, false) && good;
    fail_pages(0, 0);
    good = call_plain(comm, 1, false) && goes_by(comm, true) && good;
    ok_all(good, "MPI exchanges larger blocks after madvise error %d", madvise_error);
    MPI_Comm_free(&comm);
}

/* Before Linux 5.14 madvise does not know the request and returns EINVAL. Then the library
   calls posix_fallocate. */
static void fail_interrupted(void)
{
    for (int on_all = 0; on_all <= 1; on_all++) {
        fail_first_pages(EINTR, 0, on_all);
        fail_first_pages(EAGAIN, 0, on_all);
        fail_first_pages(EINVAL, EINTR, on_all);
    }
    fail_later_pages(EINTR);
    fail_later_pages(EAGAIN);
}

/* Makes a communicator and calls on it. Returns the bytes of its windows. */
static size_t bytes_of_windows(bool *good)
{
    MPI_Comm comm = make_comm();
    size_t before = windows_mapped().bytes;

    *good = call_all(comm, false) && goes_by(comm, true) && *good;
    size_t bytes = windows_mapped().bytes - before;
    MPI_Comm_free(&comm);
    return bytes;
}

/* Whether the system can add pages to a window. Linux can from 5.14 on. */
static bool system_can_grow(void)
{
#ifdef MADV_POPULATE_WRITE
    return madvise(NULL, 0, MADV_POPULATE_WRITE) == 0;
#else
    return false;
#endif
}

/* A wide window has most of its pages for blocks that may never come. */
static void fail_older(void)
{
    bool good = true, can_grow = system_can_grow();
    size_t wide = bytes_of_windows(&good);

    fail_pages(EINVAL, 0);
    long before = first_pages_asked();
    size_t narrow = bytes_of_windows(&good);
    fail_pages(0, 0);
    /* Each rank touches the first page before it knows that rank 0 has its pages. */
    ok_all(first_pages_asked() > before, "each rank reserves the first page of a window");
    ok_all(good && 0 < narrow && (narrow < wide || !can_grow),
           "a system that cannot add pages gives a window of %zu bytes, another one %zu bytes",
           narrow, wide);
}

static jmp_buf left;

static void leaving_handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    longjmp(left, 1);
}

/* All ranks must count the call that one of them leaves. Otherwise they agree on the times at
   different calls, and wait for one another. */
static void fail_left(void)
{
    enum { CALLS = 100 };
    static volatile bool good = true, has_left;
    MPI_Errhandler leaving;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(leaving_handler, &leaving);
    MPI_Comm_set_errhandler(comm, leaving);
    for (volatile int i = 0; i < CALLS; i++) {
        if (i == 4 && rank == procs - 1)
            arm("PMPI_Wait", 1);
        if (setjmp(left) == 0)
            good = right_alltoall(comm, 1) && good;
        else
            has_left = true;
        disarm();
    }
    ok_all(good && (has_left || rank != procs - 1),
           "calls are right after a handler has left a call that counts");
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&leaving);
}

/* Blocks of all sizes that an allocator may have free. */
enum { BLOCK_STEP = 16, BLOCK_SIZES = 512, BLOCKS_OF_SIZE = 8 };
static unsigned char *blocks[BLOCK_SIZES][BLOCKS_OF_SIZE];

static void take_free_memory(void)
{
    for (int i = 0; i < BLOCK_SIZES; i++) {
        for (int k = 0; k < BLOCKS_OF_SIZE; k++) {
            size_t size = (size_t)(i + 1) * BLOCK_STEP;
            blocks[i][k] = malloc(size);
            if (blocks[i][k] != NULL)
                memset(blocks[i][k], 0x5a, size);
        }
    }
}

/* Returns whether nobody has written to it, and frees it. */
static bool memory_is_untouched(void)
{
    bool untouched = true;

    for (int i = 0; i < BLOCK_SIZES; i++) {
        for (int k = 0; k < BLOCKS_OF_SIZE; k++) {
            size_t size = blocks[i][k] == NULL ? 0 : (size_t)(i + 1) * BLOCK_STEP;
            for (size_t byte = 0; byte < size; byte++)
                untouched = untouched && blocks[i][k][byte] == 0x5a;
            free(blocks[i][k]);
        }
    }
    return untouched;
}

static MPI_Comm replacement = MPI_COMM_NULL;
static bool replacement_is_right;

/* Another communicator may get the handle of this one, and the memory of what is known of it.
 */
static void replacing_handler(MPI_Comm *comm, int *code, ...)
{
    MPI_Comm own = *comm;

    (void)code;
    if (replacement != MPI_COMM_NULL)
        return;
    MPI_Comm_free(&own);
    MPI_Comm_dup(MPI_COMM_WORLD, &replacement);
    replacement_is_right = right_alltoall(replacement, 1);
    take_free_memory();
}

static void fail_replaced(void)
{
    enum { FAILING = 4 };
    MPI_Errhandler replacing;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(replacing_handler, &replacing);
    MPI_Comm_set_errhandler(comm, replacing);
    bool good = true;
    for (int i = 0; i < FAILING; i++)
        good = right_alltoall(comm, 1) && good;
    arm("PMPI_Wait", 1);
    right_alltoall(comm, 1);
    disarm();
    ok_all(good && replacement_is_right,
           "the handler of a timed call makes another communicator");
    ok_all(memory_is_untouched(), "the call writes to no memory that was freed by then");
    if (replacement != MPI_COMM_NULL)
        MPI_Comm_free(&replacement);
    MPI_Errhandler_free(&replacing);
}

static MPI_Comm freed, freed_before;

static void freeing_handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
    /* The library keeps the memory of this one, and frees that of the next one. */
    if (freed_before != MPI_COMM_NULL)
        MPI_Comm_free(&freed_before);
    if (freed != MPI_COMM_NULL)
        MPI_Comm_free(&freed);
}

/* Makes calls on a communicator until the all-reduce of this number has failed. Returns whether
   there was such an all-reduce. */
static bool fail_at(long number, MPI_Errhandler handling, bool *good)
{
    static const int counts[] = {1, 1, 1, 40, 40, 400};
    const int num = sizeof counts / sizeof counts[0];

    freed_before = take_kept();
    MPI_Comm_dup(MPI_COMM_WORLD, &freed);
    MPI_Comm_set_errhandler(freed, handling);
    handled = 0;
    arm("PMPI_Allreduce", number);
    for (int i = 0; i < num * MANY && freed != MPI_COMM_NULL; i++) {
        int before = handled;
        bool right = right_alltoall(freed, counts[i / MANY]);
        *good = (right || handled != before) && *good;
    }
    bool reached = disarm() >= number;
    if (freed != MPI_COMM_NULL)
        MPI_Comm_free(&freed);
    if (freed_before != MPI_COMM_NULL)
        MPI_Comm_free(&freed_before);
    *good = handled <= 1 && *good;
    return reached;
}

/* Lets each all-reduce fail once, on a communicator with this handler. Returns their number, or
   0 if there are none or too many. */
static long fail_all_reduces(MPI_Comm_errhandler_function *function, bool *good)
{
    MPI_Errhandler handling;
    long number = 1;

    MPI_Comm_create_errhandler(function, &handling);
    while (number < CALLS_MAX && fail_at(number, handling, good))
        number++;
    MPI_Errhandler_free(&handling);
    return number < CALLS_MAX ? number - 1 : 0;
}

/* What is known of the communicator is used to the end of the step that has failed. Calls on
   other communicators are right afterwards. */
static void fail_freed(void)
{
    bool good = true;

    long number = fail_all_reduces(freeing_handler, &good);
    MPI_Comm comm = make_comm();
    good = call_all(comm, false) && good;
    MPI_Comm_free(&comm);
    ok_all(good && number > 0,
           "the handler frees the communicator after each of %ld all-reduces", number);
}

static bool nested_are_right = true;

static void calling_handler(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    handled++;
    nested_are_right = right_alltoall(*comm, 1) && nested_are_right;
    nested_are_right = right_alltoall(*comm, 400) && nested_are_right;
}

/* Half of a step is done when the handler makes its calls. */
static void fail_nested(void)
{
    bool good = true;

    long number = fail_all_reduces(calling_handler, &good);
    ok_all(good && nested_are_right && number > 0,
           "the handler makes calls after each of %ld all-reduces", number);
}

/* The other ranks make the call of the handler as their second one. All ranks count it alike,
   or one of them waits for a torus that the others do not make. */
static void fail_in_first(void)
{
    MPI_Errhandler calling;

    bool good = right_alltoall(MPI_COMM_WORLD, 1);
    MPI_Comm comm = make_comm();
    MPI_Comm_create_errhandler(calling_handler, &calling);
    MPI_Comm_set_errhandler(comm, calling);
    MPI_Errhandler_free(&calling);
    if (rank == 0)
        arm("PMPI_Alltoall", 1);
    bool right = right_alltoall(comm, 1);
    disarm();
    good = (rank == 0 ? handled == 1 && nested_are_right
                      : right && right_alltoall(comm, 1) && right_alltoall(comm, 400)) &&
           good;
    for (int i = 0; i < 10; i++)
        good = right_alltoall(comm, 1 + i) && good;
    MPI_Comm_free(&comm);
    ok_all(good, "the first call fails, and the handler makes calls");
}

/* Without threads, the library sets the handler aside. */
static void fail_alone(bool threads)
{
    MPI_Errhandler calling;

    MPI_Comm_create_errhandler(calling_handler, &calling);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, calling);
    MPI_Errhandler_free(&calling);
    MPI_Comm comm = make_comm();
    arm("PMPI_Group_incl", 1);
    bool good = right_alltoall(comm, 1);
    long number = disarm();
    for (int i = 0; i < 10; i++)
        good = right_alltoall(comm, 1 + i) && good;
    MPI_Comm_free(&comm);
    ok_all(
        good && nested_are_right && (threads || (handled == 0 && number > 0)),
        "of %ld communicators of one process the first one fails, the handler gets %d errors",
        number, handled);
}

int main(int argc, char **argv)
{
    int level = MPI_THREAD_SINGLE;

    if (argc > 1 && strcmp(argv[1], "alone_threads") == 0)
        level = MPI_THREAD_MULTIPLE;
    MPI_Init_thread(&argc, &argv, level, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    if (!look_up()) {
        fputs("fail_calls is not preloaded\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 99);
    }
    if (argc > 3)
        repeats = MANY;
    if (argc > 2)
        fail_first(argv[1], atol(argv[2]));
    else if (argc > 1 && strcmp(argv[1], "room") == 0)
        fail_room();
    else if (argc > 1 && strcmp(argv[1], "interrupted") == 0)
        fail_interrupted();
    else if (argc > 1 && strcmp(argv[1], "left") == 0)
        fail_left();
    else if (argc > 1 && strcmp(argv[1], "replaced") == 0)
        fail_replaced();
    else if (argc > 1 && strcmp(argv[1], "older") == 0)
        fail_older();
    else if (argc > 1 && strcmp(argv[1], "freed") == 0)
        fail_freed();
    else if (argc > 1 && strcmp(argv[1], "nested") == 0)
        fail_nested();
    else if (argc > 1 && strcmp(argv[1], "first") == 0)
        fail_in_first();
    else if (argc > 1 && strncmp(argv[1], "alone", 5) == 0)
        fail_alone(level == MPI_THREAD_MULTIPLE);
    else if (argc > 1)
        fail_account();
    else
        fail_all();
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
