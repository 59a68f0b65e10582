/* threads.c - threads make toruses of several communicators at once, in different orders

   threads [TURNS]
   threads pending   a thread of rank 0 duplicates a communicator, and waits for the other ranks
 */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../mpi_tap.h"
#include "../right.h"
#include "torus_a2a.h"

enum { THREADS = 4, TURNS = 25, CALLS = 10, SECONDS = 5 };

struct task {
    pthread_t thread;
    MPI_Comm comm;
    int number;
    bool good;
};

/* The program asks for half of the toruses, and the first call makes the other half. */
static void *run(void *argument)
{
    struct task *task = argument;

    task->good = true;
    if (task->number % 2 == 0)
        task->good =
            torus_a2a_factorize(task->comm, 2, (int[]){0, 0}, "pairwise") == MPI_SUCCESS;
    for (int i = 0; i < CALLS; i++)
        task->good = right_alltoall(task->comm, 1 + (task->number + i) % 5) && task->good;
    MPI_Comm_free(&task->comm);
    return NULL;
}

/* On every rank the thread of another communicator starts first. */
static bool turn(int rank)
{
    struct task tasks[THREADS];
    bool good = true;

    for (int i = 0; i < THREADS; i++) {
        tasks[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &tasks[i].comm);
    }
    for (int i = 0; i < THREADS; i++) {
        struct task *task = &tasks[(rank + i) % THREADS];
        if (pthread_create(&task->thread, NULL, run, task) != 0)
            MPI_Abort(MPI_COMM_WORLD, 99);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(tasks[i].thread, NULL);
        good = good && tasks[i].good;
    }
    return good;
}

static MPI_Comm shared;
static bool grouped; /* all communicators of groups gave right results */

/* Makes communicators of all ranks. The tags are small, as they are in programs. */
static void *make_groups(void *argument)
{
    MPI_Group group;
    MPI_Comm made;

    (void)argument;
    MPI_Comm_group(shared, &group);
    for (int tag = 0; tag < 3; tag++) {
        int one = 1, sum = 0, size;
        MPI_Comm_create_group(shared, group, tag, &made);
        MPI_Comm_size(made, &size);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
        grouped = grouped && sum == size;
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&group);
    return NULL;
}

/* A communicator gets its torus while another thread calls MPI_Comm_create_group on it. The
   standard asks for no order between this call and a collective call. */
static void first_calls_beside_groups(int turns)
{
    pthread_t thread;
    bool good = true;

    grouped = true;
    for (int i = 0; i < turns; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &shared);
        if (pthread_create(&thread, NULL, make_groups, NULL) != 0)
            MPI_Abort(MPI_COMM_WORLD, 99);
        good = right_alltoall(shared, 1 + i % 5) && good;
        pthread_join(thread, NULL);
        MPI_Comm_free(&shared);
    }
    ok_all(good && grouped, "MPI_Comm_create_group on the same communicator, %d times", turns);
}

static atomic_int heard;

static void hear(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    heard++;
}

static atomic_bool stop;

static void *make_first_calls(void *argument)
{
    struct task *task = argument;

    task->good = true;
    while (!stop) {
        MPI_Comm comm;
        MPI_Comm_dup(task->comm, &comm);
        task->good = right_alltoall(comm, 3) && task->good;
        MPI_Comm_free(&comm);
    }
    return NULL;
}

/* Raises an error and reads the handlers, as another thread of the program may do. Returns
   whether the program's own handler is still set. */
static bool handlers_are_left(MPI_Errhandler own)
{
    MPI_Errhandler of_world, of_duplicate;
    MPI_Comm duplicate;
    int size, before = heard;

    MPI_Comm_size(MPI_COMM_NULL, &size);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_world);
    MPI_Comm_dup(MPI_COMM_SELF, &duplicate);
    MPI_Comm_get_errhandler(duplicate, &of_duplicate);
    MPI_Comm_free(&duplicate);
    bool good = heard == before + 1 && of_world == own && of_duplicate == own;
    MPI_Errhandler_free(&of_world);
    MPI_Errhandler_free(&of_duplicate);
    return good;
}

/* A first call on another communicator leaves the handlers of MPI_COMM_WORLD and MPI_COMM_SELF
   as they are. */
static void first_calls_beside_handlers(int times)
{
    struct task task;
    MPI_Errhandler own;
    bool good = true;

    MPI_Comm_dup(MPI_COMM_SELF, &task.comm);
    MPI_Comm_create_errhandler(hear, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, own);
    if (pthread_create(&task.thread, NULL, make_first_calls, &task) != 0)
        MPI_Abort(MPI_COMM_WORLD, 99);
    /* Open MPI is slow here. */
    double end = MPI_Wtime() + SECONDS;
    for (int i = 0; i < times && MPI_Wtime() < end; i++)
        good = handlers_are_left(own) && good;
    stop = true;
    pthread_join(task.thread, NULL);
    ok_all(good && task.good, "first calls beside another thread's errors");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&own);
    MPI_Comm_free(&task.comm);
}

static void *duplicate_world(void *made)
{
    MPI_Comm_dup(MPI_COMM_WORLD, made);
    return NULL;
}

/* The other ranks duplicate MPI_COMM_WORLD after the all-to-all, which is the first one of the
   program. Open MPI makes no other communicator before theirs. */
static void first_call_beside_duplicate(int rank)
{
    pthread_t thread;
    MPI_Comm comm, made;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0) {
        if (pthread_create(&thread, NULL, duplicate_world, &made) != 0)
            MPI_Abort(MPI_COMM_WORLD, 99);
        usleep(200000);
    }
    bool good = right_alltoall(comm, 3);
    if (rank == 0)
        pthread_join(thread, NULL);
    else
        duplicate_world(&made);
    good = right_alltoall(made, 3) && good;
    ok_all(good, "the first call beside a thread that duplicates another communicator");
    MPI_Comm_free(&made);
    MPI_Comm_free(&comm);
}

static void all_in_turn(int rank, int turns)
{
    bool good = true;

    for (int i = 0; i < turns; i++)
        good = turn(rank) && good;
    ok_all(good, "%d threads, each with a communicator, %d times", THREADS, turns);
    first_calls_beside_groups(2 * turns);
    first_calls_beside_handlers(2000 * turns);
}

int main(int argc, char **argv)
{
    int provided, rank;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < MPI_THREAD_MULTIPLE) {
        if (rank == 0)
            printf("1..0 # SKIP no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return 77;
    }
    if (argc > 1 && strcmp(argv[1], "pending") == 0)
        first_call_beside_duplicate(rank);
    else
        all_in_turn(rank, argc > 1 ? atoi(argv[1]) : TURNS);

    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
