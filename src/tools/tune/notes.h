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

/* Several runs may have the file at once: runs with other ranks or another MPI. */
struct notes {
    /* The caller keeps the name until it closes the notes. */
    const char *name;
    /* NULL if no file is open. */
    FILE *file;
};

/* Opens the file, or makes it. The end of the file may be a part of a line, because a run was
   killed while it wrote. This part is cut off. Returns false if that fails; errno says why. */
bool notes_open(const char *name, struct notes *notes);

/* Closes the file, if one is open. Removes it if no run has noted anything. */
void notes_close(struct notes *notes);

/* Waits until no other run has the lock. If another run has removed the file, makes it anew.
   Returns false if that fails; errno says why, and no file is open then. */
bool notes_lock(struct notes *notes);

void notes_unlock(struct notes *notes);

/* Adds the results of the lines with this key, for blocks of up to `most` bytes. */
void notes_read(const struct notes *notes, const struct notes_key *key, size_t most,
                const struct lineup *lineup, struct results *results);

/* Appends a line. Takes the lock for that. Returns false if that fails; errno says why. */
bool notes_add(struct notes *notes, const struct notes_key *key, const struct lineup *lineup,
               const struct result *result);

/* Removes the lines of an MPI and a placement, and the file if no line is left. The caller has
   the lock. Returns how many lines are left, or -1 if that fails; errno says why. */
int notes_forget(struct notes *notes, const struct notes_key *key);

#endif
