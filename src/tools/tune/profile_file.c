/* profile_file.c - puts measured rows into a profile that may have other rows already */
#include "tools/tune/profile_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is copied from the old file to the new one. */
struct copy {
    FILE *from, *to;
    /* The rows that take the place of others. */
    const struct profile_row *rows;
    int num;
    /* The lines of a head whose rows are all replaced so far, or NULL. */
    char *head;
};

static bool starts_with(const char *line, const char *start)
{
    return strncmp(line, start, strlen(start)) == 0;
}

static bool is_same_placement(const struct profile_row *one, const struct profile_row *other)
{
    char text[PLACEMENT_TEXT], other_text[PLACEMENT_TEXT];

    placement_format(&one->placement, one->p, text);
    placement_format(&other->placement, other->p, other_text);
    return strcmp(text, other_text) == 0;
}

/* Whether a line is a row that one of the new rows replaces. A broken line is not. */
static bool is_replaced(const struct copy *copy, const char *line)
{
    struct profile_row row;
    char *text = strdup(line);

    if (text == NULL)
        return false;
    text[strcspn(text, "\r\n")] = '\0';
    bool replaced = false;
    if (profile_parse_row(text, &row) == NULL) {
        for (int i = 0; i < copy->num && !replaced; i++)
            replaced = strcmp(copy->rows[i].mpi, row.mpi) == 0 &&
                       is_same_placement(&copy->rows[i], &row);
    }
    free(text);
    return replaced;
}

/* Keeps a line of a head until there is a row that stays. */
static bool keep_head(struct copy *copy, const char *line, bool first)
{
    size_t before = first || copy->head == NULL ? 0 : strlen(copy->head);
    size_t length = strlen(line);
    char *head = realloc(copy->head, before + length + 1);

    if (head == NULL)
        return false;
    memcpy(head + before, line, length + 1);
    copy->head = head;
    return true;
}

static void forget_head(struct copy *copy)
{
    free(copy->head);
    copy->head = NULL;
}

static void write_line(struct copy *copy, const char *line)
{
    fputs(line, copy->to);
    /* The last line of a file that was written by hand may have no newline. */
    if (*line != '\0' && line[strlen(line) - 1] != '\n')
        fputc('\n', copy->to);
}

static bool copy_line(struct copy *copy, const char *line)
{
    char first = line[strspn(line, " \t\r\n")];

    if (starts_with(line, HEAD_FIRST))
        return keep_head(copy, line, true);
    if (copy->head != NULL && starts_with(line, HEAD_MORE))
        return keep_head(copy, line, false);
    if (first != '\0' && first != '#') {
        if (is_replaced(copy, line))
            return true;
        if (copy->head != NULL)
            fputs(copy->head, copy->to);
        forget_head(copy);
    }
    write_line(copy, line);
    return true;
}

static bool copy_lines(struct copy *copy)
{
    char *line = NULL;
    size_t room = 0;
    bool good = true;

    while (good && getline(&line, &room, copy->from) >= 0)
        good = copy_line(copy, line);
    good = good && ferror(copy->from) == 0;
    free(line);
    forget_head(copy);
    return good;
}

/* Writes all lines of the new file. An old file need not exist. */
static bool write_lines(const char *name, FILE *to, const char *head,
                        const struct profile_row rows[], int num)
{
    struct copy copy = {.from = fopen(name, "re"), .to = to, .rows = rows, .num = num};
    bool good = copy.from != NULL || errno == ENOENT;

    if (copy.from != NULL) {
        good = copy_lines(&copy);
        fclose(copy.from);
    }
    fputs(head, to);
    for (int i = 0; i < num; i++)
        profile_print_row(to, &rows[i]);
    return good && ferror(to) == 0;
}

bool profile_file_update(const char *name, const char *head, const struct profile_row rows[],
                         int num)
{
    char *other = NULL;

    if (asprintf(&other, "%s.tmp", name) < 0)
        return false;
    FILE *to = fopen(other, "we");
    bool good = to != NULL && write_lines(name, to, head, rows, num);
    if (to != NULL)
        good = fclose(to) == 0 && good;
    good = good && rename(other, name) == 0;
    if (!good && to != NULL) {
        int error = errno;
        remove(other);
        errno = error;
    }
    free(other);
    return good;
}
