/* linked_mpi.h - which MPI a program links, read from its file before it is run */
#ifndef TORUS_A2A_TOOLS_LINKED_MPI_H
#define TORUS_A2A_TOOLS_LINKED_MPI_H

#include <stdbool.h>

enum program_kind {
    /* The file was not found or cannot be read, or it is a script, or it is for another
       machine. */
    PROGRAM_UNKNOWN,
    /* The program runs without a loader, and only a loader preloads libraries. */
    PROGRAM_STATIC,
    PROGRAM_DYNAMIC,
    /* The system lacks something for a look at the file, such as file descriptors or processes.
       Other ranks may have it. errno says what. */
    PROGRAM_UNSEEN
};

enum { MPI_NAME_MAX = 64 };

struct program {
    enum program_kind kind;
    /* The program runs as another user or group, so the loader ignores LD_PRELOAD. */
    bool secure;
    /* The MPI library that the program links, itself or through another library: a name such as
       libmpich.so.12, or an empty text. */
    char mpi[MPI_NAME_MAX];
};

/* Returns whether the caller has a library for the MPI of this name. */
typedef bool mpi_is_served_fn(const char *name, void *context);

/* Finds a file as execvp does, and describes the program in it. If the program links several
   MPIs, the first one that is served counts. All ranks that see the same files get the same
   answer. */
void linked_mpi_of_program(const char *file, mpi_is_served_fn *is_served, void *context,
                           struct program *program);

/* Writes the name of the MPI that a libtorus_a2a.so needs, itself or through the libraries
   beside it. Returns false if it needs none. */
bool linked_mpi_of_library(const char *path, char mpi[MPI_NAME_MAX]);

#endif
