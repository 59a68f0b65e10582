/* profile_file.c - puts measured rows into a profile that may have other rows already */
#include "tools/tune/profile_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process/replace_file.h"

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
                       placement_is_same(&copy->rows[i].placement, copy->rows[i].p,
                                         &row.placement, row.p);
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
    /* getline ends before the end of the file if there is no memory. */
    good = good && feof(copy->from) != 0;
    free(line);
    forget_head(copy);
    return good;
}

/* What the new file consists of. */
struct update {
    /* The file itself, which may have lines that stay. It need not exist. A device, a pipe and
       standard output have none. */
    const char *name;
    const char *head;
    const struct profile_row *rows;
    int num;
};

static bool write_lines(FILE *to, void *content)
{
    const struct update *update = content;
    struct copy copy = {.to = to, .rows = update->rows, .num = update->num};
    bool good = true;

    if (!replace_file_keeps(update->name)) {
        copy.from = fopen(update->name, "re");
        good = copy.from != NULL || errno == ENOENT;
    }
    if (copy.from != NULL) {
        good = copy_lines(&copy);
        fclose(copy.from);
    }
    fputs(update->head, to);
    for (int i = 0; i < update->num; i++)
        profile_print_row(to, &update->rows[i]);
    return good;
}

bool profile_file_update(const char *name, const char *head, const struct profile_row rows[],
                         int num)
{
    struct update update = {.name = name, .head = head, .rows = rows, .num = num};

    return replace_file(name, write_lines, &update);
}
