/* output.c - opens and closes a file on rank 0, and tells the other ranks how that went */
#include "config.h"

#include "tools/shared/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_wanted(const char *wanted, struct output *output)
{
    output->name = strdup(wanted);
    return output->name != NULL ? fopen(wanted, "we") : NULL;
}

static FILE *open_temporary(struct output *output)
{
    const char *directory = getenv("TMPDIR");

    if (asprintf(&output->name, "%s/" PACKAGE_NAME "-XXXXXX",
                 directory != NULL ? directory : "/tmp") < 0) {
        output->name = NULL;
        return NULL;
    }
    int file = mkstemp(output->name);
    /* Only a file that is there has to be removed. */
    output->is_temporary = file >= 0;
    return file >= 0 ? fdopen(file, "w") : NULL;
}

bool output_open(const struct crew *crew, const char *wanted, struct output *output)
{
    *output = (struct output){0};
    if (crew->rank == 0) {
        output->file = wanted != NULL ? open_wanted(wanted, output) : open_temporary(output);
        if (output->file == NULL)
            crew_say(crew, output->name != NULL ? output->name : "file", strerror(errno));
    }
    return crew_all(crew, crew->rank != 0 || output->file != NULL);
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
