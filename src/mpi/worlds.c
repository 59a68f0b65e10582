/* worlds.c - compares the groups of a communicator and of MPI_COMM_WORLD */
#include "mpi/worlds.h"

#include "mpi/quiet.h"

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

bool worlds_are_spanned(MPI_Comm comm)
{
    MPI_Group ours, world, foreign;
    int initialized = 0, num = 0;

    PMPI_Initialized(&initialized);
    if (!initialized || comm == MPI_COMM_WORLD || !group_of(comm, &ours))
        return false;
    if (group_of_world(&world)) {
        if (PMPI_Group_difference(ours, world, &foreign) == MPI_SUCCESS) {
            PMPI_Group_size(foreign, &num);
            PMPI_Group_free(&foreign);
        }
        PMPI_Group_free(&world);
    }
    PMPI_Group_free(&ours);
    return num > 0;
}
