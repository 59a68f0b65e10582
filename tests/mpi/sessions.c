/* sessions.c - a program that uses sessions, without MPI_Init and so without MPI_COMM_SELF;
   with the argument "mixed" a program that uses both

   With the preload count_calls, the program also counts the communicators of the library.
   MPICH 4.0 cannot be initialized again after its last session has ended, so the first session
   stays until the others have ended. With the argument "again" a further one follows it. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "../mpi_tap.h"
#include "../right.h"
#include "config.h"
#include "torus_a2a.h"

#ifdef HAVE_MPI_SESSION_INIT

static int rank;

static MPI_Session open_session(void)
{
    MPI_Session session;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    return session;
}

static int handled;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
}

typedef int alltoall_fn(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);

/* A call with a type that was never committed gives one error, which goes to the handler of
   comm. */
static void get_text(alltoall_fn *alltoall, MPI_Comm comm, char text[MPI_MAX_ERROR_STRING])
{
    static int out[64], in[64];
    MPI_Datatype uncommitted;
    int length;

    MPI_Type_contiguous(1, MPI_INT, &uncommitted);
    int code = alltoall(out, 1, uncommitted, in, 1, uncommitted, comm);
    MPI_Error_string(code, text, &length);
    MPI_Type_free(&uncommitted);
}

/* MPI knows no other handler here than that of comm. On any other way the error would end the
   program. */
static void check_error(MPI_Comm comm)
{
    char with[MPI_MAX_ERROR_STRING], without[MPI_MAX_ERROR_STRING];
    MPI_Errhandler own;

    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(comm, own);
    handled = 0;
    get_text(MPI_Alltoall, comm, with);
    bool good = handled == 1;
    get_text(PMPI_Alltoall, comm, without);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&own);
    ok_on(comm, good && strcmp(with, without) == 0, "an error in MPI's own words");
}

static MPI_Comm make_comm(MPI_Session session)
{
    MPI_Group group;
    MPI_Comm comm;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "torus_a2a", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    return comm;
}

/* The program must free all that it made from a session before it ends the session. */
static void use_session(MPI_Session session, const char *which)
{
    MPI_Comm other, comm = make_comm(session);
    torus_a2a_decision decision;
    bool good = true;

    MPI_Comm_rank(comm, &rank);
    check_error(comm);
    MPI_Comm_dup(comm, &other);

    for (int i = 1; i < 20; i++)
        good = right_alltoall(i % 2 == 0 ? comm : other, i) && good;
    good = torus_a2a_query(comm, sizeof(int), &decision) == MPI_SUCCESS && good;
    ok_on(comm, good, "%s session", which);
    ok_on(comm, decision.torus == 1, "through a torus");
    MPI_Comm_free(&other);
    MPI_Comm_free(&comm);
}

static void close_session(MPI_Session session)
{
    if (MPI_Session_finalize(&session) != MPI_SUCCESS)
        mpi_tap_failures++;
}

/* The library has communicators for each torus, and all toruses here have equally many. It
   also has one communicator for the whole process, which it makes with the first torus and
   must free with the last one. */
static void end_one_of_two(void)
{
    long (*counted_communicators)(void);

    *(void **)&counted_communicators = dlsym(RTLD_DEFAULT, "counted_communicators");
    if (counted_communicators == NULL)
        return;
    MPI_Session one = open_session(), two = open_session();
    MPI_Comm first = make_comm(one), second = make_comm(two);
    bool good = right_alltoall(first, 3);
    good = right_alltoall(second, 3) && good;
    long of_both = counted_communicators();
    MPI_Comm_free(&first);
    close_session(one);
    long of_second = counted_communicators();
    good = right_alltoall(second, 3) && good;
    ok_on(second, good && of_second > 0 && of_both == 2 * of_second + 1,
          "of %ld communicators %ld are left when one session of two ends", of_both, of_second);
    MPI_Comm_free(&second);
    close_session(two);
    if (counted_communicators() != 0)
        mpi_tap_failures++;
}

/* The processes of MPI_COMM_WORLD keep toruses of freed communicators, and a session must be
   able to end all the same. */
static void use_both(void)
{
    MPI_Init(NULL, NULL);
    bool good = right_alltoall(MPI_COMM_WORLD, 3);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Session session = open_session();
        use_session(session, "mixed");
        close_session(session);
    }
    good = right_alltoall(MPI_COMM_WORLD, 3) && good;
    ok_on(MPI_COMM_WORLD, good, "MPI_COMM_WORLD before and after sessions");
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "mixed") == 0) {
        use_both();
        return mpi_tap_done(rank);
    }
    MPI_Session first = open_session();

    end_one_of_two();
    use_session(first, "first");
    for (int turn = 0; turn < 2; turn++) {
        MPI_Session later = open_session();
        use_session(later, "later");
        close_session(later);
    }
    use_session(first, "first");
    close_session(first);
    if (argc > 1 && strcmp(argv[1], "again") == 0) {
        MPI_Session again = open_session();
        use_session(again, "further");
        close_session(again);
    }
    return mpi_tap_done(rank);
}

#else

int main(void)
{
    puts("1..0 # SKIP this MPI has no sessions");
    return 77;
}

#endif
