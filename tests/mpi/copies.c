/* copies.c - counts the copies of a call that were not prepared with its plan

   mpiexec -n P copies BYTES

   The program contains the library, and all of its calls of strided_copy come to the program
   first. Rank 0 prints how many of them the fourth call with blocks of so many bytes makes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "copy/strided.h"

static int copies;

void __real_strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                         size_t segments, size_t segment);
void __wrap_strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                         size_t segments, size_t segment);

void __wrap_strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                         size_t segments, size_t segment)
{
    copies++;
    __real_strided_copy(to, from, rows, segments, segment);
}

int main(int argc, char **argv)
{
    int rank, size, bytes = argc > 1 ? atoi(argv[1]) : 4;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *in = calloc((size_t)size, (size_t)bytes), *out = calloc((size_t)size, (size_t)bytes);
    if (in == NULL || out == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < 4; i++) {
        copies = 0;
        MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d copies\n", copies);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
