/* dimension.h - the communicators along the dimensions of a torus */
#ifndef TORUS_A2A_DIMENSION_H
#define TORUS_A2A_DIMENSION_H

#include <mpi.h>

#include "exchange/exchange.h"
#include "settings/settings.h"

struct dimension {
    /* The ranks of comm before comm is made, otherwise MPI_GROUP_NULL. */
    MPI_Group members;
    /* The communicator of the ranks that differ from the caller in this coordinate only. It
       returns errors, and only the library uses it. MPI_COMM_NULL if the dimension takes none.
     */
    MPI_Comm comm;
    /* The caller's coordinate, which is its rank in comm. */
    int rank;
    /* The exchange that carries out the round along this dimension. */
    const struct exchange *exchange;
    /* Whether comm is to be made. */
    bool takes_communicator;
    /* What the windows of the exchange are for, if it has any. */
    struct window_want want;
    /* What the exchange has opened, or NULL. */
    void *state;
};

/* The communicator of the dimension, or the other one if it has none. */
static inline MPI_Comm dimension_comm(const struct dimension *dimension, MPI_Comm other)
{
    return dimension->comm != MPI_COMM_NULL ? dimension->comm : other;
}

/* The three steps that make the dimensions. Each step returns an MPI error code. What it has
   made before an error is still there, and dimensions_free frees it. A rank may take the next
   step only after all ranks have succeeded with this one, as it would wait for the others. The
   error handler of comm must return.

   dimensions_prepare   initializes the dimensions, and finds the ranks of each. The caller has
                        set exchange and takes_communicator before. Local.
   dimensions_create    makes the communicators that the dimensions need. Collective over comm.
   dimensions_open      opens the exchanges. The caller has set want before. Collective over
                        comm. */
int dimensions_prepare(MPI_Comm comm, const struct factors *factors,
                       struct dimension dimensions[]);
int dimensions_create(MPI_Comm comm, struct dimension dimensions[], int num);
int dimensions_open(MPI_Comm comm, struct dimension dimensions[], int num);

/* Make room in all windows for blocks of this many bytes, in the two steps that window.h
   describes. */
bool dimensions_reserve(const struct dimension dimensions[], int num, size_t block);
void dimensions_extend(struct dimension dimensions[], int num, size_t block);

/* Closes the exchanges, and frees what the three steps have made. Waits for no other rank,
   unless the MPI's MPI_Comm_free does. */
void dimensions_free(struct dimension dimensions[], int num);

#endif
