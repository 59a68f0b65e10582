/* agree.c - one MPI_Allreduce compares values and combines bits */
#include "mpi/agree.h"

int agree(MPI_Comm comm, struct agreement *agreement)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    /* Ranks have the same value if each bit is set on all of them or on none of them. The
       second word shows the bits that are set on none. */
    /* The name of rank 0 remains, as all other ranks have all bits set. */
    uint64_t name = rank == 0 ? agreement->name : UINT64_MAX;
    uint64_t mine[4] = {agreement->value, ~agreement->value, agreement->yes, name}, all[4];
    int err = PMPI_Allreduce(mine, all, 4, MPI_UINT64_T, MPI_BAND, comm);
    if (err != MPI_SUCCESS)
        return err;
    agreement->same = (all[0] | all[1]) == UINT64_MAX;
    agreement->yes = all[2];
    agreement->name = all[3];
    return MPI_SUCCESS;
}
