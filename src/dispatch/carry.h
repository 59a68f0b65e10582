/* carry.h - carries one call through a torus that is ready for it */
#ifndef TORUS_A2A_CARRY_H
#define TORUS_A2A_CARRY_H

#include "torus/torus.h"

struct blocks;
struct call;

/* Carries a call with these buffers. The plan is one of the torus, for the blocks of the call.
   Returns an MPI error code that the error handler of the call's communicator has seen. */
int carry(const struct call *call, const struct torus *torus, const struct plan *plan,
          const struct blocks *source, const struct blocks *sink);

/* The same for a call whose buffers are contiguous bytes (call_is_plain). */
int carry_bytes(const struct call *call, const struct torus *torus, const struct plan *plan);

#endif
