/* replace_file.h - writes a file that others may read at any time

   This header goes without mpi.h. */
#ifndef TORUS_A2A_REPLACE_FILE_H
#define TORUS_A2A_REPLACE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Writes the content to a file. Returns false if that fails; errno says why. */
typedef bool replace_write_fn(FILE *file, void *content);

/* Returns whether the name is that of a device, a pipe, or an open file of this process, such
   as /dev/stdout. None of them is ever replaced. */
bool replace_file_keeps(const char *name);

/* Writes another file and renames it, so the file that has the name is always complete. If the
   name is a symbolic link, the file behind it is replaced, or made. The mode stays as it was. A
   file that replace_file_keeps is written to as it is. Returns false if that fails; errno says
   why, and a file that would have been replaced is as it was before. */
bool replace_file(const char *name, replace_write_fn *write, void *content);

#endif
