/* nodes.c - asks MPI which ranks share memory, and tells all of them */
#include "nodes.h"

#include <stdlib.h>

#include "agree.h"

enum { YES_ABLE = 1, YES_ALLOCATED = 2, YES_LOCAL = 4 };

static bool allocate(int size, struct nodes *nodes)
{
    nodes->node = calloc((size_t)size, sizeof *nodes->node);
    nodes->start = calloc((size_t)size + 1, sizeof *nodes->start);
    nodes->member = calloc((size_t)size, sizeof *nodes->member);
    return nodes->node != NULL && nodes->start != NULL && nodes->member != NULL;
}

/* The lowest rank of comm on the caller's node. */
static int find_first(MPI_Comm comm, MPI_Comm local, int *first)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    return PMPI_Allreduce(&rank, first, 1, MPI_INT, MPI_MIN, local);
}

/* From the lowest rank of every rank's node to numbers: a node's lowest rank comes before its
   others. */
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

/* Each node's entries are filled from its start on; that moves the starts up by a node. */
static void list_members(int size, struct nodes *nodes)
{
    for (int rank = 0; rank < size; rank++)
        nodes->member[nodes->start[nodes->node[rank]]++] = rank;
    for (int node = nodes->num; node > 0; node--)
        nodes->start[node] = nodes->start[node - 1];
    nodes->start[0] = 0;
}

static int spread(MPI_Comm comm, struct nodes *nodes)
{
    int size, first;

    PMPI_Comm_size(comm, &size);
    int err = find_first(comm, nodes->local, &first);
    /* The others wait for it all the same. */
    int err_all = PMPI_Allgather(&first, 1, MPI_INT, nodes->node, 1, MPI_INT, comm);
    if (err != MPI_SUCCESS || err_all != MPI_SUCCESS)
        return MPI_ERR_OTHER;
    number_nodes(size, nodes);
    list_members(size, nodes);
    return MPI_SUCCESS;
}

int nodes_find(MPI_Comm comm, bool able, struct nodes *nodes)
{
    struct agreement agreement = {.yes = able ? YES_ABLE : 0};
    int rank, size;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    if (allocate(size, nodes))
        agreement.yes |= YES_ALLOCATED;
    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &nodes->local) ==
        MPI_SUCCESS)
        agreement.yes |= YES_LOCAL;
    else
        nodes->local = MPI_COMM_NULL;
    int err = agree(comm, &agreement);
    if (err == MPI_SUCCESS && agreement.yes != (YES_ABLE | YES_ALLOCATED | YES_LOCAL))
        err = MPI_ERR_NO_MEM;
    if (err == MPI_SUCCESS) {
        PMPI_Comm_set_errhandler(nodes->local, MPI_ERRORS_RETURN);
        err = spread(comm, nodes);
    }
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
