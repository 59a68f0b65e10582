/* profile.h - a file of measured decisions

   A row says for one MPI, one placement of ranks and a range of block sizes which way is the
   fastest. docs/torus-a2a-profile.5 describes the file.

   This header goes without mpi.h. */
#ifndef TORUS_A2A_PROFILE_H
#define TORUS_A2A_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "policy/candidates.h"

/* The largest name of an MPI, and the text of a date, with the bytes that end them. */
enum { PROFILE_MPI_TEXT = 64, PROFILE_DATE_TEXT = 11 };

struct profile_row {
    /* The MPI that it holds for (profile_mpi_name). */
    char mpi[PROFILE_MPI_TEXT];
    /* The number of ranks, and how they lie on the nodes. Only the order, the nodes and the
       ranks of the placement count. */
    int p;
    struct placement placement;
    /* The smallest and the largest block, in bytes. SIZE_MAX is no limit. */
    size_t first, last;
    /* MPI's own all-to-all is the fastest. Otherwise the torus is. */
    bool native;
    struct candidate torus;
    /* The measured times of the way and of MPI's own all-to-all, in microseconds, for a block
       of some size in the range. 0 if they are not known. */
    double time, native_time;
    /* The day of the measurement, such as 2026-11-24. Empty if it is not known. */
    char date[PROFILE_DATE_TEXT];
};

struct profile {
    struct profile_row *rows;
    int num;
    /* A hash of all that the rows decide. 0 if there are none. */
    uint64_t fingerprint;
};

/* Shortens what MPI_Get_library_version says to the name and the version of the MPI. */
void profile_mpi_name(const char *version, char name[PROFILE_MPI_TEXT]);

/* Reads a line into a row. Returns NULL, or what is wrong with the line. The line is changed.
 */
const char *profile_parse_row(char *line, struct profile_row *row);

/* Writes the way of a row as it stands in a file. */
void profile_format_way(const struct profile_row *row, char way[CANDIDATE_TEXT]);

/* Writes the date of today. The text is empty if it cannot be known. */
void profile_today(char date[PROFILE_DATE_TEXT]);

/* Writes a row as one line. */
void profile_print_row(FILE *file, const struct profile_row *row);

/* Receives one line, without a newline, about what is wrong with a file. */
typedef void profile_warn_fn(const char *line);

/* Reads a file. A broken line is left out. The first of them get a warning each, and the others
   get one together. Returns false if the file cannot be read, or if there is no memory; errno
   says why. The caller owns the rows, and frees them by profile_free. */
bool profile_read(const char *name, struct profile *profile, profile_warn_fn *warn);

void profile_free(struct profile *profile);

/* How well the rows of a profile fit a communicator. */
enum profile_fit {
    /* No row has anything to say. */
    PROFILE_NOTHING,
    /* The rows are of the same MPI, for ranks that lie otherwise. */
    PROFILE_OTHER_PLACEMENT,
    /* The rows are of another MPI or version, for ranks that lie like these. */
    PROFILE_OTHER_MPI,
    PROFILE_EXACT
};

/* What a profile says about one communicator: a range of block sizes, and its way. */
struct profile_choice {
    size_t first, last;
    bool native;
    struct candidate torus;
};

/* Finds the rows that fit p ranks with this placement best, all of them of one MPI and one
   placement, and adapts them. For each block size the first choice of the list holds.

   choices   the function writes up to `most` of them
   num       on return the number of all choices, which may be larger than `most`
   row       on return the first row that was taken, for messages

   Returns how well they fit. */
enum profile_fit profile_choose(const struct profile *profile, const char *mpi, int p,
                                const struct placement *placement,
                                struct profile_choice choices[], int most, int *num,
                                const struct profile_row **row);

#endif
