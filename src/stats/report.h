/* report.h - what the report says, as figures, and its two forms: text and JSON */
#ifndef TORUS_A2A_REPORT_H
#define TORUS_A2A_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stats/gain.h"
#include "stats/table.h"

/* What is known of the process, apart from its calls. */
struct report_process {
    /* The rank in MPI_COMM_WORLD and the number of ranks there, or -1 if there is none. */
    int rank, ranks;
    long pid;
    const char *host, *program;
    /* The file name of the MPI that the library was built for. */
    const char *mpi;
    /* The seconds since the process began, or -1 if the system does not tell. */
    double run;
    /* How many toruses were made, how long the ranks took to agree and to make them, and the
       most bytes that they took at any time. */
    uint64_t toruses;
    double making;
    uint64_t memory;
};

/* Calls that are counted together. */
struct report_sum {
    uint64_t calls, bytes;
    double seconds;
};

struct report_row {
    const struct table_row *row;
    struct report_sum sum;
    /* The quartiles of the times, in seconds. The second one is the median. */
    double quartile[3];
    struct gain gain;
};

struct report {
    struct report_process process;
    /* The rows, longest time first. */
    struct report_row row[TABLE_ROWS];
    size_t rows;
    /* All calls of MPI_Alltoall by the way they went, and those of them without a row. */
    struct report_sum torus, native, rest_torus, rest_native;
    /* All forms that are not accelerated. The time is that of the blocking forms alone. */
    struct report_sum others;
    /* The sum of all gains that were measured, less the making of toruses, and its standard
       error. gain_calls is the number of calls through the torus whose gain was measured. */
    double gain, gain_uncertainty;
    uint64_t gain_calls;
};

/* Makes the report of what was counted so far. Returns NULL if there is no memory. The caller
   frees it by free. */
struct report *report_new(const struct report_process *process);

/* Returns the seconds in all-to-alls of all forms, as far as they are known: the calls of
   MPI_Alltoall with the making of toruses, and the blocking forms that are not accelerated. */
double report_seconds(const struct report *report);

/* Print the report. The caller looks for errors of the file. */
void report_print_text(const struct report *report, FILE *file);
void report_print_json(const struct report *report, FILE *file);

#endif
