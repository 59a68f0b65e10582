/* nodes.c - finds out which ranks share memory, and tells all of them

   The system knows it best. An MPI may take two containers for one node, and some builds of
   MPICH 5 take every rank for a node of its own. So ranks share a node if the system says that
   they can open the same memory, and the windows that they open there prove it. MPI is asked
   only where the user wants it, and on systems other than Linux. If a rank cannot find out what
   the system says, it is a node of its own. */
#include "mpi/nodes.h"

#include <stdlib.h>

#include "config.h"
#include "mpi/agree.h"
#include "process/host.h"
#include "process/process.h"

/* Linux tells which memory a process has. The ranks of a simulator are on one machine and stand
   for many. */
#if defined(__linux__) && !defined(RANKS_SHARE_THREADS)
enum { SYSTEM_KNOWS = true };
#else
enum { SYSTEM_KNOWS = false };
#endif

/* What a rank says yes to before the ranks tell each other their nodes. */
enum { YES_ABLE = 1, YES_ALLOCATED = 2, YES_LOCAL = 4 };

static bool nodes_allocate(int size, struct nodes *nodes)
{
    nodes->node = calloc((size_t)size, sizeof *nodes->node);
    nodes->start = calloc((size_t)size + 1, sizeof *nodes->start);
    nodes->member = calloc((size_t)size, sizeof *nodes->member);
    return nodes->node != NULL && nodes->start != NULL && nodes->member != NULL;
}

/* Asks the groups, which is local. A rank that could not make its communicator would not answer
   a message, and the others would wait for it. */
int nodes_lowest(MPI_Comm comm, MPI_Comm local, int *lowest)
{
    const int zero = 0;
    MPI_Group all, mine;

    int err = PMPI_Comm_group(comm, &all);
    if (err != MPI_SUCCESS)
        return err;
    err = PMPI_Comm_group(local, &mine);
    if (err == MPI_SUCCESS) {
        err = PMPI_Group_translate_ranks(mine, 1, &zero, all, lowest);
        PMPI_Group_free(&mine);
    }
    PMPI_Group_free(&all);
    return err;
}

/* On entry, nodes->node has the lowest rank of each rank's node. The function replaces it by
   the number of the node, and counts the ranks of each node. The lowest rank of a node comes
   before its other ranks, so it always has its number first. */
static void number_nodes(int size, struct nodes *nodes)
{
    nodes->num = 0;
    for (int rank = 0; rank < size; rank++) {
        bool is_first = nodes->node[rank] == rank;
        nodes->node[rank] = is_first ? nodes->num++ : nodes->node[nodes->node[rank]];
        nodes->start[nodes->node[rank] + 1]++;
    }
    for (int node = 0; node < nodes->num; node++)
        nodes->start[node + 1] += nodes->start[node];
}

/* Enters each rank where the next entry of its node is. In the end the start of each node has
   moved to the start of the next one, so the function moves all starts back. */
static void list_members(int size, struct nodes *nodes)
{
    for (int rank = 0; rank < size; rank++)
        nodes->member[nodes->start[nodes->node[rank]]++] = rank;
    for (int node = nodes->num; node > 0; node--)
        nodes->start[node] = nodes->start[node - 1];
    nodes->start[0] = 0;
}

/* Tells all ranks the lowest rank of the caller's node, and numbers the nodes. */
static int spread(MPI_Comm comm, int lowest, struct nodes *nodes)
{
    int size;

    PMPI_Comm_size(comm, &size);
    int err = PMPI_Allgather(&lowest, 1, MPI_INT, nodes->node, 1, MPI_INT, comm);
    if (err != MPI_SUCCESS)
        return err;
    number_nodes(size, nodes);
    list_members(size, nodes);
    return MPI_SUCCESS;
}

bool nodes_have_marks(void)
{
    return SYSTEM_KNOWS && process_settings()->nodes == NODES_AUTO;
}

uint64_t nodes_mark(void)
{
    return (uint64_t)host_memory(process_unique_name());
}

MPI_Comm nodes_split(MPI_Comm comm)
{
    MPI_Comm local;
    int rank, err;

    PMPI_Comm_rank(comm, &rank);
    if (nodes_have_marks())
        err = PMPI_Comm_split(comm, (int)nodes_mark(), rank, &local);
    else
        err = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &local);
    if (err != MPI_SUCCESS)
        return MPI_COMM_NULL;
    PMPI_Comm_set_errhandler(local, MPI_ERRORS_RETURN);
    return local;
}

int nodes_find(MPI_Comm comm, bool able, struct nodes *nodes)
{
    struct agreement agreement = {.yes = able ? YES_ABLE : 0};
    int size, lowest;

    PMPI_Comm_size(comm, &size);
    if (nodes_allocate(size, nodes))
        agreement.yes |= YES_ALLOCATED;
    nodes->local = nodes_split(comm);
    if (nodes->local != MPI_COMM_NULL &&
        nodes_lowest(comm, nodes->local, &lowest) == MPI_SUCCESS)
        agreement.yes |= YES_LOCAL;
    int err = agree(comm, &agreement);
    if (err == MPI_SUCCESS && agreement.yes != (YES_ABLE | YES_ALLOCATED | YES_LOCAL))
        err = MPI_ERR_NO_MEM;
    if (err == MPI_SUCCESS)
        err = spread(comm, lowest, nodes);
    if (err != MPI_SUCCESS)
        nodes_free(nodes);
    return err;
}

void nodes_free(struct nodes *nodes)
{
    if (nodes->local != MPI_COMM_NULL)
        PMPI_Comm_free(&nodes->local);
    free(nodes->node);
    free(nodes->start);
    free(nodes->member);
}
