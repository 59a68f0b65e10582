/* misspelt.c - finds the nearest name by counting edits */
#include "settings/misspelt.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

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

const char *misspelt_nearest(const char *name, misspelt_name_fn *name_of, size_t num)
{
    const char *nearest = NULL;
    size_t least = SIZE_MAX;

    for (size_t i = 0; i < num; i++) {
        size_t edits = edit_distance(name, name_of(i));
        if (edits < least) {
            least = edits;
            nearest = name_of(i);
        }
    }
    return least <= 1 + strlen(name) / 3 ? nearest : NULL;
}
