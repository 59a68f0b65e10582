/* thread_ranks.c - all-to-alls on a communicator whose ranks are threads (MPIX_Threadcomm of
   MPICH)

   thread_ranks    exit status 77: this MPI has no such communicators

   The program starts and finishes the communicator several times: a thread has another rank
   each time. */
#include "torus_a2a.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "../mpi_tap.h"
#include "../right.h"

#if defined MPICH && MPICH_NUMVERSION >= 40200000
enum { THREADS = 2, STARTS = 6, CALLS = 30 };

static MPI_Comm comm;
static atomic_int wrong, refused, native;

static void *run(void *unused)
{
    torus_a2a_decision decision;
    int ranks, class;

    MPIX_Threadcomm_start(comm);
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < CALLS; i++)
        wrong += !right_alltoall(comm, 2);
    torus_a2a_query(comm, 8, &decision);
    native += decision.torus == 0 && strstr(decision.reason, "threads") != NULL;
    MPI_Error_class(torus_a2a_factorize(comm, 1, &ranks, NULL), &class);
    refused += class == MPI_ERR_COMM;
    wrong += !right_alltoall(comm, 2);
    MPIX_Threadcomm_finish(comm);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ok_all(right_alltoall(MPI_COMM_WORLD, 2), "the processes themselves");
    MPIX_Threadcomm_init(MPI_COMM_WORLD, THREADS, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < STARTS; i++) {
        pthread_create(&thread, NULL, run, NULL);
        run(NULL);
        pthread_join(thread, NULL);
    }
    MPIX_Threadcomm_free(&comm);
    ok_all(wrong == 0, "the results are right");
    ok_all(native == STARTS * THREADS, "the calls are native, because ranks are threads");
    ok_all(refused == STARTS * THREADS, "torus_a2a_factorize refuses the communicator");
    ok_all(right_alltoall(MPI_COMM_WORLD, 2), "the processes themselves, afterwards");
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
#else
int main(void)
{
    return 77;
}
#endif
