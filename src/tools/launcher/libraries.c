/* libraries.c - the builds of the library that are installed, and for which MPI each is */
#include "config.h"

#include "tools/launcher/libraries.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/launcher/text.h"

/* Sets the directory that the launcher is in. Returns the name of the launcher there. */
static const char *launcher_directory(char directory[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", directory, PATH_MAX - 1);

    directory[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(directory, '/');
    if (slash == NULL)
        return "";
    *slash = '\0';
    return slash + 1;
}

char *beside_launcher(const char *name)
{
    static const char stem[] = "torus-a2a";
    char directory[PATH_MAX];
    const char *self = launcher_directory(directory), *found = strstr(self, stem);

    if (found != NULL) {
        char *path = format_text("%s/%.*s%s%s", directory, (int)(found - self), self, name,
                                 found + strlen(stem));
        if (access(path, X_OK) == 0)
            return path;
        free(path);
    }
    return format_text("%s/%s", directory, name);
}

void places_find(char *place[PLACES])
{
    char directory[PATH_MAX];

    launcher_directory(directory);
    char *parent = format_text("%s/..", directory);
    char *prefix = realpath(parent, NULL);
    place[0] = format_text("%s/.libs", directory);
    place[1] =
        format_text("%s/lib/torus-a2a", prefix == NULL || prefix[1] == '\0' ? "" : prefix);
    place[2] = format_text("%s", TORUS_A2A_PKGLIBDIR);
    free(prefix);
    free(parent);
}

void places_free(char *place[PLACES])
{
    for (int i = 0; i < PLACES; i++)
        free(place[i]);
}

/* Returns the name of the directory that an installed file is in. The caller frees it. */
static char *directory_name(const char *path)
{
    const char *end = strrchr(path, '/'), *begin = end;

    while (begin[-1] != '/')
        begin--;
    return format_text("%.*s", (int)(end - begin), begin);
}

/* Returns the pattern that matches a directory alone, whatever its name. The caller frees it.
 */
static char *pattern_of(const char *directory)
{
    char *pattern = allocate(2 * strlen(directory) + 1, 1), *end = pattern;

    for (const char *letter = directory; *letter != '\0'; letter++) {
        if (strchr("*?[\\", *letter) != NULL)
            *end++ = '\\';
        *end++ = *letter;
    }
    return pattern;
}

/* Adds the libraries whose paths match a pattern, in the order of their paths. name is the name
   of the build. If it is NULL, each library has the name of its directory. */
static void libraries_add(struct libraries *libraries, const char *pattern, const char *name)
{
    glob_t found;

    if (glob(pattern, 0, NULL, &found) == 0) {
        libraries->list = allocate(found.gl_pathc, sizeof *libraries->list);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            struct library *library = &libraries->list[libraries->num];
            if (!linked_mpi_of_library(found.gl_pathv[i], library->mpi))
                continue;
            library->path = format_text("%s", found.gl_pathv[i]);
            library->name =
                name != NULL ? format_text("%s", name) : directory_name(library->path);
            libraries->num++;
        }
    }
    globfree(&found);
}

void libraries_find(struct libraries *libraries, char *const place[PLACES])
{
    *libraries = (struct libraries){0};
    for (int i = 0; i < PLACES && libraries->num == 0; i++) {
        char *directory = pattern_of(place[i]);
        char *pattern =
            format_text(i == 0 ? "%s/" LIBRARY_NAME : "%s/*/" LIBRARY_NAME, directory);
        free(libraries->list);
        libraries->list = NULL;
        libraries_add(libraries, pattern, i == 0 ? TORUS_A2A_FLAVOUR : NULL);
        free(pattern);
        free(directory);
    }
}

/* Frees all libraries but the first ones. */
static void libraries_drop(struct libraries *libraries, size_t kept)
{
    for (size_t i = kept; i < libraries->num; i++) {
        free(libraries->list[i].path);
        free(libraries->list[i].name);
    }
    libraries->num = kept;
}

bool libraries_keep(struct libraries *libraries, const char *name)
{
    for (size_t i = 0; i < libraries->num; i++) {
        struct library *library = &libraries->list[i];
        if (strcmp(library->name, name) != 0)
            continue;
        struct library kept = *library;
        *library = libraries->list[0];
        libraries->list[0] = kept;
        libraries_drop(libraries, 1);
        return true;
    }
    return false;
}

void libraries_free(struct libraries *libraries)
{
    libraries_drop(libraries, 0);
    free(libraries->list);
}

const struct library *libraries_for(const struct libraries *libraries, const char *mpi)
{
    for (size_t i = 0; i < libraries->num; i++) {
        if (strcmp(libraries->list[i].mpi, mpi) == 0)
            return &libraries->list[i];
    }
    return NULL;
}

bool libraries_have_one_mpi(const struct libraries *libraries)
{
    for (size_t i = 1; i < libraries->num; i++) {
        if (strcmp(libraries->list[i].mpi, libraries->list[0].mpi) != 0)
            return false;
    }
    return true;
}

/* All other names belong to MPICH and to the MPIs that come from it. libmpi.so.12 is the name
   that these have in common. */
static bool is_of_open_mpi(const char *mpi)
{
    return strncmp(mpi, "libmpi.so.", 10) == 0 && strcmp(mpi, "libmpi.so.12") != 0;
}

/* The library for the standard ABI serves programs of every MPI. */
static bool is_of_every_mpi(const char *mpi)
{
    return strncmp(mpi, "libmpi_abi.so", 13) == 0;
}

const char *starter_name(enum job_starter starter)
{
    return starter == STARTER_OPEN_MPI ? "Open MPI" : "MPICH";
}

/* A library of another name may belong to any MPI. */
bool starter_may_start(enum job_starter starter, const char *mpi)
{
    bool known = strncmp(mpi, "libmpi.so.", 10) == 0 || strncmp(mpi, "libmpich.so.", 12) == 0;

    return starter == STARTER_UNKNOWN || !known ||
           is_of_open_mpi(mpi) == (starter == STARTER_OPEN_MPI);
}

const struct library *libraries_of(const struct libraries *libraries, enum job_starter starter,
                                   bool *several)
{
    const struct library *found = NULL;

    *several = false;
    for (size_t i = 0; i < libraries->num; i++) {
        const struct library *library = &libraries->list[i];
        if (!is_of_every_mpi(library->mpi) &&
            is_of_open_mpi(library->mpi) != (starter == STARTER_OPEN_MPI))
            continue;
        if (found == NULL)
            found = library;
        else if (strcmp(found->mpi, library->mpi) != 0)
            *several = true;
    }
    return *several ? NULL : found;
}

/* Open MPI does not set MPI_LOCALNRANKS. MPICH does, and so do MPIs that were made from it,
   such as Intel MPI: a program that loads one of these at run time is taken for one of MPICH.
   PMI_SIZE would not do: Slurm, Flux and others set it for programs of every MPI, and some of
   them on some nodes only. Both variables may be set, because a job may start another job; then
   the answer is unknown. */
enum job_starter starter_of_job(void)
{
    bool open_mpi = getenv("OMPI_COMM_WORLD_SIZE") != NULL;
    bool mpich = getenv("MPI_LOCALNRANKS") != NULL;

    if (open_mpi == mpich)
        return STARTER_UNKNOWN;
    return open_mpi ? STARTER_OPEN_MPI : STARTER_MPICH;
}

char *libraries_list(const struct libraries *libraries, bool by_name, const char *before,
                     const char *between)
{
    char *text = format_text("%s", "");

    for (size_t i = 0; i < libraries->num; i++) {
        const struct library *library = &libraries->list[i];
        char *longer = format_text("%s%s%s%s", text, i == 0 ? "" : between, before,
                                   by_name ? library->name : library->mpi);
        free(text);
        text = longer;
    }
    return text;
}
