/* rare.c - legal calls in unusual circumstances

   rare alias           rank 0 uses one array for both buffers, with every second element
   rare ids N           MPI can make only N more communicators
   rare ids N threads   the same under MPI_THREAD_MULTIPLE, first on MPI_COMM_SELF
   rare types           a datatype that is not committed, and a handler that comes back
   rare types threads   the same under MPI_THREAD_MULTIPLE
   rare freed           the handler frees the communicator
   rare freed threads   the same under MPI_THREAD_MULTIPLE
   rare freed first     the same at the first call on a communicator

   A further argument is a fault that the MPI has (tests/faults.sh): lost_error. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mpi_tap.h"
#include "../right.h"

enum { PEERS_MAX = 64, DUPS_MAX = 4096 };

static int rank, procs;

/* Every second int of an array, from the first or from the second int on. */
static MPI_Datatype every_second(int start)
{
    const int one = 1;
    const MPI_Aint displacement = start * (MPI_Aint)sizeof(int);
    MPI_Datatype shifted, type;

    MPI_Type_create_hindexed(1, &one, &displacement, MPI_INT, &shifted);
    MPI_Type_create_resized(shifted, 0, 2 * (MPI_Aint)sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&shifted);
    return type;
}

static void alias(void)
{
    int out[2 * PEERS_MAX], in[2 * PEERS_MAX];
    MPI_Datatype even = every_second(0), odd = every_second(1);
    int *received = rank == 0 ? out : in;
    bool good = true;

    for (int i = 0; i < 2 * procs; i++)
        out[i] = 100 * rank + i / 2;
    MPI_Alltoall(out, 1, even, received, 1, odd, MPI_COMM_WORLD);
    for (int i = 0; i < procs; i++)
        good = good && received[2 * i + 1] == 100 * i + rank;
    ok_all(good, "%d ranks, one array for both on rank 0", procs);
    MPI_Type_free(&even);
    MPI_Type_free(&odd);
}

/* Counts the errors of the user's own calls. The all-to-all must not have any. */
static void ids(int left, bool self_first)
{
    static MPI_Comm comms[DUPS_MAX];
    int num = 0;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (num < DUPS_MAX && MPI_Comm_dup(MPI_COMM_WORLD, &comms[num]) == MPI_SUCCESS)
        num++;
    for (int i = 0; i < left; i++)
        MPI_Comm_free(&comms[--num]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    bool good = !self_first || right_alltoall(MPI_COMM_SELF, 1);
    good = right_alltoall(MPI_COMM_WORLD, 1) && right_alltoall(MPI_COMM_WORLD, 2) && good;
    ok_all(good, "%d communicators left", left);
    while (num > 0)
        MPI_Comm_free(&comms[--num]);
}

static MPI_Comm duplicate;
static bool frees, has_lost_error;
static int handled;

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
    if (frees && duplicate != MPI_COMM_NULL)
        MPI_Comm_free(&duplicate);
}

/* first: the call with this type is the first one on its communicator. */
static void use_uncommitted(bool first)
{
    int out[2 * PEERS_MAX] = {0}, in[2 * PEERS_MAX];
    MPI_Errhandler handler;
    MPI_Datatype type;

    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    MPI_Comm_set_errhandler(duplicate, handler);
    bool good = right_alltoall(first ? MPI_COMM_WORLD : duplicate, 2);
    handled = 0;
    int err = MPI_Alltoall(out, 1, type, in, 1, type, duplicate);
    ok_all(good && (err != MPI_SUCCESS || has_lost_error) && handled == 1,
           "the handler hears of it once: %d times, code %d", handled, err);
    MPI_Type_commit(&type);
    if (duplicate != MPI_COMM_NULL) {
        err = MPI_Alltoall(out, 1, type, in, 1, type, duplicate);
        ok_all(err == MPI_SUCCESS && right_alltoall(duplicate, 2), "later calls are right");
        MPI_Comm_free(&duplicate);
    }
    MPI_Type_free(&type);
    MPI_Errhandler_free(&handler);
}

static bool has_argument(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) == 0)
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    const bool threads = has_argument(argc, argv, "threads");
    int level;

    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    if (argc > 2 && strcmp(argv[1], "ids") == 0)
        ids(atoi(argv[2]), threads);
    else if (argc > 1 && strcmp(argv[1], "alias") != 0) {
        frees = strcmp(argv[1], "freed") == 0;
        has_lost_error = has_argument(argc, argv, "lost_error");
        use_uncommitted(has_argument(argc, argv, "first"));
    } else
        alias();
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
