/* lessons.h - what trials have taught about kinds of toruses, for further communicators

   Toruses of one kind have the same shape, and their ranks lie on as many nodes in the same
   order. A process remembers for each kind and each class of block sizes which way was faster.
   What a process remembers may differ from what others do. So the ranks of a new communicator
   compare their lessons, in an agreement that they make anyway, and use them if all have the
   same. */
#ifndef TORUS_A2A_LESSONS_H
#define TORUS_A2A_LESSONS_H

#include "dispatch/known.h"

/* What one process knows of one kind. The ranks compare a hash of it, padding included. */
struct lessons {
    uint64_t kind;
    /* For each class nothing (0), or 1 + side + 2 * torus: which side is faster, and the number
       of the fastest torus where several compete. */
    unsigned char lesson[TRIAL_CLASSES];
};

/* A number for the kind of torus that a communicator has: the same on all ranks. Local. */
uint64_t lessons_kind(const struct known *known);

/* Notes what has been found about this class on a communicator. sure: the way is the faster
   one; otherwise what was known of it is forgotten. Local. */
void lessons_note(const struct known *known, int class, enum side faster, bool sure);

/* What is known of a kind. It stays as it is while other threads note more. Local. */
void lessons_recall(uint64_t kind, struct lessons *lessons);

/* A number by which ranks compare the kind, and what they know of it. 0 if that is nothing. */
uint64_t lessons_offer(const struct lessons *lessons);

/* Ends those of the communicator's trials and contests that the lessons decide. All ranks have
   made the same offer, which is not 0. Local. */
void lessons_apply(const struct lessons *lessons, struct known *known);

#endif
