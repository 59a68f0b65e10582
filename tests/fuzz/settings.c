/* fuzz/settings.c - libFuzzer tests the parsers of the settings, and the warnings

   The first byte of an input is a row of settings_table, and the other bytes are the value. If
   the first byte is the number after the last row, the other bytes are a name and a value, and
   the name may be wrong. If a parser takes a value, the value must print as text that the
   parser reads as the same value. A warning must be one line. */
#include "settings/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/factorization.h"

enum { TEXT_MAX = 16384 };

extern char **environ;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "violated: %s\n", what);
    abort();
}

static bool is_named(const struct setting *row, const char *name)
{
    return strcmp(row->name, name) == 0;
}

static void print_dims(const struct dims_list *list, char *text)
{
    size_t used = 0;

    strcpy(text, list->num == 0 ? "auto" : "");
    for (int i = 0; i < list->num; i++) {
        if (i > 0)
            text[used++] = ',';
        factorization_format(&list->entry[i], text + used, TEXT_MAX - used);
        used += strlen(text + used);
    }
}

static void print_exchanges(const struct exchange_list *list, char *text)
{
    text[0] = '\0';
    for (int i = 0; i < list->num; i++) {
        demand(list->id[i] >= 0 && list->id[i] < EXCHANGE_COUNT, "the exchange exists");
        strcat(text, i > 0 ? "," : "");
        strcat(text, exchange_names[list->id[i]]);
    }
}

static void print_bytes(int64_t bytes, char *text)
{
    if (bytes == THRESHOLD_AUTO)
        strcpy(text, "auto");
    else if (bytes == INT64_MAX)
        strcpy(text, "9223372036854775807");
    else
        sprintf(text, "%" PRId64, bytes);
}

static void print_calls(int64_t calls, char *text)
{
    if (calls == AFTER_AUTO)
        strcpy(text, "auto");
    else
        sprintf(text, "%" PRId64, calls);
}

static void print_report(const void *field, char *text)
{
    const struct report_place *place = field;

    if (place->kind == REPORT_IN_FILE)
        strcpy(text, place->file);
    else
        strcpy(text, place->kind == REPORT_OFF ? "off" : "stderr");
}

static void print_profile(const struct profile_place *place, char *text)
{
    strcpy(text, place->site ? "auto" : place->file[0] == '\0' ? "off" : place->file);
}

/* Prints the value as a user would write it. */
static void print_value(const struct setting *row, const struct settings *settings, char *text)
{
    const void *field = (const char *)settings + row->field;

    if (is_named(row, "DIMS"))
        print_dims(field, text);
    else if (is_named(row, "EXCHANGE"))
        print_exchanges(field, text);
    else if (is_named(row, "THRESHOLD") || is_named(row, "MAX_MEMORY"))
        print_bytes(*(const int64_t *)field, text);
    else if (is_named(row, "AFTER"))
        print_calls(settings->after, text);
    else if (is_named(row, "TUNE"))
        strcpy(text, *(const enum tuning *)field == TUNE_OFF     ? "off"
                     : *(const enum tuning *)field == TUNE_GUARD ? "guard"
                                                                 : "full");
    else if (is_named(row, "PROFILE") || is_named(row, "PROFILE_OUT"))
        print_profile(field, text);
    else if (is_named(row, "STATS"))
        print_report(field, text);
    else if (is_named(row, "NODES"))
        strcpy(text, *(const enum nodes_source *)field == NODES_AUTO ? "auto" : "mpi");
    else if (is_named(row, "NDIMS") && *(const int *)field == 0)
        strcpy(text, "auto");
    else
        sprintf(text, "%d", *(const int *)field);
}

/* The library relies on these bounds, which the parsers must keep. */
static void check_bounds(const struct settings *settings)
{
    demand(settings->enable == 0 || settings->enable == 1, "ENABLE is 0 or 1");
    demand(settings->verbose >= 0 && settings->verbose <= 2, "VERBOSE is 0, 1 or 2");
    demand(settings->ndims >= 0 && settings->ndims <= FACTORS_MAX,
           "NDIMS is no more than FACTORS_MAX");
    demand(settings->threshold >= THRESHOLD_AUTO, "THRESHOLD is a size or auto");
    demand(settings->max_memory >= 0, "MAX_MEMORY is a size");
    demand(settings->after >= AFTER_AUTO && settings->after <= INT32_MAX,
           "AFTER is an int or auto");
    demand(settings->tune >= TUNE_OFF && settings->tune <= TUNE_FULL,
           "TUNE is off, guard or full");
    demand(settings->nodes == NODES_AUTO || settings->nodes == NODES_MPI,
           "NODES is auto or mpi");
    demand(settings->dims.num >= 0 && settings->dims.num <= DIMS_LIST_MAX,
           "DIMS has no more entries than its list has room for");
    demand(settings->exchange.num >= 0 && settings->exchange.num <= FACTORS_MAX,
           "EXCHANGE has no more entries than its list has room for");
    for (int i = 0; i < settings->dims.num; i++) {
        const struct factors *factors = &settings->dims.entry[i];
        int64_t product = 1;
        demand(factors->num >= 1 && factors->num <= FACTORS_MAX,
               "an entry of DIMS has 1 to FACTORS_MAX factors");
        for (int k = 0; k < factors->num; k++) {
            demand(factors->size[k] >= 0, "no factor is negative");
            product *= factors->size[k] > 0 ? factors->size[k] : 1;
            demand(product <= INT32_MAX, "the product of the factors is an int");
        }
    }
}

static void check_value(const struct setting *row, const char *text)
{
    static struct settings first, second;
    static char printed[TEXT_MAX];

    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    if (!row->parse(text, (char *)&first + row->field))
        return;
    check_bounds(&first);
    print_value(row, &first, printed);
    demand(row->parse(printed, (char *)&second + row->field),
           "the parser takes a printed value");
    demand(memcmp(&first, &second, sizeof first) == 0,
           "the parser reads a printed value as the same value");
}

static void check_line(const char *line)
{
    demand(strlen(line) < 512, "a warning is short");
    for (const char *c = line; *c != '\0'; c++)
        demand(((unsigned char)*c >= ' ' && *c != 0x7f), "a warning is one line of text");
}

/* Reads a variable from the environment, as the library does. */
static void check_environment(char *variable)
{
    char *variables[] = {variable, NULL};
    char **others = environ;
    struct settings settings;

    environ = variables;
    settings_read(&settings, check_line);
    environ = others;
    check_bounds(&settings);
    settings_fingerprint(&settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char variable[TEXT_MAX];

    if (size == 0 || size > 2048)
        return 0;
    size_t row = data[0] % (settings_table_size + 1);
    strcpy(variable, SETTINGS_PREFIX);
    if (row < settings_table_size)
        strcat(strcat(variable, settings_table[row].name), "=");
    char *text = variable + strlen(variable);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (row < settings_table_size)
        check_value(&settings_table[row], text);
    check_environment(variable);
    return 0;
}
