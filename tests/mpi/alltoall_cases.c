/* alltoall_cases.c - every kind of call through every torus, compared bit for bit with
   PMPI_Alltoall

   alltoall_cases            every factorization and exchange, by torus_a2a_factorize
   alltoall_cases settings   MPI_Alltoall alone, on the torus that the environment asks for
   alltoall_cases shuffled   as settings, with the ranks of a node at irregular distances
   alltoall_cases reversed   as settings, with the ranks in reverse order */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "../mpi_tap.h"
#include "calls.h"
#include "settings/settings.h"
#include "torus_a2a.h"

enum { CASES_MAX = 200 };

static struct call cases[CASES_MAX];
static int cases_num, procs, rank;
static MPI_Comm all; /* the ranks, in the order of the cases */

static void add(int base, int num, struct half send, struct half recv, bool in_place)
{
    struct signature signature = {base, num};

    if (cases_num == CASES_MAX)
        MPI_Abort(MPI_COMM_WORLD, 99);
    call_make(&cases[cases_num], all, signature, send, recv, in_place, (uint64_t)cases_num);
    cases_num++;
}

static void add_sizes(void)
{
    static const int sizes[] = {1, 2, 3, 5, 8, 13, 16, 24, 48, 100, 1000, 1024, 4097, 65536};
    struct half plain = {SHAPE_PLAIN, false};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        add(base_byte, sizes[i], plain, plain, false);
    add(base_int, 65536 / (int)sizeof(int), plain, plain, true);
}

static void add_bases(void)
{
    struct half plain = {SHAPE_PLAIN, false}, spaced = {SHAPE_SPACED, false};

    for (int base = 0; base < bases_num; base++) {
        add(base, 3, plain, plain, false);
        add(base, 1, plain, spaced, base % 2 == 0);
    }
}

static void add_shapes(void)
{
    struct half plain = {SHAPE_PLAIN, false};

    for (int i = 0; i < SHAPE_SEND_COUNT; i++) {
        struct half half = {(enum shape)i, false};
        struct half other = {(enum shape)((i + 5) % SHAPE_RECV_COUNT), false};
        add(base_int, 6, half, plain, false);
        add(i % 2 == 0 ? base_mixed : base_int, 4, half, other, false);
        if (i >= SHAPE_RECV_COUNT)
            continue;
        add(base_int, 6, plain, half, false);
        add(base_int, 5, half, half, false);
        add(i % 2 == 0 ? base_mixed : base_int, 6, half, half, true);
    }
}

/* All ranks use the same signature, and each rank describes it in its own way. */
static void add_by_rank(void)
{
    for (int i = 0; i < 6; i++) {
        struct half send = {(enum shape)((rank + i) % SHAPE_SEND_COUNT), (rank + i) % 3 == 0};
        struct half recv = {(enum shape)((3 * rank + i) % SHAPE_RECV_COUNT), rank % 4 == i};
        add(i % 2 == 0 ? base_int : base_mixed, 6 + i, send, recv, i >= 4);
    }
}

static void add_absolute(void)
{
    struct half plain = {SHAPE_PLAIN, false}, vector = {SHAPE_VECTOR, false};
    struct half bottom = {SHAPE_CONTIGUOUS, true}, far = {SHAPE_SHIFTED_DOWN, true};
    struct half gaps = {SHAPE_PADDED, true};

    add(base_int, 7, bottom, plain, false);
    add(base_int, 7, vector, bottom, false);
    add(base_int, 7, bottom, bottom, false);
    add(base_int, 7, far, far, false);
    add(base_int, 7, bottom, bottom, true);
    /* Open MPI's MPI_Gather may lose the data of such a type behind the last whole 64 KiB. */
    add(base_int, 12000, gaps, plain, false);
    add(base_int, 12000, plain, gaps, false);
}

static void add_empty(void)
{
    for (int i = 0; i < 6; i++) {
        struct half send = {(enum shape)i, false};
        struct half recv = {i % 2 == 0 ? SHAPE_PLAIN : SHAPE_VECTOR, false};
        add(base_int, 0, send, recv, i == 5);
    }
}

static void make_cases(void)
{
    add_sizes();
    add_bases();
    add_shapes();
    add_by_rank();
    add_absolute();
    add_empty();
}

/* With many ranks, large blocks would take half of the time. There a torus gets a fifth of
   them, and the next torus the next fifth. There are six exchanges, so an exchange gets another
   fifth each time. */
static bool is_left_out(int i, int turn)
{
    enum { MANY_RANKS = 13, LARGE_BLOCK = 32768, FIFTHS = 5 };

    return procs >= MANY_RANKS && cases[i].recv.size > (size_t)procs * LARGE_BLOCK &&
           (i + turn) % FIFTHS != 0;
}

/* All cases on comm. The cases take turns in the entry that they call, and each turn begins
   with another entry. */
static bool check_cases(MPI_Comm comm, int turn, bool with_api)
{
    bool good = true;

    for (int i = 0; i < cases_num; i++) {
        if (with_api && is_left_out(i, turn))
            continue;
        enum way way = (enum way)((i + turn) % WAY_COUNT);
        if (way == WAY_API && !with_api)
            way = WAY_MPI;
        good = call_check(&cases[i], comm, way) && good;
    }
    return good;
}

static bool is_torus_of(const torus_a2a_decision *decision, int product)
{
    if (!decision->torus)
        return false;
    for (int i = 0; i < decision->ndims; i++)
        product = product % decision->dims[i] == 0 ? product / decision->dims[i] : 0;
    return product == 1;
}

static void format_dims(int ndims, const int dims[], char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < ndims && length < size; i++)
        length +=
            (size_t)snprintf(text + length, size - length, "%s%d", i > 0 ? "x" : "", dims[i]);
}

static void check_torus(MPI_Comm comm, int ndims, const int dims[], const char *exchange)
{
    static int turn;
    char text[64];
    torus_a2a_decision decision;

    int error = torus_a2a_factorize(comm, ndims, dims, exchange);
    bool good = error == MPI_SUCCESS;
    good = good && torus_a2a_query(comm, 8, &decision) == MPI_SUCCESS;
    good = good && is_torus_of(&decision, procs);
    good = good && check_cases(comm, turn++, true);
    format_dims(ndims, dims, text, sizeof text);
    ok_all(good, "%d ranks, dims %s, exchange %s", procs, text,
           exchange != NULL ? exchange : "of the settings");
}

/* Every exchange but auto. */
static const char *const *const exchanges = exchange_names + 1;
enum { EXCHANGES_NUM = EXCHANGE_COUNT - 1 };

/* Every number of dimensions for which all factors are larger than 1, and one more. */
static void check_balanced(MPI_Comm comm)
{
    const int dims[FACTORS_MAX] = {0};

    for (int ndims = 1; 1 << (ndims - 1) <= procs; ndims++) {
        for (int i = 0; i < EXCHANGES_NUM; i++)
            check_torus(comm, ndims, dims, exchanges[i]);
    }
}

/* Every factorization in every order of its factors (2x3x4 and 4x3x2). The exchanges take
   turns. */
static void check_orders(MPI_Comm comm, int ndims, int dims[], int rest)
{
    static int turn;

    for (int factor = 2; factor <= rest; factor++) {
        if (rest % factor != 0)
            continue;
        dims[ndims] = factor;
        if (factor == rest)
            check_torus(comm, ndims + 1, dims, exchanges[turn++ % EXCHANGES_NUM]);
        else
            check_orders(comm, ndims + 1, dims, rest / factor);
    }
}

static void check_special(MPI_Comm comm)
{
    check_torus(comm, 3, (int[]){1, procs, 1}, "linear");
    check_torus(comm, 2, (int[]){0, 0}, "pairwise,native");
    check_torus(comm, 2, (int[]){0, 0}, "datatype,linear");
    check_torus(comm, 2, (int[]){0, 0}, NULL);
}

static void check_factorized(void)
{
    int dims[FACTORS_MAX];
    MPI_Comm comm;

    MPI_Comm_dup(all, &comm);
    check_balanced(comm);
    check_orders(comm, 0, dims, procs);
    check_special(comm);
    MPI_Comm_free(&comm);
}

/* The torus that MPI_Alltoall makes by itself. */
static void check_settings(void)
{
    torus_a2a_decision decision;
    char text[64];

    bool good = check_cases(all, 0, false);
    good = torus_a2a_query(all, 8, &decision) == MPI_SUCCESS && good;
    format_dims(decision.ndims, decision.dims, text, sizeof text);
    ok_all(good, "%d ranks, %s %s", procs, decision.torus ? "torus" : "native", text);
    ok_all(is_torus_of(&decision, procs), "went through a torus");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *kind = argc > 1 ? argv[1] : "";
    bool shuffled = strcmp(kind, "shuffled") == 0, reversed = strcmp(kind, "reversed") == 0;

    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    all = MPI_COMM_WORLD;
    if (shuffled || reversed)
        MPI_Comm_split(MPI_COMM_WORLD, 0, shuffled ? 7 * rank % 11 : -rank, &all);

    make_cases();
    if (all != MPI_COMM_WORLD || strcmp(kind, "settings") == 0)
        check_settings();
    else
        check_factorized();
    for (int i = 0; i < cases_num; i++)
        call_free(&cases[i]);

    int status = mpi_tap_done(rank);
    if (all != MPI_COMM_WORLD)
        MPI_Comm_free(&all);
    MPI_Finalize();
    return status;
}
