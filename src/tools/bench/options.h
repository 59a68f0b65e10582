/* options.h - the options of torus-a2a-bench */
#ifndef TORUS_A2A_BENCH_OPTIONS_H
#define TORUS_A2A_BENCH_OPTIONS_H

#include <stdbool.h>

#include "tools/shared/command_line.h"
#include "tools/shared/contestants.h"
#include "tools/shared/numbers.h"

struct bench_options {
    /* The block sizes, in the order in which they are measured. */
    struct count_list counts;
    struct contestants_wanted contestants;
    /* The calls of each contestant before its first measured call, or WARMUPS_AUTO. */
    int warmups;
    /* Verify what the last of these calls has received. */
    bool verify;
    /* The measurements of each contestant. */
    int repetitions;
    /* The calls of one measurement. */
    int calls;
    /* Fit a cost model to the results. */
    bool model;
    /* The file for the results, or NULL. It points into argv. */
    const char *csv;
    /* Show what is being measured even if stderr is no terminal. */
    bool progress;
};

/* The options of the program. */
extern const struct command_line bench_command_line;

/* Sets the options that no command line has changed. */
void bench_options_default(struct bench_options *options);

#endif
