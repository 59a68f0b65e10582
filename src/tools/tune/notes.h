/* notes.h - the measurements that an interrupted run leaves behind

   The file has one line for each block size of each placement. A line says which MPI, which
   ranks and which ways were measured, and how often. A run takes only the lines for which that
   is the same. */
#ifndef TORUS_A2A_NOTES_H
#define TORUS_A2A_NOTES_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/tune/lineup.h"
#include "tools/tune/results.h"

/* What a line was measured with. */
struct notes_key {
    /* The name of the MPI (profile_mpi_name). */
    const char *mpi;
    /* The text of the placement. */
    const char *ranks;
    int repetitions;
};

/* Opens the file, or makes it. The end of the file may be a part of a line, because a run was
   killed while it wrote. This part is cut off. Returns NULL if that fails; errno says why. */
FILE *notes_open(const char *name);

/* Adds the results of the lines with this key, for blocks of up to `most` bytes. */
void notes_read(FILE *file, const struct notes_key *key, size_t most,
                const struct lineup *lineup, struct results *results);

/* Appends a line. Returns false if that fails; errno says why. */
bool notes_add(FILE *file, const struct notes_key *key, const struct lineup *lineup,
               const struct result *result);

/* Removes the lines of an MPI and a placement. Other runs may have the file open. Returns how
   many lines are left, or -1 if that fails; errno says why. */
int notes_forget(FILE *file, const struct notes_key *key);

#endif
