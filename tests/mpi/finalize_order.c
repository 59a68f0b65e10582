/* finalize_order.c - ranks make toruses in different orders, and MPI_Finalize frees them

   Each of two threads makes the first all-to-all on its own duplicate. On odd ranks the
   threads run in the other order than on even ranks. All ranks must still free the toruses in
   one order, because freeing is collective. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "../mpi_tap.h"
#include "../right.h"

enum { HEAD_START = 200000 }; /* microseconds that the first thread is ahead */

struct task {
    MPI_Comm comm;
    bool good;
};

static void *first_call(void *argument)
{
    struct task *task = argument;

    task->good = right_alltoall(task->comm, 1);
    return NULL;
}

int main(int argc, char **argv)
{
    struct task tasks[2];
    pthread_t threads[2];
    int provided, rank;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &tasks[i].comm);
    pthread_create(&threads[0], NULL, first_call, &tasks[rank % 2]);
    usleep(HEAD_START);
    pthread_create(&threads[1], NULL, first_call, &tasks[1 - rank % 2]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    ok_all(tasks[0].good && tasks[1].good,
           "two threads make toruses in two orders, threads level %d", provided);
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
