/* script.c - finds a script beside the program, starts it, and waits for its end */
#include "config.h"

#include "tools/shared/script.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Returns the path of a script whose name configure's --program-prefix or --program-suffix has
   changed, if it has changed the name of this program in the same way. NULL if there is none.
   The caller frees it.

   directory   with a slash at the end
   self        the name of this program: torus-a2a-WORD, and a dot and the MPI at the end once
   it is installed */
static char *find_renamed(const char *directory, const char *self, const char *name)
{
    static const char stem[] = "torus-a2a-";
    const char *found = strstr(self, stem), *dot = strrchr(self, '.');
    char *path = NULL;

    if (found == NULL || dot == NULL)
        return NULL;
    const char *after = found + strlen(stem);
    after += strspn(after, "abcdefghijklmnopqrstuvwxyz");
    if (dot < after || asprintf(&path, "%s%.*s%s%.*s", directory, (int)(found - self), self,
                                name, (int)(dot - after), after) < 0)
        return NULL;
    if (access(path, X_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* Returns the path of a script beside this program, or NULL. The caller frees it. */
static char *find_script(const char *name)
{
    char self[4096], directory[4096], *path;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (length < 0)
        return NULL;
    self[length] = '\0';
    const char *slash = strrchr(self, '/'), *end = slash;
    /* A program in a build directory that libtool has made lies in .libs. */
    if (end - self > 6 && strncmp(end - 6, "/.libs", 6) == 0)
        end -= 6;
    memcpy(directory, self, (size_t)(end - self));
    strcpy(&directory[end - self], "/");
    path = find_renamed(directory, slash + 1, name);
    if (path == NULL && asprintf(&path, "%s%s", directory, name) < 0)
        return NULL;
    return path;
}

static int run_here(const struct crew *crew, const char *name, char *arguments[])
{
    char *path = find_script(name);
    int ended = 0, status = SCRIPT_FAILED;
    pid_t child;

    if (path == NULL) {
        crew_say(crew, name, "it is not found");
        return SCRIPT_FAILED;
    }
    arguments[0] = path;
    fflush(stdout);
    int failed = posix_spawn(&child, path, NULL, NULL, arguments, environ);
    if (failed != 0)
        crew_say(crew, path, strerror(failed));
    else if (waitpid(child, &ended, 0) != child || !WIFEXITED(ended))
        crew_say(crew, path, "it was killed");
    else
        status = WEXITSTATUS(ended);
    arguments[0] = NULL;
    free(path);
    return status;
}

int script_run(const struct crew *crew, const char *name, char *arguments[])
{
    int status = SCRIPT_FAILED;

    if (crew->rank == 0)
        status = run_here(crew, name, arguments);
    MPI_Bcast(&status, 1, MPI_INT, 0, crew->comm);
    return status;
}

bool script_check(const struct crew *crew, const char *name, char *check)
{
    return script_run(crew, name, (char *[]){NULL, check, NULL}) == EXIT_SUCCESS;
}
