/* api.c - torus_a2a_factorize and torus_a2a_query; torus_a2a_alltoall is in alltoall.c */
#include "torus_a2a.h"

#include <stdio.h>
#include <string.h>

#include "dispatch/agreement.h"
#include "dispatch/attribute.h"
#include "dispatch/decision.h"
#include "interpose/foreign.h"
#include "mpi/thread_ranks.h"
#include "policy/factorization.h"
#include "process/process.h"

/* Raises an error of the library by the user's error handler, as MPI would raise its own. */
static int raise_error(MPI_Comm comm, int error)
{
    PMPI_Comm_call_errhandler(comm, error);
    return error;
}

/* Returns the error of arguments that no communicator could have, or MPI_SUCCESS. */
static int parse_arguments(int ndims, const int dims[], const char *exchange,
                           struct factors *pattern, struct exchange_list *list)
{
    int64_t product = 1;

    *list = process_settings()->exchange;
    if (exchange != NULL && !value_parse_exchanges(exchange, list))
        return MPI_ERR_ARG;
    if (ndims < 1 || ndims > FACTORS_MAX || dims == NULL)
        return MPI_ERR_DIMS;
    pattern->num = ndims;
    for (int k = 0; k < ndims; k++) {
        pattern->size[k] = dims[k];
        if (dims[k] < 0)
            return MPI_ERR_DIMS;
        product *= dims[k] > 0 ? dims[k] : 1;
        if (product > INT32_MAX)
            return MPI_ERR_DIMS;
    }
    return MPI_SUCCESS;
}

/* Drops what is known of the communicator, so that a new torus can take the place of the old
   one. */
static int drop_attribute(MPI_Comm comm)
{
    struct known *known;

    int err = attribute_find(comm, &known);
    if (err == MPI_SUCCESS && known != NULL)
        attribute_drop(known);
    return err;
}

/* Takes the steps that wait until the torus is built. */
static int factorize_build(struct known *known)
{
    bool pinned = attribute_begin_call();
    int err = MPI_SUCCESS;

    while (err == MPI_SUCCESS && known->stage != STAGE_NATIVE && known->stage != STAGE_BUILT)
        err = known_step(known, known->stage == STAGE_AGREED ? STEP_SHAPE : STEP_BUILD,
                         known->toruses, 0);
    attribute_end_call(pinned);
    return err;
}

static int error_of(enum reason reason)
{
    if (reason == REASON_NONE)
        return MPI_SUCCESS;
    return reason == REASON_SETTINGS_DIFFER ? MPI_ERR_ARG : MPI_ERR_OTHER;
}

/* A rank with bad arguments takes part in the agreement, as the others may wait for it. */
static int factorize(MPI_Comm comm, int size, const struct wish *wish, int invalid)
{
    struct known *known;

    int err = drop_attribute(comm);
    if (err != MPI_SUCCESS)
        return err;
    err = agreement_make(comm, wish, invalid == MPI_SUCCESS, &known);
    if (err != MPI_SUCCESS)
        return err;
    if (invalid != MPI_SUCCESS)
        return raise_error(comm, invalid);
    if (size == 1)
        return MPI_SUCCESS;
    if (known == NULL)
        return raise_error(comm, MPI_ERR_OTHER);
    err = factorize_build(known);
    if (err != MPI_SUCCESS)
        return err;
    int failed = error_of(known->reason);
    return failed != MPI_SUCCESS ? raise_error(comm, failed) : MPI_SUCCESS;
}

/* Asks MPI about a communicator that may be invalid. After the handler of the program has run,
   MPICH 5.0 may return no error. */
static int test_inter(MPI_Comm comm, int *inter)
{
    *inter = -1;
    int err = PMPI_Comm_test_inter(comm, inter);
    return err == MPI_SUCCESS && *inter == -1 ? MPI_ERR_COMM : err;
}

int torus_a2a_factorize(MPI_Comm comm, int ndims, const int dims[], const char *exchange)
{
    struct factors pattern, filled;
    struct exchange_list list;
    struct wish wish;
    int inter, size;

    if (foreign_mpi())
        return MPI_ERR_OTHER;
    int err = test_inter(comm, &inter);
    if (err != MPI_SUCCESS)
        return err;
    if (inter || thread_ranks(comm))
        return raise_error(comm, MPI_ERR_COMM);
    PMPI_Comm_size(comm, &size);
    int invalid = parse_arguments(ndims, dims, exchange, &pattern, &list);
    if (invalid != MPI_SUCCESS)
        pattern.num = 0;
    else if (!factorization_fill(&pattern, size, &filled))
        invalid = MPI_ERR_DIMS;
    policy_wish_explicit(process_settings(), &pattern, &list, &wish);
    return factorize(comm, size, &wish, invalid);
}

static void describe(torus_a2a_decision *decision, bool torus, const char *reason)
{
    decision->torus = torus;
    snprintf(decision->reason, sizeof decision->reason, "%s", reason);
}

static void describe_native(torus_a2a_decision *decision, enum reason reason)
{
    describe(decision, false, reason_text(reason));
}

/* At the next call the ranks only find out whether they have a torus already. One rank cannot
   tell what they find. */
static bool is_uncertain(const struct known *known, const struct decision *decision)
{
    return decision->way == WAY_PREPARE && decision->step == STEP_BUY && known->early;
}

/* A torus whose shape is chosen is described even if a block is too large for it. */
static void query_known(const struct known *known, size_t block, torus_a2a_decision *result)
{
    const struct decision decision = decide(known, block);
    bool shaped = known->stage == STAGE_SHAPED || known->stage == STAGE_BUILT;

    if (shaped) {
        const struct torus *torus = decision.torus != NULL ? decision.torus : known->toruses;
        const struct shape *shape = &torus->shape;
        result->ndims = shape->factors.num;
        memcpy(result->dims, shape->factors.size, sizeof result->dims);
        policy_format_exchanges(shape, result->exchange, sizeof result->exchange);
        placement_format(&known->placement, known->size, result->ranks);
    }
    if (decision.way == WAY_NATIVE)
        describe_native(result, decision.reason);
    else if (is_uncertain(known, &decision))
        describe_native(result, REASON_RENTED);
    else
        describe(result, true,
                 shaped && decision.torus != NULL ? decision.torus->shape.origin
                                                  : "the factors are chosen at the first call");
}

static void query_unknown(MPI_Comm comm, size_t block, torus_a2a_decision *decision)
{
    enum reason reason = agreement_foresee(comm, block);

    if (reason != REASON_NONE)
        describe_native(decision, reason);
    else
        describe(decision, true, "wanted; the factors are chosen at the first call");
}

int torus_a2a_query(MPI_Comm comm, MPI_Aint block_bytes, torus_a2a_decision *decision)
{
    struct known *known;
    int inter;

    if (foreign_mpi())
        return MPI_ERR_OTHER;
    int err = test_inter(comm, &inter);
    if (err != MPI_SUCCESS)
        return err;
    if (block_bytes < 0 || decision == NULL)
        return raise_error(comm, MPI_ERR_ARG);
    err = attribute_find(comm, &known);
    if (err != MPI_SUCCESS)
        return err;
    memset(decision, 0, sizeof *decision);
    if (block_bytes == 0)
        describe_native(decision, REASON_NO_DATA);
    else if (known != NULL)
        query_known(known, (size_t)block_bytes, decision);
    else
        query_unknown(comm, (size_t)block_bytes, decision);
    return MPI_SUCCESS;
}
