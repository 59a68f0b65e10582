/* rent.c - the first calls on a communicator are native until they have paid for a torus

   rent CALLS     with TORUS_A2A_AFTER=CALLS, without other settings; needs the preload
                  count_calls
   rent auto      without settings
   rent stock     without settings: communicators of the same ranks follow one another
   rent making N  with TORUS_A2A_AFTER=3: to make a torus takes N collective calls
   rent parts     without settings: no call is made on all processes
   rent groups    without settings: some of seven ranks use more groups than the library notes
   rent limit     with TORUS_A2A_THRESHOLD=1k
   rent threads   with TORUS_A2A_AFTER=3, in a program whose threads may call MPI at once */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mpi_tap.h"
#include "../right.h"
#include "../windows.h"
#include "torus_a2a.h"

static int rank, procs;
static long (*counted_collectives)(void), (*counted_communicators)(void);
static long (*counted_lookups)(void), (*counted_allocations)(void);

static torus_a2a_decision way_of(MPI_Comm comm, MPI_Aint block)
{
    torus_a2a_decision way = {.torus = -1};

    torus_a2a_query(comm, block, &way);
    return way;
}

/* A communicator has a torus when the factors are chosen. */
static bool is_bought(MPI_Comm comm)
{
    torus_a2a_decision way = way_of(comm, 4);

    return way.torus == 1 && way.ndims > 0;
}

static bool is_rented(MPI_Comm comm)
{
    torus_a2a_decision way = way_of(comm, 4);

    return way.torus == 0 && strcmp(way.reason, "too few calls so far to pay for a torus") == 0;
}

/* Calls until there is a torus, at most `most` times, and returns the number of calls before
   it, or -1 after a wrong result. */
static int calls_before_torus(MPI_Comm comm, int count, int most)
{
    for (int i = 0; i < most; i++) {
        if (!right_alltoall(comm, count))
            return -1;
        if (is_bought(comm))
            return i;
    }
    return most;
}

/* The same number on all ranks. */
static bool is_same(int number)
{
    int mine[2] = {number, -number}, least[2];

    PMPI_Allreduce(mine, least, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return least[0] == -least[1];
}

static void count_exactly(int calls)
{
    MPI_Comm comm;
    bool rented = true;

    ok_all(calls_before_torus(MPI_COMM_WORLD, 1, 2 * calls + 2) == calls,
           "MPI_COMM_WORLD has a torus after %d calls", calls);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    ok_all(is_rented(comm), "a duplicate has none before its first call");
    long before = counted_collectives();
    for (int i = 0; i < calls; i++) {
        rented = right_alltoall(comm, 1 + i) && rented;
        rented = (is_rented(comm) || i == calls - 1) && rented;
    }
    ok_all(rented, "it has none during %d calls", calls);
    ok_all(counted_collectives() == before, "and the library has not communicated");
    ok_all(right_alltoall(comm, 1) && is_bought(comm), "the next call gives it one");
    ok_all(counted_collectives() > before, "for which the library has communicated");
    MPI_Comm_free(&comm);
}

/* Each communicator lives for one call less than a torus takes. MPI gives the handle of one to
   the next, whose calls count from the beginning. */
static void live_shortly(int calls)
{
    enum { TIMES = 50 };
    MPI_Comm comm;
    bool good = true, native = true;

    long before = counted_collectives(), allocations = 0;
    for (int i = 0; i < TIMES; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        /* A communicator that was freed before leaves memory to the next one. */
        allocations = i < 2 ? counted_allocations() : allocations;
        for (int k = 0; k < calls; k++)
            good = right_alltoall(comm, 1 + k % 3) && good;
        native = !is_bought(comm) && native;
        MPI_Comm_free(&comm);
    }
    ok_all(good && native, "%d communicators that live for %d calls: native", TIMES, calls);
    ok_all(counted_collectives() == before, "and the library has not communicated");
    ok_all(counted_allocations() == allocations, "and has not allocated memory");
}

/* Many communicators live for two or three calls. The first call notes how the next ones go. */
static void remember_the_first(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    bool good = right_alltoall(comm, 1);
    long before = counted_lookups();
    good = right_alltoall(comm, 1) && right_alltoall(comm, 1) && good;
    ok_all(good && counted_lookups() == before, "calls like the first one need no look-up");
    good = right_alltoall(comm, 2);
    ok_all(good && counted_lookups() > before, "another call is looked up");
    MPI_Comm_free(&comm);
}

/* What the ranks have in their memory of the last calls differs: rank 0 uses many communicators
   of its own between the calls, and each rank describes the same block in another way. */
static void differ(int calls)
{
    MPI_Comm comm, alone[20];
    MPI_Datatype pair;
    bool good = true;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 20; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &alone[i]);
    int *out = calloc(2 * (size_t)procs, sizeof *out),
        *in = calloc(2 * (size_t)procs, sizeof *in);
    for (int i = 0; i <= calls; i++) {
        for (int k = 0; k < 20 && rank == 0; k++)
            good = right_alltoall(alone[k], 1) && good;
        for (int k = 0; k < 2 * procs; k++)
            out[k] = right_value(rank, k / 2, k % 2);
        good = !is_bought(comm) && good;
        if (rank % 2 == 0)
            MPI_Alltoall(out, 1, pair, in, 2, MPI_INT, comm);
        else
            MPI_Alltoall(out, 8, MPI_BYTE, in, 1, pair, comm);
        for (int k = 0; k < 2 * procs; k++)
            good = good && in[k] == right_value(k / 2, rank, k % 2);
    }
    ok_all(good && is_bought(comm), "ranks that describe a block in several ways count alike");
    for (int i = 0; i < 20; i++)
        MPI_Comm_free(&alone[i]);
    MPI_Comm_free(&comm);
    MPI_Type_free(&pair);
    free(out);
    free(in);
}

/* MPI reports an error on all ranks, and the call counts alike on all of them. */
static void make_errors(int calls)
{
    MPI_Comm comm;
    bool good = true;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int *both = calloc((size_t)procs, sizeof *both);
    for (int i = 0; i < 3 * calls; i++) {
        if (i % 2 == 0)
            good = right_alltoall(comm, 1) && good;
        good = MPI_Alltoall(both, -1, MPI_INT, both, -1, MPI_INT, comm) != MPI_SUCCESS && good;
    }
    good = right_alltoall(comm, 1) && right_alltoall(comm, 1) && good;
    ok_all(good && is_same(is_bought(comm)), "calls with errors count alike");
    free(both);
    MPI_Comm_free(&comm);
}

/* Ranks call on halves before they have ever called on MPI_COMM_WORLD. */
static void begin_with_halves(int calls)
{
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    int before = calls_before_torus(half, 1, 2 * calls + 2);
    ok_all(before == calls, "a half of MPI_COMM_WORLD, used first, has one after %d calls",
           calls);
    MPI_Comm_free(&half);
}

static void buy_by_itself(void)
{
    enum { MOST = 2000 };
    MPI_Comm small, large, huge;

    MPI_Comm_dup(MPI_COMM_WORLD, &small);
    MPI_Comm_dup(MPI_COMM_WORLD, &large);
    MPI_Comm_dup(MPI_COMM_WORLD, &huge);
    /* The first call of a process may make a communicator to ask about the datatype. */
    bool right = right_alltoall(huge, 1);
    long communicators = counted_communicators();
    long collectives = counted_collectives();
    int of_small = calls_before_torus(small, 1, MOST);
    collectives = counted_collectives() - collectives;
    int of_large = calls_before_torus(large, 1000, MOST);
    right = right_alltoall(small, 1) && right_alltoall(large, 1) && right;
    ok_all(windows_kept_from_others() == windows_mapped().num,
           "neither a core file nor a child process gets the windows");
    ok_all(right && counted_communicators() == communicators && windows_mapped().num == 2,
           "each torus of one node has a window, and no communicator");
    ok_all(of_small == 30 + 480 / procs, "%d ranks buy a torus after %d calls of 4 bytes",
           procs, of_small);
    ok_all(collectives == 5, "making it takes %ld all-reduces", collectives);
    ok_all(of_large == of_small, "calls of 4000 bytes buy one at the same time");
    ok_all(calls_before_torus(huge, 300000, 30) == 30, "calls of 1.2 MB buy none");
    MPI_Comm_free(&small);
    MPI_Comm_free(&large);
    MPI_Comm_free(&huge);
}

static void make_by(long wanted)
{
    MPI_Comm comm;

    right_alltoall(MPI_COMM_WORLD, 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    long before = counted_collectives();
    int calls = calls_before_torus(comm, 1, 10);
    long made = counted_collectives() - before;
    ok_all(calls == 3 && made == wanted, "making a torus takes %ld collective calls", made);
    MPI_Comm_free(&comm);
}

/* Calls until comm has a torus, and frees comm. Returns the number of calls before it. */
static int live_until_bought(MPI_Comm comm)
{
    int calls = calls_before_torus(comm, 1, 2000);

    MPI_Comm_free(&comm);
    return calls;
}

static MPI_Comm duplicate(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
}

/* The ranks of MPI_COMM_WORLD in this order, as far as they have this color. */
static MPI_Comm split(int color, int key)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
    return comm;
}

/* Returns the number of calls after which a communicator gets a torus from the stock. The stock
   has two toruses then. */
static int take_from_stock(int dear)
{
    MPI_Comm comm = duplicate();

    long before = counted_collectives(), communicators = counted_communicators();
    long allocations = counted_allocations();
    int cheap = calls_before_torus(comm, 1, 2000);
    ok_all(is_same(cheap) && cheap > 3 && cheap < dear,
           "a duplicate has the torus of a freed one after fewer calls");
    ok_all(counted_collectives() == before + 1 && counted_communicators() == communicators,
           "for one collective call, and no new communicator");
    ok_all(counted_allocations() == allocations + 1,
           "and for no memory but that in which its calls are counted");
    bool right = true;
    for (int i = 0; i < 50; i++)
        right = right_alltoall(comm, 1 + i * 37) && right;
    ok_all(right, "calls of many sizes are right, also if the torus has to grow");
    MPI_Comm_free(&comm);
    right = live_until_bought(duplicate()) == cheap;
    ok_all(right && live_until_bought(duplicate()) == cheap, "again and again");
    MPI_Comm both[2] = {duplicate(), duplicate()};
    ok_all(calls_before_torus(both[0], 1, 2000) == cheap &&
               calls_before_torus(both[1], 1, 2000) == dear,
           "one torus is for one communicator at a time");
    MPI_Comm_free(&both[1]);
    MPI_Comm_free(&both[0]);
    return cheap;
}

/* Lets a duplicate live for so many calls. Returns how many collective calls the library made
   meanwhile. */
static long asks_in_life(int calls)
{
    MPI_Comm comm = duplicate();

    long before = counted_collectives();
    for (int i = 0; i < calls; i++)
        right_alltoall(comm, 1);
    long asks = counted_collectives() - before;
    MPI_Comm_free(&comm);
    return asks;
}

/* Communicators that live on have both toruses, so the others ask for one in vain. */
static void ask_in_vain(int cheap)
{
    MPI_Comm owners[2] = {duplicate(), duplicate()};

    calls_before_torus(owners[0], 1, 2000);
    calls_before_torus(owners[1], 1, 2000);
    long asks[4] = {asks_in_life(cheap + 1), asks_in_life(cheap + 1),
                    asks_in_life(2 * cheap + 1), asks_in_life(2 * cheap + 1)};
    ok_all(asks[0] == 1 && asks[2] == 1, "ranks without a torus in stock ask for it");
    ok_all(asks[1] == 0 && asks[3] == 0, "and the next time after twice as many calls");
    ok_all(asks_in_life(4 * cheap + 1) == 1 && asks_in_life(4 * cheap + 1) == 1,
           "but after four times as many at the latest");
    MPI_Comm_free(&owners[0]);
    MPI_Comm_free(&owners[1]);
    ok_all(live_until_bought(duplicate()) == 4 * cheap, "when there is one, they get it then");
    ok_all(live_until_bought(duplicate()) == cheap,
           "and again after as many calls as at first");
}

static void use_other_groups(int dear)
{
    ok_all(live_until_bought(split(0, -rank)) == dear,
           "the same ranks in another order do not get it");
    int halves = live_until_bought(split(rank % 2, rank));
    int again = live_until_bought(split(rank % 2, rank));
    ok_all(is_same(halves) && is_same(again) && again < halves, "halves have stocks, too");
}

/* Makes communicators with so many calls of 4 bytes each, and returns how many collective calls
   the library made for them. */
static long asks_in_lives(int color, int key, int calls)
{
    enum { TIMES = 10 };
    bool good = true, native = true;
    long asks = 0;

    for (int i = 0; i < TIMES; i++) {
        MPI_Comm comm = split(color, key);
        asks -= counted_collectives();
        for (int k = 0; k < calls; k++) {
            native = is_rented(comm) && native;
            good = right_alltoall(comm, 1) && good;
        }
        asks += counted_collectives();
        MPI_Comm_free(&comm);
    }
    ok_all(good && native, "%d communicators of a part live for %d calls: native", TIMES,
           calls);
    return asks;
}

/* The program never calls on all processes. */
static void use_parts(void)
{
    /* The first call of a process may make a communicator to ask about the datatype. */
    right_alltoall(MPI_COMM_SELF, 1);
    long first = asks_in_lives(rank % 2, rank, 3), then = asks_in_lives(rank % 2, rank, 3);
    ok_all(first == 1, "the ranks of a part compare their settings once");
    ok_all(then == 0, "and never again");
    /* Each rank is in two parts of the same size, as in a grid of rows and columns. */
    first = asks_in_lives(rank / (procs / 2), rank, 3);
    then = asks_in_lives(rank / (procs / 2), rank, 3);
    ok_all(first == 1 && then == 0, "the ranks of another part of this size do so, too");
    first = asks_in_lives(rank % 2, -rank, 3);
    ok_all(first == 1, "and the same ranks in another order");
    first = asks_in_lives(rank < 2 ? 0 : 1, rank, 3);
    then = asks_in_lives(rank < 2 ? 0 : 1, rank, 3);
    /* Four ranks are the two halves of before. */
    ok_all(first == (procs > 4 ? 1 : 0) && then == 0, "and parts of two sizes");

    int dear = live_until_bought(split(rank % 2, rank));
    int cheap = live_until_bought(split(rank % 2, rank));
    ok_all(is_same(cheap) && cheap < dear, "a part gets a torus from the stock");
    then = asks_in_lives(rank % 2, rank, 3);
    ok_all(then == 0, "after that its ranks compare nothing before the calls have paid");
    int all = live_until_bought(duplicate());
    ok_all(is_same(all) && all > 3, "all processes buy a torus as if nothing had been");
}

/* Returns the place of this rank in an order of the first six ranks, of which there are 720. */
static int place_in_order(int number)
{
    int left[] = {0, 1, 2, 3, 4, 5}, place = 0;

    for (int num = 6; left[number % num] != rank && num > 1; num--, place++) {
        int chosen = number % num;
        number /= num;
        left[chosen] = left[num - 1];
    }
    return place;
}

/* Lets a communicator of the first ranks live for one call. Returns how many collective calls
   the library made, or -1 after a wrong result. */
static long asks_of_first(int ranks, int place)
{
    MPI_Comm comm = split(rank < ranks ? 0 : MPI_UNDEFINED, place);

    if (comm == MPI_COMM_NULL)
        return 0;
    long before = counted_collectives();
    bool right = right_alltoall(comm, 1);
    long asks = counted_collectives() - before;
    MPI_Comm_free(&comm);
    return right ? asks : -1;
}

/* The first three ranks note six groups of their own. So they have no more room while the
   others still have room. */
static void use_many_groups(void)
{
    enum { ORDERS = 80, ROOM = 64 };
    int noted = 0, asked = 0;

    right_alltoall(MPI_COMM_SELF, 1);
    for (int i = 0; i < 6; i++)
        asks_of_first(3, (rank * (1 + i % 2) + i / 2) % 3);
    for (int i = 0; i < ORDERS; i++)
        asks_of_first(6, place_in_order(i));
    for (int i = 0; i < ORDERS; i++) {
        long asks = asks_of_first(6, place_in_order(i));
        noted += asks == 0;
        asked += asks == 1;
    }
    ok_all(rank == 6 || (noted == ROOM - 6 && asked == ORDERS - noted),
           "%d of %d groups are noted, by all ranks or by none", noted, ORDERS);
}

/* Only ranks 0 and 1 use pairs. */
static void differ_in_stock(int dear)
{
    enum { PAIRS = 12 };
    long most = 0;

    live_until_bought(duplicate());
    for (int i = 0; i < PAIRS; i++) {
        MPI_Comm pair = split(rank < 2 ? 0 : MPI_UNDEFINED, i % 2 == 0 ? rank : -rank);
        MPI_Comm other = split(rank < 2 ? 0 : MPI_UNDEFINED, i % 2 == 0 ? rank : -rank);
        if (pair != MPI_COMM_NULL) {
            calls_before_torus(pair, 1, 2000);
            live_until_bought(other);
            MPI_Comm_free(&pair);
        }
        long mapped = windows_mapped().num;
        most = mapped > most ? mapped : most;
    }
    ok_all((rank > 1 || most > 4) && most <= 16, "the stock is small: %ld windows", most);
    ok_all(live_until_bought(duplicate()) == dear,
           "a torus that only some ranks have is left, and nobody waits");
}

/* MPI_COMM_WORLD keeps its torus. So the ranks of a duplicate ask one another in vain for one
   in stock, before they buy one. Returns the number of calls before that. */
static int buy_in_vain(void)
{
    MPI_Comm comm = duplicate();
    bool kept = true;
    int calls = 0;

    for (; calls < 2000 && !is_bought(comm); calls++) {
        bool promised = way_of(comm, 4).torus == 1;
        kept = right_alltoall(comm, 1) && (is_bought(comm) || !promised) && kept;
    }
    ok_all(kept && is_bought(comm), "the query says torus only if the next call has one");
    MPI_Comm_free(&comm);
    return calls - 1;
}

/* Before the first call nobody has compared anything. */
static void limit(void)
{
    MPI_Comm comm = duplicate();
    torus_a2a_decision before = way_of(comm, 1025);

    bool same = way_of(comm, 1024).torus == (getenv("TORUS_A2A_DIMS") != NULL);
    right_alltoall(comm, 257);
    torus_a2a_decision after = way_of(comm, 1025);
    ok_all(same && before.torus == 0 && after.torus == 0 &&
               strcmp(before.reason, "above TORUS_A2A_THRESHOLD") == 0 &&
               strcmp(after.reason, before.reason) == 0,
           "a block above the limit is said to be so before the first call: %s", before.reason);
    MPI_Comm_free(&comm);
}

static void stock(void)
{
    calls_before_torus(MPI_COMM_WORLD, 1, 2000);
    int dear = buy_in_vain();
    ask_in_vain(take_from_stock(dear));
    use_other_groups(dear);
    differ_in_stock(dear);
}

static void use_threads(int calls)
{
    MPI_Comm comm;

    ok_all(calls_before_torus(MPI_COMM_WORLD, 1, 2 * calls + 2) == calls,
           "MPI_COMM_WORLD has a torus after %d calls", calls);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    long before = counted_collectives();
    bool good = right_alltoall(comm, 1) && is_rented(comm);
    ok_all(good && counted_collectives() > before,
           "the ranks agree at the first call on a duplicate, as threads may take any order");
    ok_all(calls_before_torus(comm, 1, 2 * calls) == calls - 1, "which counts as one of %d",
           calls);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";
    bool threads = strcmp(part, "threads") == 0;
    int level, calls = threads ? 3 : atoi(part);

    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    *(void **)&counted_collectives = dlsym(RTLD_DEFAULT, "counted_collectives");
    *(void **)&counted_communicators = dlsym(RTLD_DEFAULT, "counted_communicators");
    *(void **)&counted_lookups = dlsym(RTLD_DEFAULT, "counted_lookups");
    *(void **)&counted_allocations = dlsym(RTLD_DEFAULT, "counted_allocations");
    if (counted_collectives == NULL) {
        fprintf(stderr, "the preload count_calls is missing\n");
        MPI_Abort(MPI_COMM_WORLD, 99);
    }
    if (threads) {
        use_threads(calls);
    } else if (strcmp(part, "stock") == 0) {
        stock();
    } else if (strcmp(part, "making") == 0) {
        make_by(argc > 2 ? atol(argv[2]) : 0);
    } else if (strcmp(part, "parts") == 0) {
        use_parts();
    } else if (strcmp(part, "groups") == 0) {
        use_many_groups();
    } else if (strcmp(part, "limit") == 0) {
        limit();
    } else if (calls == 0) {
        buy_by_itself();
    } else {
        begin_with_halves(calls);
        count_exactly(calls);
        live_shortly(calls);
        /* The last calls before a torus are timed, and looked up for that. */
        if (calls >= 20)
            remember_the_first();
        differ(calls);
        make_errors(calls);
    }
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
