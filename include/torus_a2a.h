/* torus_a2a.h - torus all-to-all for programs that call it instead of preloading it

   The algorithm: J. L. Träff, "Effective MPI: User-defined Datatypes and Cartesian
   Communicators for Zero-copy All-to-all Communication in Multidimensional Tori", 2026.

   Link with -ltorus_a2a (pkg-config torus_a2a, or torus_a2a-mpich). A linked
   program's MPI_Alltoall is intercepted as a preloaded one's is; the functions below are for
   more control. All return MPI_SUCCESS or an MPI error code that the communicator's error
   handler has seen first. They may be called between MPI_Init and MPI_Finalize, with
   MPI_THREAD_MULTIPLE by several threads at once on different communicators.

   If the program's MPI is not the MPI of the library, the library prints a line.
   torus_a2a_alltoall then calls the program's MPI. The other functions return an error code,
   which is not MPI_SUCCESS, and which no error handler sees. */
#ifndef TORUS_A2A_H
#define TORUS_A2A_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TORUS_A2A_API __attribute__((visibility("default")))
#else
#define TORUS_A2A_API
#endif

/* Gives comm a torus with the factors dims[0] × … × dims[ndims-1], the last one varying fastest
   as in MPI_Cart_create, in place of any torus it had.

   comm       an intracommunicator; the library keeps no duplicate of it. The torus goes when
              comm is freed, or at MPI_Finalize.
   ndims      number of factors, 1 to 31.
   dims       the factors, read during the call only; 0 leaves a factor open, which is
              chosen such that the factors are balanced. Factors of 1 are dropped.
   exchange   the component all-to-all as in TORUS_A2A_EXCHANGE, one name or one per entry of
              dims, separated by commas; NULL takes the setting.

   Collective over comm; all ranks pass the same dims and exchange. Of the settings only
   MAX_MEMORY, NODES, STATS and VERBOSE hold for a communicator factorized this way, and
   EXCHANGE if exchange is NULL: every block that MAX_MEMORY has room for goes through the
   torus.

   Errors: MPI_ERR_COMM for an intercommunicator, or if the ranks are threads (MPIX_Threadcomm);
   MPI_ERR_DIMS if the product of the factors is not the size of comm, and no choice of the
   factors 0 makes it so;
   MPI_ERR_ARG for an exchange that does not exist, or where ranks passed different arguments,
   or have different settings or versions of the library; MPI_ERR_OTHER where some rank has no
   room for another torus, or has a GPU runtime that cannot be asked about buffers. After an
   error comm has no torus. All-to-alls on it are MPI's until another torus_a2a_factorize
   succeeds, unless some rank had no memory, or MPI itself has failed: then the next all-to-all
   on comm may make a torus as without this function. */
TORUS_A2A_API int torus_a2a_factorize(MPI_Comm comm, int ndims, const int dims[],
                                      const char *exchange);

/* The all-to-all through the torus that comm has, from torus_a2a_factorize or from an earlier
   MPI_Alltoall; the arguments, errors and collectiveness of MPI_Alltoall, MPI_IN_PLACE
   included. Where comm has no torus, or a block has no room in the buffers, MPI's own
   all-to-all runs. */
TORUS_A2A_API int torus_a2a_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                     void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                     MPI_Comm comm);

/* What the library would do with a call; see torus_a2a_query. */
typedef struct {
    int torus;          /* 1: through the torus; 0: MPI's own all-to-all */
    int ndims;          /* number of factors, 0 without a torus */
    int dims[31];       /* the factors, the last one varying fastest */
    char exchange[256]; /* the component all-to-all of each dimension, separated by commas */
    char reason[128];   /* why this way, in words */
    char ranks[48];     /* how the ranks lie on the nodes, as in a profile: 4x8 are 4 nodes of 8
                           ranks; empty until the ranks have found out */
} torus_a2a_decision;

/* Tells what MPI_Alltoall would do on comm with blocks of block_bytes (count × type size).
   Before the first all-to-all on comm this is what the settings of the calling rank say;
   afterwards it is what all ranks agreed on. The call is local, and changes nothing.

   decision   The function fills it if it succeeds. The caller owns it.

   Errors: MPI_ERR_COMM for MPI_COMM_NULL, MPI_ERR_ARG for a negative block_bytes or a null
   decision. */
TORUS_A2A_API int torus_a2a_query(MPI_Comm comm, MPI_Aint block_bytes,
                                  torus_a2a_decision *decision);

#ifdef __cplusplus
}
#endif

#endif
