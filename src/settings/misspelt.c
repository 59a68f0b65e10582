/* misspelt.c - warnings about TORUS_A2A_ variables that are no settings */
#include "settings/misspelt.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern char **environ;

/* The edits that turn a into b (Levenshtein's distance). A small letter in a counts as its
   capital. A name of more than 31 characters counts as far away. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 31 };
    size_t row[LONGEST + 1];
    size_t len_a = strlen(a), len_b = strlen(b);

    if (len_a > LONGEST || len_b > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= len_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= len_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= len_b; j++) {
            size_t best = diagonal + (toupper((unsigned char)a[i - 1]) != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[len_b];
}

/* Returns the setting whose name is nearest, and its distance. */
static const char *nearest_setting(const char *name, size_t *distance)
{
    const char *nearest = "";

    *distance = SIZE_MAX;
    for (size_t i = 0; i < settings_table_size; i++) {
        size_t edits = edit_distance(name, settings_table[i].name);
        if (edits < *distance) {
            *distance = edits;
            nearest = settings_table[i].name;
        }
    }
    return nearest;
}

static bool is_setting(const char *name)
{
    for (size_t i = 0; i < settings_table_size; i++) {
        if (strcmp(name, settings_table[i].name) == 0)
            return true;
    }
    return false;
}

static void warn_of_name(const char *name, settings_warn_fn *warn)
{
    char line[256];
    size_t distance;
    const char *nearest = nearest_setting(name, &distance);

    if (distance <= 1 + strlen(name) / 3)
        snprintf(line, sizeof line,
                 SETTINGS_PREFIX "%.64s is not a setting; did you mean " SETTINGS_PREFIX "%s?",
                 name, nearest);
    else
        snprintf(line, sizeof line,
                 SETTINGS_PREFIX "%.64s is not a setting; torus-a2a --info lists them", name);
    settings_warn(warn, line);
}

void misspelt_warn(settings_warn_fn *warn)
{
    size_t prefix_length = strlen(SETTINGS_PREFIX);

    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        char name[65];
        if (strncmp(*variable, SETTINGS_PREFIX, prefix_length) != 0)
            continue;
        size_t length = strcspn(*variable + prefix_length, "=");
        snprintf(name, sizeof name, "%.*s", (int)(length < 64 ? length : 64),
                 *variable + prefix_length);
        if (!is_setting(name))
            warn_of_name(name, warn);
    }
}
