/* timing.c - a time is noted if nothing else has come between */
#include "dispatch/timing.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "dispatch/attribute.h"
#include "dispatch/recent.h"

struct timing timing_begin(const struct known *known, int64_t *place)
{
    return (struct timing){.place = place,
                           .serial = known->serial,
                           .steps_begun = known->steps_begun,
                           .epoch = atomic_load(&recent_epoch),
                           .start = place != NULL ? PMPI_Wtime() : 0};
}

/* Another communicator may have the same handle by now, and the library may have the same
   memory for it. */
static bool is_as_before(const struct timing *timing, MPI_Comm comm)
{
    const struct known *known = attribute_known(comm);

    return known != NULL && known->serial == timing->serial &&
           known->steps_begun == timing->steps_begun;
}

/* A free and a step both begin another epoch. */
void timing_end(const struct timing *timing, MPI_Comm comm)
{
    if (timing->place == NULL)
        return;
    double seconds = PMPI_Wtime() - timing->start;
    if (atomic_load(&recent_epoch) == timing->epoch || is_as_before(timing, comm))
        *timing->place = seconds > 0 ? (int64_t)(seconds * 1e9) : 0;
}
