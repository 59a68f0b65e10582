/* real_time.c - a preload for measurements, which pins each rank to a processor and lets all
   ranks run in real time

   The ranks run round-robin under the real-time scheduler, so that no other process runs
   between them. This begins at the end of MPI_Init. Inside MPI_Init the ranks do not yield to
   one another, so in real time MPI_Init would take very long with many ranks on one processor,
   or would not end. The preload needs root. It is an aid, and no part of the library. */
#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* Pins the rank to one of the processors that it may run on. The ranks take the processors in
   turn. */
static int pin(int rank)
{
    cpu_set_t allowed, mine;
    size_t cpu = 0;

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    int before = rank % CPU_COUNT(&allowed);
    while (!CPU_ISSET(cpu, &allowed) || before-- > 0)
        cpu++;
    CPU_ZERO(&mine);
    CPU_SET(cpu, &mine);
    return sched_setaffinity(0, sizeof mine, &mine);
}

static void begin(void)
{
    const struct sched_param priority = {.sched_priority = 1};
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (pin(rank) != 0 || sched_setscheduler(0, SCHED_RR, &priority) != 0)
        fprintf(stderr, "real_time: rank %d: %s\n", rank, strerror(errno));
}

int MPI_Init(int *argc, char ***argv)
{
    int err = PMPI_Init(argc, argv);

    if (err == MPI_SUCCESS)
        begin();
    return err;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int err = PMPI_Init_thread(argc, argv, required, provided);

    if (err == MPI_SUCCESS)
        begin();
    return err;
}
