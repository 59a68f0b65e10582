/* alltoall_random.c - random calls on random communicators, compared with PMPI_Alltoall

   alltoall_random STEPS [SEED] [empty_type]
       Without SEED the program chooses a seed. It prints the seed. With empty_type it makes no
       calls without data.

   All ranks draw the same numbers, also ranks that are not in the communicator of a call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mpi_tap.h"
#include "calls.h"
#include "settings/settings.h"
#include "torus_a2a.h"

enum { SLOTS = 10 };

/* The communicator is MPI_COMM_NULL on a rank that is not a member. made tells whether there
   is any member. */
static struct slot {
    bool made;
    const char *kind;
    MPI_Comm comm;
} slots[SLOTS];

static uint64_t state;
static int rank;

static void make_dup(MPI_Comm parent, MPI_Comm *comm)
{
    MPI_Comm_dup(parent, comm);
}

static void make_split(MPI_Comm parent, MPI_Comm *comm)
{
    MPI_Comm_split(parent, rank % 2, rank, comm);
}

static void make_reversed(MPI_Comm parent, MPI_Comm *comm)
{
    MPI_Comm_split(parent, 0, -rank, comm);
}

/* Some ranks get no communicator. */
static void make_split_undefined(MPI_Comm parent, MPI_Comm *comm)
{
    MPI_Comm_split(parent, rank % 3 == 0 ? MPI_UNDEFINED : 1, rank, comm);
}

/* All ranks of the parent but the first one. Only these ranks make the call. */
static void make_from_group(MPI_Comm parent, MPI_Comm *comm)
{
    MPI_Group all, most;
    int size, me;

    *comm = MPI_COMM_NULL;
    MPI_Comm_size(parent, &size);
    MPI_Comm_rank(parent, &me);
    if (size == 1 || me == 0)
        return;
    MPI_Comm_group(parent, &all);
    MPI_Group_excl(all, 1, (int[]){0}, &most);
    MPI_Comm_create_group(parent, most, 7, comm);
    MPI_Group_free(&most);
    MPI_Group_free(&all);
}

static void make_cart(MPI_Comm parent, MPI_Comm *comm)
{
    int size, dims[2] = {0, 0};

    MPI_Comm_size(parent, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(parent, 2, dims, (int[]){1, 0}, 1, comm);
}

static void make_graph(MPI_Comm parent, MPI_Comm *comm)
{
    int size;

    MPI_Comm_size(parent, &size);
    int *ends = malloc(2 * (size_t)size * sizeof *ends);
    if (ends == NULL)
        MPI_Abort(MPI_COMM_WORLD, 99);
    for (int i = 0; i < size; i++) {
        ends[i] = i + 1;
        ends[size + i] = (i + 1) % size;
    }
    MPI_Graph_create(parent, size, ends, ends + size, 0, comm);
    free(ends);
}

static void make_dist_graph(MPI_Comm parent, MPI_Comm *comm)
{
    const int weight = 1;
    int size, me;

    MPI_Comm_size(parent, &size);
    MPI_Comm_rank(parent, &me);
    MPI_Dist_graph_create_adjacent(parent, 1, (int[]){(me + size - 1) % size}, &weight, 1,
                                   (int[]){(me + 1) % size}, &weight, MPI_INFO_NULL, 0, comm);
}

/* An intercommunicator between the lower and the upper half of the parent. Their sizes may
   differ by one. */
static void make_inter(MPI_Comm parent, MPI_Comm *comm)
{
    int size, me;
    MPI_Comm half;

    *comm = MPI_COMM_NULL;
    MPI_Comm_size(parent, &size);
    MPI_Comm_rank(parent, &me);
    if (size == 1)
        return;
    int lower = me < size / 2;
    MPI_Comm_split(parent, lower, me, &half);
    MPI_Intercomm_create(half, 0, parent, lower ? size / 2 : 0, 5, comm);
    MPI_Comm_free(&half);
}

static const struct {
    const char *name;
    void (*make)(MPI_Comm parent, MPI_Comm *comm);
} kinds[] = {
    {"dup", make_dup},
    {"split", make_split},
    {"reversed", make_reversed},
    {"split with MPI_UNDEFINED", make_split_undefined},
    {"create_group", make_from_group},
    {"cart", make_cart},
    {"graph", make_graph},
    {"dist_graph", make_dist_graph},
    {"intercommunicator", make_inter},
};

/* The MPI crashes in some calls without data (tests/faults.sh). */
static bool has_empty_type;

static bool is_inter(MPI_Comm comm)
{
    int inter;

    MPI_Comm_test_inter(comm, &inter);
    return inter;
}

static void slot_free(struct slot *slot)
{
    if (slot->comm != MPI_COMM_NULL && slot->comm != MPI_COMM_WORLD)
        MPI_Comm_free(&slot->comm);
    slot->comm = MPI_COMM_NULL;
    slot->made = false;
}

/* Makes a communicator from another one, and puts it into the slot. Slot 0 always holds
   MPI_COMM_WORLD. */
static void step_make(void)
{
    struct slot *slot = &slots[1 + random_below(&state, SLOTS - 1)];
    struct slot *parent = &slots[random_below(&state, SLOTS)];
    int kind = random_below(&state, (int)(sizeof kinds / sizeof kinds[0]));
    MPI_Comm comm = MPI_COMM_NULL;

    if (!parent->made)
        parent = &slots[0];
    if (parent->comm != MPI_COMM_NULL && !is_inter(parent->comm))
        kinds[kind].make(parent->comm, &comm);
    slot_free(slot);
    *slot = (struct slot){true, kinds[kind].name, comm};
}

static void step_free(void)
{
    slot_free(&slots[1 + random_below(&state, SLOTS - 1)]);
}

/* A random factorization of size, with its factors in random order. The numbers come from a
   copy of the state, because the parts of a split communicator differ in size and would draw
   different numbers. */
static int random_dims(uint64_t local, int size, int dims[])
{
    int ndims = 0;

    for (int factor = 2; factor <= size; factor++) {
        while (size % factor == 0) {
            size /= factor;
            if (ndims > 0 && random_below(&local, 3) == 0)
                dims[random_below(&local, ndims)] *= factor;
            else
                dims[ndims++] = factor;
        }
    }
    if (ndims == 0)
        dims[ndims++] = 1;
    return ndims;
}

/* Each dimension has its own exchange. */
static const char *random_list(uint64_t local, int ndims, char *list, size_t size)
{
    size_t length = 0;

    for (int i = 0; i < ndims; i++)
        length += (size_t)snprintf(list + length, size - length, "%s%s", i > 0 ? "," : "",
                                   exchange_names[random_below(&local, EXCHANGE_COUNT)]);
    return list;
}

/* The torus gets one exchange for all dimensions, no exchange by name, or one exchange for
   each dimension. */
static bool step_factorize(void)
{
    struct slot *slot = &slots[random_below(&state, SLOTS)];
    int draw = random_below(&state, 2 * EXCHANGE_COUNT);
    const char *exchange = draw < EXCHANGE_COUNT ? exchange_names[draw] : NULL;
    uint64_t local = random_next(&state);
    int dims[FACTORS_MAX], size;
    char list[256];

    if (slot->comm == MPI_COMM_NULL || is_inter(slot->comm))
        return true;
    MPI_Comm_size(slot->comm, &size);
    int ndims = random_dims(local, size, dims);
    if (draw > EXCHANGE_COUNT)
        exchange = random_list(local, ndims, list, sizeof list);
    return torus_a2a_factorize(slot->comm, ndims, dims, exchange) == MPI_SUCCESS;
}

static struct half random_half(uint64_t *local, int shapes)
{
    struct half half = {(enum shape)random_below(local, shapes), random_below(local, 8) == 0};
    return half;
}

/* All ranks call with the same signature, and each rank describes it in its own way. */
static bool step_call(void)
{
    enum { IN_PLACE_MOST = 400 };
    static const int most[] = {1, 4, 40, 400, 4000};
    const int sizes = (int)(sizeof most / sizeof most[0]);
    struct slot *slot = &slots[random_below(&state, SLOTS)];
    struct signature signature = {
        .base = random_below(&state, bases_num),
        .num = random_below(&state, 1 + most[random_below(&state, sizes)]),
    };
    /* call_check compares with MPI_Alltoallv, which in MPICH 4.0 truncates larger messages in
       place. */
    bool in_place = random_below(&state, 4) == 0 && signature.num <= IN_PLACE_MOST;
    int repetitions = 1 + random_below(&state, 3);
    enum way way = (enum way)random_below(&state, WAY_COUNT);
    uint64_t seed = random_next(&state), local = seed + (uint64_t)rank;
    struct call call;
    bool good = true;

    if (slot->comm == MPI_COMM_NULL)
        return true;
    if (has_empty_type && signature.num == 0)
        signature.num = 1;
    /* MPICH 4.0 skips the exchange on a rank whose count is zero, but not on a rank whose type
       is empty. Two such ranks would wait for each other. */
    if (signature.num == 0)
        local = seed;
    struct half send = random_half(&local, SHAPE_SEND_COUNT);
    struct half recv = random_half(&local, SHAPE_RECV_COUNT);
    call_make(&call, slot->comm, signature, send, recv, in_place && !is_inter(slot->comm),
              seed);
    for (int i = 0; i < repetitions; i++)
        good = call_check(&call, slot->comm, way) && good;
    if (!good)
        fprintf(stderr, "# rank %d: that was on %s\n", rank, slot->kind);
    call_free(&call);
    return good;
}

static bool step(void)
{
    int draw = random_below(&state, 16);

    if (draw < 3)
        step_make();
    else if (draw == 3)
        step_free();
    else if (draw == 4)
        return step_factorize();
    else
        return step_call();
    return true;
}

int main(int argc, char **argv)
{
    has_empty_type = argc > 1 && strcmp(argv[argc - 1], "empty_type") == 0;
    argc -= has_empty_type;
    int procs, steps = argc > 1 ? atoi(argv[1]) : 1000;
    bool good = true;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    uint64_t seed = state = random_seed(argc > 2 ? argv[2] : NULL);
    slots[0] = (struct slot){true, "MPI_COMM_WORLD", MPI_COMM_WORLD};
    for (int i = 1; i < SLOTS; i++)
        slots[i].comm = MPI_COMM_NULL;

    for (int i = 0; i < steps; i++)
        good = step() && good;
    ok_all(good, "%d ranks, %d random steps from seed %llu", procs, steps,
           (unsigned long long)seed);

    /* MPI_Finalize has to clean up every second communicator. */
    for (int i = 1; i < SLOTS; i += 2)
        slot_free(&slots[i]);
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
