/* values.c - the parsers of the types of values */
#include "settings/values.h"

#include <limits.h>
#include <string.h>

/* Reads a decimal number at *text and moves *text past it. No sign, no blanks: strtoll would
   take both. */
static bool parse_digits(const char **text, int64_t *value)
{
    const char *s = *text;
    int64_t number = 0;

    if (*s < '0' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++) {
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *s - '0', &number))
            return false;
    }
    *text = s;
    *value = number;
    return true;
}

static bool parse_int_between(const char *text, int least, int most, int *value)
{
    int64_t number;

    if (!parse_digits(&text, &number) || *text != '\0' || number < least || number > most)
        return false;
    *value = (int)number;
    return true;
}

bool value_parse_switch(const char *text, void *field)
{
    return parse_int_between(text, 0, 1, field);
}

bool value_parse_verbosity(const char *text, void *field)
{
    return parse_int_between(text, 0, 2, field);
}

bool value_parse_ndims(const char *text, void *field)
{
    if (strcmp(text, "auto") == 0) {
        *(int *)field = 0;
        return true;
    }
    return parse_int_between(text, 1, FACTORS_MAX, field);
}

bool value_parse_procs(const char *text, void *field)
{
    return parse_int_between(text, 2, INT_MAX, field);
}

/* Bytes with an optional binary unit: 512, 4k, 1m, 2g. */
bool value_parse_bytes(const char *text, void *field)
{
    static const char units[] = "kmgKMG";
    int64_t number;

    if (!parse_digits(&text, &number))
        return false;
    if (*text != '\0') {
        const char *unit = strchr(units, *text);
        if (unit == NULL || text[1] != '\0')
            return false;
        int shift = 10 * (int)((unit - units) % 3 + 1);
        if (number > (INT64_MAX >> shift))
            return false;
        number <<= shift;
    }
    *(int64_t *)field = number;
    return true;
}

bool value_parse_threshold(const char *text, void *field)
{
    if (strcmp(text, "auto") == 0) {
        *(int64_t *)field = THRESHOLD_AUTO;
        return true;
    }
    if (strcmp(text, "inf") == 0) {
        *(int64_t *)field = INT64_MAX;
        return true;
    }
    return value_parse_bytes(text, field);
}

bool value_parse_after(const char *text, void *field)
{
    int number;

    if (strcmp(text, "auto") == 0) {
        *(int64_t *)field = AFTER_AUTO;
        return true;
    }
    if (!parse_int_between(text, 0, INT_MAX, &number))
        return false;
    *(int64_t *)field = number;
    return true;
}

bool value_parse_keep(const char *text, void *field)
{
    return parse_int_between(text, 0, KEEP_MAX, field);
}

/* One factorization, 4x3x2; stops at a comma or at the end. */
static bool parse_factors(const char **text, struct factors *factors)
{
    int64_t product = 1;

    for (factors->num = 0;; (*text)++) {
        int64_t size;
        if (factors->num == FACTORS_MAX || !parse_digits(text, &size) || size > INT_MAX)
            return false;
        factors->size[factors->num++] = (int)size;
        product *= size > 0 ? size : 1;
        if (product > INT_MAX)
            return false;
        if (**text != 'x')
            return **text == ',' || **text == '\0';
    }
}

bool value_parse_dims(const char *text, void *field)
{
    struct dims_list *list = field;

    list->num = 0;
    if (strcmp(text, "auto") == 0)
        return true;
    for (;; text++) {
        if (list->num == DIMS_LIST_MAX || !parse_factors(&text, &list->entry[list->num]))
            return false;
        list->num++;
        if (*text == '\0')
            return true;
    }
}

static bool parse_exchange_name(const char *name, size_t length, enum exchange_id *id)
{
    for (int i = 0; i < EXCHANGE_COUNT; i++) {
        if (strlen(exchange_names[i]) == length &&
            strncmp(exchange_names[i], name, length) == 0) {
            *id = (enum exchange_id)i;
            return true;
        }
    }
    return false;
}

bool value_parse_exchanges(const char *text, void *field)
{
    struct exchange_list *list = field;

    for (list->num = 0;; text++) {
        size_t length = strcspn(text, ",");
        if (list->num == FACTORS_MAX ||
            !parse_exchange_name(text, length, &list->id[list->num]))
            return false;
        list->num++;
        text += length;
        if (*text == '\0')
            return true;
    }
}

bool value_parse_nodes(const char *text, void *field)
{
    bool is_auto = strcmp(text, "auto") == 0;

    *(enum nodes_source *)field = is_auto ? NODES_AUTO : NODES_MPI;
    return is_auto || strcmp(text, "mpi") == 0;
}

bool value_parse_tuning(const char *text, void *field)
{
    static const char *const names[] = {
        [TUNE_OFF] = "off", [TUNE_GUARD] = "guard", [TUNE_FULL] = "full"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            *(enum tuning *)field = (enum tuning)i;
            return true;
        }
    }
    return false;
}

/* Every percent sign has its letter. */
static bool is_file_pattern(const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '%' && (*++c == '\0' || strchr("rph%", *c) == NULL))
            return false;
    }
    return true;
}

/* These would be names of files, too. But whoever writes them wants something else. */
static bool is_switch(const char *text)
{
    static const char *const switches[] = {"0", "1", "2", "on", "yes", "no", "true", "false"};

    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (strcmp(text, switches[i]) == 0)
            return true;
    }
    return false;
}

/* Sets all bytes of the field, as ranks compare settings byte by byte. */
bool value_parse_report(const char *text, void *field)
{
    struct report_place *place = field;

    memset(place, 0, sizeof *place);
    if (strcmp(text, "off") == 0)
        return true;
    if (strcmp(text, "stderr") == 0) {
        place->kind = REPORT_ON_STDERR;
        return true;
    }
    size_t length = strlen(text);
    if (length == 0 || length > REPORT_FILE_MAX || is_switch(text) || !is_file_pattern(text))
        return false;
    place->kind = REPORT_IN_FILE;
    memcpy(place->file, text, length);
    return true;
}

/* Sets all bytes of the field, as ranks compare settings byte by byte. */
bool value_parse_output(const char *text, void *field)
{
    struct profile_place *place = field;
    size_t length = strlen(text);

    memset(place, 0, sizeof *place);
    if (strcmp(text, "off") == 0)
        return true;
    if (length == 0 || length > PROFILE_FILE_MAX || is_switch(text))
        return false;
    memcpy(place->file, text, length);
    return true;
}

bool value_parse_profile(const char *text, void *field)
{
    struct profile_place *place = field;

    if (strcmp(text, "auto") != 0)
        return value_parse_output(text, field);
    memset(place, 0, sizeof *place);
    place->site = true;
    return true;
}
