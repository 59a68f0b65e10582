/* notes.c - writes and reads lines such as
   mpi="MPICH 4.0.2" ranks=1x4 repetitions=30 bytes=1024 native=9.25~0.5 0:shm=wrong */
#include "tools/tune/notes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The room for a label and a time for each way, and for the rest of the line. */
enum { NOTE_TEXT = WAYS_MOST * (LABEL_SIZE + 32) + 256 };

static void format_key(const struct notes_key *key, char *text, size_t size)
{
    snprintf(text, size, "mpi=\"%s\" ranks=%s repetitions=%d bytes=", key->mpi, key->ranks,
             key->repetitions);
}

/* Returns whether *text begins with what is expected, and moves *text past it. */
static bool skip(char **text, const char *expected)
{
    size_t length = strlen(expected);

    if (strncmp(*text, expected, length) != 0)
        return false;
    *text += length;
    return true;
}

/* TIME~ERROR, none, or wrong. */
static bool read_time(char **text, double *time, double *error)
{
    char *end;

    *error = 0;
    if (skip(text, "none") || skip(text, "wrong")) {
        *time = (*text)[-1] == 'g' ? WRONG : NO_ROOM;
        return true;
    }
    *time = strtod(*text, &end);
    if (end == *text || *time <= 0 || *end != '~')
        return false;
    *error = strtod(end + 1, text);
    return *text != end + 1 && *error >= 0;
}

/* Returns whether the line has a result for these ways and this key. */
static bool read_line(char *line, const char *key, const struct lineup *lineup,
                      struct result *result)
{
    char *end;

    if (!skip(&line, key))
        return false;
    result->bytes = (size_t)strtoull(line, &end, 10);
    line = end;
    for (int i = 0; i < lineup->num; i++) {
        if (!skip(&line, " ") || !skip(&line, lineup->way[i].label) || !skip(&line, "=") ||
            !read_time(&line, &result->time[i], &result->error[i]))
            return false;
    }
    return strcmp(line, "\n") == 0 && result->bytes > 0;
}

static bool cut_off_part(FILE *file)
{
    long whole = 0;
    int c;

    while ((c = fgetc(file)) != EOF) {
        if (c == '\n')
            whole = ftell(file);
    }
    return ferror(file) == 0 && ftruncate(fileno(file), whole) == 0;
}

FILE *notes_open(const char *name, bool restart)
{
    FILE *file = fopen(name, restart ? "w+e" : "a+e");

    if (file == NULL)
        return NULL;
    rewind(file);
    if (cut_off_part(file))
        return file;
    fclose(file);
    return NULL;
}

void notes_read(FILE *file, const struct notes_key *key, size_t most,
                const struct lineup *lineup, struct results *results)
{
    char text[NOTE_TEXT], line[NOTE_TEXT];
    struct result result;

    format_key(key, text, sizeof text);
    rewind(file);
    while (fgets(line, sizeof line, file) != NULL) {
        memset(&result, 0, sizeof result);
        if (read_line(line, text, lineup, &result) && result.bytes <= most)
            results_add(results, &result);
    }
}

bool notes_add(FILE *file, const struct notes_key *key, const struct lineup *lineup,
               const struct result *result)
{
    char text[NOTE_TEXT];

    format_key(key, text, sizeof text);
    fseek(file, 0, SEEK_END);
    fprintf(file, "%s%zu", text, result->bytes);
    for (int i = 0; i < lineup->num; i++) {
        fprintf(file, " %s=", lineup->way[i].label);
        if (result->time[i] > 0)
            fprintf(file, "%.4f~%.4f", result->time[i], result->error[i]);
        else
            fputs(result->time[i] == WRONG ? "wrong" : "none", file);
    }
    fputc('\n', file);
    return fflush(file) == 0 && ferror(file) == 0;
}
