/* paper_listing.h - the torus all-to-all as Träff's paper prints it */
#ifndef TORUS_A2A_PAPER_LISTING_H
#define TORUS_A2A_PAPER_LISTING_H

#include <mpi.h>

#include "settings/settings.h"

/* Makes a Cartesian communicator with these factors over comm, and caches on it one
   communicator for each dimension. Collective over comm. Errors go to the error handler of
   comm. */
void paper_listing_factorize(MPI_Comm comm, const struct factors *factors, MPI_Comm *cartesian);

/* Carries out the all-to-all over a communicator from paper_listing_factorize. Like the program
   in the paper, every call allocates its temporary buffer, and creates and frees the datatypes
   of every round. */
void paper_listing_alltoall(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                            MPI_Comm cartesian);

#endif
