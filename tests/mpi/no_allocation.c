/* no_allocation.c - after the first call with a block size the library allocates nothing and
   makes no MPI object

   no_allocation            a program that calls MPI_Init
   no_allocation sessions   a program of one session, without MPI_COMM_WORLD and MPI_COMM_SELF

   The program needs the preload count_calls. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "../mpi_tap.h"
#include "calls.h"
#include "config.h"
#include "settings/settings.h"
#include "torus_a2a.h"

typedef long counted_fn(void);

static MPI_Comm all;
static counted_fn *counted_allocations, *counted_objects;

struct counts {
    long allocations, objects;
};

static struct counts counts_now(void)
{
    return (struct counts){counted_allocations(), counted_objects()};
}

static struct counts counts_since(struct counts before)
{
    return (struct counts){counted_allocations() - before.allocations,
                           counted_objects() - before.objects};
}

static bool look_up(void)
{
    *(void **)&counted_allocations = dlsym(RTLD_DEFAULT, "counted_allocations");
    *(void **)&counted_objects = dlsym(RTLD_DEFAULT, "counted_objects");
    return counted_allocations != NULL && counted_objects != NULL;
}

/* Calls of several kinds and of three block sizes. */
enum { CALLS = 7 };

static void make_calls(struct call calls[CALLS])
{
    struct half plain = {SHAPE_PLAIN, false}, vector = {SHAPE_VECTOR, false};
    struct half shifted = {SHAPE_SHIFTED_DOWN, false}, bottom = {SHAPE_VECTOR, true};
    struct signature small = {base_int, 1}, middle = {base_int, 25}, odd = {base_byte, 1003};

    call_make(&calls[0], all, small, plain, plain, false, 0);
    call_make(&calls[1], all, middle, plain, plain, false, 1);
    call_make(&calls[2], all, odd, plain, plain, false, 2);
    call_make(&calls[3], all, middle, plain, plain, true, 3);
    call_make(&calls[4], all, middle, vector, shifted, false, 4);
    call_make(&calls[5], all, middle, vector, vector, true, 5);
    call_make(&calls[6], all, middle, bottom, bottom, false, 6);
}

static bool run_calls(struct call calls[CALLS], MPI_Comm comm, int times)
{
    bool good = true;

    for (int i = 0; i < times; i++) {
        for (int j = 0; j < CALLS; j++)
            good = call_check(&calls[j], comm, (enum way)((i + j) % WAY_COUNT)) && good;
    }
    return good;
}

/* In the first turn the library makes all that it needs, which also shows that the counters
   count. The second turn makes every kind of call again. */
static void check_torus(struct call calls[CALLS], int ndims, const char *exchange)
{
    const int dims[FACTORS_MAX] = {0};
    MPI_Comm comm;

    MPI_Comm_dup(all, &comm);
    struct counts start = counts_now();
    bool good = torus_a2a_factorize(comm, ndims, dims, exchange) == MPI_SUCCESS;
    good = run_calls(calls, comm, 1) && good;
    struct counts first = counts_since(start);
    start = counts_now();
    good = run_calls(calls, comm, 20) && good;
    struct counts later = counts_since(start);
    MPI_Comm_free(&comm);

    ok_on(all, good && first.allocations > 0 && first.objects > 0,
          "first calls, %d dimensions, %s: allocations and objects", ndims, exchange);
    good = later.allocations == 0 && later.objects == 0;
    ok_on(all, good, "%d calls later, %d dimensions, %s: none", 20 * CALLS, ndims, exchange);
    if (!good)
        fprintf(stderr, "# %ld allocations, %ld objects\n", later.allocations, later.objects);
}

static void check(void)
{
    struct call calls[CALLS];

    if (!look_up()) {
        fputs("count_calls is not preloaded\n", stderr);
        MPI_Abort(all, 99);
    }
    make_calls(calls);
    for (int ndims = 1; ndims <= 4; ndims++) {
        for (int i = EXCHANGE_AUTO + 1; i < EXCHANGE_COUNT; i++)
            check_torus(calls, ndims, exchange_names[i]);
    }
    for (int i = 0; i < CALLS; i++)
        call_free(&calls[i]);
}

static int by_init(int *argc, char ***argv)
{
    int rank;

    MPI_Init(argc, argv);
    all = MPI_COMM_WORLD;
    check();
    MPI_Comm_rank(all, &rank);
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}

#ifdef HAVE_MPI_SESSION_INIT
static int by_session(void)
{
    MPI_Session session;
    MPI_Group group;
    int rank;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &all);
    MPI_Group_free(&group);
    check();
    MPI_Comm_rank(all, &rank);
    MPI_Comm_free(&all);
    bool ended = MPI_Session_finalize(&session) == MPI_SUCCESS;
    return mpi_tap_done(rank) || !ended;
}
#endif

int main(int argc, char **argv)
{
#ifdef HAVE_MPI_SESSION_INIT
    if (argc > 1 && strcmp(argv[1], "sessions") == 0)
        return by_session();
#endif
    return by_init(&argc, &argv);
}
