/* build.h - makes what the rounds of a torus need: communicators, windows, buffers */
#ifndef TORUS_A2A_BUILD_H
#define TORUS_A2A_BUILD_H

#include "torus/torus.h"

/* Builds a torus that has a shape, for blocks of up to this many bytes, at most its block
   limit; 0 makes no buffers.

   placement   the function lowers it: if windows could not be made, the function tries a
               shape with narrow windows, then one without windows
   reason      REASON_NONE, or why some rank could not build the torus. If the new shape takes
   only smaller blocks, the torus is not built, and the reason is REASON_NONE.

   Collective over the torus' communicator. Returns an MPI error code that the communicator's
   error handler has seen. */
int torus_build(struct torus *torus, const struct wish *wish, struct placement *placement,
                size_t block, enum reason *reason);

#endif
