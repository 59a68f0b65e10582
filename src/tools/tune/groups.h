/* groups.h - the communicators that are measured: all ranks, the ranks of a node, and one rank
   of each node */
#ifndef TORUS_A2A_GROUPS_H
#define TORUS_A2A_GROUPS_H

#include <mpi.h>
#include <stdbool.h>

#include "policy/placement.h"
#include "tools/shared/crew.h"
#include "tools/tune/options.h"

struct group {
    /* The name in --placements. */
    const char *name;
    /* The communicator that this rank measures on. MPI_COMM_NULL if it does not take part. The
       ranks of all nodes measure at the same time, each node on a communicator of its own, as
       programs do it. So do the communicators with one rank of each node. */
    MPI_Comm comm;
    /* The number of ranks of comm. */
    int p;
    /* All ranks that take part; rank 0 of MPI_COMM_WORLD is one of them. */
    struct crew crew;
    /* How the ranks of comm lie on the nodes, and the text of it. */
    struct placement placement;
    char ranks[PLACEMENT_TEXT];
};

struct group_list {
    int num;
    struct group group[PLACEMENTS];
};

/* Makes the groups that the options ask for. Leaves out a group of one rank, and a group with
   the placement of an earlier one. Collective over all ranks. Returns false on all ranks if no
   group is left or a placement cannot be found; rank 0 says why. */
bool groups_make(const struct crew *world, const struct tune_options *options,
                 struct group_list *list);

/* Frees the communicators. Collective. */
void groups_free(struct group_list *list);

#endif
