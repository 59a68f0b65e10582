/* given_profile.h - the profile that TORUS_A2A_PROFILE names */
#ifndef TORUS_A2A_GIVEN_PROFILE_H
#define TORUS_A2A_GIVEN_PROFILE_H

#include "policy/profile.h"

/* Returns the profile of the process. It has no rows if none is given, and if DIMS, NDIMS or
   EXCHANGE ask for a torus of a certain kind. The first call reads the file, and warns of what
   is wrong with it. */
const struct profile *given_profile(void);

/* Returns false if the user has named a file that cannot be read. */
bool given_profile_good(void);

/* Returns the name of the MPI, as in the rows of a profile. */
const char *given_profile_mpi(void);

#endif
