/* profile_file.h - puts measured rows into a profile that may have other rows already

   This header goes without mpi.h. */
#ifndef TORUS_A2A_PROFILE_FILE_H
#define TORUS_A2A_PROFILE_FILE_H

#include <stdbool.h>

#include "policy/profile.h"

/* The first line of a head that torus-a2a-tune writes begins with the first text, and the
   others begin with the second one. A head stands before the rows of one run. */
#define HEAD_FIRST "# torus-a2a-tune "
#define HEAD_MORE  "#   "

/* Replaces the rows of the file that have the MPI and the placement of one of these rows. Keeps
   all other lines, except for the head of rows that are all replaced. Returns false if that
   fails; errno says why, and the file is as it was before (process/replace_file.h).

   head   the lines that stand before the rows, each with its newline */
bool profile_file_update(const char *name, const char *head, const struct profile_row rows[],
                         int num);

#endif
