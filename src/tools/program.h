/* program.h - what the file of a program tells before it is run */
#ifndef TORUS_A2A_TOOLS_PROGRAM_H
#define TORUS_A2A_TOOLS_PROGRAM_H

#include <stdbool.h>

enum program_kind {
    PROGRAM_UNKNOWN, /* not found, not readable, a script, or for another machine */
    PROGRAM_STATIC,  /* runs without a loader, which alone could preload anything */
    PROGRAM_DYNAMIC
};

struct program {
    enum program_kind kind;
    bool secure;  /* runs as another user or group: the loader ignores LD_PRELOAD */
    char mpi[64]; /* the MPI library it links, itself or through another; empty: none */
};

/* Finds file as execvp does and inspects it. Where it links more than one MPI, expected_mpi (a
   name such as libmpich.so.12) is reported if it is among them. The same on every rank that
   sees the same files. */
void program_inspect(const char *file, const char *expected_mpi, struct program *program);

#endif
