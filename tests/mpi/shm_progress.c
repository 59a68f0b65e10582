/* shm_progress.c - shared memory beside other messages, without room, and after a death

   shm_progress orders     large messages that need progress while ranks wait in MPI_Alltoall
   shm_progress many       communicators, one after the other, until there is no room
   shm_progress pairs      communicators of two ranks that make their windows at once
   shm_progress full       /dev/shm is filled to the last page
   shm_progress filled     /dev/shm is filled after a first call with small blocks
   shm_progress limit      files may have few bytes, after the torus has its shape
   shm_progress late       waiting ranks sleep if many ranks share a processor
   shm_progress awake      waiting ranks do not sleep if few ranks share a processor
   shm_progress turns      waiting ranks yield at once if ranks share a processor
   shm_progress looks      waiting ranks look for a while before they yield if no ranks share
   one shm_progress die RANK   calls MPI_Alltoall until RANK is killed in the midst of a call */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "../mpi_tap.h"
#include "../right.h"

enum { LARGE = 1 << 18, PROCS_MAX = 16, ORDERS_MAX = 120 };
enum { TAG_CHAIN, TAG_AFTER };
/* Tags of messages that the library looks for to keep MPI going, and finds. */
enum { TAG_FOUND = 32767, FOUND = 3 };

static int rank, procs;
static int chain_out[LARGE], chain_in[LARGE], after_out[LARGE], after_in[LARGE];

static void fill(int *data, int value)
{
    for (int i = 0; i < LARGE; i++)
        data[i] = value + i;
}

static bool is_filled(const int *data, int value)
{
    for (int i = 0; i < LARGE; i++) {
        if (data[i] != value + i)
            return false;
    }
    return true;
}

/* The ranks in the order of one permutation: permutation number of all p!, in lexicographic
   order. */
static void make_order(int number, int order[])
{
    int rest[PROCS_MAX], factorial = 1;

    for (int i = 0; i < procs; i++)
        rest[i] = i;
    for (int i = 2; i < procs; i++)
        factorial *= i;
    for (int i = 0; i < procs; i++) {
        int chosen = number / factorial;
        order[i] = rest[chosen];
        memmove(&rest[chosen], &rest[chosen + 1],
                (size_t)(procs - i - chosen - 1) * sizeof *rest);
        number %= factorial;
        factorial /= i < procs - 1 ? procs - 1 - i : 1;
    }
}

/* A rank calls MPI_Alltoall when it has received the message of the rank before it, which
   waits in MPI_Alltoall already. If the waiting rank makes no progress, both ranks wait for
   ever. A second message goes around the ring: it is sent before the call and received after
   it. */
static bool check_order(const int order[], int count)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int place = 0;
    bool good = true;

    while (order[place] != rank)
        place++;
    int before = order[(place + procs - 1) % procs], next = order[(place + 1) % procs];
    fill(chain_out, rank * 10);
    fill(after_out, rank * 20);

    MPI_Isend(after_out, LARGE, MPI_INT, next, TAG_AFTER, MPI_COMM_WORLD, &requests[0]);
    if (place > 0) {
        MPI_Recv(chain_in, LARGE, MPI_INT, before, TAG_CHAIN, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        good = is_filled(chain_in, before * 10);
    }
    if (place < procs - 1)
        MPI_Isend(chain_out, LARGE, MPI_INT, next, TAG_CHAIN, MPI_COMM_WORLD, &requests[1]);
    good = right_alltoall(MPI_COMM_WORLD, count) && good;
    MPI_Recv(after_in, LARGE, MPI_INT, before, TAG_AFTER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    return is_filled(after_in, before * 20) && good;
}

static void check_orders(void)
{
    int order[PROCS_MAX], orders = 1;
    int found_out[FOUND], found_in[FOUND];
    MPI_Request found[FOUND];
    bool good = true;

    for (int i = 2; i <= procs; i++)
        orders *= i;
    for (int i = 0; i < FOUND; i++) {
        found_out[i] = rank * FOUND + i;
        MPI_Isend(&found_out[i], 1, MPI_INT, (rank + procs - 1) % procs, TAG_FOUND - i,
                  MPI_COMM_WORLD, &found[i]);
    }
    int step = orders > ORDERS_MAX ? orders / ORDERS_MAX : 1;
    /* The first call makes the window, before any rank waits for another one. */
    ok_all(right_alltoall(MPI_COMM_WORLD, 1), "the first call");
    for (int number = 0; number < orders; number += step) {
        make_order(number, order);
        good = check_order(order, number % 2 == 0 ? 1 : 20000) && good;
    }
    ok_all(good, "large messages, ranks in %d orders", (orders + step - 1) / step);
    int next = (rank + 1) % procs;
    for (int i = 0; i < FOUND; i++) {
        MPI_Recv(&found_in[i], 1, MPI_INT, next, TAG_FOUND - i, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        good = found_in[i] == next * FOUND + i && good;
    }
    for (int i = 0; i < FOUND; i++)
        MPI_Wait(&found[i], MPI_STATUS_IGNORE);
    ok_all(good, "messages that wait all the time are still there");
}

/* The windows of all these communicators do not fit into a /dev/shm of a few megabytes. All
   communicators live until the end. */
static void check_many(void)
{
    enum { COMMS = 24 };
    MPI_Comm comm[COMMS];
    bool good = true;

    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        for (int count = 1; count <= 10000; count *= 100)
            good = right_alltoall(comm[i], count) && good;
    }
    for (int i = 0; i < COMMS; i++) {
        good = right_alltoall(comm[i], 30000) && good;
        MPI_Comm_free(&comm[i]);
    }
    ok_all(good, "%d communicators", COMMS);
}

/* There is room for the window of each communicator, but not for all windows together. */
static void check_pairs(void)
{
    enum { REPETITIONS = 10 };
    MPI_Comm pair;
    bool good = true;

    for (int i = 0; i < REPETITIONS; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int count = 1; count <= 10000; count *= 100)
            good = right_alltoall(pair, count) && good;
        MPI_Comm_free(&pair);
    }
    ok_all(good, "windows of %d communicators at once", procs / 2);
}

/* Fills /dev/shm after MPI has taken its part. If late is set, a first call with small blocks
   has taken a part for the torus as well. */
static void check_full(bool late)
{
    static const char name[] = "/dev/shm/shm_progress.full";
    static const char page[4096];
    int file = -1;
    /* The slots of 14 ranks are whole cache lines, and so take one page more than these
       blocks. */
    bool good = !late || right_alltoall(MPI_COMM_WORLD, 78);

    if (rank == 0) {
        file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        while (write(file, page, sizeof page) > 0)
            continue;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    /* This call uses the other half of the window. */
    good = right_alltoall(MPI_COMM_WORLD, 78) && good;
    for (int count = 1; count <= 100000; count *= 10)
        good = right_alltoall(MPI_COMM_WORLD, count) && good;
    ok_all(good, "no page left%s", late ? " after the first call" : "");
    if (rank == 0) {
        close(file);
        unlink(name);
    }
}

/* The ranks agree on the shape of a torus at a call with blocks that are too long for it. Then
   the program sets a limit for files, and the next call makes the torus. */
static void check_limit(void)
{
    struct rlimit before, few;
    bool good = right_alltoall(MPI_COMM_WORLD, LARGE);

    getrlimit(RLIMIT_FSIZE, &before);
    few = before;
    few.rlim_cur = 4096;
    setrlimit(RLIMIT_FSIZE, &few);
    for (int count = 1; count <= 1000; count *= 10)
        good = right_alltoall(MPI_COMM_WORLD, count) && good;
    setrlimit(RLIMIT_FSIZE, &before);
    ok_all(good, "a limit for files that comes before the torus");
}

/* How often the thread has slept, so that the processor did not take it back at once. Only the
   library sleeps here, because an idle rank in MPI yields instead. */
static long sleeps(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/* The two functions by which a waiting rank of the library keeps MPI going and gives up the
   processor. The program counts both. */
static long probes, yields;
/* The number of probes before the first yield. */
static long patience;
static bool in_mpi;

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    static __typeof__(&PMPI_Iprobe) next;

    probes++;
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Iprobe");
    in_mpi = true;
    int err = next(source, tag, comm, flag, status);
    in_mpi = false;
    return err;
}

int sched_yield(void)
{
    if (!in_mpi && yields++ == 0)
        patience = probes;
    return (int)syscall(SYS_sched_yield);
}

/* Rank 0 is late for every call. Meanwhile each other rank looks at the memory of its peers,
   and lets MPI make progress after every 64 looks. It yields after 4096 looks, or at once if
   ranks share a processor. */
static void check_patience(bool crowded)
{
    enum { CALLS = 20, LATE_US = 20000, LOOKS = 4096 / 64 };
    bool good = right_alltoall(MPI_COMM_WORLD, 1), right = true;
    int yielded = 0;

    for (int i = 0; i < CALLS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            usleep(LATE_US);
        probes = yields = 0;
        good = right_alltoall(MPI_COMM_WORLD, 1) && good;
        if (rank == 0 || yields == 0)
            continue;
        yielded++;
        right = right && (crowded ? patience == 0 : patience == LOOKS);
    }
    ok_all(good, "%d calls that rank 0 came late to", CALLS);
    ok_all(right, "a waiting rank yields %s", crowded ? "at once" : "after 4096 looks");
    ok_all(rank == 0 || yielded >= CALLS / 2, "a waiting rank yields in most of these calls");
}

/* Rank 0 is late for every call. If many ranks share a processor, the other ranks sleep
   meanwhile, except one rank that watches. Sleeping ranks let MPI make progress from time to
   time. If few ranks share a processor, no rank sleeps. */
static void check_late(bool asleep)
{
    enum { CALLS = 20, LATE_US = 10000 };
    bool good = right_alltoall(MPI_COMM_WORLD, 1), looked = true;
    long slept = 0, all;

    for (int i = 0; i < CALLS; i++) {
        if (rank == 0)
            usleep(LATE_US);
        long before = sleeps(), probed = probes;
        good = right_alltoall(MPI_COMM_WORLD, i % 2 == 0 ? 1 : 1000) && good;
        long now = sleeps() - before;
        looked = looked && probes - probed >= now / 2;
        if (rank != 0 && now > 0)
            slept++;
    }
    MPI_Allreduce(&slept, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    ok_all(good, "%d calls that rank 0 came late to", CALLS);
    ok_all(looked, "a sleeping rank lets MPI make progress from time to time");
    ok_all(asleep ? all >= CALLS / 2 * (procs - 2) : all <= CALLS,
           "%s of the %d other ranks sleeps: %ld sleeps",
           asleep ? "every one but a watcher" : "none", procs - 1, all);
}

static void die(int signal_number)
{
    (void)signal_number;
    kill(getpid(), SIGKILL);
}

/* The time is arbitrary, so the death comes at any point of some call. */
static void loop_until_killed(int victim)
{
    const struct itimerval timer = {.it_value = {.tv_usec = 20000 + getpid() % 20011}};
    const struct sigaction action = {.sa_handler = die};

    right_alltoall(MPI_COMM_WORLD, 100);
    sigaction(SIGALRM, &action, NULL);
    if (rank == victim)
        setitimer(ITIMER_REAL, &timer, NULL);
    for (;;)
        right_alltoall(MPI_COMM_WORLD, 100);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    if (strcmp(part, "orders") == 0 && procs <= 10)
        check_orders();
    else if (strcmp(part, "many") == 0)
        check_many();
    else if (strcmp(part, "pairs") == 0)
        check_pairs();
    else if (strcmp(part, "full") == 0)
        check_full(false);
    else if (strcmp(part, "filled") == 0)
        check_full(true);
    else if (strcmp(part, "limit") == 0)
        check_limit();
    else if (strcmp(part, "late") == 0)
        check_late(true);
    else if (strcmp(part, "awake") == 0)
        check_late(false);
    else if (strcmp(part, "turns") == 0)
        check_patience(true);
    else if (strcmp(part, "looks") == 0)
        check_patience(false);
    else if (strcmp(part, "die") == 0 && argc > 2)
        loop_until_killed(atoi(argv[2]));
    else
        ok_all(false, "no such part: %s", part);
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
