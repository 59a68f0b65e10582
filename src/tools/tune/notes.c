/* notes.c - writes and reads lines such as
   mpi="MPICH 4.0.2" ranks=1x4 repetitions=30 bytes=1024 native=9.25~0.5 0:shm=wrong */
#include "tools/tune/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The room for a label and a time for each way, and for the rest of the line. */
enum { NOTE_TEXT = WAYS_MOST * (LABEL_SIZE + 32) + 256 };

/* How often the file is opened if it never seems to be the one with the name. Not every file
   system can tell. */
enum { OPENS_MOST = 10 };

/* If the system has no locks for the file, the runs go on without. */
static void set_lock(FILE *file, int operation)
{
    while (flock(fileno(file), operation) != 0 && errno == EINTR)
        ;
}

/* Whether the file that is open is the one with the name. */
static bool has_name(const struct notes *notes)
{
    struct stat named, ours;

    return stat(notes->name, &named) == 0 && fstat(fileno(notes->file), &ours) == 0 &&
           named.st_dev == ours.st_dev && named.st_ino == ours.st_ino;
}

static void close_file(struct notes *notes)
{
    fclose(notes->file);
    notes->file = NULL;
}

static bool is_empty(const struct notes *notes)
{
    struct stat file;

    return fstat(fileno(notes->file), &file) == 0 && file.st_size == 0;
}

/* Under the lock. Who waits for it sees that its file has no name any more. */
static void remove_if_empty(const struct notes *notes)
{
    if (is_empty(notes) && has_name(notes))
        remove(notes->name);
}

/* Another run that finishes may remove the file while this one has it open, or waits for the
   lock. What is written then has no name, and is lost with this process. So this run opens the
   file with the name anew. */
bool notes_lock(struct notes *notes)
{
    for (int i = 1;; i++) {
        if (notes->file == NULL)
            notes->file = fopen(notes->name, "a+e");
        if (notes->file == NULL)
            return false;
        set_lock(notes->file, LOCK_EX);
        if (has_name(notes) || i == OPENS_MOST)
            return true;
        close_file(notes);
    }
}

void notes_unlock(struct notes *notes)
{
    set_lock(notes->file, LOCK_UN);
}

/* What the lines of an MPI and a placement begin with. */
static int format_owner(const struct notes_key *key, char *text, size_t size)
{
    return snprintf(text, size, "mpi=\"%s\" ranks=%s ", key->mpi, key->ranks);
}

static void format_key(const struct notes_key *key, char *text, size_t size)
{
    size_t length = (size_t)format_owner(key, text, size);

    if (length < size)
        snprintf(text + length, size - length, "repetitions=%d bytes=", key->repetitions);
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

bool notes_open(const char *name, struct notes *notes)
{
    *notes = (struct notes){.name = name};
    if (!notes_lock(notes))
        return false;
    rewind(notes->file);
    bool good = cut_off_part(notes->file);
    int failed = errno;
    notes_unlock(notes);
    if (!good)
        notes_close(notes);
    errno = failed;
    return good;
}

void notes_close(struct notes *notes)
{
    if (notes->file == NULL)
        return;
    set_lock(notes->file, LOCK_EX);
    remove_if_empty(notes);
    close_file(notes);
}

void notes_read(const struct notes *notes, const struct notes_key *key, size_t most,
                const struct lineup *lineup, struct results *results)
{
    char text[NOTE_TEXT], line[NOTE_TEXT];
    struct result result;

    format_key(key, text, sizeof text);
    rewind(notes->file);
    while (fgets(line, sizeof line, notes->file) != NULL) {
        memset(&result, 0, sizeof result);
        if (read_line(line, text, lineup, &result) && result.bytes <= most)
            results_add(results, &result);
    }
}

static bool write_line(FILE *file, const struct notes_key *key, const struct lineup *lineup,
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

bool notes_add(struct notes *notes, const struct notes_key *key, const struct lineup *lineup,
               const struct result *result)
{
    if (!notes_lock(notes))
        return false;
    bool good = write_line(notes->file, key, lineup, result);
    int failed = errno;
    notes_unlock(notes);
    errno = failed;
    return good;
}

/* Copies the lines of others. Returns their number, or -1. */
static int copy_others(FILE *file, const struct notes_key *key, FILE *kept)
{
    char own[NOTE_TEXT], line[NOTE_TEXT];
    int num = 0;

    format_owner(key, own, sizeof own);
    rewind(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, own, strlen(own)) == 0)
            continue;
        fputs(line, kept);
        num++;
    }
    return ferror(file) == 0 && ferror(kept) == 0 ? num : -1;
}

int notes_forget(struct notes *notes, const struct notes_key *key)
{
    FILE *file = notes->file;
    char *text = NULL;
    size_t size = 0;
    FILE *kept = open_memstream(&text, &size);

    if (kept == NULL)
        return -1;
    int num = copy_others(file, key, kept);
    if (fclose(kept) != 0 || (num >= 0 && ftruncate(fileno(file), 0) != 0))
        num = -1;
    if (num > 0 &&
        (fseek(file, 0, SEEK_END) != 0 || fputs(text, file) == EOF || fflush(file) != 0))
        num = -1;
    remove_if_empty(notes);
    free(text);
    return num;
}
