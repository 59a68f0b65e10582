/* placement.c - asks MPI which ranks share memory, and the system how much there is */
#include "placement.h"

#include <stdint.h>

#include "agree.h"
#include "nodes.h"
#include "window.h"

enum { YES_BLOCKS = 1, YES_ROUND_ROBIN = 2, YES_ROOM = 4, YES_WIDE = 8, YES_ALONE = 16 };

/* What one rank sees of its node. */
struct node {
    int size;  /* ranks of the communicator on it */
    int rank;  /* the caller's among them, in the order of the communicator */
    int first; /* the lowest rank of the communicator on it */
};

static int find_node(MPI_Comm comm, int rank, struct node *node)
{
    MPI_Comm shared;

    int err = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
    if (err != MPI_SUCCESS)
        return err;
    PMPI_Comm_size(shared, &node->size);
    PMPI_Comm_rank(shared, &node->rank);
    err = nodes_lowest(comm, shared, &node->first);
    PMPI_Comm_free(&shared);
    return err;
}

static bool has_room(struct placement_need need, int ranks)
{
    return need.able && window_has_room((uint64_t)need.bytes * (uint64_t)ranks);
}

int placement_find(MPI_Comm comm, struct placement_need least, struct placement_need best,
                   struct placement *placement)
{
    struct node node;
    int rank, size;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    /* A rank that finds nothing out, for want of a communicator, must agree all the same. */
    bool found = find_node(comm, rank, &node) == MPI_SUCCESS;
    if (!found)
        node = (struct node){.size = size};

    int nodes = size / node.size;
    struct agreement agreement = {.value = (uint64_t)node.size};
    bool divides = found && size % node.size == 0;
    if (divides && node.first % node.size == 0 && rank == node.first + node.rank)
        agreement.yes |= YES_BLOCKS;
    if (divides && node.first < nodes && rank == node.first + node.rank * nodes)
        agreement.yes |= YES_ROUND_ROBIN;
    if (found && node.size == 1)
        agreement.yes |= YES_ALONE;
    if (found && has_room(least, node.size))
        agreement.yes |= YES_ROOM;
    if (found && has_room(best, node.size))
        agreement.yes |= YES_WIDE;
    int err = agree(comm, &agreement);
    if (err != MPI_SUCCESS)
        return err;
    *placement = (struct placement){.kind = PLACEMENT_IRREGULAR,
                                    .nodes = nodes,
                                    .per_node = node.size,
                                    .alone = (agreement.yes & YES_ALONE) != 0,
                                    .room = (agreement.yes & YES_ROOM) != 0,
                                    .wide = (agreement.yes & YES_WIDE) != 0};
    if (agreement.same && (agreement.yes & YES_BLOCKS))
        placement->kind = PLACEMENT_BLOCKS;
    else if (agreement.same && (agreement.yes & YES_ROUND_ROBIN))
        placement->kind = PLACEMENT_ROUND_ROBIN;
    return MPI_SUCCESS;
}

bool placement_is_local(const struct placement *placement, int stride, int size)
{
    switch (placement->kind) {
    case PLACEMENT_BLOCKS:
        return (int64_t)placement->per_node % ((int64_t)stride * size) == 0;
    case PLACEMENT_ROUND_ROBIN:
        return stride % placement->nodes == 0;
    default:
        return false;
    }
}
