/* program.h - what the measuring programs have in common: their name, their main function, and
   how they end */
#ifndef TORUS_A2A_PROGRAM_H
#define TORUS_A2A_PROGRAM_H

#include "tools/shared/command_line.h"

/* The name of the program, which stands in front of what it says on stderr. Each program
   defines its own. */
extern const char program_name[];

/* The exit status of a wrong command line. The launcher has the same. */
#define EXIT_USAGE 2

/* Does the work between MPI_Init and MPI_Finalize. Collective. Returns the exit status. */
typedef int program_run_fn(void *state);

struct program {
    const struct command_line *line;
    /* The struct of options, which have the defaults already. */
    void *options;
    /* The work, and what it gets. */
    program_run_fn *run;
    void *state;
    /* The exit status if the launcher of another MPI has started the program (alone.h). */
    int status_if_alone;
};

/* Initializes MPI, parses the command line, and runs the program, or answers what the command
   line asks for. Returns the exit status. */
int program_main(int argc, char **argv, const struct program *program);

#endif
