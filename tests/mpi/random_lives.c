/* random_lives.c - communicators that live for some calls, at the same time and one after the
   other

   random_lives LIVES CALLS all|some [SEED]
       A life has CALLS calls at the most. With "some", the last rank is in no communicator, so
       that no call is made on all processes. Without SEED the program chooses a seed, and
   prints it.

   All ranks draw the same numbers, also ranks that are not in the communicator of a call. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "../mpi_tap.h"
#include "../right.h"
#include "calls.h"

enum { SLOTS = 12 };

/* The communicator is MPI_COMM_NULL on a rank that is not a member. made tells whether there
   is any member. */
static struct slot {
    bool made;
    MPI_Comm comm;
} slots[SLOTS];

static uint64_t state;
static int rank;
/* Whether this rank is in communicators. */
static bool takes_part = true;

static void split(int color, int key, MPI_Comm *comm)
{
    MPI_Comm_split(MPI_COMM_WORLD, takes_part ? color : MPI_UNDEFINED, key, comm);
}

/* Some communicators have the same ranks, in the same order or in another one. */
static void make(struct slot *slot)
{
    enum { PARITY, REVERSED, PAIR_AND_REST, SOME, KINDS = 8 };
    const struct slot *parent = &slots[random_below(&state, SLOTS)];

    slot->made = true;
    switch (random_below(&state, KINDS)) {
    case PARITY:
        split(rank % 2, rank, &slot->comm);
        return;
    case REVERSED:
        split(0, -rank, &slot->comm);
        return;
    case PAIR_AND_REST:
        split(rank < 2, rank, &slot->comm);
        return;
    case SOME:
        split(rank % 3 == 0 ? MPI_UNDEFINED : 0, rank, &slot->comm);
        return;
    default:
        slot->comm = MPI_COMM_NULL;
        if (!parent->made)
            split(0, rank, &slot->comm);
        else if (parent->comm != MPI_COMM_NULL)
            MPI_Comm_dup(parent->comm, &slot->comm);
    }
}

/* Bindings of some languages call PMPI_Comm_free, which the library does not see. */
static void end(struct slot *slot, bool past_the_library)
{
    slot->made = false;
    if (slot->comm != MPI_COMM_NULL && past_the_library)
        PMPI_Comm_free(&slot->comm);
    else if (slot->comm != MPI_COMM_NULL)
        MPI_Comm_free(&slot->comm);
}

/* Calls of one size, on a communicator that is there or on a new one. Most communicators end
   after that. */
static bool live(int calls_most)
{
    static const int counts[] = {1, 3, 16, 100, 1000, 3000, 10000};
    struct slot *slot = &slots[random_below(&state, SLOTS)];
    int count = counts[random_below(&state, (int)(sizeof counts / sizeof counts[0]))];
    int calls = 1 + random_below(&state, calls_most);
    int draw = random_below(&state, 8), base = random_below(&state, 1000);
    bool right = true;

    if (!slot->made)
        make(slot);
    for (int i = 0; i < calls && slot->comm != MPI_COMM_NULL; i++)
        right = right_alltoall_numbered(slot->comm, count, base + i) && right;
    if (draw > 1)
        end(slot, draw == 2);
    return right;
}

int main(int argc, char **argv)
{
    int procs, lives = argc > 1 ? atoi(argv[1]) : 100, calls = argc > 2 ? atoi(argv[2]) : 40;
    bool right = true;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    takes_part = argc <= 3 || strcmp(argv[3], "some") != 0 || rank < procs - 1;
    uint64_t seed = state = random_seed(argc > 4 ? argv[4] : NULL);

    for (int i = 0; i < lives; i++)
        right = live(calls) && right;
    ok_all(right, "%d ranks, %d lives from seed %llu", procs, lives, (unsigned long long)seed);

    /* MPI_Finalize has to clean up every second communicator. */
    for (int i = 0; i < SLOTS; i += 2) {
        if (slots[i].made)
            end(&slots[i], false);
    }
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
