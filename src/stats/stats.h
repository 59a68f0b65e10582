/* stats.h - counts and times the calls of this process, if TORUS_A2A_STATS asks for a report

   Without mpi.h, for files that declare MPI's functions themselves. Any number of threads may
   call these functions. */
#ifndef TORUS_A2A_STATS_H
#define TORUS_A2A_STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "stats/table.h"

enum stats_state { STATS_UNKNOWN, STATS_ARE_OFF, STATS_ARE_ON };

extern atomic_int stats_state;

/* Reads the settings for stats_are_on. */
bool stats_look(void);

/* Returns whether calls are counted. The first call reads the settings. */
static inline bool stats_are_on(void)
{
    int state = atomic_load_explicit(&stats_state, memory_order_relaxed);

    return state != STATS_ARE_OFF && (state == STATS_ARE_ON || stats_look());
}

/* Returns the time in nanoseconds. */
static inline int64_t stats_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* These three follow a call of MPI_Alltoall while the library decides about it. Between begin
   and end the library says once or several times what it has decided; the last time counts. A
   call of the same thread within the call, from an error handler, spoils the time of the outer
   one. Nothing happens if calls are not counted.

   stats_decide takes a shape from table_keep_shape, or NULL; the bytes of a block; and why the
   call is native, or NULL if it goes through the torus. It returns the row of such calls, or
   NULL if there is none. */
void stats_begin(void);
struct table_row *stats_decide(const struct table_shape *shape, size_t block,
                               const char *reason);
void stats_end(void);

/* These two stand around what makes toruses: agreements of the ranks, and communicators and
   windows. The time between them does not count as time of the call. begin returns what end
   needs. */
int64_t stats_making_begin(void);
void stats_making_end(int64_t began);

/* Counts a torus that was made. */
void stats_count_torus(void);

/* What was made so far: the number of toruses, and the time in nanoseconds. */
uint64_t stats_toruses(void);
uint64_t stats_making_time(void);

#endif
