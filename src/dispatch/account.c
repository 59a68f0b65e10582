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

static const struct table_shape *keep_shape(const struct known *known)
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
    if (known->stage == STAGE_BUILT) {
        const struct shape *torus = &known->toruses->shape;
        shape.factors.num = torus->factors.num;
        for (int i = 0; i < torus->factors.num; i++) {
            shape.factors.size[i] = torus->factors.size[i];
            shape.exchange[i] = torus->exchange[i];
        }
    }
    return table_keep_shape(&shape);
}

static const struct table_shape *shape_of(struct known *known)
{
    static const struct table_shape nothing;

    if (known == NULL)
        return table_keep_shape(&nothing);
    if (known->counted_shape == NULL || known->counted_stage != known->stage) {
        known->counted_shape = keep_shape(known);
        known->counted_stage = known->stage;
    }
    return known->counted_shape;
}

struct table_row *account_native(struct known *known, size_t block, enum reason reason)
{
    if (!stats_are_on())
        return NULL;
    return stats_decide(shape_of(known), block, reason_text(reason));
}

struct table_row *account_torus(struct known *known, size_t block)
{
    if (!stats_are_on())
        return NULL;
    return stats_decide(shape_of(known), block, NULL);
}
