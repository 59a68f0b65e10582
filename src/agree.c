/* agree.c - one MPI_Allreduce with the minimum compares values and combines bits */
#include "agree.h"

enum { YES_BITS = 4 };

int agree(MPI_Comm comm, struct agreement *agreement)
{
    int64_t mine[2 + YES_BITS], all[2 + YES_BITS];

    /* The values are equal where the least equals the greatest: ~x reverses the order. */
    mine[0] = (int64_t)agreement->value;
    mine[1] = ~mine[0];
    for (int i = 0; i < YES_BITS; i++)
        mine[2 + i] = (agreement->yes >> i) & 1;
    int err = PMPI_Allreduce(mine, all, 2 + YES_BITS, MPI_INT64_T, MPI_MIN, comm);
    if (err != MPI_SUCCESS)
        return err;
    agreement->same = all[0] == ~all[1];
    agreement->yes = 0;
    for (int i = 0; i < YES_BITS; i++)
        agreement->yes |= (unsigned)all[2 + i] << i;
    return MPI_SUCCESS;
}
