/* replace_file.c - a file appears under its name when it is complete */
#include "process/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/held_signals.h"

/* How many names are tried for the new file. Another job may have one of them. */
enum { NAMES_MOST = 100 };

/* How many links are followed, one after the other. Linux follows as many. */
enum { LINKS_MOST = 40 };

/* Opens a new file beside the one that has the name, and writes its name to other. The number
   of a process alone would not do: hosts that share files give the same numbers. Returns NULL
   if that fails; errno says why. */
static FILE *open_beside(const char *name, char *other, size_t size)
{
    FILE *file = NULL;

    errno = EEXIST;
    for (int i = 0; i < NAMES_MOST && file == NULL && errno == EEXIST; i++) {
        if (snprintf(other, size, "%s.%ld-%d.tmp", name, (long)getpid(), i) >= (int)size)
            errno = ENAMETOOLONG;
        else
            file = fopen(other, "wxe");
    }
    return file;
}

/* Returns 0, or why the file could not be written. */
static int write_to(FILE *file, replace_write_fn *write, void *content)
{
    int failed = !write(file, content) || fflush(file) != 0 || ferror(file) ? errno : 0;

    if (fclose(file) != 0 && failed == 0)
        failed = errno;
    return failed;
}

/* Returns the descriptor that a name such as /dev/stdout stands for, or -1. */
static int descriptor_of(const char *name)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

    if (strcmp(name, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(name, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(name, folders[i], length) != 0)
            continue;
        char *end;
        long number = strtol(&name[length], &end, 10);
        if (end != &name[length] && *end == '\0' && number >= 0 && number <= INT_MAX)
            return (int)number;
    }
    return -1;
}

/* Opens a file that is not replaced. The stream of an open file has a descriptor of its own,
   which shares the position in the file. So the program's output stays, and a socket, which has
   no name to open, takes the content, too. The lines that the program has printed come first.
 */
static FILE *open_kept(const char *name)
{
    int descriptor = descriptor_of(name);

    if (descriptor < 0)
        return fopen(name, "we");
    if (descriptor == STDOUT_FILENO)
        fflush(stdout);
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "w");
    if (file == NULL && copy >= 0)
        close(copy);
    return file;
}

/* Writes to a file that is not replaced. Returns 0, or why that failed. */
static int write_kept(const char *name, replace_write_fn *write, void *content)
{
    FILE *file = open_kept(name);

    return file != NULL ? write_to(file, write, content) : errno;
}

/* Writes to target what a link points to: a name that begins with a slash, or one from the
   directory of the link on. The name may lie in target itself. Returns false if the name is no
   link, or if there is no room. */
static bool follow_link(const char *name, char target[PATH_MAX])
{
    char text[PATH_MAX], joined[PATH_MAX];
    ssize_t length = readlink(name, text, sizeof text - 1);

    if (length < 0)
        return false;
    text[length] = '\0';
    const char *slash = strrchr(name, '/');
    int directory = text[0] == '/' || slash == NULL ? 0 : (int)(slash + 1 - name);
    int joint = snprintf(joined, sizeof joined, "%.*s%s", directory, name, text);
    if (joint >= (int)sizeof joined)
        return false;
    memcpy(target, joined, (size_t)joint + 1);
    return true;
}

/* Returns the name of the file behind a link, in target, or the name itself. */
static const char *behind_links(const char *name, char target[PATH_MAX])
{
    if (realpath(name, target) != NULL)
        return target;
    /* The last link may point to a file that is not there yet. realpath fails then. */
    if (errno != ENOENT)
        return name;
    for (int i = 0; i < LINKS_MOST && follow_link(name, target); i++)
        name = target;
    return name;
}

bool replace_file_keeps(const char *name)
{
    struct stat old;

    return descriptor_of(name) >= 0 ||
           (stat(name, &old) == 0 && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode));
}

/* Writes another file, which then takes the name. Returns 0, or why that failed. */
static int write_other(const char *name, replace_write_fn *write, void *content)
{
    char target[PATH_MAX], other[PATH_MAX];
    struct stat old;

    /* A link stays a link, and a file keeps its mode. */
    name = behind_links(name, target);
    FILE *file = open_beside(name, other, sizeof other);
    if (file == NULL)
        return errno;
    if (stat(name, &old) == 0)
        fchmod(fileno(file), old.st_mode & 07777);
    int failed = write_to(file, write, content);
    if (failed == 0 && rename(other, name) != 0)
        failed = errno;
    if (failed != 0)
        remove(other);
    return failed;
}

bool replace_file(const char *name, replace_write_fn *write, void *content)
{
    struct held_signals signals;

    held_signals_begin(&signals);
    int failed = replace_file_keeps(name) ? write_kept(name, write, content)
                                          : write_other(name, write, content);
    held_signals_end(&signals, failed != 0);
    if (failed != 0)
        errno = failed;
    return failed == 0;
}
