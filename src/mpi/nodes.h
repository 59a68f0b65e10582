/* nodes.h - which ranks of a communicator share a node */
#ifndef TORUS_A2A_NODES_H
#define TORUS_A2A_NODES_H

#include <mpi.h>
#include <stdbool.h>

/* The nodes are numbered by their lowest ranks, and the ranks of a node have places on it, in
   their order. The same on all ranks, but for local. */
struct nodes {
    MPI_Comm local; /* the ranks of the caller's node; returns errors; belongs to the struct */
    int num;        /* nodes */
    int *node;      /* of each rank */
    int *start;     /* of each node, its first entry in member; one more at the end */
    int *member;    /* the ranks, node after node */
};

static inline int nodes_size(const struct nodes *nodes, int node)
{
    return nodes->start[node + 1] - nodes->start[node];
}

/* The rank at a place of a node. */
static inline int nodes_rank(const struct nodes *nodes, int node, int place)
{
    return nodes->member[nodes->start[node] + place];
}

/* The ranks of the caller's node, in their order; returns errors. MPI_COMM_NULL where MPI has
   no communicator for them. Collective over comm, whose errors return. */
MPI_Comm nodes_split(MPI_Comm comm);

/* The lowest rank of comm among those of local, which are ranks of comm in its order. Local;
   returns an MPI error code. */
int nodes_lowest(MPI_Comm comm, MPI_Comm local, int *lowest);

/* Finds the nodes, if all ranks are able to go on with them. Collective over comm, whose errors
   return. Returns an MPI error code; nodes is to be freed after success only. */
int nodes_find(MPI_Comm comm, bool able, struct nodes *nodes);

/* Waits for no other rank, as far as the MPI frees communicators so. */
void nodes_free(struct nodes *nodes);

#endif
