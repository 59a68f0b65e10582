/* linked_mpi.h - what the file of a program tells before it is run */
#ifndef TORUS_A2A_TOOLS_PROGRAM_H
#define TORUS_A2A_TOOLS_PROGRAM_H

#include <stdbool.h>

enum program_kind {
    PROGRAM_UNKNOWN, /* not found, not readable, a script, or for another machine */
    PROGRAM_STATIC,  /* runs without a loader, which alone could preload anything */
    PROGRAM_DYNAMIC
};

enum { MPI_NAME_MAX = 64 };

struct program {
    enum program_kind kind;
    bool secure;            /* runs as another user or group: the loader ignores LD_PRELOAD */
    char mpi[MPI_NAME_MAX]; /* the MPI library it links, itself or through another, a name such
                               as libmpich.so.12; empty: none */
};

/* Whether a name is that of an MPI that the caller could serve. */
typedef bool mpi_known(const char *name, void *context);

/* Finds file as execvp does and inspects it. Where it links more than one MPI, the first one
   that is known is reported. The same on every rank that sees the same files. */
void program_inspect(const char *file, mpi_known *known, void *context,
                     struct program *program);

/* The MPI that libtorus_a2a.so needs, itself or behind others beside it; false where it needs
   none. */
bool process_inspect(const char *path, char mpi[MPI_NAME_MAX]);

#endif
