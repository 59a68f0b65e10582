/* paper_listing.h - the torus all-to-all in the form that Träff's paper prints it */
#ifndef TORUS_A2A_PAPER_LISTING_H
#define TORUS_A2A_PAPER_LISTING_H

#include <mpi.h>

#include "settings/settings.h"

/* Makes a Cartesian communicator with these factors over comm and caches one communicator per
   dimension on it. Collective over comm. Errors go to the error handler of comm. */
void listing_factorize(MPI_Comm comm, const struct factors *factors, MPI_Comm *cartesian);

/* The all-to-all over a communicator from listing_factorize. Every call allocates its
   temporary buffer and creates and frees the datatypes of every round, as the paper's does. */
void listing_alltoall(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                      MPI_Comm cartesian);

#endif
