/* worlds.c - compares the groups of a communicator and of MPI_COMM_WORLD */
#include "mpi/worlds.h"

#include "mpi/quiet.h"
#include "mpi/world_ranks.h"

static bool group_of(MPI_Comm comm, MPI_Group *group)
{
    struct quiet quiet = quiet_begin(comm);
    int err = PMPI_Comm_group(comm, group);

    quiet_end(quiet);
    return err == MPI_SUCCESS;
}

/* The error handler of MPI_COMM_WORLD stays if other threads may be using MPI_COMM_WORLD. */
static bool group_of_world(MPI_Group *group)
{
    if (quiet_has_threads())
        return PMPI_Comm_group(MPI_COMM_WORLD, group) == MPI_SUCCESS;
    return group_of(MPI_COMM_WORLD, group);
}

/* Whether the group has a rank that is not in the group of MPI_COMM_WORLD. */
static bool has_foreign(MPI_Group ours, MPI_Group world)
{
    int rank[WORLD_RANKS_CHUNK] = {0}, many = 0;
    struct world_ranks walk;
    bool foreign = false;

    if (!world_ranks_begin(ours, world, &walk))
        return false;
    while (!foreign && (many = world_ranks_next(&walk, rank)) > 0) {
        for (int i = 0; i < many; i++)
            foreign = foreign || rank[i] == MPI_UNDEFINED;
    }
    return foreign;
}

/* MPI_Group_difference would be shorter. But MPICH 5.0 ends the program there if one of the
   groups comes from a session. */
bool worlds_are_spanned(MPI_Comm comm)
{
    MPI_Group ours, world;
    int initialized = 0;
    bool foreign = false;

    PMPI_Initialized(&initialized);
    if (!initialized || comm == MPI_COMM_WORLD || !group_of(comm, &ours))
        return false;
    if (group_of_world(&world)) {
        foreign = has_foreign(ours, world);
        PMPI_Group_free(&world);
    }
    PMPI_Group_free(&ours);
    return foreign;
}
