/* libraries.h - the builds of the library that are installed, and for which MPI each is */
#ifndef TORUS_A2A_TOOLS_LIBRARIES_H
#define TORUS_A2A_TOOLS_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/launcher/linked_mpi.h"

#define LIBRARY_NAME "libtorus_a2a.so"

/* The launcher looks for libraries in three places. The first place is beside the launcher: it
   is the build of a launcher that has not been installed. The second place is found from the
   launcher, so that an installation may be moved as a whole. The third place is where configure
   installs libraries. The second and the third place have one directory for each MPI. */
enum { PLACES = 3 };

/* A library that was found, for one MPI. */
struct library {
    char *path;
    /* The name of the build, as --with-flavour and --mpi take it. */
    char *name;
    /* The MPI that the library needs, a name such as libmpich.so.12. */
    char mpi[MPI_NAME_MAX];
};

struct libraries {
    /* The libraries of one place. */
    struct library *list;
    /* The number of libraries. */
    size_t num;
};

/* The MPI whose launcher started the job. The program is hardly one of another MPI. */
enum job_starter { STARTER_UNKNOWN, STARTER_OPEN_MPI, STARTER_MPICH };

/* Returns the path of another program in the directory of the launcher. If configure's
   --program-prefix or --program-suffix has changed the launcher's name, it has changed that one
   in the same way. The caller frees the path. */
char *beside_launcher(const char *name);

/* Sets the directories in which libraries may be. */
void places_find(char *place[PLACES]);
void places_free(char *place[PLACES]);

/* Finds the libraries of the first place that has any. */
void libraries_find(struct libraries *libraries, char *const place[PLACES]);
void libraries_free(struct libraries *libraries);

/* Keeps only the library of this name. Returns false if there is none. */
bool libraries_keep(struct libraries *libraries, const char *name);

/* Returns the library for an MPI, or NULL. */
const struct library *libraries_for(const struct libraries *libraries, const char *mpi);

/* Returns whether all libraries are for the same MPI. */
bool libraries_have_one_mpi(const struct libraries *libraries);

/* Returns who started the job of this process. All ranks get the same answer. */
enum job_starter starter_of_job(void);

/* Returns the name of a starter for messages. STARTER_UNKNOWN has none. */
const char *starter_name(enum job_starter starter);

/* Returns whether the launcher of this starter may start programs of an MPI, which is the name
   of a library such as libmpich.so.12. */
bool starter_may_start(enum job_starter starter, const char *mpi);

/* Returns the library for a program that a starter has started. Returns NULL if there is no
   such library, or if there are several because several MPIs have such a launcher; *several
   tells which of the two it is. */
const struct library *libraries_of(const struct libraries *libraries, enum job_starter starter,
                                   bool *several);

/* Returns a text with the names of all builds, or with their MPIs. The text before stands
   before each name, and the text between stands between two names. The caller frees the text.
 */
char *libraries_list(const struct libraries *libraries, bool by_name, const char *before,
                     const char *between);

#endif
