/* shape.h - the shape of a torus, by where its ranks are and by what the settings say */
#ifndef TORUS_A2A_SHAPE_H
#define TORUS_A2A_SHAPE_H

#include "torus/torus.h"

/* Finds out where the ranks of a torus' communicator are, and whether their nodes have room for
   the windows that the wish may need. Collective over the communicator. Returns an MPI error
   code that the communicator's error handler has seen. */
int torus_find_placement(struct torus *torus, const struct wish *wish,
                         struct placement *placement);

/* Gives the torus the shape that suits the placement, and lowers its block limit to what fits.
   Returns REASON_NONE, or why there is no such torus. Local; the same on all ranks. */
enum reason torus_choose_shape(struct torus *torus, const struct wish *wish,
                               const struct placement *placement);

/* Notes in the placement that there is no room for windows, and says so if TORUS_A2A_VERBOSE
   asks for it. Local. */
void torus_do_without_windows(const struct torus *torus, const struct wish *wish,
                              struct placement *placement);

#endif
