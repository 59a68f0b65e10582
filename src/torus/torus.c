/* torus.c - makes and frees the torus of a communicator

   Ranks agree before anything is made (do they want the same?), on the placement (where are
   we?), before communicators are made (is there room?) and after (did all succeed?): a rank
   that lacks something cannot go native alone. What was agreed never depends on one rank
   afterwards: a larger block is agreed on before buffers grow. */
#include "torus/torus.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/attribute.h"
#include "memory/window.h"
#include "mpi/agree.h"
#include "mpi/device.h"
#include "mpi/large.h"
#include "mpi/quiet.h"
#include "policy/factorization.h"
#include "process/log.h"
#include "process/process.h"

/* What a rank can say yes to, in each agreement. */
enum { YES_ABLE = 1, YES_KEPT = 2, YES_ASKABLE = 4 };          /* of the wish */
enum { YES_COMMUNICATORS = 1, YES_WINDOWS = 2, YES_ROOM = 4 }; /* before anything is made */
enum { YES_MADE = 1 };                                         /* after each step of that */
enum { YES_WANTED = 8 }; /* and YES_ROOM, when buffers grow */

static void say_native(const struct torus *torus)
{
    if (process_says(1, torus->rank))
        log_line("communicator of %d ranks: native, %s", torus->size, torus->why);
}

static void say_torus(const struct torus *torus)
{
    char dims[160], exchanges[256];

    if (!process_says(1, torus->rank))
        return;
    factorization_format(&torus->shape.factors, dims, sizeof dims);
    policy_format_exchanges(&torus->shape, exchanges, sizeof exchanges);
    log_line("communicator of %d ranks: torus %s (%s), exchange %s%s, blocks up to %zu bytes",
             torus->size, dims, torus->shape.origin, exchanges,
             torus->shape.factors.num > 1 ? ", last dimension first" : "", torus->block_limit);
}

/* The largest block within the threshold whose buffers fit into TORUS_A2A_MAX_MEMORY and whose
   messages MPI can count. */
static size_t limit_of(const struct torus *torus)
{
    size_t ranks = (size_t)torus->size;
    size_t fits = (size_t)process_settings()->max_memory / ((size_t)torus->buffers.num * ranks);
    size_t limit = torus->shape.threshold;

    if (limit > fits)
        limit = fits;
    if (limit > LARGE_MAX / ranks)
        limit = LARGE_MAX / ranks;
    return limit;
}

/* A communicator that never has a torus, known to all its ranks without a word. */
static int keep_native(struct torus *torus, const char *why, struct torus **kept)
{
    if (torus == NULL)
        return MPI_SUCCESS;
    torus->why = why;
    if (!attribute_keep(torus)) {
        free(torus);
        return MPI_SUCCESS;
    }
    say_native(torus);
    *kept = torus;
    return MPI_SUCCESS;
}

static bool quiet_group(MPI_Comm comm, MPI_Group *group)
{
    MPI_Errhandler handler = quiet_begin(comm);
    int err = PMPI_Comm_group(comm, group);

    quiet_end(comm, handler);
    return err == MPI_SUCCESS;
}

/* Not quietly where other threads may be using MPI_COMM_WORLD. */
static bool world_group(MPI_Group *group)
{
    if (quiet_has_threads())
        return PMPI_Comm_group(MPI_COMM_WORLD, group) == MPI_SUCCESS;
    return quiet_group(MPI_COMM_WORLD, group);
}

/* In doubt there is none: a rank that cannot tell takes part with the others. */
bool torus_spans_worlds(MPI_Comm comm)
{
    MPI_Group ours, world, foreign;
    int initialized = 0, num = 0;

    PMPI_Initialized(&initialized);
    if (!initialized || comm == MPI_COMM_WORLD || !quiet_group(comm, &ours))
        return false;
    if (world_group(&world)) {
        if (PMPI_Group_difference(ours, world, &foreign) == MPI_SUCCESS) {
            PMPI_Group_size(foreign, &num);
            PMPI_Group_free(&foreign);
        }
        PMPI_Group_free(&world);
    }
    PMPI_Group_free(&ours);
    return num > 0;
}

static struct torus *torus_new(MPI_Comm comm, const struct wish *wish)
{
    struct torus *torus = calloc(1, sizeof *torus);

    if (torus == NULL)
        return NULL;
    torus->comm = comm;
    PMPI_Comm_rank(comm, &torus->rank);
    PMPI_Comm_size(comm, &torus->size);
    torus->wish = *wish;
    torus->block_limit = wish->threshold == THRESHOLD_AUTO ? SIZE_MAX : (size_t)wish->threshold;
    torus->why = "not agreed on";
    return torus;
}

/* Whether another program than that of MPI_COMM_WORLD's rank 0 runs here, which may have an
   environment of its own. */
static bool is_other_program(void)
{
    int initialized = 0, found = 0, *number = NULL;

    PMPI_Initialized(&initialized);
    if (initialized)
        PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
    return found && *number > 0;
}

/* A setting that makes no sense on every rank has been said by rank 0 of MPI_COMM_WORLD, as a
   rule; who asks for decisions hears it again, for the case that it has not. One of some ranks
   only, or of another program, is said by the first rank that has it. Collective. */
static void say_complaint(const struct torus *torus)
{
    bool good = process_settings_good();
    int mine[2] = {good ? torus->size : torus->rank, good ? 0 : 1}, least[2];

    if (PMPI_Allreduce(mine, least, 2, MPI_INT, MPI_MIN, torus->comm) != MPI_SUCCESS)
        return;
    bool is_first = least[0] == torus->rank, everywhere = least[1] == 1;
    if (everywhere && !(is_first && (is_other_program() || process_says(1, torus->rank))))
        return;
    const char *complaint = process_take_complaint();
    if (is_first && complaint != NULL)
        log_line("communicator of %d ranks: on rank %d, %s", torus->size, torus->rank,
                 complaint);
}

static void conclude(struct torus *torus, const struct agreement *agreement)
{
    const char *why = NULL;
    bool able = (agreement->yes & YES_ABLE) != 0;
    bool senseless = !able && !torus->wish.explicit_factors;

    torus->mismatch = !agreement->same;
    if (senseless)
        why = "a setting makes no sense";
    else if (torus->mismatch)
        why = "settings differ between its ranks";
    else if (!able)
        why = "torus_a2a_factorize refused its arguments";
    else if (torus->wish.native[0] != '\0')
        why = torus->wish.native;
    else if (!(agreement->yes & YES_ASKABLE))
        why = "a GPU runtime that cannot be asked about buffers";
    torus->why = why;
    if (why != NULL)
        say_native(torus);
    /* Both are mistakes that the user should hear of without asking. */
    if (senseless)
        say_complaint(torus);
    else if (torus->mismatch && torus->rank == 0 && !process_says(1, 0))
        log_line("communicator of %d ranks: native, %s", torus->size, torus->why);
}

int torus_agree(MPI_Comm comm, const struct wish *wish, bool able, struct torus **result)
{
    int inter = 0, size = 0;

    *result = NULL;
    int err = PMPI_Comm_test_inter(comm, &inter);
    if (err != MPI_SUCCESS)
        return err;
    PMPI_Comm_size(comm, &size);
    struct torus *torus = torus_new(comm, wish);
    if (inter || size == 1)
        return keep_native(torus, inter ? "an intercommunicator" : "a single rank", result);
    /* Who asks for a torus has the library on all ranks. */
    if (!wish->explicit_factors && torus_spans_worlds(comm))
        return keep_native(torus, "processes of another MPI_COMM_WORLD", result);

    bool kept = torus != NULL && attribute_keep(torus);
    struct agreement agreement = {.value = policy_fingerprint(wish),
                                  .name = process_unique_name()};
    device_look();
    agreement.yes = (able ? YES_ABLE : 0) | (kept ? YES_KEPT : 0) |
                    (device_is_unaskable() ? 0 : YES_ASKABLE);
    err = agree(comm, &agreement);
    if (err == MPI_SUCCESS && (agreement.yes & YES_KEPT)) {
        torus->name = agreement.name;
        conclude(torus, &agreement);
        *result = torus;
        return MPI_SUCCESS;
    }
    /* A rank that cannot remember would ask again at the next call: so do all. */
    if (kept)
        attribute_drop(torus);
    else
        free(torus);
    return err;
}

static void end_torus(struct torus *torus, const char *why)
{
    torus->why = why;
    say_native(torus);
}

/* What windows one rank may need. */
static size_t windows_most(const struct torus *torus, bool wide)
{
    return window_size(torus->size, wide) *
           (size_t)policy_dimensions_most(&torus->wish, process_settings());
}

/* No window is wanted by a rank that has no room for it within TORUS_A2A_MAX_MEMORY; and no
   wide one that does not leave most of that to buffers and other communicators, or that would
   take all its memory for blocks of a byte. */
enum { PARTS_FOR_WIDE = 4 };

static struct placement_need need_of(const struct torus *torus, bool wide)
{
    struct placement_need need = {.bytes = windows_most(torus, wide),
                                  .window = window_size(torus->size, wide)};

    need.able = process_has_memory(need.bytes, wide ? PARTS_FOR_WIDE : 1) &&
                (!wide || window_can_grow());
    return need;
}

static int find_placement(struct torus *torus)
{
    MPI_Comm comm = torus->comm;
    MPI_Errhandler handler = quiet_begin(comm);
    int err =
        placement_find(comm, need_of(torus, false), need_of(torus, true), &torus->placement);

    quiet_end(comm, handler);
    if (err != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(comm, err);
    return err;
}

/* The torus that suits the placement, and ends here where there is none. The limit never rises:
   what once was above it may be remembered as native, and not on all ranks (recent.h). */
static void choose_shape(struct torus *torus)
{
    policy_shape(&torus->wish, process_settings(), torus->size, &torus->placement,
                 &torus->shape);
    buffers_init(&torus->buffers, torus->shape.factors.num);
    size_t limit = limit_of(torus);
    if (limit < torus->block_limit)
        torus->block_limit = limit;
    if (torus->shape.factors.num == 0)
        end_torus(torus, torus->shape.native);
    else if (torus->block_limit == 0)
        end_torus(torus, "TORUS_A2A_MAX_MEMORY leaves no room for any block");
}

static void do_without_windows(struct torus *torus)
{
    torus->placement.room = false;
    if (process_says(1, torus->rank))
        log_line("communicator of %d ranks: no shared memory for windows of %zu bytes per rank",
                 torus->size, windows_most(torus, false));
}

/* Finds out where the ranks are, and what torus suits them. */
static int shape_torus(struct torus *torus)
{
    int err = find_placement(torus);

    if (err != MPI_SUCCESS)
        return err;
    torus->shaped = true;
    if (!torus->placement.room)
        do_without_windows(torus);
    choose_shape(torus);
    return MPI_SUCCESS;
}

static bool allocate(struct torus *torus)
{
    const struct factors *factors = &torus->shape.factors;
    int largest = 1;

    for (int k = 0; k < factors->num; k++) {
        if (factors->size[k] > largest)
            largest = factors->size[k];
    }
    torus->requests = calloc((size_t)largest, sizeof *torus->requests);
    return plan_cache_init(&torus->plans, factors->num) && torus->requests != NULL;
}

/* Takes from the accounts of the process what the dimensions will need. */
static bool take_communicators(struct torus *torus)
{
    int communicators = 0;

    for (int k = 0; k < torus->shape.factors.num; k++) {
        torus->dimension[k].exchange = exchange_of(torus->shape.exchange[k]);
        communicators += torus->dimension[k].exchange->communicators;
    }
    if (!process_take_communicators(communicators))
        return false;
    torus->communicators = communicators;
    return true;
}

static bool take_windows(struct torus *torus, size_t block)
{
    bool wide = torus->placement.wide;
    size_t windows = 0;

    for (int k = 0; k < torus->shape.factors.num; k++) {
        torus->dimension[k].want =
            (struct window_want){.p = torus->size, .block = block, .wide = wide};
        windows +=
            (size_t)torus->dimension[k].exchange->windows * window_size(torus->size, wide);
    }
    if (!process_take_memory(windows))
        return false;
    torus->windows = windows;
    return true;
}

static void release(struct torus *torus)
{
    int num = torus->shape.factors.num;

    dimensions_free(torus->dimension, torus->built ? num : 0);
    plan_cache_free(&torus->plans, num);
    buffers_free(&torus->buffers);
    torus->block_room = 0;
    free(torus->requests);
    torus->requests = NULL;
    process_return_communicators(torus->communicators);
    torus->communicators = 0;
    process_return_memory(torus->windows);
    torus->windows = 0;
    torus->built = false;
}

/* From here on there is something for release to free. */
static bool prepare_quietly(struct torus *torus)
{
    MPI_Errhandler handler = quiet_begin(torus->comm);
    int err = dimensions_prepare(torus->comm, &torus->shape.factors, torus->dimension);

    quiet_end(torus->comm, handler);
    torus->built = true;
    return err == MPI_SUCCESS;
}

/* Whether all ranks can go ahead, with windows as they are to be, and have buffers for the
   block. */
static int agree_on_resources(struct torus *torus, size_t block, bool *able, bool *windows)
{
    struct agreement agreement = {.value = 0};

    if (allocate(torus) && take_communicators(torus) && prepare_quietly(torus))
        agreement.yes |= YES_COMMUNICATORS;
    if (torus->built && take_windows(torus, block))
        agreement.yes |= YES_WINDOWS;
    if (buffers_grow(&torus->buffers, torus->size, block))
        agreement.yes |= YES_ROOM;
    int err = agree(torus->comm, &agreement);
    if (err != MPI_SUCCESS)
        return err;
    *able = (agreement.yes & YES_COMMUNICATORS) != 0;
    *windows = (agreement.yes & YES_WINDOWS) != 0;
    if (agreement.yes & YES_ROOM)
        torus->block_room = block;
    else
        torus->block_limit = block - 1;
    return MPI_SUCCESS;
}

typedef int making_fn(MPI_Comm comm, struct dimension dimensions[], int num);

/* One step of making the dimensions, and whether all ranks succeeded. */
static int make_step(struct torus *torus, making_fn *make, bool *made)
{
    MPI_Errhandler handler = quiet_begin(torus->comm);
    int err = make(torus->comm, torus->dimension, torus->shape.factors.num);
    struct agreement agreement = {.yes = err == MPI_SUCCESS ? YES_MADE : 0};

    quiet_end(torus->comm, handler);
    err = agree(torus->comm, &agreement);
    *made = err == MPI_SUCCESS && (agreement.yes & YES_MADE) != 0;
    return err;
}

static bool has_windows(const struct torus *torus)
{
    for (int k = 0; k < torus->shape.factors.num; k++) {
        if (exchange_of(torus->shape.exchange[k])->windows > 0)
            return true;
    }
    return false;
}

static int make_dimensions(struct torus *torus, bool *made)
{
    int err = make_step(torus, dimensions_create, made);

    if (err == MPI_SUCCESS && *made && has_windows(torus))
        err = make_step(torus, dimensions_open, made);
    return err;
}

/* Makes a torus of the chosen shape. why is set where some rank could not, and nothing is left
   of it. */
static int make_torus(struct torus *torus, size_t block, bool *able)
{
    bool made = false, windows = false;

    *able = false;
    int err = agree_on_resources(torus, block, able, &windows);
    if (err == MPI_SUCCESS && *able && windows)
        err = make_dimensions(torus, &made);
    if (made)
        return MPI_SUCCESS;
    release(torus);
    torus->why = *able
                     ? "some rank could not make its communicators or windows"
                     : "too many communicators have a torus already, or no memory for one more";
    return err;
}

int torus_build(struct torus *torus, size_t block)
{
    bool able;
    int err = torus->shaped ? MPI_SUCCESS : shape_torus(torus);

    if (err != MPI_SUCCESS || torus->why != NULL || block > torus->block_limit)
        return err;
    err = make_torus(torus, block, &able);
    /* The room that was found may be gone by now: narrow windows need less, messages none. */
    while (err == MPI_SUCCESS && torus->why != NULL && able && has_windows(torus)) {
        torus->why = NULL;
        if (torus->placement.wide)
            torus->placement.wide = false;
        else
            do_without_windows(torus);
        choose_shape(torus);
        if (torus->why != NULL || block > torus->block_limit)
            return MPI_SUCCESS;
        err = make_torus(torus, block, &able);
    }
    if (torus->why != NULL)
        say_native(torus);
    else if (torus->built)
        say_torus(torus);
    return err;
}

/* Doubling keeps the number of agreements small where blocks grow slowly. */
static size_t generous(const struct torus *torus, size_t block)
{
    size_t room = torus->block_room > 0 ? torus->block_room : 1;

    while (room < block)
        room *= 2;
    return room < torus->block_limit ? room : torus->block_limit;
}

/* What this rank has room for: wanted, or block at least. A rank's part of a window lies
   elsewhere for the one than for the other. */
static unsigned find_room(struct torus *torus, size_t wanted, size_t block)
{
    int num = torus->shape.factors.num;

    if (!dimensions_reserve(torus->dimension, num, block))
        return 0;
    if (dimensions_reserve(torus->dimension, num, wanted) &&
        buffers_grow(&torus->buffers, torus->size, wanted))
        return YES_WANTED | YES_ROOM;
    return buffers_grow(&torus->buffers, torus->size, block) ? YES_ROOM : 0;
}

static int make_room(struct torus *torus, size_t block)
{
    size_t wanted = generous(torus, block);
    struct agreement agreement = {.yes = find_room(torus, wanted, block)};

    int err = agree(torus->comm, &agreement);
    if (err != MPI_SUCCESS)
        return err;
    if (!(agreement.yes & YES_ROOM)) {
        torus->block_limit = block - 1;
        return MPI_SUCCESS;
    }
    torus->block_room = agreement.yes & YES_WANTED ? wanted : block;
    dimensions_extend(torus->dimension, torus->shape.factors.num, torus->block_room);
    return MPI_SUCCESS;
}

int torus_plan(struct torus *torus, size_t block, struct plan **plan)
{
    *plan = plan_cache_find(&torus->plans, block);
    if (*plan != NULL)
        return MPI_SUCCESS;
    if (block > torus->block_room) {
        int err = make_room(torus, block);
        if (err != MPI_SUCCESS || block > torus->block_room)
            return err;
    }
    device_look();
    *plan = plan_cache_make(&torus->plans, &torus->shape.factors, torus->dimension, block);
    return MPI_SUCCESS;
}

void torus_free(struct torus *torus)
{
    release(torus);
    free(torus);
}
