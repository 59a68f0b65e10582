/* model.h - what torus-a2a-bench --model measures and has a script fit a model to */
#ifndef TORUS_A2A_MODEL_H
#define TORUS_A2A_MODEL_H

#include <stdbool.h>

#include "tools/bench/options.h"
#include "tools/shared/crew.h"

/* Leaves only contestants that the model says something about, and adds those that it needs
   where the user has named none. Collective. Returns false on all ranks if the user has named
   other exchanges alone, or if the script lacks something; rank 0 says so. */
bool model_choose(const struct crew *crew, struct contestants_wanted *wanted);

/* Fits the model to the results in a CSV file, whose name matters on rank 0 alone. Collective.
   Returns on all ranks whether that was possible; otherwise rank 0 says why. */
bool model_fit(const struct crew *crew, char *csv);

#endif
