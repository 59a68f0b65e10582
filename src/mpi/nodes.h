/* nodes.h - which ranks of a communicator share a node */
#ifndef TORUS_A2A_NODES_H
#define TORUS_A2A_NODES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The nodes have numbers in the order of their lowest ranks. The ranks of a node have places,
   in the order of the ranks. All but the first field is the same on all ranks. */
struct nodes {
    /* The communicator of the ranks of the caller's node. It returns errors, and the struct
       owns it. MPI_COMM_NULL if the caller has freed it. */
    MPI_Comm local;
    /* The number of nodes. */
    int num;
    /* The number of the node of each rank. */
    int *node;
    /* Where the ranks of each node begin in member, and behind the last node their end. */
    int *start;
    /* All ranks, node after node. */
    int *member;
};

/* Returns the number of ranks of a node. */
static inline int nodes_size(const struct nodes *nodes, int node)
{
    return nodes->start[node + 1] - nodes->start[node];
}

/* Returns the rank at a place of a node. */
static inline int nodes_rank(const struct nodes *nodes, int node, int place)
{
    return nodes->member[nodes->start[node] + place];
}

/* Whether the ranks of a node know each other by the mark of the node. The same on all ranks.
   Otherwise MPI is asked. Local. */
bool nodes_have_marks(void);

/* Returns the mark of the caller's node, which is at most INT_MAX. Two nodes of a very large
   job may have one mark: their ranks find no window of each other, and the torus takes
   messages. Local. */
uint64_t nodes_mark(void);

/* Returns a communicator of the ranks of the caller's node, in the order of comm, or
   MPI_COMM_NULL if MPI has no communicator left. The communicator returns errors, and the
   caller frees it. Collective over comm, whose error handler must return. */
MPI_Comm nodes_split(MPI_Comm comm);

/* Finds the lowest rank in comm of all ranks of local. The ranks of local are ranks of comm in
   the order of comm. Local. Returns an MPI error code. */
int nodes_lowest(MPI_Comm comm, MPI_Comm local, int *lowest);

/* Finds the nodes if every rank passes true as able: a rank that cannot go on after this call
   passes false. Collective over comm, whose error handler must return. Returns an MPI error
   code. Only after success the caller frees the nodes. */
int nodes_find(MPI_Comm comm, bool able, struct nodes *nodes);

/* Frees what nodes_find has made. Waits for no other rank, unless the MPI's MPI_Comm_free does.
 */
void nodes_free(struct nodes *nodes);

#endif
