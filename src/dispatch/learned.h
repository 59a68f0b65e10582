/* learned.h - what trials and contests have found, for TORUS_A2A_PROFILE_OUT */
#ifndef TORUS_A2A_LEARNED_H
#define TORUS_A2A_LEARNED_H

#include "dispatch/known.h"

/* What was found about one class of block sizes on one communicator. */
struct finding {
    /* The difference is no accident. */
    bool sure;
    /* MPI's own all-to-all is faster than the torus. */
    bool native;
    /* The medians in nanoseconds. */
    int64_t torus_time, native_time;
};

/* Notes a finding about a torus, and blocks of this size, for the profile. Does nothing unless
   TORUS_A2A_PROFILE_OUT asks for one. Local. */
void learned_note(const struct known *known, const struct torus *torus, size_t block,
                  struct finding finding);

/* Writes the profile on rank 0 of MPI_COMM_WORLD, as far as that rank has taken part in
   comparisons, and behind it the rows of TORUS_A2A_PROFILE that say more. Writes nothing if
   nothing was found. Says so if the file cannot be written. Only the first call does anything.
   Before MPI_Finalize. Local. */
void learned_write(void);

#endif
