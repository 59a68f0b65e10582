/* contest.h - measures all ways with blocks of one size */
#ifndef TORUS_A2A_CONTEST_H
#define TORUS_A2A_CONTEST_H

#include <mpi.h>
#include <stdbool.h>

#include "tools/shared/crew.h"
#include "tools/tune/report.h"
#include "tools/tune/results.h"
#include "tools/tune/ways.h"

struct contest {
    /* The communicator of this rank, and all ranks that measure at the same time. */
    MPI_Comm comm;
    const struct crew *crew;
    /* The ways. A contest gives communicators to them, and frees these again. */
    struct ways *ways;
    /* The measurements of each way that may be the fastest. */
    int repetitions;
    /* Room for the largest blocks. */
    int *sendbuf, *recvbuf;
    /* The measurements of a way in one round, and room for those of all ways. contest_begin
       sets both. */
    int repetitions_most;
    double *times;
    /* Receives the progress. */
    struct report *report;
};

/* Makes the rooms for blocks of up to `most` bytes. Collective. Returns false on all ranks if
   some rank has no memory. */
bool contest_begin(struct contest *contest, size_t most);

/* Measures blocks of so many bytes. The result is the same on all ranks. Collective. */
void contest_run(struct contest *contest, size_t bytes, struct result *result);

/* Frees the rooms. */
void contest_end(struct contest *contest);

#endif
