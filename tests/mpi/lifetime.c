/* lifetime.c - toruses are made and freed with their communicators, in any number

   lifetime PART   with settings that give a torus to each communicator of the size of
                   MPI_COMM_WORLD */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../mpi_tap.h"
#include "../right.h"
#include "torus_a2a.h"

static int rank;

static bool has_torus(MPI_Comm comm)
{
    torus_a2a_decision decision;

    return torus_a2a_query(comm, sizeof(int), &decision) == MPI_SUCCESS && decision.torus == 1;
}

static long resident_pages(void)
{
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL)
        return 0;
    if (fscanf(file, "%ld %ld", &all, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident;
}

static bool dup_and_free(int times)
{
    MPI_Comm comm;
    bool good = true;

    for (int i = 0; i < times; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        good = right_alltoall(comm, 1 + i % 3) && has_torus(comm) && good;
        MPI_Comm_free(&comm);
    }
    return good;
}

/* MPICH has about 2000 communicator ids, so a leak of ids would show here too. The allowed
   growth covers the memory that MPI takes once, and the 70 bytes that MPICH 4.0 keeps for each
   derived type that is sent on a new communicator. */
static void churn(void)
{
    enum { WARM = 1000, TIMES = 9000, ALLOWED = 4 << 20 };

    bool good = dup_and_free(WARM);
    long before = resident_pages();
    good = dup_and_free(TIMES) && good;
    long grown = (resident_pages() - before) * sysconf(_SC_PAGESIZE);
    ok_all(good, "%d communicators, a torus for each", WARM + TIMES);
    ok_all(grown < ALLOWED, "memory does not grow with their number");
    if (grown >= ALLOWED)
        fprintf(stderr, "# rank %d: %ld bytes more\n", rank, grown);
}

/* Makes this number of communicators that live at the same time, and returns how many of them
   get a torus, or -1 after a wrong result. */
static int toruses_of(int living)
{
    MPI_Comm *comms = malloc((size_t)living * sizeof(MPI_Comm));
    int toruses = 0;
    bool good = true;

    if (comms == NULL)
        MPI_Abort(MPI_COMM_WORLD, 99);
    for (int i = 0; i < living; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        good = right_alltoall(comms[i], 2) && good;
        toruses += has_torus(comms[i]);
    }
    for (int i = 0; i < living; i++)
        good = right_alltoall(comms[i], 3) && good;
    for (int i = 0; i < living; i++)
        MPI_Comm_free(&comms[i]);
    free(comms);
    return good ? toruses : -1;
}

/* An MPI_Alltoall between two halves of MPI_COMM_WORLD. */
static bool call_between_halves(void)
{
    MPI_Comm half, inter;
    int size, me, peers, in[64], out[64];
    bool good = true;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int upper = rank >= size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 3, &inter);
    MPI_Comm_remote_size(inter, &peers);
    MPI_Comm_rank(inter, &me);
    for (int i = 0; i < peers; i++)
        out[i] = right_value(me, i, upper);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter);
    for (int i = 0; i < peers; i++)
        good = good && in[i] == right_value(i, me, !upper);
    good = good && !has_torus(inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    return good;
}

/* The number of living toruses has a limit. Calls that get no torus must not move this limit.
 */
static void cap(void)
{
    enum { LIVING = 400, INTER = 300 };
    bool good = true;

    int toruses = toruses_of(LIVING);
    ok_all(toruses >= 0, "%d communicators alive, every result right", LIVING);
    ok_all(toruses > 0 && toruses < LIVING, "some have a torus, later ones are native");
    for (int i = 0; i < INTER; i++)
        good = call_between_halves() && good;
    ok_all(good, "%d intercommunicators", INTER);
    ok_all(toruses_of(LIVING) == toruses, "the limit has not moved");
}

/* MPICH has about 2000 communicator ids. A communicator whose calls are native keeps none of
   them beside its own. */
static void many(void)
{
    enum { LIVING = 1500 };

    ok_all(toruses_of(LIVING) == 0, "%d communicators alive, all native, every result right",
           LIVING);
}

/* An MPI_Alltoall of ints, in blocks of count types. */
static bool right_alltoall_of(MPI_Comm comm, MPI_Datatype type, int count)
{
    enum { RANKS = 8, INTS = 100 };
    int out[RANKS * INTS], in[RANKS * INTS], bytes, size;
    bool right = true;

    MPI_Comm_size(comm, &size);
    MPI_Type_size(type, &bytes);
    int ints = bytes / (int)sizeof(int) * count;
    for (int i = 0; i < size * ints; i++)
        out[i] = right_value(rank, i / ints, i % ints);
    MPI_Alltoall(out, count, type, in, count, type, comm);
    for (int i = 0; i < size * ints; i++)
        right = right && in[i] == right_value(i / ints, rank, i % ints);
    return right;
}

/* The number of block sizes is larger than the number of plans that the library keeps. */
static void plans(void)
{
    MPI_Comm comm;
    bool good = true;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int turn = 0; turn < 5; turn++) {
        for (int count = 1; count <= 60; count++)
            good = right_alltoall(comm, turn % 2 == 0 ? count : 61 - count) && good;
    }
    ok_all(good && has_torus(comm), "60 block sizes in turn");

    /* The library remembers the plan of the block size of ints. The plan of a user's type may
       then take its place. */
    for (int count = 2; count <= 40; count++) {
        MPI_Datatype type;
        MPI_Type_contiguous(count, MPI_INT, &type);
        MPI_Type_commit(&type);
        good = right_alltoall_of(comm, type, 1) && good;
        MPI_Type_free(&type);
        if (count % 20 == 0)
            good = right_alltoall(comm, 1) && right_alltoall(comm, 1) && good;
    }
    ok_all(good, "one block size, and others by user types");
    MPI_Comm_free(&comm);
}

/* The library remembers native calls by their handles, and MPI uses handles again. This part
   needs 4 ranks, TORUS_A2A_MIN_PROCS=3 and TORUS_A2A_THRESHOLD=64. */
static void handles(void)
{
    MPI_Comm comm;
    MPI_Datatype type;
    bool good = true;

    /* Two ranks remember a communicator as native, and the other two do not. */
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm != MPI_COMM_NULL) {
        good = right_alltoall(comm, 1) && right_alltoall(comm, 1) && !has_torus(comm);
        MPI_Comm_free(&comm);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    good = right_alltoall(comm, 1) && good;
    ok_all(good && has_torus(comm), "a communicator after one that was native");

    /* One rank remembers a datatype as native. */
    MPI_Type_contiguous(100, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (rank != 0) {
        MPI_Type_free(&type);
        type = MPI_INT;
    }
    good = right_alltoall_of(comm, type, rank == 0 ? 1 : 100);
    if (rank == 0) {
        MPI_Type_free(&type);
        MPI_Type_contiguous(1, MPI_INT, &type);
        MPI_Type_commit(&type);
    }
    good = right_alltoall_of(comm, type, 1) && good;
    ok_all(good, "a datatype after one that was native");
    if (rank == 0)
        MPI_Type_free(&type);

    /* All ranks remember a block size as native. */
    for (int count = 1; count <= 25; count += 8)
        good = right_alltoall(comm, count) && right_alltoall(comm, count) && good;
    ok_all(good, "block sizes on both sides of the threshold in turn");
    MPI_Comm_free(&comm);
}

/* The standard calls MPI_Comm_free collective. Most MPI libraries let a rank go on without the
   others, and programs rely on that. */
static void free_orders(void)
{
    MPI_Comm comms[2];
    int token = 0, next = (rank + 1) % 2;

    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    bool good = right_alltoall(comms[0], 3) && right_alltoall(comms[1], 3);
    good = has_torus(comms[0]) && has_torus(comms[1]) && good;
    MPI_Comm_free(&comms[rank % 2]);
    MPI_Comm_free(&comms[1 - rank % 2]);

    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    good = right_alltoall(comms[0], 3) && good;
    if (rank == 0) {
        MPI_Comm_free(&comms[0]);
        MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_free(&comms[0]);
    } else
        MPI_Comm_free(&comms[0]);
    ok_all(good, "communicators freed in different orders");
}

/* If a duplicate shared the torus of its original, it would still use the torus after the
   original is freed. */
static void duplicates(void)
{
    enum { GENERATIONS = 4 };
    MPI_Comm comm, twin;
    bool good = true;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 1; i <= GENERATIONS; i++) {
        good = right_alltoall(comm, i) && has_torus(comm) && good;
        MPI_Comm_dup(comm, &twin);
        good = right_alltoall(twin, i) && right_alltoall(comm, 2 * i) && good;
        good = right_alltoall(twin, 2 * i) && has_torus(twin) && good;
        MPI_Comm_free(&comm);
        good = right_alltoall(twin, i) && right_alltoall(twin, 3 * i) && good;
        comm = twin;
    }
    MPI_Comm_free(&comm);
    ok_all(good, "duplicates of communicators with a torus, %d generations", GENERATIONS);
}

static void never_freed(void)
{
    MPI_Comm comm;
    bool good = true;

    for (int i = 0; i < 20; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        good = right_alltoall(comm, 1 + i) && good;
    }
    good = right_alltoall(MPI_COMM_WORLD, 5) && right_alltoall(MPI_COMM_SELF, 5) && good;
    ok_all(good, "20 communicators that are never freed");
}

/* Does what a library such as HDF5 does: while MPI_Finalize frees MPI_COMM_SELF, it
   communicates on a communicator of its own and then frees it. */
struct closing {
    MPI_Comm comm;
};

static int libraries_open, callbacks_run, callbacks_wrong;

static int close_library(MPI_Comm self, int keyval, void *value, void *extra)
{
    struct closing *closing = value;

    (void)self;
    (void)keyval;
    (void)extra;
    callbacks_run++;
    for (int i = 1; i < 4; i++) {
        if (!right_alltoall(closing->comm, i) || !right_alltoall(MPI_COMM_WORLD, i))
            callbacks_wrong++;
    }
    MPI_Comm_free(&closing->comm);
    return MPI_SUCCESS;
}

static void open_library(struct closing *closing)
{
    int keyval;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_library, &keyval, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &closing->comm);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, closing);
    MPI_Comm_free_keyval(&keyval);
    libraries_open++;
}

/* One callback is set before the library sets its own, and two are set after it. Of these two,
   the first has a communicator without a torus, and the second has one with a torus. */
static void callbacks(void)
{
    static struct closing first, second, third;

    open_library(&first);
    bool good = right_alltoall(MPI_COMM_WORLD, 2);
    open_library(&second);
    open_library(&third);
    good = right_alltoall(third.comm, 2) && good;
    ok_all(good, "calls before MPI_Finalize");
}

static int communicate(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)keyval;
    (void)value;
    (void)extra;
    callbacks_run++;
    if (!right_alltoall(comm, 1) || !right_alltoall(comm, 2))
        callbacks_wrong++;
    return MPI_SUCCESS;
}

/* Makes a communicator whose callback communicates on it while it is being freed. On odd ranks
   the callback runs before the library's, and on even ranks after it. In other turns it uses
   the communicator for the first time, or with another block size. Returns whether the calls
   were right. */
static bool make_for_callback(MPI_Comm *comm, int keyval, int turn)
{
    MPI_Comm_dup(MPI_COMM_WORLD, comm);
    if (rank % 2 == 0)
        MPI_Comm_set_attr(*comm, keyval, NULL);
    bool good = turn % 3 == 0 || right_alltoall(*comm, turn % 3);
    if (rank % 2 != 0)
        MPI_Comm_set_attr(*comm, keyval, NULL);
    libraries_open++;
    return good;
}

static void callbacks_of_free(void)
{
    MPI_Comm comm;
    int keyval;
    bool good = true;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicate, &keyval, NULL);
    for (int i = 0; i < 12; i++) {
        good = make_for_callback(&comm, keyval, i) && good;
        if (i % 2 == 0)
            MPI_Comm_free(&comm);
        else
            MPI_Comm_disconnect(&comm);
    }
    MPI_Comm_free_keyval(&keyval);
    good = right_alltoall(MPI_COMM_WORLD, 2) && good;
    ok_all(good && callbacks_run == libraries_open && callbacks_wrong == 0,
           "communicators that are used while they are freed");
}

/* A callback of one communicator frees another one, and the callback of that one communicates
   on the first. */
static MPI_Comm first_freed, second_freed;

static int free_second(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    MPI_Comm_free(&second_freed);
    return MPI_SUCCESS;
}

static int communicate_on_first(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    return communicate(first_freed, keyval, value, extra);
}

/* Nothing may be left behind on the first: more of these than MPI has communicators. */
static void nested_free(void)
{
    enum { TURNS = 300 };
    int freeing, communicating;
    torus_a2a_decision way;
    bool good = true;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_second, &freeing, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicate_on_first, &communicating, NULL);
    for (int i = 0; i < TURNS && good; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &first_freed);
        MPI_Comm_dup(MPI_COMM_WORLD, &second_freed);
        if (rank % 2 != 0)
            MPI_Comm_set_attr(first_freed, freeing, NULL);
        good = right_alltoall(first_freed, 1) && right_alltoall(second_freed, 1);
        torus_a2a_query(first_freed, 8, &way);
        good = good && way.torus && way.ndims > 0;
        if (rank % 2 == 0)
            MPI_Comm_set_attr(first_freed, freeing, NULL);
        MPI_Comm_set_attr(second_freed, communicating, NULL);
        MPI_Comm freed = first_freed;
        MPI_Comm_free(&freed);
        libraries_open++;
    }
    MPI_Comm_free_keyval(&freeing);
    MPI_Comm_free_keyval(&communicating);
    ok_all(good && callbacks_run == libraries_open && callbacks_wrong == 0,
           "communicators that are freed while others are freed");
}

/* The program's error handler leaves a failing MPI_Comm_free for good. */
static jmp_buf out;

static void leave(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
    longjmp(out, 1);
}

/* Frees a communicator, which may be none. Returns whether the error handler left the
   call. All calls are from one line: a function that calls setjmp is not inlined. */
static bool free_or_leave(MPI_Comm *comm)
{
    MPI_Errhandler leaving;
    volatile bool left = false;

    MPI_Comm_create_errhandler(leave, &leaving);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, leaving);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, leaving);
    if (setjmp(out) == 0)
        MPI_Comm_free(comm);
    else
        left = true;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&leaving);
    return left;
}

/* Rank 0 alone leaves a failing MPI_Comm_free. The next communicator has the same handle, and
   all ranks have to give it a torus. */
static void left_free(void)
{
    MPI_Comm comm, before;
    torus_a2a_decision way;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    bool good = right_alltoall(comm, 1);
    before = comm;
    MPI_Comm_free(&comm);
    if (rank == 0)
        good = free_or_leave(&before) && good;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    good = comm == before && right_alltoall(comm, 1) && right_alltoall(comm, 2) && good;
    torus_a2a_query(comm, 8, &way);
    MPI_Comm_free(&comm);
    ok_all(good && way.torus && way.ndims > 0,
           "a torus after an MPI_Comm_free that an error handler has left");
}

/* Error handlers have left many calls, and the next calls from the same line have callbacks
   that communicate. */
static void left_often(void)
{
    enum { TIMES = 20 };
    MPI_Comm comm;
    int keyval;
    bool good = true;

    for (int i = 0; i < TIMES; i++) {
        comm = MPI_COMM_NULL;
        good = free_or_leave(&comm) && good;
    }
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicate, &keyval, NULL);
    for (int i = 0; i < 6; i++) {
        good = make_for_callback(&comm, keyval, i) && good;
        good = !free_or_leave(&comm) && good;
    }
    MPI_Comm_free_keyval(&keyval);
    good = right_alltoall(MPI_COMM_WORLD, 2) && good;
    ok_all(good && callbacks_run == libraries_open && callbacks_wrong == 0,
           "a communicator that is used while it is freed, after many calls that error "
           "handlers left");
}

/* The last rank begins a duplicate after an all-to-all on another communicator, and the other
   ranks before it. Open MPI makes the duplicate of the older communicator first. */
static bool call_beside_duplicate(MPI_Comm first, MPI_Comm second)
{
    MPI_Comm made;
    MPI_Request request;
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bool good = rank < size - 1 || right_alltoall(second, 3);
    MPI_Comm_idup(first, &made, &request);
    good = (rank == size - 1 || right_alltoall(second, 3)) && good;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    good = right_alltoall(made, 3) && good;
    MPI_Comm_free(&made);
    return good;
}

static void pending(void)
{
    MPI_Comm first, second;

    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    ok_all(call_beside_duplicate(first, second),
           "calls while a duplicate of another communicator is being made");
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
}

/* The ranks agree on a torus for `second` before there is a duplicate. Its first blocks are so
   large that the torus is not made for them. */
static void pending_late(void)
{
    MPI_Comm first, second;
    torus_a2a_decision way;

    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    bool good = right_alltoall(second, 100000);
    torus_a2a_query(second, 400000, &way);
    good = !way.torus && call_beside_duplicate(first, second) && good;
    ok_all(good, "calls with small blocks while a duplicate is being made, after large blocks");
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
}

/* The first all-to-all of the program. */
static void pending_world(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    ok_all(call_beside_duplicate(MPI_COMM_WORLD, comm),
           "the first call while a duplicate of MPI_COMM_WORLD is being made");
    MPI_Comm_free(&comm);
}

/* The library's callback is set before another callback on odd ranks, and after it on even
   ranks. So in MPI_Finalize it runs after the other callback on odd ranks, and before it on
   even ranks. */
static void callbacks_in_two_orders(void)
{
    static struct closing closing;
    bool good = rank % 2 == 0 || right_alltoall(MPI_COMM_SELF, 2);

    open_library(&closing);
    good = right_alltoall(closing.comm, 2) && right_alltoall(MPI_COMM_WORLD, 2) && good;
    ok_all(good, "calls before MPI_Finalize");
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"churn", churn},
    {"cap", cap},
    {"many", many},
    {"duplicates", duplicates},
    {"never_freed", never_freed},
    {"plans", plans},
    {"handles", handles},
    {"free_orders", free_orders},
    {"callbacks", callbacks},
    {"callbacks_of_free", callbacks_of_free},
    {"nested_free", nested_free},
    {"left_free", left_free},
    {"left_often", left_often},
    {"pending", pending},
    {"pending_late", pending_late},
    {"pending_world", pending_world},
    {"two_orders", callbacks_in_two_orders},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    }

    int status = mpi_tap_done(rank);
    if (argc > 2)
        PMPI_Finalize(); /* the bindings of mpi_f08 call this */
    else
        MPI_Finalize();
    if (callbacks_wrong > 0)
        fprintf(stderr, "# rank %d: wrong results while MPI_COMM_SELF went\n", rank);
    if (callbacks_run != libraries_open)
        status = 1;
    return status != 0 || callbacks_wrong > 0 || mpi_tap_tests == 0;
}
