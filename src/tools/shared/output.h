/* output.h - a file that rank 0 writes what was measured to */
#ifndef TORUS_A2A_OUTPUT_H
#define TORUS_A2A_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/shared/crew.h"

struct output {
    /* The file. NULL on all ranks but rank 0. */
    FILE *file;
    /* The name of the file on rank 0. */
    char *name;
    /* The user has named no file, so this one goes in the end. */
    bool is_temporary;
};

/* Opens the file that the user wants, or a temporary one if wanted is NULL. Collective. If that
   fails, rank 0 says why, and the function returns false on all ranks.

   read_back   a script reads the file in the end. A pipe or a terminal is then refused: the
               script would wait for ever. */
bool output_open(const struct crew *crew, const char *wanted, bool read_back,
                 struct output *output);

/* Whether a file with this name can be written later, or NULL, which is always good. Leaves the
   file as it is, and makes none. Collective. If it cannot be written, rank 0 says why, and the
   function returns false on all ranks. */
bool output_check(const struct crew *crew, const char *wanted);

/* Closes the file. The name stays. Collective. Returns false on all ranks if not all was
   written; rank 0 says so. */
bool output_close(const struct crew *crew, struct output *output);

/* Removes the file if it is temporary, and frees the name. Local. */
void output_free(struct output *output);

#endif
