/* every_form.c - a program that knows nothing of the library calls each form of the all-to-all,
   and checks what arrives

   stats.test runs it with 4 ranks, and knows how often it calls what. With the argument "graph"
   it makes one call, on ranks some of which have no neighbours. */
#include <locale.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "config.h"

enum { RANKS = 4, SLOT = 4, LARGE = 20000 };

static int rank, out[RANKS][SLOT], in[RANKS][SLOT];
static int number[RANKS], place[RANKS], place_bytes[RANKS];
static MPI_Datatype pair, type[RANKS];
/* The lists of the neighbours: the left one, and the right one. */
static int to[2] = {1, 2}, from[2] = {2, 1};
static MPI_Aint address[2] = {0, SLOT * sizeof(int)};
static MPI_Datatype to_type[2], from_type[2];
static MPI_Comm ring;
static bool right = true;

static void begin(void)
{
    memset(in, -1, sizeof in);
}

/* A slot has come from this rank, which had it in a slot of its own. */
static void check(const char *form, int slot, int peer, int peer_slot, int count)
{
    for (int k = 0; k < SLOT; k++) {
        int wanted = k < count ? 1000 * peer + 10 * peer_slot + k : -1;
        if (in[slot][k] != wanted) {
            right = false;
            fprintf(stderr, "rank %d: wrong result of %s\n", rank, form);
        }
    }
}

enum blocks { EQUAL, VARIED, TYPED };

static void end(const char *form, enum blocks blocks)
{
    for (int i = 0; i < RANKS; i++)
        check(form, i, i, rank,
              blocks == EQUAL    ? 1
              : blocks == VARIED ? number[i]
                                 : 1 + (i + rank) % 2);
    begin();
}

static void end_ring(const char *form, enum blocks blocks)
{
    check(form, 0, (rank + RANKS - 1) % RANKS, 1, blocks == EQUAL ? 1 : 2);
    check(form, 1, (rank + 1) % RANKS, 0, 1);
    begin();
}

static void wait_for(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

#define ALL      MPI_COMM_WORLD
#define EQUALS   out, 1, slot, in, 1, slot
#define VARIEDS  out, number, place, MPI_INT, in, number, place, MPI_INT
#define TYPEDS   out, ones, place_bytes, type, in, ones, place_bytes, type
#define VARIEDS2 out, to, place, MPI_INT, in, from, place, MPI_INT
#define TYPEDS2  out, ones, address, to_type, in, ones, address, from_type

static int ones[RANKS] = {1, 1, 1, 1};
/* One int at the begin of each slot. */
static MPI_Datatype slot;

static void all_ranks(void)
{
    MPI_Request request;

    for (int i = 0; i < 3; i++) {
        MPI_Alltoallv(VARIEDS, ALL);
        end("MPI_Alltoallv", VARIED);
    }
    memcpy(in, out, sizeof in);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, number, place, MPI_INT, ALL);
    for (int i = 0; i < RANKS; i++)
        memset(&in[i][number[i]], -1, sizeof(int) * (size_t)(SLOT - number[i]));
    end("MPI_Alltoallv in place", VARIED);
    for (int i = 0; i < 2; i++) {
        MPI_Alltoallw(TYPEDS, ALL);
        end("MPI_Alltoallw", TYPED);
    }
    MPI_Ialltoall(EQUALS, ALL, &request);
    wait_for(&request);
    end("MPI_Ialltoall", EQUAL);
    MPI_Ialltoallv(VARIEDS, ALL, &request);
    wait_for(&request);
    end("MPI_Ialltoallv", VARIED);
    MPI_Ialltoallw(TYPEDS, ALL, &request);
    wait_for(&request);
    end("MPI_Ialltoallw", TYPED);
}

/* The first rank and the last one have one neighbour. */
static void neighbours_in_a_line(void)
{
    const int size = RANKS, around = 0;
    MPI_Comm line;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 0, &line);
    MPI_Neighbor_alltoall(EQUALS, line);
    check("MPI_Neighbor_alltoall in a line", 0, rank - 1, 1, rank > 0);
    check("MPI_Neighbor_alltoall in a line", 1, rank + 1, 0, rank < RANKS - 1);
    begin();
    MPI_Comm_free(&line);
}

/* Each rank sends to the next one, but the last rank sends to none, and the first receives from
   none. A rank without neighbours has no lists of them. */
static void neighbours_of_a_graph(void)
{
    const int before = rank - 1, after = rank + 1, num_before = rank > 0,
              num_after = rank < RANKS - 1;
    const int *to_one = num_after ? ones : NULL, *from_one = num_before ? ones : NULL;
    const MPI_Aint *to_address = num_after ? address : NULL,
                   *from_address = num_before ? address : NULL;
    MPI_Comm graph;

    /* The weights are given, because gcc warns of Open MPI's MPI_UNWEIGHTED here. */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, num_before, &before, ones, num_after, &after,
                                   ones, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_alltoallw(out, to_one, to_address, num_after ? to_type : NULL, in, from_one,
                           from_address, num_before ? to_type : NULL, graph);
    check("MPI_Neighbor_alltoallw in a graph", 0, rank - 1, 0, num_before);
    begin();
    MPI_Comm_free(&graph);
}

static void neighbours(void)
{
    MPI_Request request;

    MPI_Neighbor_alltoall(EQUALS, ring);
    end_ring("MPI_Neighbor_alltoall", EQUAL);
    MPI_Neighbor_alltoallv(VARIEDS2, ring);
    end_ring("MPI_Neighbor_alltoallv", VARIED);
    MPI_Neighbor_alltoallw(TYPEDS2, ring);
    end_ring("MPI_Neighbor_alltoallw", TYPED);
    MPI_Ineighbor_alltoall(EQUALS, ring, &request);
    wait_for(&request);
    end_ring("MPI_Ineighbor_alltoall", EQUAL);
    MPI_Ineighbor_alltoallv(VARIEDS2, ring, &request);
    wait_for(&request);
    end_ring("MPI_Ineighbor_alltoallv", VARIED);
    MPI_Ineighbor_alltoallw(TYPEDS2, ring, &request);
    wait_for(&request);
    end_ring("MPI_Ineighbor_alltoallw", TYPED);
}

#ifdef HAVE_MPI_ALLTOALL_INIT
static void start(MPI_Request *request)
{
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Request_free(request);
}

static void persistent(void)
{
    MPI_Request request;

    MPI_Alltoall_init(EQUALS, ALL, MPI_INFO_NULL, &request);
    start(&request);
    end("MPI_Alltoall_init", EQUAL);
    MPI_Alltoallv_init(VARIEDS, ALL, MPI_INFO_NULL, &request);
    start(&request);
    end("MPI_Alltoallv_init", VARIED);
    MPI_Alltoallw_init(TYPEDS, ALL, MPI_INFO_NULL, &request);
    start(&request);
    end("MPI_Alltoallw_init", TYPED);
    MPI_Neighbor_alltoall_init(EQUALS, ring, MPI_INFO_NULL, &request);
    start(&request);
    end_ring("MPI_Neighbor_alltoall_init", EQUAL);
    MPI_Neighbor_alltoallv_init(VARIEDS2, ring, MPI_INFO_NULL, &request);
    start(&request);
    end_ring("MPI_Neighbor_alltoallv_init", VARIED);
    MPI_Neighbor_alltoallw_init(TYPEDS2, ring, MPI_INFO_NULL, &request);
    start(&request);
    end_ring("MPI_Neighbor_alltoallw_init", TYPED);
}
#endif

#ifdef HAVE_MPI_ALLTOALL_C
static void large(void)
{
    MPI_Count many[RANKS], one[RANKS] = {1, 1, 1, 1};
    MPI_Aint where[RANKS], where_bytes[RANKS];
    MPI_Request request;

    for (int i = 0; i < RANKS; i++) {
        many[i] = number[i];
        where[i] = place[i];
        where_bytes[i] = place_bytes[i];
    }
    MPI_Alltoallv_c(out, many, where, MPI_INT, in, many, where, MPI_INT, ALL);
    end("MPI_Alltoallv_c", VARIED);
    MPI_Alltoallw_c(out, one, where_bytes, type, in, one, where_bytes, type, ALL);
    end("MPI_Alltoallw_c", TYPED);
    MPI_Ialltoall_c(EQUALS, ALL, &request);
    wait_for(&request);
    end("MPI_Ialltoall_c", EQUAL);
    MPI_Neighbor_alltoall_c(EQUALS, ring);
    end_ring("MPI_Neighbor_alltoall_c", EQUAL);
}
#endif

static void calls_of_alltoall(void)
{
    static int many_out[RANKS * LARGE], many_in[RANKS * LARGE];

    for (int i = 0; i < 5; i++) {
        MPI_Alltoall(EQUALS, ALL);
        end("MPI_Alltoall", EQUAL);
    }
    for (int i = 0; i < 7; i++) {
        MPI_Alltoall(out, SLOT, MPI_INT, in, SLOT, MPI_INT, ALL);
        for (int peer = 0; peer < RANKS; peer++)
            check("MPI_Alltoall", peer, peer, rank, SLOT);
        begin();
    }
    MPI_Alltoall(out, 0, MPI_INT, in, 0, MPI_INT, ALL);
    for (int i = 0; i < 2; i++)
        MPI_Alltoall(many_out, LARGE, MPI_INT, many_in, LARGE, MPI_INT, ALL);
}

static void make_types(void)
{
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_resized(MPI_INT, 0, SLOT * sizeof(int), &slot);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&slot);
    for (int i = 0; i < RANKS; i++) {
        number[i] = (i + rank) % 3 + 1;
        place[i] = SLOT * i;
        place_bytes[i] = SLOT * i * (int)sizeof(int);
        type[i] = (i + rank) % 2 == 0 ? MPI_INT : pair;
        for (int k = 0; k < SLOT; k++)
            out[i][k] = 1000 * rank + 10 * i + k;
    }
    to_type[0] = from_type[1] = MPI_INT;
    to_type[1] = from_type[0] = pair;
}

static void every_form(void)
{
    calls_of_alltoall();
    all_ranks();
    neighbours();
    neighbours_in_a_line();
#ifdef HAVE_MPI_ALLTOALL_INIT
    persistent();
#endif
#ifdef HAVE_MPI_ALLTOALL_C
    large();
#endif
}

int main(int argc, char **argv)
{
    int size, around = 1;

    setlocale(LC_ALL, "");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != RANKS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 0, &ring);
    make_types();
    begin();
    if (argc > 1 && strcmp(argv[1], "graph") == 0)
        neighbours_of_a_graph();
    else
        every_form();
    MPI_Type_free(&pair);
    MPI_Type_free(&slot);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return right ? 0 : 1;
}
