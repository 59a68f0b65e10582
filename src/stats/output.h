/* output.h - writes the report at the end, where TORUS_A2A_STATS says */
#ifndef TORUS_A2A_OUTPUT_H
#define TORUS_A2A_OUTPUT_H

/* Before the first call is counted: notes the rank of the process, and lets the process write
   its report at its end if it never calls MPI_Finalize. That is so in programs of sessions. */
void output_prepare(void);

/* Writes the report, if TORUS_A2A_STATS asks this process for one. At MPI_Finalize, before MPI
   ends. No rank waits for another one. Only the first call does anything. The MPI is the
   library's own. */
void output_write(void);

#endif
