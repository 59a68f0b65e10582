/* large.h - MPI calls on byte counts beyond INT_MAX, where the MPI has them

   MPI-4 has a form with MPI_Count of every call (…_c). Without them a composite block is
   bounded by INT_MAX bytes: LARGE_MAX, which is the same on all ranks. */
#ifndef TORUS_A2A_LARGE_H
#define TORUS_A2A_LARGE_H

#include "config.h"

#include <limits.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef HAVE_MPI_ALLTOALL_C
#define LARGE_MAX       ((size_t)PTRDIFF_MAX)
#define LARGE(function) function##_c
typedef MPI_Count large_count;
typedef MPI_Count large_position;
#else
#define LARGE_MAX       ((size_t)INT_MAX)
#define LARGE(function) function
typedef int large_count;
typedef int large_position;
#endif

#endif
