/* placement.c - asks MPI which ranks share memory, and the system how much there is */
#include "policy/placement.h"

#include <stdint.h>

#include "memory/window.h"
#include "mpi/agree.h"
#include "mpi/nodes.h"

enum {
    YES_ROOM = DIVISION_YES_FREE,
    YES_WIDE = 2 * DIVISION_YES_FREE,
    YES_ALONE = 4 * DIVISION_YES_FREE
};

static bool has_room(struct placement_need need, int ranks)
{
    return need.able && window_has_room((uint64_t)need.bytes * (uint64_t)ranks) &&
           window_may_map((uint64_t)need.bytes * (uint64_t)ranks) &&
           window_may_take((uint64_t)need.window * (uint64_t)ranks);
}

static uint64_t room_on(MPI_Comm node, const struct placement_need *least,
                        const struct placement_need *best)
{
    uint64_t yes = 0;
    int ranks;

    if (node == MPI_COMM_NULL)
        return 0;
    PMPI_Comm_size(node, &ranks);
    if (ranks == 1)
        yes |= YES_ALONE;
    if (has_room(*least, ranks))
        yes |= YES_ROOM;
    if (has_room(*best, ranks))
        yes |= YES_WIDE;
    return yes;
}

/* A rank that finds nothing out, for want of a communicator, agrees all the same. */
static int agree_on_nodes(MPI_Comm comm, MPI_Comm node, const struct placement_need *least,
                          const struct placement_need *best, struct placement *placement)
{
    struct agreement agreement = {.yes = room_on(node, least, best)};

    division_propose(comm, node, &agreement);
    int err = agree(comm, &agreement);
    if (err != MPI_SUCCESS)
        return err;
    *placement = (struct placement){.nodes = division_conclude(comm, &agreement),
                                    .alone = (agreement.yes & YES_ALONE) != 0,
                                    .room = (agreement.yes & YES_ROOM) != 0,
                                    .wide = (agreement.yes & YES_WIDE) != 0};
    return MPI_SUCCESS;
}

int placement_find(MPI_Comm comm, const struct level_list *levels, struct placement_need least,
                   struct placement_need best, struct placement *placement)
{
    MPI_Comm node = nodes_split(comm);
    int err = agree_on_nodes(comm, node, &least, &best, placement);

    if (err == MPI_SUCCESS && placement->nodes.kind != DIVISION_IRREGULAR)
        err = levels_find(comm, &node, levels, &placement->levels);
    if (node != MPI_COMM_NULL)
        PMPI_Comm_free(&node);
    return err;
}

bool placement_is_local(const struct placement *placement, int stride, int size)
{
    switch (placement->nodes.kind) {
    case DIVISION_BLOCKS:
        return (int64_t)placement->nodes.size % ((int64_t)stride * size) == 0;
    case DIVISION_ROUND_ROBIN:
        return stride % placement->nodes.parts == 0;
    default:
        return false;
    }
}
