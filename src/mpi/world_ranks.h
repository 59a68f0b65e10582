/* world_ranks.h - the ranks that the members of a group have in another group, such as that of
   MPI_COMM_WORLD */
#ifndef TORUS_A2A_WORLD_RANKS_H
#define TORUS_A2A_WORLD_RANKS_H

#include <mpi.h>
#include <stdbool.h>

/* The members that are looked up at once. */
enum { WORLD_RANKS_CHUNK = 64 };

/* A walk through the members of a group. */
struct world_ranks {
    MPI_Group group, world;
    int size, world_size;
    /* The first member that has not been looked up. */
    int next;
    /* The rank of the last member that was, and the distance from the rank before it. The
       distance is 0 if that is not known. */
    int last, distance;
    /* MPI compares a member with one rank of the world after the other. */
    bool linear;
};

/* Begins before the first member. The groups stay the caller's. Returns false if MPI does not
   know the groups. Local, as the next function is. */
bool world_ranks_begin(MPI_Group group, MPI_Group world, struct world_ranks *walk);

/* Looks up the next members, as many as a chunk has, and writes their ranks; a member that is
   not in the other group gets MPI_UNDEFINED. Returns their number, which is 0 after the
   last member, or -1 if MPI does not know them. */
int world_ranks_next(struct world_ranks *walk, int rank[WORLD_RANKS_CHUNK]);

#endif
