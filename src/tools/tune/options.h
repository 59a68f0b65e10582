/* options.h - the options of torus-a2a-tune */
#ifndef TORUS_A2A_TUNE_OPTIONS_H
#define TORUS_A2A_TUNE_OPTIONS_H

#include <stdbool.h>

#include "tools/shared/command_line.h"
#include "tools/shared/numbers.h"

/* The ranks that may form a communicator. */
enum placement_kind { PLACEMENT_WORLD, PLACEMENT_NODE, PLACEMENT_ACROSS, PLACEMENTS };

/* Their names in --placements. */
extern const char *const placement_names[PLACEMENTS];

struct placement_set {
    bool wanted[PLACEMENTS];
};

struct tune_options {
    /* The file for the profile. It points into argv. */
    const char *output;
    /* The communicators that are measured. */
    struct placement_set placements;
    /* The block sizes that are measured. If there are none, the program chooses them. */
    struct count_list counts;
    /* The largest block that the program chooses, in ints. 0: the program chooses that, too. */
    int most;
    /* The measurements of each way that may be the fastest. */
    int repetitions;
    /* Forget what was measured before. */
    bool restart;
    /* Show what is being measured even if stderr is no terminal. */
    bool progress;
};

/* The options of the program. */
extern const struct command_line tune_command_line;

/* Sets the options that no command line has changed. */
void tune_options_default(struct tune_options *options);

#endif
