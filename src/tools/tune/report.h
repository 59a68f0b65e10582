/* report.h - the progress of torus-a2a-tune on stderr, and its table on stdout */
#ifndef TORUS_A2A_TUNE_REPORT_H
#define TORUS_A2A_TUNE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "policy/profile.h"

struct report {
    /* The progress is shown. This is false on all ranks but rank 0. */
    bool shown;
    /* What is being measured: the name and the text of the placement, and the block size. */
    const char *name, *ranks;
    size_t bytes;
    /* The sizes of all placements that are measured, and those that remain. */
    int done, left;
    /* When the first size began (MPI_Wtime). */
    double start;
    /* The work (sizes_work) that was done since then, and what remains. */
    double work_done, work_left;
};

/* Shows which way is being measured. */
void report_step(const struct report *report, const char *way);

/* Clears the line of the progress. */
void report_clear(const struct report *report);

/* Writes the head of the table, and one line for each row. */
void report_table(const char *mpi, const struct profile_row rows[], int num);

#endif
