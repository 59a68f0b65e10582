/* torus.c - makes and frees the torus of a communicator

   Two all-reduces at most: one before anything is made, over wishes and ability; one after,
   over success, as a rank that lacks a communicator cannot go native alone. What was agreed
   never depends on one rank afterwards: a larger block is agreed on before buffers grow. */
#include "torus.h"

#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "attribute.h"
#include "factorization.h"
#include "large.h"
#include "library.h"
#include "log.h"

/* What a rank can say yes to. */
enum { YES_ABLE = 1, YES_KEPT = 2, YES_COMMUNICATORS = 4 }; /* before anything is made */
enum { YES_MADE = 1, YES_ROOM = 2 };                        /* after that */

static void say_native(const struct torus *torus)
{
    if (library_says(1, torus->rank))
        log_line("communicator of %d ranks: native, %s", torus->size, torus->why);
}

static void say_torus(const struct torus *torus)
{
    char dims[160], exchanges[256];

    if (!library_says(1, torus->rank))
        return;
    factorization_format(&torus->wish.factors, dims, sizeof dims);
    policy_format_exchanges(&torus->wish, exchanges, sizeof exchanges);
    log_line("communicator of %d ranks: torus %s (%s), exchange %s, blocks up to %zu bytes",
             torus->size, dims, torus->wish.origin, exchanges, torus->block_limit);
}

/* The largest block within the threshold whose buffers fit into TORUS_A2A_MAX_MEMORY and whose
   messages MPI can count. */
static size_t limit_of(const struct torus *torus)
{
    size_t ranks = (size_t)torus->size;
    size_t fits = (size_t)library_settings()->max_memory / ((size_t)torus->buffers.num * ranks);
    size_t limit = (size_t)torus->wish.threshold;

    if (limit > fits)
        limit = fits;
    if (limit > LARGE_MAX / ranks)
        limit = LARGE_MAX / ranks;
    return limit;
}

static const char *reason_for_native(const struct wish *wish, const struct agreement *agreement)
{
    if (!agreement->same)
        return "settings differ between its ranks";
    if (!(agreement->yes & YES_ABLE))
        return "a setting makes no sense";
    if (wish->factors.num == 0)
        return wish->native;
    if (!(agreement->yes & YES_COMMUNICATORS))
        return "too many communicators have a torus already";
    return NULL;
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

static struct torus *torus_new(MPI_Comm comm, const struct wish *wish)
{
    struct torus *torus = calloc(1, sizeof *torus);

    if (torus == NULL)
        return NULL;
    torus->comm = comm;
    PMPI_Comm_rank(comm, &torus->rank);
    PMPI_Comm_size(comm, &torus->size);
    torus->wish = *wish;
    for (int k = 0; k < wish->factors.num; k++) {
        torus->exchange[k] = exchange_of(wish->exchange[k]);
        torus->dimension[k].comm = MPI_COMM_NULL;
    }
    buffers_init(&torus->buffers, wish->factors.num);
    torus->block_limit = limit_of(torus);
    torus->why = "not agreed on";
    return torus;
}

/* Returns the communicators taken, where the agreement leaves the torus without any. */
static void conclude(struct torus *torus, const struct agreement *agreement, bool taken)
{
    torus->mismatch = !agreement->same;
    torus->why = reason_for_native(&torus->wish, agreement);
    if (torus->why == NULL && torus->block_limit == 0)
        torus->why = "TORUS_A2A_MAX_MEMORY leaves no room for any block";
    if (torus->why != NULL) {
        if (taken)
            library_return_communicators(torus->wish.factors.num);
        torus->wish.factors.num = 0;
        say_native(torus);
    }
    /* Different settings are a mistake that the user should hear of without asking. */
    if (torus->mismatch && torus->rank == 0 && !library_says(1, 0))
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

    bool taken = library_take_communicators(wish->factors.num);
    bool kept = torus != NULL && attribute_keep(torus);
    struct agreement agreement = {.value = policy_fingerprint(wish)};
    agreement.yes =
        (able ? YES_ABLE : 0) | (kept ? YES_KEPT : 0) | (taken ? YES_COMMUNICATORS : 0);
    err = agree(comm, &agreement);
    if (err == MPI_SUCCESS && (agreement.yes & YES_KEPT)) {
        conclude(torus, &agreement, taken);
        *result = torus;
        return MPI_SUCCESS;
    }
    /* A rank that cannot remember would ask again at the next call: so do all. */
    if (taken)
        library_return_communicators(wish->factors.num);
    if (kept) {
        torus->wish.factors.num = 0;
        attribute_drop(torus);
    } else {
        free(torus);
    }
    return err;
}

static bool allocate(struct torus *torus)
{
    const struct factors *factors = &torus->wish.factors;
    int largest = 1;

    for (int k = 0; k < factors->num; k++) {
        if (factors->size[k] > largest)
            largest = factors->size[k];
    }
    torus->requests = calloc(2 * (size_t)largest, sizeof *torus->requests);
    torus->statuses = calloc(2 * (size_t)largest, sizeof *torus->statuses);
    return plan_cache_init(&torus->plans, factors->num) && torus->requests != NULL &&
           torus->statuses != NULL;
}

/* Running out of communicators is our failure, not the user's: their error handler must not
   hear of it. */
static int create_quietly(struct torus *torus)
{
    MPI_Errhandler handler;

    PMPI_Comm_get_errhandler(torus->comm, &handler);
    PMPI_Comm_set_errhandler(torus->comm, MPI_ERRORS_RETURN);
    int err = dimensions_create(torus->comm, &torus->wish.factors, torus->dimension);
    PMPI_Comm_set_errhandler(torus->comm, handler);
    PMPI_Errhandler_free(&handler);
    return err;
}

static void release(struct torus *torus)
{
    int num = torus->wish.factors.num;

    dimensions_free(torus->dimension, num);
    plan_cache_free(&torus->plans, num);
    buffers_free(&torus->buffers);
    free(torus->requests);
    free(torus->statuses);
    torus->requests = NULL;
    torus->statuses = NULL;
    library_return_communicators(num);
    torus->wish.factors.num = 0;
    torus->built = false;
}

int torus_build(struct torus *torus, size_t block)
{
    bool made = allocate(torus);
    bool room = buffers_grow(&torus->buffers, torus->size, block);
    struct agreement agreement = {.value = 0};

    made = create_quietly(torus) == MPI_SUCCESS && made;
    agreement.yes = (made ? YES_MADE : 0) | (room ? YES_ROOM : 0);
    int err = agree(torus->comm, &agreement);
    if (err != MPI_SUCCESS || !(agreement.yes & YES_MADE)) {
        release(torus);
        torus->why = "some rank could not make its communicators";
        say_native(torus);
        return err;
    }
    torus->built = true;
    if (agreement.yes & YES_ROOM)
        torus->block_room = block;
    else
        torus->block_limit = block - 1;
    say_torus(torus);
    return MPI_SUCCESS;
}

/* Doubling keeps the number of agreements small where blocks grow slowly. */
static size_t generous(const struct torus *torus, size_t block)
{
    size_t room = torus->block_room > 0 ? torus->block_room : 1;

    while (room < block)
        room *= 2;
    return room < torus->block_limit ? room : torus->block_limit;
}

static int make_room(struct torus *torus, size_t block)
{
    size_t wanted = generous(torus, block);
    struct agreement agreement = {.value = 0};

    agreement.yes = buffers_grow(&torus->buffers, torus->size, wanted) ? YES_ROOM : 0;
    int err = agree(torus->comm, &agreement);
    if (err != MPI_SUCCESS)
        return err;
    if (agreement.yes & YES_ROOM)
        torus->block_room = wanted;
    else
        torus->block_limit = block - 1;
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
    *plan = plan_cache_make(&torus->plans, &torus->wish.factors, torus->exchange, block);
    return MPI_SUCCESS;
}

void torus_free(struct torus *torus)
{
    release(torus);
    free(torus);
}
