/* heats.h - measures all ways with blocks of one size */
#ifndef TORUS_A2A_HEATS_H
#define TORUS_A2A_HEATS_H

#include <mpi.h>
#include <stdbool.h>

#include "tools/shared/crew.h"
#include "tools/tune/lineup.h"
#include "tools/tune/report.h"
#include "tools/tune/results.h"

struct heats {
    /* The communicator of this rank, and all ranks that measure at the same time. */
    MPI_Comm comm;
    const struct crew *crew;
    /* The ways. The heats give communicators to them, and free these again. */
    struct lineup *lineup;
    /* The measurements of each way that may be the fastest. */
    int repetitions;
    /* Room for the largest blocks. */
    int *sendbuf, *recvbuf;
    /* The measurements of a way in one round, and room for those of all ways. heats_begin
       sets both. */
    int repetitions_most;
    double *times;
    /* Receives the progress. */
    struct report *report;
};

/* Makes the rooms for blocks of up to `most` bytes. Collective. Returns false on all ranks if
   some rank has no memory. */
bool heats_begin(struct heats *heats, size_t most);

/* Measures blocks of so many bytes. The result is the same on all ranks. Collective. */
void heats_run(struct heats *heats, size_t bytes, struct result *result);

/* Frees the rooms. */
void heats_end(struct heats *heats);

#endif
