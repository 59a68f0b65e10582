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

/* Ranks that are asked for at once. */
enum { CHUNK = 64 };

/* Whether one of `many` ranks, from `first` on, is not in the group of MPI_COMM_WORLD. */
static bool is_one_foreign(MPI_Group ours, MPI_Group world, int first, int many)
{
    int asked[CHUNK] = {0}, place[CHUNK] = {0};
    bool foreign = false;

    for (int i = 0; i < many; i++)
        asked[i] = first + i;
    if (PMPI_Group_translate_ranks(ours, many, asked, world, place) != MPI_SUCCESS)
        return false;
    for (int i = 0; i < many; i++)
        foreign = foreign || place[i] == MPI_UNDEFINED;
    return foreign;
}

/* MPI_Group_difference would be shorter. But MPICH 5.0 ends the program there if one of the
   groups comes from a session. */
bool worlds_are_spanned(MPI_Comm comm)
{
    MPI_Group ours, world;
    int initialized = 0, size = 0;
    bool foreign = false;

    PMPI_Initialized(&initialized);
    if (!initialized || comm == MPI_COMM_WORLD || !group_of(comm, &ours))
        return false;
    if (group_of_world(&world)) {
        /* In Open MPI a duplicate of MPI_COMM_WORLD has the same group. It is not asked for its
           ranks there, because a search for all of them takes time in proportion to the product
           of both sizes. */
        if (ours != world)
            PMPI_Group_size(ours, &size);
        for (int first = 0; first < size && !foreign; first += CHUNK)
            foreign =
                is_one_foreign(ours, world, first, size - first < CHUNK ? size - first : CHUNK);
        PMPI_Group_free(&world);
    }
    PMPI_Group_free(&ours);
    return foreign;
}
