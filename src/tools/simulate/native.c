/* native.c - MPI_Alltoall as MPICH and Open MPI carry it out, in place of SimGrid's

   SimGrid has such algorithms too, but its `scattered` has 4 messages on their way at once
   where MPICH has 32 (MPIR_CVAR_ALLTOALL_THROTTLE), and its copies take no time. This file
   defines PMPI_Alltoall, so the simulated program, the library and the exchanges that call
   MPI's own all-to-all get what these MPIs do.

   Which algorithm an MPI chooses is written in their sources:
   - MPICH 4.0.2 to 5.0: maint/tuning/coll/mpir/generic.json
   - Open MPI 4.1 and 5.0: ompi/mca/coll/tuned/coll_tuned_decision_fixed.c
     (ompi_coll_tuned_alltoall_intra_dec_fixed)
   Both go by the bytes of one block. The environment has the choice: SIMULATE_NATIVE is mpich,
   openmpi, or the name of an algorithm. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/simulation.h"

/* One call. */
struct job {
    const char *in;
    char *out;
    int send_count, receive_count;
    MPI_Datatype send_type, receive_type;
    /* From one block to the next, in bytes. */
    MPI_Aint send_step, receive_step;
    /* The data of a block. */
    size_t block;
    MPI_Comm comm;
    int me, procs;
    /* Room for two requests for each rank. */
    MPI_Request *request;
};

/* One tag is enough: calls of the standard are in the same order on all ranks, and MPI keeps
   the order of messages between two ranks. MPI's own messages are apart from the program's,
   which these are not, so the tag is one that no program here uses. */
enum { TAG = 32000 };

/* From a rank, to a rank, at this distance. */
static int before(const struct job *job, int distance)
{
    return (job->me - distance % job->procs + job->procs) % job->procs;
}

static int after(const struct job *job, int distance)
{
    return (job->me + distance) % job->procs;
}

static void receive(const struct job *job, int from, MPI_Request *request)
{
    MPI_Irecv(job->out + from * job->receive_step, job->receive_count, job->receive_type, from,
              TAG, job->comm, request);
}

static void send(const struct job *job, int to, MPI_Request *request)
{
    MPI_Isend(job->in + to * job->send_step, job->send_count, job->send_type, to, TAG,
              job->comm, request);
}

/* SimGrid's MPI_Waitall looks at all requests whenever one of them ends. */
static void wait_for(const struct job *job, int num)
{
    for (int i = 0; i < num; i++)
        MPI_Wait(&job->request[i], MPI_STATUS_IGNORE);
}

/* A rank's block for itself. */
static void keep(const struct job *job)
{
    MPI_Sendrecv(job->in + job->me * job->send_step, job->send_count, job->send_type, 0, TAG,
                 job->out + job->me * job->receive_step, job->receive_count, job->receive_type,
                 0, TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    simulation_copy(1, job->block);
}

/* Messages to all ranks, so many of them at once. Cost = (p-1)·α + (p-1)·n·β. */
static void scattered(const struct job *job, int at_once)
{
    keep(job);
    for (int begin = 1; begin < job->procs; begin += at_once) {
        int num = 0;
        for (int i = begin; i < begin + at_once && i < job->procs; i++)
            receive(job, after(job, i), &job->request[num++]);
        for (int i = begin; i < begin + at_once && i < job->procs; i++)
            send(job, before(job, i), &job->request[num++]);
        wait_for(job, num);
    }
}

/* MPICH's: MPIR_CVAR_ALLTOALL_THROTTLE is 32. */
static void some_at_once(const struct job *job)
{
    scattered(job, 32);
}

/* Open MPI's, linear and linear_sync: without a setting, the second one limits nothing. */
static void all_at_once(const struct job *job)
{
    scattered(job, job->procs);
}

/* One partner after the other. Cost = (p-1)·α + (p-1)·n·β, with nothing overlapped. */
static void pairwise(const struct job *job)
{
    bool power = (job->procs & (job->procs - 1)) == 0;

    keep(job);
    for (int i = 1; i < job->procs; i++) {
        receive(job, power ? job->me ^ i : before(job, i), &job->request[0]);
        send(job, power ? job->me ^ i : after(job, i), &job->request[1]);
        wait_for(job, 2);
    }
}

/* The places of Bruck's algorithm: place i has the block for the rank at distance i. */
struct places {
    char *place, *outgoing, *incoming;
};

/* Whether place i goes in a round: its digit for step is this one. */
static bool goes(int place, int step, int radix, int digit)
{
    return place / step % radix == digit;
}

static size_t pack(const struct job *job, const struct places *places, int step, int radix,
                   int digit, char *outgoing)
{
    size_t packed = 0;

    for (int i = 0; i < job->procs; i++) {
        if (goes(i, step, radix, digit)) {
            memcpy(outgoing + packed, places->place + (size_t)i * job->block, job->block);
            packed += job->block;
        }
    }
    return packed;
}

static void unpack(const struct job *job, const struct places *places, int step, int radix,
                   int digit, const char *incoming)
{
    for (int i = 0; i < job->procs; i++) {
        if (goes(i, step, radix, digit)) {
            memcpy(places->place + (size_t)i * job->block, incoming, job->block);
            incoming += job->block;
        }
    }
}

/* All digits of one step travel at once. copies is how often the MPI copies each block that
   travels. */
static void bruck_step(const struct job *job, const struct places *places, int step, int radix,
                       int copies)
{
    size_t at[64], bytes[64], end = 0;
    int num = 0, digits = 0;

    for (int digit = 1; digit < radix && digit * step < job->procs; digit++) {
        at[digit] = end;
        bytes[digit] = pack(job, places, step, radix, digit, places->outgoing + end);
        end += bytes[digit];
        digits = digit;
    }
    simulation_copy((size_t)copies * end / job->block, (size_t)copies * end);
    for (int digit = 1; digit <= digits; digit++)
        MPI_Irecv(places->incoming + at[digit], (int)bytes[digit], MPI_BYTE,
                  before(job, digit * step), TAG, job->comm, &job->request[num++]);
    for (int digit = 1; digit <= digits; digit++)
        MPI_Isend(places->outgoing + at[digit], (int)bytes[digit], MPI_BYTE,
                  after(job, digit * step), TAG, job->comm, &job->request[num++]);
    wait_for(job, num);
    for (int digit = 1; digit <= digits; digit++)
        unpack(job, places, step, radix, digit, places->incoming + at[digit]);
}

/* Bruck's algorithm: ⌈log p⌉ steps of radix - 1 messages with p / radix blocks each, and all
   blocks are copied before and after. Cost = (r-1)·log_r p·α + p·n·(r-1)/r·log_r p·β. */
static void bruck(const struct job *job, int radix, int copies)
{
    size_t all = (size_t)job->procs * job->block;
    char *room = malloc(3 * all);
    struct places places = {room, room + all, room + 2 * all};
    int position = 0;

    if (room == NULL)
        MPI_Abort(job->comm, EXIT_FAILURE);
    for (int i = 0; i < job->procs; i++) {
        position = 0;
        MPI_Pack(job->in + after(job, i) * job->send_step, job->send_count, job->send_type,
                 places.place + (size_t)i * job->block, (int)job->block, &position, job->comm);
    }
    simulation_copy(2, all);
    for (int step = 1; step < job->procs; step *= radix)
        bruck_step(job, &places, step, radix, copies);
    for (int i = 0; i < job->procs; i++) {
        position = 0;
        MPI_Unpack(places.place + (size_t)i * job->block, (int)job->block, &position,
                   job->out + before(job, i) * job->receive_step, job->receive_count,
                   job->receive_type, job->comm);
    }
    simulation_copy((size_t)job->procs, all);
    free(room);
}

/* MPICH turns the blocks once more at the end, and packs and unpacks in each round. */
static void bruck_of_mpich(const struct job *job)
{
    bruck(job, 2, 2);
    simulation_copy(2, (size_t)job->procs * job->block);
}

/* Open MPI copies what has come back to where it is sent from. */
static void bruck_of_open_mpi(const struct job *job)
{
    bruck(job, 2, 3);
}

/* MPICH's k_brucks, which a user has to choose, with radices that gain. */
static void brucks_of_4(const struct job *job)
{
    bruck(job, 4, 2);
}

static void brucks_of_8(const struct job *job)
{
    bruck(job, 8, 2);
}

typedef void form_fn(const struct job *job);

/* Of the rows, those count that have the largest number of ranks which is not above p. The
   first of them whose limit is above the bytes of a block says how. */
struct choice {
    int ranks;
    size_t below;
    form_fn *form;
};

static const struct choice mpich[] = {
    {0, 32769, some_at_once}, {0, SIZE_MAX, pairwise}, {8, 257, bruck_of_mpich},
    {8, 32769, some_at_once}, {8, SIZE_MAX, pairwise},
};

static const struct choice open_mpi[] = {
    {0, SIZE_MAX, pairwise},       {3, 524288, all_at_once},
    {3, 1048576, pairwise},        {3, SIZE_MAX, all_at_once},
    {8, SIZE_MAX, all_at_once},    {16, 4, all_at_once},
    {16, 512, bruck_of_open_mpi},  {16, SIZE_MAX, all_at_once},
    {32, 512, bruck_of_open_mpi},  {32, SIZE_MAX, all_at_once},
    {64, 1024, bruck_of_open_mpi}, {64, 262144, all_at_once},
    {64, SIZE_MAX, pairwise},      {256, 1024, bruck_of_open_mpi},
    {256, 32768, all_at_once},     {256, SIZE_MAX, pairwise},
    {512, 512, bruck_of_open_mpi}, {512, 262144, all_at_once},
    {512, SIZE_MAX, pairwise},     {1024, 512, bruck_of_open_mpi},
    {1024, SIZE_MAX, all_at_once}, {2048, 1024, bruck_of_open_mpi},
    {2048, SIZE_MAX, all_at_once}, {4096, 2048, bruck_of_open_mpi},
    {4096, SIZE_MAX, all_at_once},
};

static form_fn *choose(const struct choice *choices, int num, const struct job *job)
{
    int ranks = 0;

    for (int i = 0; i < num; i++) {
        if (choices[i].ranks <= job->procs)
            ranks = choices[i].ranks;
    }
    for (int i = 0; i < num; i++) {
        if (choices[i].ranks == ranks && job->block < choices[i].below)
            return choices[i].form;
    }
    return pairwise;
}

static const struct {
    const char *name;
    form_fn *form;
} forms[] = {
    {"bruck", bruck_of_mpich},   {"k_brucks4", brucks_of_4}, {"k_brucks8", brucks_of_8},
    {"scattered", some_at_once}, {"linear", all_at_once},    {"pairwise", pairwise},
};

static form_fn *form_of(const struct job *job)
{
    const char *name = getenv("SIMULATE_NATIVE");

    for (size_t i = 0; name != NULL && i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(name, forms[i].name) == 0)
            return forms[i].form;
    }
    if (name != NULL && strcmp(name, "openmpi") == 0)
        return choose(open_mpi, (int)(sizeof open_mpi / sizeof open_mpi[0]), job);
    if (name == NULL || strcmp(name, "mpich") == 0)
        return choose(mpich, (int)(sizeof mpich / sizeof mpich[0]), job);
    if (job->me == 0)
        fprintf(stderr,
                "torus-a2a-bench: SIMULATE_NATIVE=%s is no algorithm; it has to be mpich, "
                "openmpi, bruck, k_brucks4, k_brucks8, scattered, linear or pairwise\n",
                name);
    MPI_Abort(job->comm, EXIT_FAILURE);
    return pairwise;
}

int PMPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm);

/* Calls in place do not occur in a benchmark. */
int PMPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct job job = {.in = sendbuf,
                      .out = recvbuf,
                      .send_count = sendcount,
                      .receive_count = recvcount,
                      .send_type = sendtype,
                      .receive_type = recvtype,
                      .comm = comm};
    MPI_Aint lower, extent;
    int size;

    if (sendbuf == MPI_IN_PLACE)
        return MPI_ERR_BUFFER;
    MPI_Type_get_extent(sendtype, &lower, &extent);
    job.send_step = sendcount * extent;
    MPI_Type_get_extent(recvtype, &lower, &extent);
    job.receive_step = recvcount * extent;
    MPI_Type_size(recvtype, &size);
    job.block = (size_t)size * (size_t)recvcount;
    MPI_Comm_rank(comm, &job.me);
    MPI_Comm_size(comm, &job.procs);
    job.request = malloc(2 * (size_t)job.procs * sizeof(MPI_Request));
    if (job.request == NULL)
        return MPI_ERR_NO_MEM;
    form_of (&job)(&job);
    free(job.request);
    return MPI_SUCCESS;
}
