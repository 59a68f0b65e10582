/* torus.c - makes an empty torus, and frees one */
#include "torus/torus.h"

#include <stdlib.h>

#include "process/accounts.h"

struct torus *torus_new(MPI_Comm comm, int rank, int size, size_t limit)
{
    struct torus *torus = calloc(1, sizeof *torus);

    if (torus == NULL)
        return NULL;
    torus->comm = comm;
    torus->rank = rank;
    torus->size = size;
    torus->block_limit = limit;
    return torus;
}

bool torus_takes(const struct torus *torus, size_t block)
{
    return block >= torus->shape.least && block <= torus->block_limit;
}

void torus_release(struct torus *torus)
{
    int num = torus->shape.factors.num;

    plan_cache_free(&torus->plans, torus->dimension, num);
    dimensions_free(torus->dimension, torus->built ? num : 0);
    buffers_free(&torus->buffers);
    torus->block_room = 0;
    free(torus->requests);
    torus->requests = NULL;
    accounts_return_communicators(torus->communicators);
    torus->communicators = 0;
    accounts_return_memory(torus->windows);
    torus->windows = 0;
    buffers_init(&torus->buffers, num);
    /* Built again, it may have another shape. */
    torus->counted_shape = NULL;
    torus->built = false;
}

void torus_free(struct torus *torus)
{
    if (torus == NULL)
        return;
    torus_release(torus);
    free(torus);
}
