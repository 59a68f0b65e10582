/* libraries.h - the builds of the library that are installed, and for which MPI each is */
#ifndef TORUS_A2A_TOOLS_LIBRARIES_H
#define TORUS_A2A_TOOLS_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/launcher/linked_mpi.h"

#define LIBRARY_NAME "libtorus_a2a.so"

/* Where libraries may be: beside a launcher that has not been installed; in a tree moved as a
   whole, before another version that may be where this one was to go; and there. The first is
   that of one build, the others have a directory for each MPI. */
enum { PLACES = 3 };

/* A library that is there, for one MPI. */
struct library {
    char *path;
    char *name;             /* of the build, as --with-flavour and --mpi have it */
    char mpi[MPI_NAME_MAX]; /* the MPI it needs, a name such as libmpich.so.12 */
};

struct libraries {
    struct library *list;
    size_t num;
};

/* Whose launcher started the job: the program can hardly be of another MPI. */
enum job_starter { STARTER_UNKNOWN, STARTER_OPEN_MPI, STARTER_MPICH };

void places_find(char *place[PLACES]);
void places_free(char *place[PLACES]);

/* Those of the first place that has any. */
void libraries_find(struct libraries *libraries, char *const place[PLACES]);
void libraries_free(struct libraries *libraries);

/* Leaves the one of this name. Returns false where there is none. */
bool libraries_keep(struct libraries *libraries, const char *name);

/* The one for an MPI, or NULL. */
const struct library *libraries_for(const struct libraries *libraries, const char *mpi);

bool libraries_have_one_mpi(const struct libraries *libraries);

/* Who started the job of this process. The same on all ranks. */
enum job_starter starter_of_job(void);

/* Its name, for messages; not of STARTER_UNKNOWN. */
const char *starter_name(enum job_starter starter);

/* Whether it may be the launcher of this MPI, a library such as libmpich.so.12. */
bool starter_may_start(enum job_starter starter, const char *mpi);

/* The one for a program that STARTER starts, or NULL: where there is none, and where there are
   several, for MPIs that have such a launcher in common. */
const struct library *libraries_of(const struct libraries *libraries, enum job_starter starter,
                                   bool *several);

/* The name of each build, or its MPI, with words before and between them, for the caller to
   free. */
char *libraries_list(const struct libraries *libraries, bool by_name, const char *before,
                     const char *between);

#endif
