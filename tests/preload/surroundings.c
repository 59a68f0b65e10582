/* surroundings.c - all-to-alls while other things happen to the process

   surroundings fork       children exit, run other programs, and run a shell
   surroundings signals    a signal handler interrupts the program a few thousand times a second
   surroundings stop       one rank is stopped and continued, again and again
   surroundings memory     little address space is left, on all ranks or on one
   surroundings address    address space is limited, and the program needs most of it
   surroundings wildcard   receives of any message are pending
   surroundings die RANK   all-to-alls until RANK is killed
   surroundings free_world MPI_COMM_WORLD is freed, which is an error and ends the program
   surroundings free_world handler   the same, after an error handler was set and given back
   surroundings solver FILE   rank 0 calls a solver that has an MPI of its own for one process
   surroundings spawn      processes of another MPI_COMM_WORLD, which are without the preload

   The program knows nothing of the library. */
#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../mpi_tap.h"
#include "../right.h"

enum { COMMS = 3 };

static int rank, procs;
static MPI_Comm comms[COMMS];
static volatile sig_atomic_t interrupted;

/* Blocks of several sizes on several communicators. */
static bool calls_right(void)
{
    bool good = true;

    for (int i = 0; i < COMMS; i++) {
        good = right_alltoall(comms[i], 1) && good;
        good = right_alltoall(comms[i], 100) && good;
        good = right_alltoall(comms[i], 9000) && good;
    }
    return good;
}

static void make_comms(void)
{
    comms[0] = MPI_COMM_WORLD;
    for (int i = 1; i < COMMS; i++)
        MPI_Comm_split(MPI_COMM_WORLD, i == COMMS - 1 ? rank / 2 : 0, -rank, &comms[i]);
}

static void free_comms(void)
{
    for (int i = 1; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
}

/* Returns whether a child that runs start ends with status 0. */
static bool child_succeeds(void (*start)(void))
{
    int status;
    pid_t child = fork();

    if (child == 0)
        start();
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void start_nothing(void)
{
    _exit(0);
}

static void start_program(void)
{
    execlp("true", "true", (char *)NULL);
    _exit(127);
}

/* The child shares the windows until it ends. */
static void start_worker(void)
{
    size_t size = 1 << 22;
    char *memory = malloc(size);

    if (memory == NULL)
        _exit(1);
    memset(memory, 1, size);
    free(memory);
    _exit(0);
}

static void check_fork(void)
{
    bool good = child_succeeds(start_program);

    good = calls_right() && good;
    ok_all(good, "a child before the first all-to-all");
    for (int i = 0; i < 5; i++) {
        good = child_succeeds(start_nothing) && good;
        good = calls_right() && good;
        good = child_succeeds(start_program) && good;
        good = child_succeeds(start_worker) && good;
        good = system("true && (true | true)") == 0 && good;
        good = calls_right() && good;
    }
    ok_all(good, "children between all-to-alls");

    /* This child still runs while its parent makes calls and frees communicators. */
    int ready[2];
    char byte = 0;
    good = pipe(ready) == 0;
    pid_t child = fork();
    if (child == 0) {
        close(ready[1]);
        _exit(read(ready[0], &byte, 1) == 0 ? 0 : 1);
    }
    close(ready[0]);
    good = calls_right() && good;
    free_comms();
    make_comms();
    good = calls_right() && good;
    close(ready[1]);
    int status;
    good = waitpid(child, &status, 0) == child && status == 0 && good;
    ok_all(good, "a child beside all-to-alls");
}

static void on_signal(int number)
{
    (void)number;
    interrupted++;
}

static void check_signals(void)
{
    enum { INTERVAL = 200, TURNS = 60 };
    const struct itimerval timer = {.it_interval = {.tv_usec = INTERVAL},
                                    .it_value = {.tv_usec = INTERVAL}};
    const struct itimerval none = {.it_value = {.tv_usec = 0}};
    const struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART */
    bool good = true;

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (int i = 0; i < TURNS; i++) {
        good = calls_right() && good;
        /* The ranks also make new toruses while signals arrive. */
        if (i % 20 == 0) {
            free_comms();
            make_comms();
        }
    }
    setitimer(ITIMER_REAL, &none, NULL);
    ok_all(good, "results are right while signals arrive");
    ok_all(interrupted > 0, "signals arrived");
}

/* A child sends the signals, because a stopped process cannot continue itself. */
static pid_t start_stopping(int times)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    for (int i = 0; i < times; i++) {
        kill(getppid(), SIGSTOP);
        usleep(5000);
        kill(getppid(), SIGCONT);
        usleep(3000 + 700 * (unsigned)(i % 5));
    }
    _exit(0);
}

static void check_stop(void)
{
    enum { TIMES = 40 };
    bool good = true, victim = rank == procs - 1;
    pid_t child = victim ? start_stopping(TIMES) : -1;
    int status = -1, ended = 0;

    while (!ended) {
        good = calls_right() && good;
        int mine = victim && waitpid(child, &status, WNOHANG) == child;
        PMPI_Allreduce(&mine, &ended, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    }
    ok_all(good && (!victim || status == 0),
           "results are right while a rank is stopped %d times", TIMES);
}

static void die(int number)
{
    (void)number;
    kill(getpid(), SIGKILL);
}

/* The time is arbitrary, so the death comes at any point of some call. */
static void loop_until_killed(int victim)
{
    enum { SOONEST = 1000, SPREAD = 15000 };
    const struct itimerval timer = {.it_value = {.tv_usec = SOONEST + getpid() * 97 % SPREAD}};
    const struct sigaction action = {.sa_handler = die};

    right_alltoall(MPI_COMM_WORLD, 100);
    sigaction(SIGALRM, &action, NULL);
    if (rank == victim % procs)
        setitimer(ITIMER_REAL, &timer, NULL);
    for (int i = 0;; i++)
        right_alltoall(MPI_COMM_WORLD, i % 3 == 0 ? 10000 : 100);
}

/* Returns the bytes of address space that the process uses. */
static long address_space(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (file == NULL || fscanf(file, "%ld", &pages) != 1)
        MPI_Abort(MPI_COMM_WORLD, 99);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Limits the address space to what the process uses and some bytes more. LONG_MAX ends the
   limit. */
static void limit_memory(long more)
{
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};

    if (more < LONG_MAX)
        limit.rlim_cur = (rlim_t)(address_space() + more);
    setrlimit(RLIMIT_AS, &limit);
}

/* The library takes at most an eighth of a limited address space, for any number of
   communicators. MPI itself takes some more. */
static void check_address_space(void)
{
    enum { DUPS = 40 };
    const long more = 800000000, for_mpi = 20000000;
    MPI_Comm dups[DUPS];
    bool good = true;

    limit_memory(more);
    long before = address_space();
    for (int i = 0; i < DUPS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &dups[i]);
        good = right_alltoall(dups[i], 1) && good;
    }
    long taken = address_space() - before;
    ok_all(good, "results are right in a limited address space");
    ok_all(taken <= (before + more) / 8 + for_mpi,
           "the library takes at most its part of the address space");
    if (rank == 0)
        printf("# %ld of %ld bytes\n", taken, before + more);
    for (int i = 0; i < DUPS; i++)
        MPI_Comm_free(&dups[i]);
    limit_memory(LONG_MAX);
}

enum { BLOCK_MOST = 1000000, PROCS_MOST = 4 };
static int memory_out[PROCS_MOST * BLOCK_MOST], memory_in[PROCS_MOST * BLOCK_MOST];

/* This function allocates nothing. */
static bool call_static(MPI_Comm comm, int count, bool native)
{
    bool good = true;

    for (int i = 0; i < procs * count; i++) {
        memory_out[i] = right_value(rank, i / count, i % count);
        memory_in[i] = -1;
    }
    if (native)
        PMPI_Alltoall(memory_out, count, MPI_INT, memory_in, count, MPI_INT, comm);
    else
        MPI_Alltoall(memory_out, count, MPI_INT, memory_in, count, MPI_INT, comm);
    for (int i = 0; i < procs * count; i++)
        good = good && memory_in[i] == right_value(i / count, rank, i % count);
    return good;
}

static bool calls_static(MPI_Comm comm, bool native)
{
    bool good = true;

    for (int count = 1; count <= BLOCK_MOST; count *= 10)
        good = call_static(comm, count, native) && good;
    return good;
}

static void check_memory_left(long more, bool on_all)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    /* MPI gets the memory for all-to-alls before the limit is set, because MPI does not
       survive a refused allocation. */
    bool good = calls_static(comm, true);
    MPI_Barrier(MPI_COMM_WORLD);
    if (on_all || rank == procs - 1)
        limit_memory(more);
    good = calls_static(comm, false) && good;
    PMPI_Barrier(MPI_COMM_WORLD);
    limit_memory(LONG_MAX);
    good = calls_static(comm, false) && good;
    MPI_Comm_free(&comm);
    ok_all(good, "%ld bytes left%s", more, on_all ? "" : " on one rank");
}

static void check_memory(void)
{
    const long sizes[] = {8000000, 20000000, 100000000};

    if (procs > PROCS_MOST)
        MPI_Abort(MPI_COMM_WORLD, 99);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check_memory_left(sizes[i], true);
        check_memory_left(sizes[i], false);
    }
}

/* A receive that takes any message on a communicator takes none of the library's. */
static void check_wildcard(void)
{
    MPI_Request request[COMMS];
    int got[COMMS], number = -1, taken = 0;

    for (int i = 0; i < COMMS; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], &request[i]);
    ok_all(calls_right(), "results are right while receives of any message are pending");
    MPI_Testany(COMMS, request, &number, &taken, MPI_STATUS_IGNORE);
    ok_all(!taken, "the receives get no message of the library");
    for (int i = 0; i < COMMS; i++) {
        int me, size;
        MPI_Comm_rank(comms[i], &me);
        MPI_Comm_size(comms[i], &size);
        MPI_Send(&i, 1, MPI_INT, (me + 1) % size, 7, comms[i]);
    }
    bool good = true;
    for (int i = 0; i < COMMS; i++) {
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
        good = good && got[i] == i;
    }
    ok_all(good, "the receives get the program's messages");
}

/* Parents and children see the same communicators, the children last in the merged one. */
static bool calls_merged(MPI_Comm inter, bool is_child)
{
    MPI_Comm merged, twin;

    MPI_Intercomm_merge(inter, is_child, &merged);
    bool good = right_alltoall(merged, 1) && right_alltoall(merged, 100);
    MPI_Comm_dup(merged, &twin);
    good = right_alltoall(twin, 10) && good;
    good = right_alltoall(MPI_COMM_WORLD, 10) && good;
    MPI_Comm_free(&twin);
    MPI_Comm_free(&merged);
    return good;
}

/* The all-to-all of an intercommunicator: from and to the ranks of the other side. */
static bool calls_between(MPI_Comm inter)
{
    int others, out[64], in[64];
    bool good = true;

    MPI_Comm_remote_size(inter, &others);
    for (int i = 0; i < others; i++)
        out[i] = right_value(rank, i, 7);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter);
    for (int i = 0; i < others; i++)
        good = good && in[i] == right_value(i, rank, 7);
    return good;
}

static void be_child(MPI_Comm parent)
{
    bool good = calls_between(parent) && calls_merged(parent, true);
    int mine = good;

    MPI_Gather(&mine, 1, MPI_INT, NULL, 0, MPI_INT, 0, parent);
    MPI_Comm_disconnect(&parent);
}

/* MPI ends the program. With handler the program has set an error handler before, and has given
   back the one that was there, as the library does. MPI's message may depend on that. */
static void free_world(bool handler)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Errhandler before;

    if (handler) {
        MPI_Comm_get_errhandler(world, &before);
        MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(world, before);
        MPI_Errhandler_free(&before);
    }
    if (right_alltoall(world, 1))
        MPI_Comm_free(&world);
}

static void check_spawn(char *program)
{
    enum { CHILDREN = 3 };
    char part[] = "spawn";
    char *arguments[] = {part, NULL};
    int errors[CHILDREN], good_children[CHILDREN];
    MPI_Comm inter;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int err = MPI_Comm_spawn(program, arguments, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                             &inter, errors);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (err != MPI_SUCCESS) {
        if (rank == 0)
            puts("cannot spawn");
        return;
    }
    bool good = calls_between(inter) && calls_merged(inter, false);
    ok_all(good, "with spawned processes, at the parents");
    MPI_Gather(NULL, 0, MPI_INT, good_children, 1, MPI_INT,
               rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    for (int i = 0; rank == 0 && i < CHILDREN; i++)
        good = good && good_children[i];
    ok_all(good, "with spawned processes, at the children");
    MPI_Comm_disconnect(&inter);
}

static void *page_of(void *place)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    return (char *)place - (uintptr_t)place % page;
}

/* Without this flag of Linux, the address is a wish. */
#ifdef MAP_FIXED_NOREPLACE
enum { KEEP_OTHERS = MAP_FIXED_NOREPLACE };
#else
enum { KEEP_OTHERS = 0 };
#endif

/* Only rank 0 calls the solver, between calls of all ranks. It loads the solver several times,
   each time at another place, because something else is mapped at the last one. */
static void check_solver(const char *file)
{
    bool good = calls_right();

    for (int i = 0; i < 3 && rank == 0; i++) {
        int (*solve)(void);
        void *solver = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        *(void **)&solve = solver != NULL ? dlsym(solver, "solve") : NULL;
        good = solve != NULL && solve() == 0 && solve() == 0 && good;
        if (solver != NULL)
            dlclose(solver);
        mmap(page_of(*(void **)&solve), 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | KEEP_OTHERS,
             -1, 0);
    }
    ok_all(good, "a solver with an MPI of its own");
}

static void run(const char *part, const char *argument, char *program)
{
    MPI_Comm parent;

    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        be_child(parent);
        return;
    }
    make_comms();
    if (strcmp(part, "fork") == 0)
        check_fork();
    else if (strcmp(part, "signals") == 0)
        check_signals();
    else if (strcmp(part, "stop") == 0)
        check_stop();
    else if (strcmp(part, "die") == 0)
        loop_until_killed(atoi(argument));
    else if (strcmp(part, "memory") == 0)
        check_memory();
    else if (strcmp(part, "wildcard") == 0)
        check_wildcard();
    else if (strcmp(part, "address") == 0)
        check_address_space();
    else if (strcmp(part, "spawn") == 0)
        check_spawn(program);
    else if (strcmp(part, "solver") == 0)
        check_solver(argument);
    else if (strcmp(part, "free_world") == 0)
        free_world(strcmp(argument, "handler") == 0);
    else
        ok_all(false, "no such part: %s", part);
    ok_all(calls_right(), "results are right at the end");
    free_comms();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "0", argv[0]);
    MPI_Finalize();
    return mpi_tap_failures > 0;
}
