/* composite.h - composite blocks as contiguous bytes, copied only if they are not contiguous
   yet

   An exchange asks where to send from and where to receive to. It uses a composite block in
   place if that lies in one piece. Other composite blocks pass through the staging buffers. */
#ifndef TORUS_A2A_COMPOSITE_H
#define TORUS_A2A_COMPOSITE_H

#include "exchange/exchange.h"

/* Returns composite block j as contiguous bytes, and packs it first if that is needed. */
const char *composite_outgoing(const struct round *round, int j);

/* Returns the place to which the bytes of composite block i are to be received. */
char *composite_landing(const struct round *round, int i);

/* Brings the received bytes of composite block i to their places. All outgoing blocks must have
   left before: in an in-place round the function overwrites the block to the same peer. */
void composite_arrived(const struct round *round, int i);

/* Copies the block that the caller keeps for itself. */
void composite_keep(const struct round *round);

#endif
