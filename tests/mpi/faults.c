/* faults.c - faults of MPIs, shown without the library

   faults NAME    exit status 0: the MPI has this fault, 1: the MPI does not have it

   A crash shows the faults no_neighbours, empty_type, session_again and freed_by_handler, and
   an abort the faults locked_handler and lost_message.
   The program prints the same as its exit status says, because a launcher may lose the status.
   dead_peer prints what comes out. tests/faults.sh says which MPIs have which fault. */
#include "config.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 64 };

static int rank, procs;
static int out[ROOM], in[ROOM];
static MPI_Comm comm;

static int handled;

static void handler(MPI_Comm *its_comm, int *code, ...)
{
    (void)its_comm;
    (void)code;
    handled++;
}

/* A call with an error returns MPI_SUCCESS after it has called the program's handler. */
static int lost_error(void)
{
    MPI_Errhandler own;

    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(comm, own);
    int code = MPI_Alltoall(out, -1, MPI_INT, in, 1, MPI_INT, comm);
    MPI_Errhandler_free(&own);
    return handled == 1 && code == MPI_SUCCESS;
}

/* If a message is too long for its receiver, MPI_Alltoall gives the error MPI_ERR_IN_STATUS,
   which is for calls with several statuses. The program cannot see any status of MPI_Alltoall.
 */
static int in_status(void)
{
    int count = rank == 0 ? 2 : 1, class, found, anywhere;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm), &class);
    found = class == MPI_ERR_IN_STATUS;
    MPI_Allreduce(&found, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return anywhere;
}

/* Returns whether the text of an error class has no such word. Rank 0 prints the text. */
static bool lacks_word(int class, const char *word)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(class, text, &length);
    if (rank == 0)
        printf("expected \"...%s...\": %s\n", word, text);
    return strstr(text, word) == NULL;
}

/* The text of an error class is the one of another class. */
static int other_text(void)
{
    bool truncate = lacks_word(MPI_ERR_TRUNCATE, "truncated");
    bool status = lacks_word(MPI_ERR_IN_STATUS, "tatus");

    return truncate || status;
}

/* All ranks are on this machine, and MPI_COMM_TYPE_SHARED gives each one a communicator of its
 * own. */
static int lonely_ranks(void)
{
    MPI_Comm node;
    int together;

    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &together);
    MPI_Comm_free(&node);
    return procs > 1 && together == 1;
}

/* MPI_Sendrecv ends the program by a division by zero, if a type has no data but an extent. */
static int empty_type(void)
{
    MPI_Datatype nothing, wide;

    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_create_resized(nothing, 0, 8, &wide);
    MPI_Type_commit(&wide);
    MPI_Sendrecv(out, 1, wide, (rank + 1) % procs, 0, in, 1, wide, (rank + procs - 1) % procs,
                 0, comm, MPI_STATUS_IGNORE);
    MPI_Type_free(&wide);
    MPI_Type_free(&nothing);
    return 0;
}

/* MPI_Neighbor_alltoallw crashes in a rank that sends to nobody, or receives from nobody, and
   has no lists of counts, addresses and types for that. */
static int no_neighbours(void)
{
    const int before = rank - 1, after = rank + 1, one = 1;
    const int num_before = rank > 0, num_after = rank < procs - 1;
    const MPI_Aint address = 0;
    const MPI_Datatype type = MPI_INT;
    MPI_Comm line;

    MPI_Dist_graph_create_adjacent(comm, num_before, &before, &one, num_after, &after, &one,
                                   MPI_INFO_NULL, 0, &line);
    MPI_Neighbor_alltoallw(out, num_after ? &one : NULL, num_after ? &address : NULL,
                           num_after ? &type : NULL, in, num_before ? &one : NULL,
                           num_before ? &address : NULL, num_before ? &type : NULL, line);
    MPI_Comm_free(&line);
    return 0;
}

/* MPI_Alltoall gives wrong data if the type that is received differs from the one that is
   sent. */
static int two_types(void)
{
    MPI_Datatype wide;
    int wrong = 0, anywhere;

    for (int i = 0; i < procs; i++)
        out[3 * i] = 100 * rank + i;
    MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &wide);
    MPI_Type_commit(&wide);
    MPI_Alltoall(out, 1, wide, in, 1, MPI_INT, comm);
    MPI_Type_free(&wide);
    for (int i = 0; i < procs; i++)
        wrong += in[i] != 100 * i + rank;
    MPI_Allreduce(&wrong, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return anywhere > 0;
}

/* MPI_Alltoall fails if the blocks that are received lie one before the other. */
static int backwards(void)
{
    int *last = in + 2 * (procs - 1), wrong = 0, anywhere;
    MPI_Datatype pair, back;

    for (int i = 0; i < 2 * procs; i++)
        out[i] = 100 * rank + i / 2;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, -2 * (MPI_Aint)sizeof(int), &back);
    MPI_Type_commit(&back);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    wrong = MPI_Alltoall(out, 2, MPI_INT, last, 1, back, comm) != MPI_SUCCESS;
    MPI_Type_free(&back);
    MPI_Type_free(&pair);
    for (int i = 0; i < procs; i++)
        wrong += last[-2 * i] != 100 * i + rank;
    MPI_Allreduce(&wrong, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return anywhere > 0;
}

/* MPI_Alltoall gives wrong data, and writes beyond the buffers, if blocks of a derived datatype
   lie between one another. The command chooses the algorithm k_brucks of MPICH. */
static int interleaved(void)
{
    enum { GUARDS = ROOM / 4 };
    int *first = out + GUARDS, *second = in + GUARDS, wrong = 0, anywhere;
    MPI_Datatype pair, narrow;

    for (int i = 0; i < ROOM; i++)
        out[i] = in[i] = -1;
    for (int i = 0; i < procs; i++) {
        first[i] = 100 * rank + i;
        first[i + procs] = 100 * rank + 50 + i;
    }
    MPI_Type_vector(2, 1, procs, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, sizeof(int), &narrow);
    MPI_Type_commit(&narrow);
    MPI_Alltoall(first, 1, narrow, second, 1, narrow, comm);
    MPI_Type_free(&narrow);
    MPI_Type_free(&pair);
    for (int i = 0; i < procs; i++)
        wrong += second[i] != 100 * i + rank || second[i + procs] != 100 * i + 50 + rank;
    for (int i = 0; i < GUARDS; i++)
        wrong += in[i] != -1 || in[GUARDS + 2 * procs + i] != -1;
    MPI_Allreduce(&wrong, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return anywhere > 0;
}

/* If all earlier sessions have ended, MPI_Session_init ends the program, or MPI takes a new
   type for one of its own and cannot free it. */
static void session_again(void)
{
#ifdef HAVE_MPI_SESSION_INIT
    for (int turn = 0; turn < 2; turn++) {
        MPI_Session session;
        MPI_Datatype type;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        MPI_Type_contiguous(1, MPI_INT, &type);
        MPI_Type_free(&type);
        MPI_Session_finalize(&session);
    }
#endif
}

/* What the ranks of dead_peer tell each other: the process that the launcher knows, its child,
   in which MPI runs, and an address in the child. */
struct peer {
    pid_t process, child;
    char *data;
};

/* Exit statuses of such a child, which MPI does not use. */
enum { NO_CRASH = 76, NO_ACCESS = 77 };

/* Whether the system lets a process read the memory of its peer, as MPI may want to do. */
static bool may_read(const struct peer *peer)
{
    char byte;
    struct iovec here = {.iov_base = &byte, .iov_len = 1};
    struct iovec there = {.iov_base = peer->data, .iov_len = 1};

    return process_vm_readv(peer->child, &here, 1, &there, 1, 0) == 1;
}

/* Rank 1 dies after it has begun to send. Rank 0 receives the message, and then sends one. The
   blocks are so large that the receiver fetches them from the memory of the sender. */
static void send_to_dead(struct peer *peer)
{
    enum { BYTES = 40000, LATEST_BEGIN = 60, LATEST = 5 };
    static char data[BYTES], arrived[BYTES];
    const struct peer own = {.process = getppid(), .child = getpid(), .data = data};
    MPI_Request request;

    /* On a busy machine MPI may hang before anybody dies. */
    alarm(LATEST_BEGIN);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Sendrecv(&own, sizeof own, MPI_BYTE, 1 - rank, 0, peer, sizeof *peer, MPI_BYTE,
                 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(data, BYTES, MPI_BYTE, 1 - rank, 0, arrived, BYTES, MPI_BYTE, 1 - rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    alarm(LATEST);
    if (!may_read(peer))
        _exit(NO_ACCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Isend(data, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        kill(getpid(), SIGKILL);
    }
    while (kill(peer->child, 0) == 0)
        usleep(1000);
    MPI_Recv(arrived, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(data, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    _exit(NO_CRASH);
}

/* What came out on rank 0. Some MPIs end the program by SIGABRT when they find that the peer is
   dead, and others wait for the peer for ever. Neither is this fault. */
static const char *outcome(int status)
{
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

    if (signal == SIGSEGV)
        return "crash";
    if (signal == SIGALRM)
        return "hang";
    if (signal == SIGABRT || code == NO_CRASH)
        return "no crash";
    return code == NO_ACCESS ? "no access" : "not known";
}

/* MPI_Isend crashes after a peer has died. MPI runs in a child of each process, because the
   launcher ends the job if it sees a process die. */
static void dead_peer(void)
{
    int status;
    struct peer *peer =
        mmap(NULL, sizeof *peer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();

    if (child == 0)
        send_to_dead(peer);
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        while (kill(peer->process, 0) == 0)
            usleep(1000);
        return;
    }
    printf("dead_peer: %s, status %x\n", outcome(status), (unsigned)status);
}

/* Of lost_message: when a thread of this rank has last got its messages. */
static _Atomic double last_arrival;

enum { MESSAGES = 16 };

/* Waits until a thread has sent and got its messages. Ends the program if no thread of this
   rank has got any for a long time. */
static void await(MPI_Request requests[])
{
    enum { PATIENCE = 10, LOST = 3 };
    MPI_Status statuses[2 * MESSAGES];
    int done = 0;

    while (!done) {
        MPI_Testall(2 * MESSAGES, requests, &done, statuses);
        if (!done && MPI_Wtime() - atomic_load(&last_arrival) > PATIENCE) {
            printf("lost_message: nothing has arrived for %d seconds\n", PATIENCE);
            MPI_Abort(MPI_COMM_WORLD, LOST);
        }
    }
    atomic_store(&last_arrival, MPI_Wtime());
}

/* Two ranks send each other messages, on a communicator that no other thread uses. Rank 0 says
   in each message whether the time is over. */
static void *send_and_receive(void *argument)
{
    enum { SECONDS = 5 };
    MPI_Comm own = *(MPI_Comm *)argument;
    MPI_Request requests[2 * MESSAGES];
    int own_rank, over = 0, sent[MESSAGES], got[MESSAGES];
    double end = MPI_Wtime() + SECONDS;

    MPI_Comm_rank(own, &own_rank);
    while (!over) {
        int now = own_rank == 0 && MPI_Wtime() > end;
        for (int i = 0; i < MESSAGES; i++) {
            sent[i] = now;
            MPI_Irecv(&got[i], 1, MPI_INT, 1 - own_rank, 0, own, &requests[i]);
        }
        for (int i = 0; i < MESSAGES; i++)
            MPI_Isend(&sent[i], 1, MPI_INT, 1 - own_rank, 0, own, &requests[MESSAGES + i]);
        await(requests);
        over = own_rank == 0 ? now : got[0];
    }
    return NULL;
}

/* Messages never arrive if several threads of a rank send at the same time. In Open MPI 6.0 a
   thread reserves a place in the shared memory between two ranks (the fast box of btl/sm) under
   a lock, but takes the sequence number of its message when it has given the lock back. So the
   numbers may stand there in another order than the places, and the receiver waits for ever. */
static void lost_message(void)
{
    enum { SENDERS = 4 };
    pthread_t threads[SENDERS];
    MPI_Comm comms[SENDERS];
    int level;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    atomic_store(&last_arrival, MPI_Wtime());
    for (int i = 0; level == MPI_THREAD_MULTIPLE && i < SENDERS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; level == MPI_THREAD_MULTIPLE && i < SENDERS; i++) {
        if (pthread_create(&threads[i], NULL, send_and_receive, &comms[i]) != 0)
            MPI_Abort(MPI_COMM_WORLD, 99);
    }
    for (int i = 0; level == MPI_THREAD_MULTIPLE && i < SENDERS; i++) {
        pthread_join(threads[i], NULL);
        MPI_Comm_free(&comms[i]);
    }
    MPI_Finalize();
}

static void free_comm(MPI_Comm *its_comm, int *code, ...)
{
    (void)its_comm;
    (void)code;
    MPI_Comm_free(&comm);
}

/* Several threads may call MPI, and comm has this error handler, which the caller frees. */
static MPI_Errhandler begin_with_handler(MPI_Comm_errhandler_function *called)
{
    MPI_Errhandler own;
    int level;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(called, &own);
    MPI_Comm_set_errhandler(comm, own);
    return own;
}

/* An error handler frees the communicator of the call. */
static void freed_by_handler(void)
{
    MPI_Errhandler own = begin_with_handler(free_comm);

    MPI_Alltoall(out, -1, MPI_INT, in, 1, MPI_INT, comm);
    MPI_Errhandler_free(&own);
    MPI_Finalize();
}

static void ask_for_handler(MPI_Comm *failed, int *code, ...)
{
    MPI_Errhandler own;

    (void)code;
    MPI_Comm_get_errhandler(*failed, &own);
    MPI_Comm_set_errhandler(*failed, own);
    MPI_Errhandler_free(&own);
}

static void locked_handler(void)
{
    MPI_Errhandler own = begin_with_handler(ask_for_handler);

    MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    MPI_Errhandler_free(&own);
    MPI_Comm_free(&comm);
    MPI_Finalize();
}

static const struct {
    const char *name;
    int (*shows)(void);
} faults[] = {
    {"lost_error", lost_error},       {"in_status", in_status},
    {"other_text", other_text},       {"lonely_ranks", lonely_ranks},
    {"empty_type", empty_type},       {"interleaved", interleaved},
    {"two_types", two_types},         {"backwards", backwards},
    {"no_neighbours", no_neighbours},
};

/* These do not come back if the MPI has the fault. They call MPI_Init themselves. */
static const struct {
    const char *name;
    void (*survives)(void);
} crashes[] = {
    {"session_again", session_again},
    {"lost_message", lost_message},
    {"freed_by_handler", freed_by_handler},
    {"locked_handler", locked_handler},
};

/* Says on one rank whether the MPI has the fault, as the exit status does. */
static int answer(const char *name, int status)
{
    if (rank == 0)
        printf("%s: %s\n", name, status == 0 ? "the MPI has this fault" : "not seen");
    return status;
}

int main(int argc, char **argv)
{
    int status = 99;

    for (size_t i = 0; argc == 2 && i < sizeof crashes / sizeof crashes[0]; i++) {
        if (strcmp(argv[1], crashes[i].name) == 0) {
            crashes[i].survives();
            return answer(argv[1], 1);
        }
    }
    if (argc == 2 && strcmp(argv[1], "dead_peer") == 0) {
        dead_peer();
        return 1;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (size_t i = 0; argc == 2 && procs <= ROOM / 2 && i < sizeof faults / sizeof faults[0];
         i++) {
        if (strcmp(argv[1], faults[i].name) == 0)
            status = faults[i].shows() ? 0 : 1;
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return answer(argv[argc - 1], status);
}
