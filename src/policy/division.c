/* division.c - whether parts are blocks of ranks, or take them in turn */
#include "policy/division.h"

#include "mpi/nodes.h"

enum { YES_BLOCKS = 1, YES_ROUND_ROBIN = 2 };

void division_propose(MPI_Comm whole, MPI_Comm part, struct agreement *agreement)
{
    int all, rank, size, place, first;

    if (part == MPI_COMM_NULL || nodes_lowest(whole, part, &first) != MPI_SUCCESS)
        return;
    PMPI_Comm_size(whole, &all);
    PMPI_Comm_rank(whole, &rank);
    PMPI_Comm_size(part, &size);
    PMPI_Comm_rank(part, &place);
    agreement->value = (uint64_t)size;
    if (all % size != 0)
        return;
    int parts = all / size;
    if (first % size == 0 && rank == first + place)
        agreement->yes |= YES_BLOCKS;
    if (first < parts && rank == first + place * parts)
        agreement->yes |= YES_ROUND_ROBIN;
}

struct division division_conclude(MPI_Comm whole, const struct agreement *agreement)
{
    struct division division = {.kind = DIVISION_IRREGULAR};
    int all;

    if (!agreement->same || !(agreement->yes & (YES_BLOCKS | YES_ROUND_ROBIN)))
        return division;
    PMPI_Comm_size(whole, &all);
    division.size = (int)agreement->value;
    division.parts = all / division.size;
    division.kind = agreement->yes & YES_BLOCKS ? DIVISION_BLOCKS : DIVISION_ROUND_ROBIN;
    return division;
}
