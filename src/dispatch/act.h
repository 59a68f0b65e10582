/* act.h - decides about a call, and acts on the decision

   Without mpi.h, for files that declare MPI's functions themselves. */
#ifndef TORUS_A2A_ACT_H
#define TORUS_A2A_ACT_H

#include "dispatch/call.h"

/* Carries out a call that the thread does not remember: finds what is known of the
   communicator, or lets the ranks agree on it. Returns an MPI error code that an error handler
   has seen. */
int act(const struct call *call);

/* Carries out a call on a communicator that is to get no torus: native. */
int act_without_torus(const struct call *call);

#endif
