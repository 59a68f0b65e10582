/* replace_file.c - a file appears under its name when it is complete */
#include "process/replace_file.h"

#include <errno.h>
#include <limits.h>

/* Returns 0, or why the file could not be written. */
static int write_to(FILE *file, replace_write_fn *write, void *content)
{
    int failed = !write(file, content) || fflush(file) != 0 || ferror(file) ? errno : 0;

    if (fclose(file) != 0 && failed == 0)
        failed = errno;
    return failed;
}

bool replace_file(const char *name, replace_write_fn *write, void *content)
{
    char other[PATH_MAX];

    if (snprintf(other, sizeof other, "%s.tmp", name) >= (int)sizeof other) {
        errno = ENAMETOOLONG;
        return false;
    }
    FILE *file = fopen(other, "we");
    if (file == NULL)
        return false;
    int failed = write_to(file, write, content);
    if (failed == 0 && rename(other, name) != 0)
        failed = errno;
    if (failed == 0)
        return true;
    remove(other);
    errno = failed;
    return false;
}
