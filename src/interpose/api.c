/* api.c - the public functions of torus_a2a.h */
#include "torus_a2a.h"

#include <stdio.h>
#include <string.h>

#include "dispatch/attribute.h"
#include "dispatch/dispatch.h"
#include "interpose/foreign.h"
#include "mpi/handles.h"
#include "policy/factorization.h"
#include "process/process.h"
#include "torus/torus.h"

/* An error of ours, through the user's error handler as MPI's own would go. */
static int raise_error(MPI_Comm comm, int error)
{
    PMPI_Comm_call_errhandler(comm, error);
    return error;
}

/* The error of arguments that no communicator could have; MPI_SUCCESS where there is none. */
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

/* A torus that is there gives way to the new one. */
static int drop_torus(MPI_Comm comm)
{
    struct torus *torus;

    int err = attribute_find(comm, &torus);
    if (err == MPI_SUCCESS && torus != NULL)
        attribute_drop(torus);
    return err;
}

int torus_a2a_factorize(MPI_Comm comm, int ndims, const int dims[], const char *exchange)
{
    struct factors pattern, filled;
    struct exchange_list list;
    struct wish wish;
    struct torus *torus;
    int inter, size;

    if (foreign_mpi())
        return MPI_ERR_OTHER;
    int err = PMPI_Comm_test_inter(comm, &inter);
    if (err != MPI_SUCCESS)
        return err;
    if (inter)
        return raise_error(comm, MPI_ERR_COMM);
    PMPI_Comm_size(comm, &size);
    int invalid = parse_arguments(ndims, dims, exchange, &pattern, &list);
    if (invalid != MPI_SUCCESS)
        pattern.num = 0;
    else if (!factorization_fill(&pattern, size, &filled))
        invalid = MPI_ERR_DIMS;
    policy_wish_explicit(process_settings(), &pattern, &list, &wish);
    err = drop_torus(comm);
    if (err != MPI_SUCCESS)
        return err;
    /* A rank with bad arguments takes part: the others may wait for it. */
    err = torus_agree(comm, &wish, invalid == MPI_SUCCESS, &torus);
    if (err != MPI_SUCCESS)
        return err;
    if (invalid != MPI_SUCCESS)
        return raise_error(comm, invalid);
    if (size == 1)
        return MPI_SUCCESS;
    if (torus == NULL)
        return raise_error(comm, MPI_ERR_OTHER);
    if (torus->why == NULL)
        err = torus_build(torus, 0);
    if (err != MPI_SUCCESS)
        return err;
    if (torus->why != NULL)
        return raise_error(comm, torus->mismatch ? MPI_ERR_ARG : MPI_ERR_OTHER);
    return MPI_SUCCESS;
}

/* torus_a2a_alltoall with handles as foreign.h has them. */
TORUS_A2A_API alltoall_fn torus_alltoall __asm__("torus_a2a_alltoall");

int torus_alltoall(const void *sendbuf, int sendcount, handle sendtype, void *recvbuf,
                   int recvcount, handle recvtype, handle comm)
{
    struct torus *torus = NULL;

    if (foreign_mpi())
        return native_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                               comm);
    const struct call call = {.sendbuf = sendbuf,
                              .sendcount = sendcount,
                              .sendtype = (MPI_Datatype)sendtype,
                              .recvbuf = recvbuf,
                              .recvcount = recvcount,
                              .recvtype = (MPI_Datatype)recvtype,
                              .comm = (MPI_Comm)comm};
    if (handle_is_valid(call.comm)) {
        int err = attribute_find(call.comm, &torus);
        if (err != MPI_SUCCESS)
            return err;
    }
    if (torus != NULL)
        return dispatch_alltoall(&call);
    process_count(COUNT_NATIVE);
    return call_native(&call);
}

static void decide(torus_a2a_decision *decision, bool torus, const char *reason)
{
    decision->torus = torus;
    snprintf(decision->reason, sizeof decision->reason, "%s", reason);
}

static void describe_shape(const struct shape *shape, size_t limit, size_t block,
                           torus_a2a_decision *decision)
{
    decision->ndims = shape->factors.num;
    memcpy(decision->dims, shape->factors.size, sizeof decision->dims);
    policy_format_exchanges(shape, decision->exchange, sizeof decision->exchange);
    if (block > shape->threshold)
        decide(decision, false, "above TORUS_A2A_THRESHOLD");
    else if (block > limit)
        decide(decision, false, "no room for the buffers");
    else
        decide(decision, true, shape->origin);
}

/* Nothing agreed on yet: what the caller's settings say. */
static void query_settings(MPI_Comm comm, int size, int inter, torus_a2a_decision *decision)
{
    struct wish wish;

    policy_wish(process_settings(), size, &wish);
    if (inter || size == 1)
        decide(decision, false, inter ? "an intercommunicator" : "a single rank");
    else if (torus_spans_worlds(comm))
        decide(decision, false, "processes of another MPI_COMM_WORLD");
    else if (!process_settings_good())
        decide(decision, false, "a setting makes no sense");
    else if (wish.native[0] != '\0')
        decide(decision, false, wish.native);
    else
        decide(decision, true, "wanted; the factors are chosen at the first call");
}

static void query_torus(const struct torus *torus, size_t block, torus_a2a_decision *decision)
{
    if (torus->why != NULL)
        decide(decision, false, torus->why);
    else if (torus->shaped)
        describe_shape(&torus->shape, torus->block_limit, block, decision);
    else
        decide(decision, block <= torus->block_limit,
               "the factors are chosen at the first call below TORUS_A2A_THRESHOLD");
}

int torus_a2a_query(MPI_Comm comm, MPI_Aint block_bytes, torus_a2a_decision *decision)
{
    struct torus *torus;
    int inter, size;

    if (foreign_mpi())
        return MPI_ERR_OTHER;
    int err = PMPI_Comm_test_inter(comm, &inter);
    if (err != MPI_SUCCESS)
        return err;
    if (block_bytes < 0 || decision == NULL)
        return raise_error(comm, MPI_ERR_ARG);
    PMPI_Comm_size(comm, &size);
    err = attribute_find(comm, &torus);
    if (err != MPI_SUCCESS)
        return err;
    memset(decision, 0, sizeof *decision);
    if (block_bytes == 0)
        decide(decision, false, "no data");
    else if (torus != NULL)
        query_torus(torus, (size_t)block_bytes, decision);
    else
        query_settings(comm, size, inter, decision);
    return MPI_SUCCESS;
}
