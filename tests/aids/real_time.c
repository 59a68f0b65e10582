/* real_time.c - preloaded to measure: pins each rank to a processor and has all run in real
   time

   Round-robin under the real-time scheduler, so that no other process runs between, from the
   end of MPI_Init on: MPI_Init itself, whose ranks do not give way to one another, would then
   take half a minute with 32 ranks on two processors, and not end with 64. Needs root. A test
   aid, no part of the library. */
#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* The processors that the rank may run on are dealt out in turn. */
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
