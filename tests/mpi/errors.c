/* errors.c - errors are those of MPI, and the user's handler gets each one once, on the user's
   communicator

   errors arguments    invalid arguments give the same errors as without the library
   errors truncation   one rank sends more than the others receive
   errors fatal        the same under MPI_ERRORS_ARE_FATAL, which ends the program
   errors early        a call before MPI_Init, which ends the program
   errors leave        rank 0's handler leaves a refused MPI_Comm_free by longjmp
   errors types        a wrong type in the first call of a process with threads
   errors nobody       calls on what is no communicator, after which others pay for a torus
   errors retry CALLS  MPI refuses a call on rank 0 alone, which then makes it as it should

   Further arguments are faults that the MPI has (tests/faults.sh): lost_error, in_status. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mpi_tap.h"
#include "../right.h"
#include "mpi/which.h"
#include "torus_a2a.h"

enum { PEERS_MAX = 64, INTS = 2 };

static int rank, procs;
static int out[INTS * PEERS_MAX], in[INTS * PEERS_MAX];

static bool has_lost_error, has_in_status;

static int handled;
static MPI_Comm handled_comm;
static int handled_class;

static void handler(MPI_Comm *comm, int *code, ...)
{
    handled++;
    handled_comm = *comm;
    MPI_Error_class(*code, &handled_class);
}

typedef int alltoall_fn(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);

struct arguments {
    const char *name;
    const void *sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void *recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    MPI_Comm bad_comm; /* in place of the good one, where it is not GOOD_COMM */
};

/* A value for "the good communicator". No case makes a call on MPI_COMM_SELF. */
#define GOOD_COMM MPI_COMM_SELF

struct outcome {
    int class, handled, handled_class;
    MPI_Comm handled_comm;
    char text[MPI_MAX_ERROR_STRING]; /* names the call and its arguments */
};

static struct outcome outcome_of(alltoall_fn *alltoall, const struct arguments *a,
                                 MPI_Comm comm)
{
    struct outcome outcome = {0};
    int length;

    handled = 0;
    handled_class = MPI_SUCCESS;
    handled_comm = MPI_COMM_NULL;
    int code = alltoall(a->sendbuf, a->sendcount, a->sendtype, a->recvbuf, a->recvcount,
                        a->recvtype, a->bad_comm == GOOD_COMM ? comm : a->bad_comm);
    MPI_Error_class(code, &outcome.class);
    MPI_Error_string(code, outcome.text, &length);
    outcome.handled = handled;
    outcome.handled_class = handled_class;
    outcome.handled_comm = handled_comm;
    return outcome;
}

static bool outcomes_agree(const struct outcome *a, const struct outcome *b)
{
    return a->class == b->class && a->handled == b->handled &&
           a->handled_class == b->handled_class && a->handled_comm == b->handled_comm &&
           strcmp(a->text, b->text) == 0;
}

/* Open MPI takes any buffer for one. */
static bool is_wrong_buffer(const struct arguments *a)
{
    return a->sendbuf == a->recvbuf || a->sendbuf == NULL || a->recvbuf == NULL;
}

static void check_arguments(MPI_Comm comm, const char *which, int expected_calls)
{
    MPI_Datatype uncommitted;
    MPI_Type_contiguous(1, MPI_INT, &uncommitted);
    const struct arguments list[] = {
        {"negative send count", out, -1, MPI_INT, in, 1, MPI_INT, GOOD_COMM},
        {"negative receive count", out, 1, MPI_INT, in, -1, MPI_INT, GOOD_COMM},
        {"both counts negative", out, -1, MPI_INT, in, -1, MPI_INT, GOOD_COMM},
        {"no send type", out, 1, MPI_DATATYPE_NULL, in, 1, MPI_INT, GOOD_COMM},
        {"no receive type", out, 1, MPI_INT, in, 1, MPI_DATATYPE_NULL, GOOD_COMM},
        {"no communicator", out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_NULL},
        {"the same buffer twice", in, 1, MPI_INT, in, 1, MPI_INT, GOOD_COMM},
        {"no send buffer", NULL, 1, MPI_INT, in, 1, MPI_INT, GOOD_COMM},
        {"no receive buffer", out, 1, MPI_INT, NULL, 1, MPI_INT, GOOD_COMM},
        {"receive in place", out, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, GOOD_COMM},
        {"uncommitted send type", out, 1, uncommitted, in, 1, MPI_INT, GOOD_COMM},
        {"uncommitted receive type", out, 1, MPI_INT, in, 1, uncommitted, GOOD_COMM},
#ifdef MPICH
        /* MPI can recognize a wrong handle if handles are indices. */
        {"a type as communicator", out, 1, MPI_INT, in, 1, MPI_INT, MPI_INT},
        {"zero as communicator", out, 1, MPI_INT, in, 1, MPI_INT, 0},
        {"no communicator yet", out, 1, MPI_INT, in, 1, MPI_INT, (MPI_Comm)0xc4001234},
        {"a communicator as send type", out, 1, MPI_COMM_SELF, in, 1, MPI_INT, GOOD_COMM},
        {"no type at all", out, 1, MPI_INT, in, 1, 0x1234567, GOOD_COMM},
        {"nor for no data", out, 0, MPI_INT, in, 0, 0x1234567, GOOD_COMM},
#endif
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (is_wrong_buffer(&list[i]) && which_is_open_mpi())
            continue;
        struct outcome with = outcome_of(MPI_Alltoall, &list[i], comm);
        struct outcome without = outcome_of(PMPI_Alltoall, &list[i], comm);
        bool returned = with.class != MPI_SUCCESS || (has_lost_error && expected_calls > 0);
        bool good =
            outcomes_agree(&with, &without) && returned && with.handled == expected_calls;
        ok_all(good, "%s, %s", list[i].name, which);
        if (!good && rank == 0)
            printf("# class %d, handler %d times: %s\n# without the library class %d, %d "
                   "times: %s\n",
                   with.class, with.handled, with.text, without.class, without.handled,
                   without.text);
    }
    ok_all(right_alltoall(comm, 2), "the communicator still works, %s", which);
    MPI_Type_free(&uncommitted);
}

static void arguments(void)
{
    MPI_Errhandler own;
    MPI_Comm comm;

    /* Errors without a communicator go to the handler of MPI_COMM_WORLD or of MPI_COMM_SELF.
     */
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, own);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check_arguments(comm, "before its first all-to-all", 1);
    check_arguments(comm, "with a torus", 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    check_arguments(comm, "with MPI_ERRORS_RETURN", 0);
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&own);
}

/* Rank 0 takes part with larger blocks. All ranks have used blocks of this size before. */
static int call_truncated(MPI_Comm comm)
{
    int count = rank == 0 ? 2 : 1;

    return MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm);
}

static void truncation(void)
{
    MPI_Errhandler own;
    MPI_Comm comm;
    int class, failed, failures;

    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    bool good = right_alltoall(comm, 2) && right_alltoall(comm, 1);
    MPI_Comm_set_errhandler(comm, own);
    int code = call_truncated(comm);
    MPI_Error_class(code, &class);
    failed = code != MPI_SUCCESS;
    MPI_Allreduce(&failed, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    ok_all(good && failures > 0, "some rank gets an error");
    ok_all(handled == failed, "its handler is called once, and no other rank's handler is");
    ok_all(!failed || handled_comm == comm, "the handler gets the user's communicator");
    int expected = has_in_status ? MPI_ERR_IN_STATUS : MPI_ERR_TRUNCATE;
    ok_all(!failed || (class == expected && handled_class == class), "the error is %s",
           has_in_status ? "MPI_ERR_IN_STATUS" : "MPI_ERR_TRUNCATE");
    if (failed)
        printf("# rank %d: class %d, handler called %d times\n", rank, class, handled);
    MPI_Errhandler_free(&own);
}

static jmp_buf left;

static void leaving_handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    longjmp(left, 1);
}

static void leave_free(void)
{
    MPI_Comm world = MPI_COMM_WORLD;

    if (setjmp(left) == 0)
        MPI_Comm_free(&world);
}

/* A rank that was native after the longjmp would leave the others waiting. */
static void leave(void)
{
    MPI_Errhandler leaving;

    MPI_Comm_create_errhandler(leaving_handler, &leaving);
    bool good = right_alltoall(MPI_COMM_WORLD, 2);
    if (rank == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, leaving);
        leave_free();
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    }
    good = right_alltoall(MPI_COMM_WORLD, 2) && right_alltoall(MPI_COMM_WORLD, 3) && good;
    ok_all(good, "the result is right after a handler has left MPI_Comm_free");
    MPI_Errhandler_free(&leaving);
}

#ifdef MPICH
static void call_with_wrong_type(MPI_Comm comm, const char *which)
{
    int class;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_COMM_SELF, comm), &class);
    ok_all(class == MPI_ERR_TYPE && handled == 0, "%s alone gets the error of a wrong type",
           which);
}

/* On these two communicators the library cannot make the one on which it asks about types. */
static void types(void)
{
    MPI_Errhandler own;
    MPI_Comm half, both;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &both);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    call_with_wrong_type(both, "an intercommunicator");
    call_with_wrong_type(MPI_COMM_SELF, "MPI_COMM_SELF");
    call_with_wrong_type(half, "a communicator");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    ok_all(right_alltoall(half, 2) && right_alltoall(MPI_COMM_SELF, 2), "calls are right");
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    MPI_Errhandler_free(&own);
}
#endif

/* The first call lets the library see that the settings are alike. From then on it asks nobody
   about a communicator that it does not know. MPICH 5.0 does not return the error. */
static void call_nobody(void)
{
    MPI_Errhandler own;
    torus_a2a_decision way;
    bool good = right_alltoall(MPI_COMM_WORLD, 2);

    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, own);
    handled = 0;
    for (int i = 0; i < 10; i++)
        MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_NULL);
    ok_all(handled >= 10, "MPI reports calls on no communicator");
    handled = 0;
    bool refused = torus_a2a_query(MPI_COMM_NULL, 4, &way) != MPI_SUCCESS &&
                   torus_a2a_factorize(MPI_COMM_NULL, 0, NULL, NULL) != MPI_SUCCESS;
    ok_all(refused && handled >= 2, "and so do the library's own functions");
    for (int i = 0; i < 20; i++)
        good = right_alltoall(MPI_COMM_WORLD, 2) && good;
    ok_all(good, "and calls on a communicator are right before and after them");
    MPI_Errhandler_free(&own);
}

/* A refused call has sent nothing. The ranks must count alike afterwards: as many calls pay for
   a torus, and as many are compared with it. */
static void retry(int calls)
{
    MPI_Datatype pair;
    MPI_Comm comm;
    int refused = 0;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    bool good = right_alltoall(MPI_COMM_WORLD, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < calls; i++) {
        if (rank == 0 && i % 100 == 0) {
            refused += MPI_Alltoall(NULL, 2, MPI_INT, in, 2, MPI_INT, comm) != MPI_SUCCESS;
            refused += MPI_Alltoall(out, 2, MPI_INT, NULL, 1, pair, comm) != MPI_SUCCESS;
            refused += MPI_Alltoall(in, 2, MPI_INT, in, 2, MPI_INT, comm) != MPI_SUCCESS;
        }
        good = right_alltoall(comm, 2) && good;
    }
    ok_all(good, "%d calls are right, with refused calls on rank 0 in between", calls);
    ok_all(rank != 0 || refused == 3 * ((calls + 99) / 100), "MPI refuses these calls");
    MPI_Comm_free(&comm);
    MPI_Type_free(&pair);
}

static void fatal(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    bool good = right_alltoall(comm, 2) && right_alltoall(comm, 1);
    if (good)
        call_truncated(comm);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "arguments";

    for (int i = 2; i < argc; i++) {
        has_lost_error = has_lost_error || strcmp(argv[i], "lost_error") == 0;
        has_in_status = has_in_status || strcmp(argv[i], "in_status") == 0;
    }
    if (strcmp(part, "early") == 0)
        MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    int level = strcmp(part, "types") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, level, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    if (procs > PEERS_MAX)
        MPI_Abort(MPI_COMM_WORLD, 99);
    if (strcmp(part, "arguments") == 0)
        arguments();
    else if (strcmp(part, "truncation") == 0)
        truncation();
    else if (strcmp(part, "leave") == 0)
        leave();
    else if (strcmp(part, "retry") == 0)
        retry(argc > 2 ? atoi(argv[2]) : 1);
    else if (strcmp(part, "nobody") == 0)
        call_nobody();
#ifdef MPICH
    else if (strcmp(part, "types") == 0)
        types();
#endif
    else if (strcmp(part, "fatal") == 0)
        fatal();
    else
        ok_all(false, "there is no part %s", part);

    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
