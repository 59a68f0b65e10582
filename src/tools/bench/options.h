/* options.h - the options of torus-a2a-bench */
#ifndef TORUS_A2A_BENCH_OPTIONS_H
#define TORUS_A2A_BENCH_OPTIONS_H

#include <stdbool.h>

#include "settings/settings.h"
#include "tools/shared/command_line.h"
#include "tools/shared/numbers.h"

/* The numbers of dimensions that --ndims names. */
struct ndims_list {
    /* How many such numbers there are. */
    int num;
    /* The numbers of dimensions. */
    int value[FACTORS_MAX];
};

struct bench_options {
    /* The block sizes, in the order in which they are measured. */
    struct count_list counts;
    /* Balanced factors with these numbers of dimensions take part. If ndims and dims both are
       empty, every number from 2 to ⌈log₂ p⌉ takes part. */
    struct ndims_list ndims;
    /* These factors take part as well. */
    struct dims_list dims;
    /* A torus for each of these exchanges takes part, for all factors. */
    struct exchange_list exchange;
    /* The program that the paper prints takes part, for all factors. */
    bool listing;
    /* The calls of each contestant before its first measured call. */
    int warmups;
    /* The measurements of each contestant. */
    int repetitions;
    /* The calls of one measurement. */
    int calls;
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
