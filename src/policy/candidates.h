/* candidates.h - the toruses that may be the fastest for a placement

   Which of them is, differs from machine to machine and from block size to block size. So the
   library tries them with TORUS_A2A_TUNE=full, and torus-a2a-tune tries them for a profile.

   This header goes without mpi.h. */
#ifndef TORUS_A2A_CANDIDATES_H
#define TORUS_A2A_CANDIDATES_H

#include <stdbool.h>

#include "policy/placement.h"
#include "settings/values.h"

/* Factors, and an exchange for each, or one for all. A factor 0 is left open. */
struct candidate {
    struct factors factors;
    struct exchange_list exchange;
};

/* The most candidates of one placement. */
enum { CANDIDATES_MOST = 8 };

/* Lists the candidates for p ranks with this placement, and returns their number. The first
   one is what the library takes if nothing was measured, as a rule. Only the order, the nodes
   and the ranks of the placement count. */
int candidates_list(int p, const struct placement *placement,
                    struct candidate list[CANDIDATES_MOST]);

/* The largest text of a candidate, with the byte that ends it. */
enum { CANDIDATE_TEXT = 320 };

/* Writes a candidate as in "4x8 linear,shm", with a separator between the two lists. */
void candidate_format(const struct candidate *candidate, char separator,
                      char text[CANDIDATE_TEXT]);

/* Reads both lists of a candidate. Returns false if one of them makes no sense. */
bool candidate_parse(const char *factors, const char *exchange, struct candidate *candidate);

/* Makes of a candidate for one placement of p ranks what it would be for another placement.
   Nodes become nodes, and ranks of a node become ranks of a node. Returns false if that cannot
   be. */
bool candidate_fit(const struct candidate *candidate, const struct placement *from,
                   const struct placement *to, int p, struct candidate *fitted);

#endif
