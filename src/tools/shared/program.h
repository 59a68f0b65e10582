/* program.h - what the measuring programs have in common: their name, and how they end */
#ifndef TORUS_A2A_PROGRAM_H
#define TORUS_A2A_PROGRAM_H

/* The name of the program, which stands in front of what it says on stderr. Each program
   defines its own. */
extern const char program_name[];

/* The exit status of a wrong command line. The launcher has the same. */
#define EXIT_USAGE 2

#endif
