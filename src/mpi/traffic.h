/* traffic.h - how many bytes a process sends by an all-to-all of any form

   Without mpi.h, for files that declare MPI's functions themselves. */
#ifndef TORUS_A2A_TRAFFIC_H
#define TORUS_A2A_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/handles.h"

/* What describes the data to be sent. With MPI_IN_PLACE that is what describes the receive
   buffer. */
struct traffic_side {
    /* The elements for each receiver, and their type. If counts is NULL, all receivers get
       count elements. If types is NULL, all elements have the type. */
    int64_t count;
    const void *counts;
    handle type;
    const void *types;
};

struct traffic {
    const void *sendbuf;
    struct traffic_side send, receive;
    handle comm;
    /* The receivers are the neighbours in the topology of comm, and not all ranks. */
    bool neighbours;
    /* The counts are MPI_Count, and not int. */
    bool large;
};

/* Returns the bytes that the calling process sends. The arguments are those of a call that has
   returned MPI_SUCCESS, so MPI has found no error in them. Local. */
uint64_t traffic_bytes(const struct traffic *traffic);

#endif
