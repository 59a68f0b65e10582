/* numbers.c - reads numbers and lists of numbers */
#include "tools/shared/numbers.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* Reads a decimal number from 1 to most at *text and moves *text past it. */
static bool read_up_to(const char **text, int64_t most, int64_t *number)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    long long value = strtoll(*text, &end, 10);
    if (errno != 0 || value < 1 || value > most)
        return false;
    *text = end;
    *number = value;
    return true;
}

static bool read_number(const char **text, int64_t *number)
{
    return read_up_to(text, INT_MAX, number);
}

static bool read_bytes_as_count(const char **text, int64_t *count)
{
    int64_t bytes;

    if (!read_up_to(text, (int64_t)sizeof(int) * INT_MAX, &bytes))
        return false;
    if (**text == 'k' || **text == 'K') {
        bytes <<= 10;
        (*text)++;
    } else if (**text == 'm' || **text == 'M') {
        bytes <<= 20;
        (*text)++;
    }
    *count = bytes / (int64_t)sizeof(int);
    return bytes % (int64_t)sizeof(int) == 0 && *count <= INT_MAX;
}

static bool read_list(const char *text, bool (*read)(const char **, int64_t *), int64_t most,
                      int room, int *value, int *num)
{
    for (*num = 0;; text++) {
        int64_t number;
        if (*num == room || !read(&text, &number) || number > most)
            return false;
        value[(*num)++] = (int)number;
        if (*text == '\0')
            return true;
        if (*text != ',')
            return false;
    }
}

bool numbers_read_list(const char *text, int64_t most, int room, int *value, int *num)
{
    return read_list(text, read_number, most, room, value, num);
}

bool numbers_parse_counts(const char *text, void *field)
{
    struct count_list *list = field;

    return read_list(text, read_number, INT_MAX, COUNTS_MAX, list->value, &list->num);
}

bool numbers_parse_bytes(const char *text, void *field)
{
    struct count_list *list = field;

    return read_list(text, read_bytes_as_count, INT_MAX, COUNTS_MAX, list->value, &list->num);
}

bool numbers_parse_block(const char *text, void *field)
{
    int64_t count;

    if (!read_bytes_as_count(&text, &count) || *text != '\0')
        return false;
    *(int *)field = (int)count;
    return true;
}

bool numbers_parse_one(const char *text, void *field)
{
    int64_t number;

    if (!read_number(&text, &number) || *text != '\0')
        return false;
    *(int *)field = (int)number;
    return true;
}

void numbers_default_counts(struct count_list *list)
{
    static const int digit[] = {1, 2, 5};

    list->num = 0;
    for (int decade = 1; decade < 10000; decade *= 10) {
        for (int i = 0; i < 3; i++)
            list->value[list->num++] = digit[i] * decade;
    }
    list->value[list->num++] = 10000;
}
