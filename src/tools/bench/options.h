/* options.h - the command line of torus-a2a-bench */
#ifndef TORUS_A2A_OPTIONS_H
#define TORUS_A2A_OPTIONS_H

#include <stdbool.h>

#include "settings/settings.h"

/* How many block sizes one run may compare. */
#define COUNTS_MAX 256

struct count_list {
    int num;
    int value[COUNTS_MAX]; /* MPI_INTs per block */
};

/* Numbers of dimensions that --ndims names. */
struct ndims_list {
    int num;
    int value[FACTORS_MAX];
};

struct bench_options {
    struct count_list counts;
    struct ndims_list ndims; /* none, and none in dims: every number from 2 to ⌈log₂ p⌉ */
    struct dims_list dims;   /* factorizations besides those of ndims */
    struct exchange_list exchange; /* each one is a contestant of its own */
    bool listing;                  /* the paper's form takes part */
    int warmups;
    int repetitions;
    int calls;       /* of one repetition */
    const char *csv; /* file for the results, or NULL; points into argv */
    bool progress;   /* show what is being measured even where stderr is no terminal */
};

/* What the command line asks for. */
enum bench_action { BENCH_RUN, BENCH_HELP, BENCH_USAGE, BENCH_VERSION, BENCH_WRONG };

/* Parses the command line; says what is wrong with it on stderr unless quiet. Never exits, so
   that every rank comes to the same end through MPI_Finalize. */
enum bench_action bench_options_parse(int argc, char **argv, bool quiet,
                                      struct bench_options *options);

/* Writes what BENCH_HELP, BENCH_USAGE or BENCH_VERSION asks for to stdout. */
void bench_options_tell(enum bench_action action);

#endif
