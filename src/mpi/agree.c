/* agree.c - one MPI_Allreduce compares values and combines bits

   The first one of a program also shows whether all ranks have the same version of the library.
   So the number of words, their type and the operation stay the same in all versions. */
#include "mpi/agree.h"

int agree(MPI_Comm comm, struct agreement *agreement)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    /* Ranks have the same value if each bit is set on all of them or on none of them. The
       second word shows the bits that are set on none. */
    /* The name of rank 0 remains, as all other ranks have all bits set. */
    uint64_t name = rank == 0 ? agreement->name : UINT64_MAX;
    uint64_t mine[6] = {agreement->value,  ~agreement->value, agreement->offer,
                        ~agreement->offer, agreement->yes,    name};
    /* Some bit of the first two words is set on no rank. If an MPI loses the error of a
       program's handler, the all-reduce may return without an answer. */
    uint64_t all[6] = {UINT64_MAX, UINT64_MAX};
    int err = PMPI_Allreduce(mine, all, 6, MPI_UINT64_T, MPI_BAND, comm);
    if (err == MPI_SUCCESS && (all[0] & all[1]) != 0)
        err = MPI_ERR_OTHER;
    if (err != MPI_SUCCESS)
        return err;
    agreement->same = (all[0] | all[1]) == UINT64_MAX;
    agreement->same_offer = (all[2] | all[3]) == UINT64_MAX;
    agreement->yes = all[4];
    agreement->name = all[5];
    return MPI_SUCCESS;
}
