/* account.c - tells src/stats what was decided about a call

   Calls are counted by the shape of their communicator. The shape changes with the stage, so it
   is looked up once for each stage. */
#include "dispatch/account.h"

/* While calls are native on rent, nobody has asked yet whether there are two groups. */
static bool has_two_groups(const struct known *known)
{
    int inter = 0;

    PMPI_Comm_test_inter(known->comm, &inter);
    return inter != 0;
}

/* torus may be NULL. */
static const struct table_shape *keep_shape(const struct known *known,
                                            const struct torus *torus)
{
    struct table_shape shape;

    table_clear_shape(&shape);
    shape.intercommunicator = has_two_groups(known);
    shape.ranks = known->size;
    /* So many ranks get a block from a call. */
    if (shape.intercommunicator)
        PMPI_Comm_remote_size(known->comm, &shape.ranks);
    if (known->placement.order != ORDER_NONE) {
        shape.nodes = known->placement.nodes;
        shape.ranks_per_node = known->placement.ranks;
    }
    if (torus != NULL) {
        shape.factors.num = torus->shape.factors.num;
        for (int i = 0; i < torus->shape.factors.num; i++) {
            shape.factors.size[i] = torus->shape.factors.size[i];
            shape.exchange[i] = torus->shape.exchange[i];
        }
    }
    return table_keep_shape(&shape);
}

static const struct table_shape *shape_of(struct known *known, struct torus *torus)
{
    static const struct table_shape nothing;

    if (known == NULL)
        return table_keep_shape(&nothing);
    if (torus != NULL && torus->built) {
        if (torus->counted_shape == NULL)
            torus->counted_shape = keep_shape(known, torus);
        return torus->counted_shape;
    }
    if (known->counted_shape == NULL || known->counted_stage != known->stage) {
        known->counted_shape = keep_shape(known, NULL);
        known->counted_stage = known->stage;
    }
    return known->counted_shape;
}

/* What has nothing to do with a certain torus is counted beside the first one. */
struct table_row *account_native(struct known *known, struct torus *torus, size_t block,
                                 enum reason reason)
{
    if (!stats_are_on())
        return NULL;
    if (torus == NULL && known != NULL)
        torus = known->toruses;
    return stats_decide(shape_of(known, torus), block, reason_text(reason));
}

struct table_row *account_torus(struct known *known, struct torus *torus, size_t block)
{
    if (!stats_are_on())
        return NULL;
    return stats_decide(shape_of(known, torus), block, NULL);
}
