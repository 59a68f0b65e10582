/* file_name.c - the name of the file that a process writes its report to */
#include "stats/file_name.h"

#include <stdio.h>
#include <string.h>

#include "process/replace_file.h"

/* Returns the first place in the pattern that stands for one of these letters, or NULL. */
static const char *find_letter(const char *pattern, const char *letters)
{
    for (const char *c = pattern; *c != '\0'; c++) {
        if (*c != '%' || *++c == '\0')
            continue;
        if (strchr(letters, *c) != NULL)
            return c - 1;
    }
    return NULL;
}

bool file_name_has_rank(const char *pattern)
{
    return find_letter(pattern, "r") != NULL;
}

bool file_name_is_json(const char *name)
{
    size_t length = strlen(name);

    return length >= 5 && strcmp(name + length - 5, ".json") == 0;
}

/* Returns where a suffix such as .json begins, or where the name ends. */
static const char *suffix_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash != NULL ? slash + 1 : name, *dot = strrchr(base, '.');

    return dot != NULL && dot > base ? dot : name + strlen(name);
}

static int print_part(char *text, size_t size, char letter, int rank, long pid,
                      const char *host)
{
    switch (letter) {
    case 'r':
        return rank >= 0 ? snprintf(text, size, "%d", rank)
                         : snprintf(text, size, "%s.%ld", host, pid);
    case 'p':
        return snprintf(text, size, "%ld", pid);
    case 'h':
        return snprintf(text, size, "%s", host);
    default:
        return snprintf(text, size, "%c", letter);
    }
}

bool file_name_make(const char *pattern, int rank, long pid, const char *host, char *text,
                    size_t size)
{
    bool shared =
        rank < 0 && find_letter(pattern, "rp") == NULL && !replace_file_keeps(pattern);
    const char *suffix = shared ? suffix_of(pattern) : NULL;
    size_t used = 0;

    text[0] = '\0';
    for (const char *c = pattern;; c++) {
        int length = 0;
        if (c == suffix)
            length = snprintf(text + used, size - used, ".%s.%ld", host, pid);
        used += (size_t)length;
        if (*c == '\0' || used >= size)
            return used < size;
        if (*c == '%' && c[1] != '\0')
            length = print_part(text + used, size - used, *++c, rank, pid, host);
        else
            length = snprintf(text + used, size - used, "%c", *c);
        used += (size_t)length;
        if (used >= size)
            return false;
    }
}
