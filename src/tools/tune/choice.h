/* choice.h - which way is taken for each block size

   This header goes without mpi.h. */
#ifndef TORUS_A2A_CHOICE_H
#define TORUS_A2A_CHOICE_H

#include "tools/tune/results.h"

/* There is no way that gives right results. */
enum { NO_WAY = -1 };

/* Chooses a way for each block size that was measured. It is the fastest one. If others take
   less than 2 % longer, or no longer than the errors of the times explain, it is the first of
   these: the way of the next smaller size, native, the candidates in their order. So there are
   few ranges, and a communicator has few toruses. No torus is taken that was 2 % slower than
   native. */
void choice_make(const struct results *results, int way[SIZES_MOST]);

/* How many times as long a way takes as the fastest one: 1 or more. HUGE_LOSS if it cannot be
   taken. */
double choice_loss(const struct results *results, int size, int way);

#define HUGE_LOSS 1e9

/* Whether more measurements would change nothing: each way that was measured is told from the
   fastest one, or takes less than 2 % longer. The time of a way that was not measured is 0. */
bool choice_is_plain(const struct result *result, int ways);

#endif
