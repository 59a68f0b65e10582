/* agree.h - all ranks learn the same from what each of them knows */
#ifndef TORUS_A2A_AGREE_H
#define TORUS_A2A_AGREE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* What one rank brings to an agreement, and what all ranks get from it. */
struct agreement {
    /* Two values that the ranks compare. They stay as they are. */
    uint64_t value, offer;
    /* Set on return: all ranks brought the same value, and the same offer. */
    bool same, same_offer;
    /* One bit for each statement, set if it is true on this rank. On return a bit is set if the
       statement is true on all ranks. */
    uint64_t yes;
    /* A number. On return it is the number that rank 0 brought. */
    uint64_t name;
};

/* Makes one agreement by one all-reduce. Collective over comm. Returns an MPI error code that
   comm's error handler has seen. After an error the agreement is unchanged. */
int agree(MPI_Comm comm, struct agreement *agreement);

#endif
