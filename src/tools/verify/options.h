/* options.h - the options of torus-a2a-verify */
#ifndef TORUS_A2A_VERIFY_OPTIONS_H
#define TORUS_A2A_VERIFY_OPTIONS_H

#include <stdbool.h>

#include "tools/shared/command_line.h"
#include "tools/shared/contestants.h"
#include "tools/shared/numbers.h"

struct verify_options {
    /* The block sizes, in the order in which they are measured. */
    struct count_list counts;
    /* The toruses that MPI_Alltoall is compared with. */
    struct contestants_wanted contestants;
    /* The calls of each contestant before its first measured call, or WARMUPS_AUTO. */
    int warmups;
    /* The measurements of each contestant, and the calls of one measurement. */
    int repetitions;
    int calls;
    /* The files for the measurements and for the verdicts, or NULL. They point into argv. */
    const char *samples, *csv, *json;
    /* End well even if the MPI breaks a guideline. */
    bool report_only;
    /* Show what is being measured even if stderr is no terminal. */
    bool progress;
};

/* The options of the program. */
extern const struct command_line verify_command_line;

/* Sets the options that no command line has changed. */
void verify_options_default(struct verify_options *options);

#endif
