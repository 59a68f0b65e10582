/* dimension.c - dimension communicators from strided ranges of ranks

   The ranks along dimension k differ from the caller in coordinate k alone, so they lie at
   equal distances. MPI_Comm_create_group on such a range of ranks communicates among D[k]
   ranks. The paper's MPI_Comm_split gathers from all p ranks for every dimension, and takes
   more than twice as long: docs/decisions.md, "Building a torus".

   Open MPI's MPI_Comm_create_group sends messages on the program's communicator, with tags that
   a program may use. If the program waits there for a message from any rank with any tag, it
   receives one of these messages, and the program and MPI_Comm_create_group both hang.
   MPI_Comm_create sends no such messages, but all p ranks take part in it. */
#include "torus/dimension.h"

#include "mpi/quiet.h"
#include "mpi/which.h"

/* Finds the ranks along each dimension: first, first + stride, and so on. */
static int prepare_all(MPI_Group group, int rank, const struct factors *factors,
                       struct dimension dimensions[])
{
    int stride = 1, result = MPI_SUCCESS;

    for (int k = factors->num - 1; k >= 0; k--) {
        int size = factors->size[k], coordinate = rank / stride % size;
        int first = rank - coordinate * stride;
        int range[1][3] = {{first, first + (size - 1) * stride, stride}};
        dimensions[k].rank = coordinate;
        stride *= size;
        if (!dimensions[k].takes_communicator)
            continue;
        int err = PMPI_Group_range_incl(group, 1, range, &dimensions[k].members);
        if (err != MPI_SUCCESS)
            result = err;
    }
    return result;
}

int dimensions_prepare(MPI_Comm comm, const struct factors *factors,
                       struct dimension dimensions[])
{
    MPI_Group group;
    int rank;

    for (int k = 0; k < factors->num; k++) {
        dimensions[k].members = MPI_GROUP_NULL;
        dimensions[k].comm = MPI_COMM_NULL;
        dimensions[k].state = NULL;
    }
    PMPI_Comm_rank(comm, &rank);
    int err = PMPI_Comm_group(comm, &group);
    if (err != MPI_SUCCESS)
        return err;
    err = prepare_all(group, rank, factors, dimensions);
    PMPI_Group_free(&group);
    return err;
}

/* Makes the communicator of one dimension. The tag tells it apart from the communicators that
   other threads make on comm at the same time. */
static int create_one(MPI_Comm comm, MPI_Group members, int tag, MPI_Comm *made)
{
    if (which_is_open_mpi())
        return PMPI_Comm_create(comm, members, made);
    return PMPI_Comm_create_group(comm, members, tag, made);
}

/* After an error the function goes on with the next dimension, whose other ranks do not know of
   the error and would wait. */
int dimensions_create(MPI_Comm comm, struct dimension dimensions[], int num)
{
    int result = MPI_SUCCESS;

    for (int k = num - 1; k >= 0; k--) {
        struct dimension *dimension = &dimensions[k];
        if (dimension->members == MPI_GROUP_NULL)
            continue;
        int err = create_one(comm, dimension->members, QUIET_TAG - k, &dimension->comm);
        PMPI_Group_free(&dimension->members);
        if (err == MPI_SUCCESS)
            PMPI_Comm_set_errhandler(dimension->comm, MPI_ERRORS_RETURN);
        else
            result = err;
    }
    return result;
}

int dimensions_open(MPI_Comm comm, struct dimension dimensions[], int num)
{
    int result = MPI_SUCCESS;

    for (int k = num - 1; k >= 0; k--) {
        struct dimension *dimension = &dimensions[k];
        if (dimension->exchange->open == NULL)
            continue;
        int err = dimension->exchange->open(dimension_comm(dimension, comm), &dimension->want,
                                            &dimension->state);
        if (err != MPI_SUCCESS)
            result = err;
    }
    return result;
}

/* Returns the window of the dimension, or NULL if its exchange has none. */
static struct window *window_of(const struct dimension *dimension)
{
    const struct exchange *exchange = dimension->exchange;

    return exchange->window != NULL ? exchange->window(dimension->state) : NULL;
}

bool dimensions_reserve(const struct dimension dimensions[], int num, size_t block)
{
    for (int k = 0; k < num; k++) {
        const struct window *window = window_of(&dimensions[k]);
        struct window_want want = dimensions[k].want;
        want.block = block;
        if (window != NULL && !window_reserve(window, &want))
            return false;
    }
    return true;
}

void dimensions_extend(struct dimension dimensions[], int num, size_t block)
{
    for (int k = 0; k < num; k++) {
        struct window *window = window_of(&dimensions[k]);
        dimensions[k].want.block = block;
        if (window != NULL)
            window_extend(window, &dimensions[k].want);
    }
}

void dimensions_free(struct dimension dimensions[], int num)
{
    for (int k = 0; k < num; k++) {
        if (dimensions[k].state != NULL)
            dimensions[k].exchange->close(dimensions[k].state);
        dimensions[k].state = NULL;
        if (dimensions[k].members != MPI_GROUP_NULL)
            PMPI_Group_free(&dimensions[k].members);
        if (dimensions[k].comm != MPI_COMM_NULL)
            PMPI_Comm_free(&dimensions[k].comm);
    }
}
