/* file_name.h - the name of the file that a process writes its report to */
#ifndef TORUS_A2A_FILE_NAME_H
#define TORUS_A2A_FILE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the name to text. In the pattern, %r stands for the rank, %p for the process id, and
   %h for the name of the host; %% is one percent sign. rank is -1 if the process has none. Then
   %r stands for the host and the process id, with a point between them. If such a process has a
   pattern with neither %r nor %p, both go before the suffix, because no other process may write
   the same file. A file that replace_file_keeps may have several writers. Returns false if the
   name is too long for text. */
bool file_name_make(const char *pattern, int rank, long pid, const char *host, char *text,
                    size_t size);

/* Returns whether each rank has a name of its own. */
bool file_name_has_rank(const char *pattern);

/* Returns whether the report in the file is to be JSON. */
bool file_name_is_json(const char *name);

#endif
