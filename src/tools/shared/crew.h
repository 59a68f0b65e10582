/* crew.h - the ranks that measure together, and one measurement */
#ifndef TORUS_A2A_CREW_H
#define TORUS_A2A_CREW_H

#include <mpi.h>
#include <stdbool.h>

#include "tools/shared/contestant.h"

struct crew {
    /* A communicator for the barriers and the messages of the program. The contestants may run
       on this communicator's ranks together, or on several parts of them at once. */
    MPI_Comm comm;
    int rank;
    int procs;
    /* Some node has more ranks than processors. */
    bool oversubscribed;
};

/* Lets the ranks of comm measure together. Makes a duplicate of comm. Collective. */
void crew_begin(MPI_Comm comm, struct crew *crew);

/* Frees the duplicate. Collective. */
void crew_end(struct crew *crew);

/* Whether something holds on all ranks. Collective. */
bool crew_all(const struct crew *crew, bool here);

/* Rank 0 says on stderr what is wrong with a subject. Local. */
void crew_say(const struct crew *crew, const char *subject, const char *what);

/* Stands for the number of warm-up calls that is enough: WARMUPS_MOST, or as many as take a
   second. */
enum { WARMUPS_AUTO = 0, WARMUPS_MOST = 400 };

/* Makes so many calls with blocks of count ints before a measurement, or WARMUPS_AUTO. With
   `spoil`, the blocks in recvbuf are made wrong before the last of them. Collective. */
void crew_warm_up(const struct crew *crew, const struct contestant *contestant,
                  const int *sendbuf, int *recvbuf, int count, int calls, bool spoil);

/* Returns the time of one call in microseconds on this rank, after so many calls in a row with
   blocks of count ints. Collective. */
double crew_measure(const struct crew *crew, const struct contestant *contestant,
                    const int *sendbuf, int *recvbuf, int count, int calls);

/* Returns whether all ranks received what they should. The first rank with a wrong block says
   which block that is. Collective. */
bool crew_verify(const struct crew *crew, const struct contestant *contestant,
                 const int *recvbuf, int count);

/* Sorts times, and returns their median. */
double times_median(double *time, int num);

/* Returns how far from the median of sorted times the right one may be. It lies within this
   distance with a probability of some 95 %. */
double times_error(const double *sorted, int num);

#endif
