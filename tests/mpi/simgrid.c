/* simgrid.c - all-to-alls of many simulated ranks through the torus

   simgrid [NDIMS ...]   toruses with these numbers of dimensions, or with every number

   The program computes the right results itself, because the all-to-all of SimGrid is wrong
   for some datatypes. */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../mpi_tap.h"
#include "../right.h"
#include "settings/settings.h"
#include "torus_a2a.h"

static int procs, rank;

/* Where the i-th int of the block for or from a peer is. The blocks lie one after the other,
   with gaps between their ints, or interleaved. */
enum order { PLAIN, SPACED, INTERLEAVED, ORDER_COUNT };

static size_t place(enum order order, int num, int peer, int i)
{
    switch (order) {
    case SPACED:
        return 2 * ((size_t)peer * (size_t)num + (size_t)i);
    case INTERLEAVED:
        return (size_t)i * (size_t)procs + (size_t)peer;
    default:
        return (size_t)peer * (size_t)num + (size_t)i;
    }
}

static MPI_Datatype type_of(enum order order, int num)
{
    const MPI_Aint size = sizeof(int);
    MPI_Datatype vector, type;
    int stride = order == PLAIN ? 1 : order == SPACED ? 2 : procs;
    MPI_Aint extent = order == INTERLEAVED ? size : stride * num * size;

    MPI_Type_vector(num, 1, stride, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, extent, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&vector);
    return type;
}

static int *ints(size_t num)
{
    int *memory = calloc(num, sizeof *memory);

    if (memory == NULL)
        PMPI_Abort(MPI_COMM_WORLD, 99);
    return memory;
}

/* Sends blocks of num ints that lie in one order, and receives them in another order. The call
   is in place if both orders are the same. */
static bool right_typed(MPI_Comm comm, enum order send, enum order recv, int num)
{
    size_t room = 2 * (size_t)procs * (size_t)num;
    int *out = ints(room), *in = ints(room);
    MPI_Datatype send_type = type_of(send, num), recv_type = type_of(recv, num);
    bool in_place = send == recv;

    for (int peer = 0; peer < procs; peer++) {
        for (int i = 0; i < num; i++)
            (in_place ? in : out)[place(send, num, peer, i)] = right_value(rank, peer, i);
    }
    bool right = MPI_Alltoall(in_place ? MPI_IN_PLACE : out, 1, send_type, in, 1, recv_type,
                              comm) == MPI_SUCCESS;
    for (int peer = 0; peer < procs; peer++) {
        for (int i = 0; i < num; i++)
            right = right && in[place(recv, num, peer, i)] == right_value(peer, rank, i);
    }
    MPI_Type_free(&send_type);
    MPI_Type_free(&recv_type);
    free(out);
    free(in);
    return right;
}

static void check_torus(MPI_Comm comm, int ndims, const char *exchange)
{
    const int dims[FACTORS_MAX] = {0};
    torus_a2a_decision decision = {0};

    bool good = torus_a2a_factorize(comm, ndims, dims, exchange) == MPI_SUCCESS;
    good = torus_a2a_query(comm, sizeof(int), &decision) == MPI_SUCCESS && good;
    good = good && decision.torus;
    good = right_alltoall(comm, 1) && good;
    good = right_alltoall(comm, 50) && good;
    for (int i = 0; i < ORDER_COUNT; i++)
        good = right_typed(comm, (enum order)i, (enum order)((i + ndims) % ORDER_COUNT), 3) &&
               good;
    ok_all(good, "%d ranks, %d dimensions, exchange %s", procs, ndims, exchange);
}

static void check_exchanges(MPI_Comm comm, int ndims)
{
    /* Every exchange but auto. */
    for (int i = 1; i < EXCHANGE_COUNT; i++)
        check_torus(comm, ndims, exchange_names[i]);
}

/* Makes and frees communicators, also parts of other ones, and leaves one to MPI_Finalize. */
static void check_lifetime(void)
{
    const int dims[1] = {0};
    MPI_Comm copy, half;
    bool good = true;

    for (int i = 0; i < 20; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        good = torus_a2a_factorize(copy, 1, dims, NULL) == MPI_SUCCESS && good;
        good = right_alltoall(copy, 2) && good;
        MPI_Comm_free(&copy);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    good = torus_a2a_factorize(half, 1, dims, NULL) == MPI_SUCCESS && good;
    good = right_alltoall(half, 3) && good;
    ok_all(good, "%d ranks, communicators made and freed", procs);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int ndims = 1; argc == 1 && 1 << (ndims - 1) <= procs; ndims++)
        check_exchanges(comm, ndims);
    for (int i = 1; i < argc; i++)
        check_exchanges(comm, atoi(argv[i]));
    MPI_Comm_free(&comm);
    if (argc == 1)
        check_lifetime();

    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
