/* output.c - opens and closes a file on rank 0, and tells the other ranks how that went */
#include "config.h"

#include "tools/shared/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns NULL, or why the file cannot be opened. */
static const char *open_wanted(const char *wanted, bool read_back, struct output *output)
{
    struct stat old;

    output->name = strdup(wanted);
    if (read_back && stat(wanted, &old) == 0 && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode))
        return "a script reads this file in the end, so it has to be a regular one";
    if (output->name != NULL)
        output->file = fopen(wanted, "we");
    return output->file != NULL ? NULL : strerror(errno);
}

static const char *open_temporary(struct output *output)
{
    const char *directory = getenv("TMPDIR");

    if (asprintf(&output->name, "%s/" PACKAGE_NAME "-XXXXXX",
                 directory != NULL && *directory != '\0' ? directory : "/tmp") < 0) {
        output->name = NULL;
        return strerror(ENOMEM);
    }
    int file = mkstemp(output->name);
    /* Only a file that is there has to be removed. */
    output->is_temporary = file >= 0;
    if (file >= 0)
        output->file = fdopen(file, "w");
    return output->file != NULL ? NULL : strerror(errno);
}

bool output_open(const struct crew *crew, const char *wanted, bool read_back,
                 struct output *output)
{
    *output = (struct output){0};
    if (crew->rank == 0) {
        const char *why =
            wanted != NULL ? open_wanted(wanted, read_back, output) : open_temporary(output);
        if (why != NULL)
            crew_say(crew, output->name != NULL ? output->name : "file", why);
    }
    return crew_all(crew, crew->rank != 0 || output->file != NULL);
}

/* Returns 0, or why the file cannot be written. */
static int why_not(const char *name)
{
    struct stat old;
    bool is_there = stat(name, &old) == 0;

    if (!is_there && errno != ENOENT)
        return errno;
    /* Who reads from a pipe would take it for the end if the pipe is opened and closed. */
    if (is_there && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode))
        return 0;
    int file = open(name, O_WRONLY | O_CLOEXEC | (is_there ? 0 : O_CREAT | O_EXCL), 0666);
    /* A link to a file that is not there: nothing is known. */
    if (file < 0 && !is_there && errno == EEXIST)
        return 0;
    if (file < 0)
        return errno;
    close(file);
    if (!is_there)
        remove(name);
    return 0;
}

bool output_check(const struct crew *crew, const char *wanted)
{
    int failed = crew->rank == 0 && wanted != NULL ? why_not(wanted) : 0;

    if (failed != 0)
        crew_say(crew, wanted, strerror(failed));
    return crew_all(crew, failed == 0);
}

bool output_close(const struct crew *crew, struct output *output)
{
    bool good = true;

    if (output->file != NULL) {
        good = ferror(output->file) == 0;
        good = fclose(output->file) == 0 && good;
        output->file = NULL;
        if (!good)
            crew_say(crew, output->name, "not written completely");
    }
    return crew_all(crew, good);
}

void output_free(struct output *output)
{
    if (output->is_temporary)
        remove(output->name);
    free(output->name);
    *output = (struct output){0};
}
