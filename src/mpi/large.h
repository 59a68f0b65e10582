/* large.h - MPI calls with counts above INT_MAX, if the MPI has them

   In MPI-4 every function with a count has a second form (…_c) whose counts are MPI_Count.
   Without these forms no message can have more than INT_MAX bytes. LARGE_MAX is the limit, and
   it is the same on all ranks. MPI-3 has such forms (…_x) only of functions that ask about
   datatypes, and MPI-4 deprecates them. */
#ifndef TORUS_A2A_LARGE_H
#define TORUS_A2A_LARGE_H

#include "config.h"

#include <limits.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* LARGE(PMPI_Send) is the form of PMPI_Send with the largest counts that this MPI has.
   ANSWER(PMPI_Type_size) is the form whose answer is an MPI_Count. */
#ifdef HAVE_MPI_ALLTOALL_C
#define LARGE_MAX        ((size_t)PTRDIFF_MAX)
#define LARGE(function)  function##_c
#define ANSWER(function) function##_c
typedef MPI_Count large_count;
typedef MPI_Count large_position;

/* A program may run with an older version of the MPI than the library was built with. The
   loader must not end it because of these functions (src/interpose/foreign.c). */
#ifdef PIC
#pragma weak PMPI_Alltoall_c
#pragma weak PMPI_Gather_c
#pragma weak PMPI_Isend_c
#pragma weak PMPI_Pack_c
#pragma weak PMPI_Recv_c
#pragma weak PMPI_Sendrecv_c
#pragma weak PMPI_Type_get_envelope_c
#pragma weak PMPI_Type_get_extent_c
#pragma weak PMPI_Type_get_true_extent_c
#pragma weak PMPI_Type_size_c
#pragma weak PMPI_Type_vector_c
#pragma weak PMPI_Unpack_c
#endif
#else
#define LARGE_MAX        ((size_t)INT_MAX)
#define LARGE(function)  function
#define ANSWER(function) function##_x
typedef int large_count;
typedef int large_position;
#endif

#endif
