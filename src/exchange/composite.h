/* composite.h - composite blocks as contiguous bytes, moved only where they are not already

   An exchange asks where to send from and where to receive to. A composite block that lies in
   one piece in packed memory is used in place; any other passes through the staging buffers. */
#ifndef TORUS_A2A_COMPOSITE_H
#define TORUS_A2A_COMPOSITE_H

#include "exchange/exchange.h"

/* Finds composite block j as contiguous bytes, packing it first where that is needed. */
int composite_outgoing(const struct round *round, int j, const char **bytes);

/* Where the bytes of composite block i are to be received. */
char *composite_landing(const struct round *round, int i);

/* Brings what was received for composite block i to its places. Only when all outgoing blocks
   have left: where in and out are one buffer, it overwrites the one to the same peer. */
int composite_arrived(const struct round *round, int i);

/* Moves the block that the caller keeps for itself. */
int composite_keep(const struct round *round);

#endif
