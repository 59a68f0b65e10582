/* division.h - how the ranks of a communicator are divided into parts of equal size */
#ifndef TORUS_A2A_DIVISION_H
#define TORUS_A2A_DIVISION_H

#include <mpi.h>

#include "mpi/agree.h"

enum division_kind {
    DIVISION_IRREGULAR,  /* parts with different numbers of ranks, or in no simple order */
    DIVISION_BLOCKS,     /* rank r is in part r / size; a single part is of this kind */
    DIVISION_ROUND_ROBIN /* rank r is in part r mod parts */
};

struct division {
    enum division_kind kind;
    int parts; /* meaningless where irregular */
    int size;  /* ranks of a part; likewise */
};

/* The bits of an agreement that a division takes; others may have those from here on. */
enum { DIVISION_YES_FREE = 4 };

/* Adds what the caller sees to an agreement: value, and bits of yes. part has the ranks of
   whole that are in the caller's part, in the same order; or it is MPI_COMM_NULL, and there is
   no such division. Local. */
void division_propose(MPI_Comm whole, MPI_Comm part, struct agreement *agreement);

/* What all ranks of whole came to. Local. */
struct division division_conclude(MPI_Comm whole, const struct agreement *agreement);

#endif
