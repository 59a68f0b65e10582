/* timing.h - notes how long a call takes that is compared with others */
#ifndef TORUS_A2A_TIMING_H
#define TORUS_A2A_TIMING_H

#include <mpi.h>
#include <stdint.h>

#include "dispatch/known.h"

/* What it takes to note the time of a call. */
struct timing {
    /* Where it belongs, in nanoseconds, or NULL if it is not wanted. */
    int64_t *place;
    /* The serial number of the communicator whose place it is, the number of steps that its
       ranks have begun, and the epoch of what threads remember. */
    uint64_t serial;
    unsigned steps_begun, epoch;
    double start;
};

/* Begins before a call whose time belongs to place. Local. */
struct timing timing_begin(const struct known *known, int64_t *place);

/* Ends when the call on comm has returned. Local.

   The call may have failed, and its error handler may have done anything. It may have freed the
   communicator, and all that was known of it. Or it may have made calls on the communicator, in
   which the ranks have agreed on the times: this rank must then not change its own. In both
   cases the time is not noted. */
void timing_end(const struct timing *timing, MPI_Comm comm);

#endif
