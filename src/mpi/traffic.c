/* traffic.c - how many bytes a process sends by an all-to-all of any form */
#include "mpi/traffic.h"

#include <mpi.h>
#include <stddef.h>

#include "mpi/large.h"

static int topology_of(MPI_Comm comm)
{
    int topology = MPI_UNDEFINED;

    PMPI_Topo_test(comm, &topology);
    return topology;
}

/* A dimension of a Cartesian topology has two neighbours for each rank, although some of them
   may be MPI_PROC_NULL. */
static int num_neighbours(MPI_Comm comm, int topology)
{
    int num = 0, sources, weighted, rank;

    if (topology == MPI_CART) {
        PMPI_Cartdim_get(comm, &num);
        return 2 * num;
    }
    if (topology == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &num);
    } else if (topology == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, &sources, &num, &weighted);
    return num;
}

/* Whether a neighbour in a Cartesian topology is MPI_PROC_NULL. */
static bool is_beyond_edge(MPI_Comm comm, int neighbour)
{
    int before = MPI_PROC_NULL, after = MPI_PROC_NULL;

    PMPI_Cart_shift(comm, neighbour / 2, 1, &before, &after);
    return (neighbour % 2 == 0 ? before : after) == MPI_PROC_NULL;
}

static int num_ranks(MPI_Comm comm)
{
    int inter = 0, num = 0;

    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &num);
    else
        PMPI_Comm_size(comm, &num);
    return num;
}

static uint64_t size_of(MPI_Datatype type)
{
    MPI_Count size = 0;

    if (type == MPI_DATATYPE_NULL || ANSWER(PMPI_Type_size)(type, &size) != MPI_SUCCESS)
        return 0;
    return size > 0 ? (uint64_t)size : 0;
}

static uint64_t count_of(const struct traffic_side *side, bool large, int i)
{
    int64_t count = side->count;

    if (side->counts != NULL)
        count = large ? ((const int64_t *)side->counts)[i] : ((const int *)side->counts)[i];
    return count > 0 ? (uint64_t)count : 0;
}

uint64_t traffic_bytes(const struct traffic *traffic)
{
    MPI_Comm comm = (MPI_Comm)traffic->comm;
    bool in_place = !traffic->neighbours && traffic->sendbuf == MPI_IN_PLACE;
    const struct traffic_side *side = in_place ? &traffic->receive : &traffic->send;
    int topology = traffic->neighbours ? topology_of(comm) : MPI_UNDEFINED;
    int num = traffic->neighbours ? num_neighbours(comm, topology) : num_ranks(comm);
    MPI_Datatype type = (MPI_Datatype)side->type;
    uint64_t bytes = 0, size = 0;

    for (int i = 0; i < num; i++) {
        if (topology == MPI_CART && is_beyond_edge(comm, i))
            continue;
        uint64_t count = count_of(side, traffic->large, i);
        /* MPI does not look at the type of no elements, so it may be no type. */
        if (count == 0)
            continue;
        MPI_Datatype next = side->types == NULL ? type : ((const MPI_Datatype *)side->types)[i];
        /* Most programs have one type for nearly all ranks. */
        if (next != type || size == 0)
            size = size_of(next);
        type = next;
        bytes += count * size;
    }
    return bytes;
}
