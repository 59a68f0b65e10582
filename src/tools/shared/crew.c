/* crew.c - measures calls as Träff's paper does: two barriers, then some calls */
#include "tools/shared/crew.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory/oversubscription.h"
#include "process/host.h"
#include "tools/shared/data.h"
#include "tools/shared/program.h"

/* The nodes are found as the library finds them: MPI may take each rank for a node of its own.
 */
static bool is_oversubscribed(const struct crew *crew)
{
    MPI_Comm node;
    int share = 1;

    MPI_Comm_split(crew->comm, host_memory((uint64_t)crew->rank), crew->rank, &node);
    oversubscription_find(node, true, &share);
    MPI_Comm_free(&node);
    MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_INT, MPI_MAX, crew->comm);
    return share > 1;
}

void crew_begin(MPI_Comm comm, struct crew *crew)
{
    MPI_Comm_dup(comm, &crew->comm);
    MPI_Comm_rank(crew->comm, &crew->rank);
    MPI_Comm_size(crew->comm, &crew->procs);
    crew->oversubscribed = is_oversubscribed(crew);
}

void crew_end(struct crew *crew)
{
    MPI_Comm_free(&crew->comm);
}

bool crew_all(const struct crew *crew, bool here)
{
    int everywhere = here;

    MPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_LAND, crew->comm);
    return everywhere != 0;
}

void crew_say(const struct crew *crew, const char *subject, const char *what)
{
    if (crew->rank == 0)
        fprintf(stderr, "%s: %s: %s\n", program_name, subject, what);
}

/* MPI keeps memory for messages. A process touches a page of it for the first time in one of
   its first messages of a size, and MPICH takes another page for each of them. Each first touch
   interrupts the process, and the first hundreds of calls are slow: on a virtual machine with
   16 ranks up to twenty times as slow as later ones. */
static void warm_up_enough(const struct crew *crew, const struct contestant *contestant,
                           const int *sendbuf, int *recvbuf, int count)
{
    const int at_once = 8;
    const double seconds = 1;
    const double start = MPI_Wtime();

    for (int done = 0; done < WARMUPS_MOST - 1; done++) {
        if (done % at_once == 0 && done > 0 && !crew_all(crew, MPI_Wtime() - start < seconds))
            return;
        contestant_run(contestant, sendbuf, recvbuf, count);
    }
}

void crew_warm_up(const struct crew *crew, const struct contestant *contestant,
                  const int *sendbuf, int *recvbuf, int count, int calls, bool spoil)
{
    int rank, procs;

    if (calls == WARMUPS_AUTO)
        warm_up_enough(crew, contestant, sendbuf, recvbuf, count);
    for (int i = 1; i < calls; i++)
        contestant_run(contestant, sendbuf, recvbuf, count);
    if (spoil) {
        MPI_Comm_rank(contestant->comm, &rank);
        MPI_Comm_size(contestant->comm, &procs);
        data_spoil(recvbuf, rank, procs, count);
    }
    contestant_run(contestant, sendbuf, recvbuf, count);
}

/* Ranks that share a processor leave a barrier one after the other. The first of them would be
   measuring while others still leave the barrier, and would be in the next barrier while others
   are still measuring. So every rank yields the processor before and after a measurement. It
   yields log2 p times, because a rank in a barrier may still wait for so many messages. */
static void give_way(const struct crew *crew)
{
    for (int ranks = 1; crew->oversubscribed && ranks < crew->procs; ranks *= 2)
        sched_yield();
}

double crew_measure(const struct crew *crew, const struct contestant *contestant,
                    const int *sendbuf, int *recvbuf, int count, int calls)
{
    PMPI_Barrier(crew->comm);
    PMPI_Barrier(crew->comm);
    give_way(crew);
    double start = MPI_Wtime();
    for (int c = 0; c < calls; c++)
        contestant_run(contestant, sendbuf, recvbuf, count);
    double time = MPI_Wtime() - start;
    give_way(crew);
    return time * 1e6 / calls;
}

bool crew_verify(const struct crew *crew, const struct contestant *contestant,
                 const int *recvbuf, int count)
{
    int rank, procs, sender, index;

    MPI_Comm_rank(contestant->comm, &rank);
    MPI_Comm_size(contestant->comm, &procs);
    bool good = data_check(recvbuf, rank, procs, count, &sender, &index);
    int first_bad = good ? crew->procs : crew->rank;
    MPI_Allreduce(MPI_IN_PLACE, &first_bad, 1, MPI_INT, MPI_MIN, crew->comm);
    if (first_bad == crew->rank)
        fprintf(stderr,
                "%s: %s with %d ints: rank %d has a wrong block from rank %d, element %d\n",
                program_name, contestant->label, count, rank, sender, index);
    return first_bad == crew->procs;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double times_median(double *time, int num)
{
    qsort(time, (size_t)num, sizeof *time, compare_times);
    return (time[(num - 1) / 2] + time[num / 2]) / 2;
}

/* Each time is above the right median with a probability of one half. So the number of times
   above it has a standard deviation of sqrt(num) / 2. */
double times_error(const double *sorted, int num)
{
    int two_deviations = 1;

    while ((two_deviations + 1) * (two_deviations + 1) <= num)
        two_deviations++;
    int low = (num - 1) / 2 - two_deviations, high = num / 2 + two_deviations;
    low = low > 0 ? low : 0;
    high = high < num ? high : num - 1;
    return (sorted[high] - sorted[low]) / 2;
}
