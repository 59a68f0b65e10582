/* mpi_tap.h - TAP for MPI programs: a test passes if it passes on every rank */
#ifndef MPI_TAP_H
#define MPI_TAP_H

#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int mpi_tap_tests, mpi_tap_failures;

/* Rank 0 of comm prints one line for all ranks of comm. Collective over comm. These functions
   call MPI by its PMPI names, so that the library sees no calls but the calls under test. */
__attribute__((format(printf, 3, 4))) static inline bool ok_on(MPI_Comm comm, bool good,
                                                               const char *format, ...)
{
    int mine = good, all = 0, rank;
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    PMPI_Comm_rank(comm, &rank);
    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, comm);
    if (!good)
        fprintf(stderr, "# rank %d failed: %s\n", rank, text);
    mpi_tap_tests++;
    mpi_tap_failures += !all;
    if (rank == 0) {
        printf("%sok %d - %s\n", all ? "" : "not ", mpi_tap_tests, text);
        fflush(stdout);
    }
    return all != 0;
}

#define ok_all(...) ok_on(MPI_COMM_WORLD, __VA_ARGS__)

/* Prints the plan, and returns the exit status of the program. */
static inline int mpi_tap_done(int rank)
{
    if (rank == 0) {
        printf("1..%d\n", mpi_tap_tests);
        fflush(stdout);
    }
    return mpi_tap_failures > 0;
}

#endif
