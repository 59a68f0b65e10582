/* find_placement.c - finds out which ranks share memory, and asks the system how much there is
 */
#include "policy/find_placement.h"

#include <limits.h>
#include <stdint.h>

#include "memory/limits.h"
#include "memory/oversubscription.h"
#include "mpi/agree.h"
#include "mpi/nodes.h"

/* Each bit is a statement about all nodes. A rank says yes if the statement is true of its own
   node. */
enum {
    YES_BLOCKS = 1,
    YES_ROUND_ROBIN = 2,
    YES_ROOM = 4,
    YES_WIDE = 8,
    YES_ALONE = 16,
    YES_PROCESSORS = 32,
    YES_PACKER = 64
};

/* The bits from this one on say that a node has at most 1 rank, 2 ranks, 4 ranks, and so on. */
enum { AT_MOST_BIT = 7, AT_MOST_BITS = 31 };

static bool has_room(struct placement_need need, int ranks)
{
    return need.able && limits_has_room((uint64_t)need.bytes * (uint64_t)ranks) &&
           limits_may_map((uint64_t)need.bytes * (uint64_t)ranks) &&
           limits_may_take((uint64_t)need.window * (uint64_t)ranks);
}

static uint64_t at_most(int ranks)
{
    uint64_t yes = 0;

    for (int k = 0; k < AT_MOST_BITS; k++) {
        if (ranks <= 1 << k)
            yes |= UINT64_C(1) << (AT_MOST_BIT + k);
    }
    return yes;
}

/* Returns the ranks of the largest node, rounded up to a power of two. The bits of yes are
   those that all ranks have set. */
static int most_of(uint64_t yes)
{
    for (int k = 0; k < AT_MOST_BITS; k++) {
        if (yes & UINT64_C(1) << (AT_MOST_BIT + k))
            return 1 << k;
    }
    return INT_MAX;
}

/* Returns what is true of a node with so many ranks. Where there is room for wide windows, the
   system need not be asked about narrow ones. */
static uint64_t facts_of(int ranks, struct placement_need least, struct placement_need best,
                         bool packer)
{
    uint64_t yes = packer ? YES_PACKER : 0;

    if (ranks == 1)
        yes |= YES_ALONE;
    if (has_room(best, ranks))
        yes |= YES_WIDE | YES_ROOM;
    else if (has_room(least, ranks))
        yes |= YES_ROOM;
    if (!oversubscription_is_certain(ranks))
        yes |= YES_PROCESSORS;
    return yes | at_most(ranks);
}

/* Returns the orders that the caller's rank fits into. The function takes it that all nodes
   have as many ranks as the caller's node; the ranks compare these numbers later. */
static uint64_t orders_of(MPI_Comm comm, MPI_Comm node)
{
    int all, ranks, rank, place, first;
    uint64_t yes = 0;

    if (nodes_lowest(comm, node, &first) != MPI_SUCCESS)
        return 0;
    PMPI_Comm_size(comm, &all);
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(node, &ranks);
    PMPI_Comm_rank(node, &place);
    if (all % ranks != 0)
        return 0;
    int nodes = all / ranks;
    if (first % ranks == 0 && rank == first + place)
        yes |= YES_BLOCKS;
    if (first < nodes && rank == first + place * nodes)
        yes |= YES_ROUND_ROBIN;
    return yes;
}

static void placement_conclude(MPI_Comm comm, const struct agreement *agreement,
                               struct placement *placement)
{
    int all;

    *placement = (struct placement){.order = ORDER_NONE,
                                    .most = most_of(agreement->yes),
                                    .alone = (agreement->yes & YES_ALONE) != 0,
                                    .room = (agreement->yes & YES_ROOM) != 0,
                                    .wide = (agreement->yes & YES_WIDE) != 0,
                                    .processors = (agreement->yes & YES_PROCESSORS) != 0,
                                    .packers = (agreement->yes & YES_PACKER) != 0};
    if (!agreement->same || !(agreement->yes & (YES_BLOCKS | YES_ROUND_ROBIN)))
        return;
    PMPI_Comm_size(comm, &all);
    placement->ranks = (int)agreement->value;
    placement->most = placement->ranks;
    placement->nodes = all / placement->ranks;
    placement->order = agreement->yes & YES_BLOCKS ? ORDER_BLOCKS : ORDER_ROUND_ROBIN;
}

/* Most communicators that get a torus are on one node. So each rank takes it that all ranks are
   on its node, and the ranks compare the marks of their nodes in a single all-reduce. found:
   all have the same mark. */
static int find_one_node(MPI_Comm comm, struct placement_need least, struct placement_need best,
                         bool packer, struct placement *placement, bool *found)
{
    int all;

    PMPI_Comm_size(comm, &all);
    struct agreement agreement = {.value = nodes_mark(),
                                  .yes = facts_of(all, least, best, packer) | YES_BLOCKS};
    int err = agree(comm, &agreement);
    *found = err == MPI_SUCCESS && agreement.same;
    if (*found) {
        agreement.value = (uint64_t)all;
        placement_conclude(comm, &agreement, placement);
    }
    return err;
}

/* A rank that gets no communicator for its node finds nothing out. It takes part in the
   agreement all the same, as the others wait for it. */
static int find_nodes(MPI_Comm comm, struct placement_need least, struct placement_need best,
                      bool packer, struct placement *placement)
{
    struct agreement agreement = {.value = 0};
    MPI_Comm node = nodes_split(comm);

    if (node != MPI_COMM_NULL) {
        int ranks;
        PMPI_Comm_size(node, &ranks);
        agreement.value = (uint64_t)ranks;
        agreement.yes = facts_of(ranks, least, best, packer) | orders_of(comm, node);
        PMPI_Comm_free(&node);
    }
    int err = agree(comm, &agreement);
    if (err == MPI_SUCCESS)
        placement_conclude(comm, &agreement, placement);
    return err;
}

int placement_find(MPI_Comm comm, struct placement_need least, struct placement_need best,
                   bool packer, struct placement *placement)
{
    bool found = false;

    int err = nodes_have_marks() ? find_one_node(comm, least, best, packer, placement, &found)
                                 : MPI_SUCCESS;
    if (err != MPI_SUCCESS || found)
        return err;
    return find_nodes(comm, least, best, packer, placement);
}
