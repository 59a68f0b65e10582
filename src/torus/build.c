/* build.c - builds a torus in steps, and the ranks agree on each step before the next one

   A rank that lacks something cannot go native alone. So all ranks agree before anything is
   made (is there room?), and after each step (did all ranks succeed?). */
#include "torus/build.h"

#include <stdlib.h>

#include "mpi/agree.h"
#include "mpi/duplicates.h"
#include "mpi/quiet.h"
#include "process/accounts.h"
#include "torus/shape.h"

/* What a rank says yes to before anything is made, and after each step. */
enum { YES_COMMUNICATORS = 1, YES_WINDOWS = 2, YES_ROOM = 4, YES_UNHINDERED = 8 };
enum { YES_MADE = 1 };

/* A torus of one dimension that sends no messages needs no communicator. But its ranks have to
   pack with something that returns errors. */
static bool takes_communicator(const struct torus *torus, int k,
                               const struct placement *placement)
{
    return torus->dimension[k].exchange->sends_messages || torus->shape.factors.num > 1 ||
           !placement->packers;
}

static bool build_allocate(struct torus *torus, const struct placement *placement)
{
    const struct factors *factors = &torus->shape.factors;
    int largest = 1;

    for (int k = 0; k < factors->num; k++) {
        torus->dimension[k].exchange = exchange_of(torus->shape.exchange[k]);
        torus->dimension[k].takes_communicator = takes_communicator(torus, k, placement);
        if (factors->size[k] > largest)
            largest = factors->size[k];
    }
    torus->requests = calloc((size_t)largest, sizeof *torus->requests);
    return plan_cache_init(&torus->plans, torus->dimension, factors->num) &&
           torus->requests != NULL;
}

/* Takes the communicators that the dimensions will need from the account of the process. */
static bool take_communicators(struct torus *torus)
{
    int communicators = 0;

    for (int k = 0; k < torus->shape.factors.num; k++)
        communicators += torus->dimension[k].takes_communicator;
    if (!accounts_take_communicators(communicators))
        return false;
    torus->communicators = communicators;
    return true;
}

/* Takes the memory that the windows may need from the account of the process. */
static bool take_windows(struct torus *torus, bool wide, size_t block)
{
    size_t windows = 0;

    for (int k = 0; k < torus->shape.factors.num; k++) {
        torus->dimension[k].want =
            (struct window_want){.p = torus->size, .block = block, .wide = wide};
        windows +=
            (size_t)torus->dimension[k].exchange->windows * window_size(torus->size, wide);
    }
    if (!accounts_take_memory(windows))
        return false;
    torus->windows = windows;
    return true;
}

/* After this function torus_release has something to free. */
static bool prepare_dimensions(struct torus *torus)
{
    struct quiet quiet = quiet_begin(torus->comm);
    int err = dimensions_prepare(torus->comm, &torus->shape.factors, torus->dimension);

    quiet_end(quiet);
    torus->built = true;
    return err == MPI_SUCCESS;
}

/* Finds out what all ranks have, and notes in the torus whether they have buffers for the
   block. `yes` becomes what all ranks say yes to. */
static int agree_on_resources(struct torus *torus, bool unhindered,
                              const struct placement *placement, size_t block, uint64_t *yes)
{
    struct agreement agreement = {.offer = torus->offer,
                                  .yes = unhindered ? YES_UNHINDERED : 0};

    if (build_allocate(torus, placement) && take_communicators(torus) &&
        prepare_dimensions(torus))
        agreement.yes |= YES_COMMUNICATORS;
    if (torus->built && take_windows(torus, placement->wide, block))
        agreement.yes |= YES_WINDOWS;
    if (buffers_grow(&torus->buffers, torus->size, block))
        agreement.yes |= YES_ROOM;
    int err = agree(torus->comm, &agreement);
    if (err != MPI_SUCCESS)
        return err;
    torus->same_offer = agreement.same_offer;
    *yes = agreement.yes;
    if (agreement.yes & YES_ROOM)
        torus->block_room = block;
    else
        torus->block_limit = block - 1;
    return MPI_SUCCESS;
}

typedef int making_fn(MPI_Comm comm, struct dimension dimensions[], int num);

static int make_quietly(struct torus *torus, making_fn *make)
{
    struct quiet quiet = quiet_begin(torus->comm);
    int err = make(torus->comm, torus->dimension, torus->shape.factors.num);

    quiet_end(quiet);
    return err;
}

/* Takes one step of making the dimensions. made: all ranks have succeeded. */
static int make_step(struct torus *torus, making_fn *make, bool *made)
{
    int err = make_quietly(torus, make);
    struct agreement agreement = {.yes = err == MPI_SUCCESS ? YES_MADE : 0};

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
    int err = MPI_SUCCESS;

    *made = true;
    if (torus->communicators > 0)
        err = make_step(torus, dimensions_create, made);
    if (err != MPI_SUCCESS || !*made || !has_windows(torus))
        return err;
    if (torus->communicators > 0)
        return make_step(torus, dimensions_open, made);
    /* All ranks have the same window, and have agreed on it. */
    *made = make_quietly(torus, dimensions_open) == MPI_SUCCESS;
    return MPI_SUCCESS;
}

/* Returns why nothing was made, by what all ranks said yes to. */
static enum reason reason_against(uint64_t yes)
{
    if (!(yes & YES_COMMUNICATORS))
        return REASON_NO_RESOURCES;
    return yes & YES_UNHINDERED ? REASON_NOT_MADE : REASON_DUPLICATES;
}

/* Builds the torus in the shape that it has. If some rank could not, nothing is left of it. */
static int build_shape(struct torus *torus, bool unhindered, const struct placement *placement,
                       size_t block, enum reason *reason)
{
    const uint64_t needed = YES_COMMUNICATORS | YES_WINDOWS | YES_UNHINDERED;
    uint64_t yes = 0;
    bool made = false;

    *reason = REASON_NONE;
    int err = agree_on_resources(torus, unhindered, placement, block, &yes);
    if (err == MPI_SUCCESS && (yes & needed) == needed)
        err = make_dimensions(torus, &made);
    if (made)
        return MPI_SUCCESS;
    torus_release(torus);
    *reason = reason_against(yes);
    return err;
}

/* Since the ranks agreed on a torus, the program may have begun to duplicate a communicator. A
   program that asks for a torus knows that communicators are made for it. */
static bool is_unhindered(const struct wish *wish)
{
    return wish->explicit_factors || !duplicates_may_hinder();
}

/* The room that was found before may be gone by now. Narrow windows need less room, and
   messages need none. */
int torus_build(struct torus *torus, const struct wish *wish, struct placement *placement,
                size_t block, enum reason *reason)
{
    const bool unhindered = is_unhindered(wish);
    int err = build_shape(torus, unhindered, placement, block, reason);

    while (err == MPI_SUCCESS && *reason == REASON_NOT_MADE && has_windows(torus)) {
        if (placement->wide)
            placement->wide = false;
        else
            torus_do_without_windows(torus, wish, placement);
        *reason = torus_choose_shape(torus, wish, placement);
        if (*reason != REASON_NONE || !torus_takes(torus, block))
            return MPI_SUCCESS;
        err = build_shape(torus, unhindered, placement, block, reason);
    }
    return err;
}
