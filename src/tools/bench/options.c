/* options.c - the command line of torus-a2a-bench */
#include "config.h"

#include "tools/bench/options.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "torus-a2a-bench"

/* Beyond the characters: no option has a short form. */
enum option_key {
    KEY_COUNTS = 256,
    KEY_BYTES,
    KEY_NDIMS,
    KEY_DIMS,
    KEY_EXCHANGE,
    KEY_LISTING,
    KEY_NO_LISTING,
    KEY_WARMUPS,
    KEY_REPETITIONS,
    KEY_CALLS,
    KEY_CSV,
    KEY_PROGRESS,
    KEY_HELP,
    KEY_USAGE,
    KEY_VERSION
};

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Block sizes:", 1},
    {"counts", KEY_COUNTS, "LIST", 0,
     "MPI_INTs per block, separated by commas (default: 1,2,5,10,20,50 and so on to 10000)", 0},
    {"bytes", KEY_BYTES, "LIST", 0,
     "the same in bytes, with k or m for the binary units: 4,64,1k", 0},
    {NULL, 0, NULL, 0, "Contestants, beside MPI's own all-to-all:", 2},
    {"ndims", KEY_NDIMS, "LIST", 0,
     "balanced factorizations with these numbers of dimensions (default: every number from 2 "
     "to log2 of the number of ranks, rounded up)",
     0},
    {"dims", KEY_DIMS, "LIST", 0,
     "these factorizations: 8x4,4x4x2; a factor 0 is left open, and chosen balanced", 0},
    {"exchange", KEY_EXCHANGE, "LIST", 0,
     "one torus for each of " EXCHANGE_NAMES_TEXT " (default: auto)", 0},
    {"listing", KEY_LISTING, NULL, 0,
     "the paper's form of every factorization, its datatypes created in every call (default)",
     0},
    {"no-listing", KEY_NO_LISTING, NULL, 0, "leave the paper's form out", 0},
    {NULL, 0, NULL, 0, "Measurement:", 3},
    {"warmups", KEY_WARMUPS, "NUMBER", 0,
     "calls before the first measured one, the last of them verified (default: 8)", 0},
    {"repetitions", KEY_REPETITIONS, "NUMBER", 0, "measurements (default: 40)", 0},
    {"calls", KEY_CALLS, "NUMBER", 0,
     "calls of each measurement, one right after the other; its time is that of one (default: "
     "1)",
     0},
    {NULL, 0, NULL, 0, "Output:", 4},
    {"csv", KEY_CSV, "FILE", 0, "write the results to FILE as comma-separated values too", 0},
    {"progress", KEY_PROGRESS, NULL, 0,
     "show what is being measured on stderr (default: where that is a terminal)", 0},
    {"help", KEY_HELP, NULL, 0, "show these options", -1},
    {"usage", KEY_USAGE, NULL, 0, "show a short form of them", -1},
    {"version", KEY_VERSION, NULL, 0, "show the version", -1},
    {0},
};

/* What the parser fills. */
struct parse_state {
    struct bench_options *options;
    enum bench_action action;
};

/* Reads a decimal number from 1 to INT_MAX at *text and moves *text past it. */
static bool read_number(const char **text, int64_t *number)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    long long value = strtoll(*text, &end, 10);
    if (errno != 0 || value < 1 || value > INT_MAX)
        return false;
    *text = end;
    *number = value;
    return true;
}

static bool read_count(const char **text, int64_t *count)
{
    return read_number(text, count);
}

static bool read_bytes_as_count(const char **text, int64_t *count)
{
    int64_t bytes;

    if (!read_number(text, &bytes))
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

/* Reads numbers separated by commas. */
static bool parse_list(const char *text, bool (*read)(const char **, int64_t *), int64_t most,
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

static bool parse_counts(const char *text, struct count_list *list)
{
    return parse_list(text, read_count, INT_MAX, COUNTS_MAX, list->value, &list->num);
}

static bool parse_bytes(const char *text, struct count_list *list)
{
    return parse_list(text, read_bytes_as_count, INT_MAX, COUNTS_MAX, list->value, &list->num);
}

static bool parse_ndims(const char *text, struct ndims_list *list)
{
    return parse_list(text, read_number, FACTORS_MAX, FACTORS_MAX, list->value, &list->num);
}

/* A list as TORUS_A2A_DIMS has it, parsed by that setting's own parser. */
static bool parse_dims(const char *text, struct dims_list *list)
{
    for (size_t i = 0; i < settings_table_size; i++) {
        if (strcmp(settings_table[i].name, "DIMS") == 0)
            return settings_table[i].parse(text, list);
    }
    return false;
}

static bool parse_single(const char *text, int *value)
{
    int64_t number;

    if (!read_number(&text, &number) || *text != '\0')
        return false;
    *value = (int)number;
    return true;
}

static error_t refuse(const struct argp_state *state, const char *option, const char *text,
                      const char *allowed)
{
    argp_error(state, "--%s=%s is not %s", option, text, allowed);
    return EINVAL;
}

static error_t ask_for(struct parse_state *parse, enum bench_action action)
{
    /* The first one named is answered. */
    if (parse->action == BENCH_RUN)
        parse->action = action;
    return 0;
}

static error_t parse_switch(int key, struct parse_state *parse)
{
    switch (key) {
    case KEY_LISTING:
    case KEY_NO_LISTING:
        parse->options->listing = key == KEY_LISTING;
        return 0;
    case KEY_PROGRESS:
        parse->options->progress = true;
        return 0;
    case KEY_HELP:
        return ask_for(parse, BENCH_HELP);
    case KEY_USAGE:
        return ask_for(parse, BENCH_USAGE);
    case KEY_VERSION:
        return ask_for(parse, BENCH_VERSION);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct parse_state *parse = state->input;
    struct bench_options *options = parse->options;

    switch (key) {
    case KEY_COUNTS:
        return parse_counts(text, &options->counts)
                   ? 0
                   : refuse(state, "counts", text,
                            "a list of up to 256 numbers from 1 to 2147483647");
    case KEY_BYTES:
        return parse_bytes(text, &options->counts)
                   ? 0
                   : refuse(state, "bytes", text,
                            "a list of up to 256 multiples of 4 bytes, with k or m");
    case KEY_NDIMS:
        return parse_ndims(text, &options->ndims)
                   ? 0
                   : refuse(state, "ndims", text, "a list of numbers from 1 to 31");
    case KEY_DIMS:
        return parse_dims(text, &options->dims)
                   ? 0
                   : refuse(state, "dims", text, "factors such as 8x4, or a list of them");
    case KEY_EXCHANGE:
        return value_parse_exchanges(text, &options->exchange)
                   ? 0
                   : refuse(state, "exchange", text, "a list of " EXCHANGE_NAMES_TEXT);
    case KEY_WARMUPS:
        return parse_single(text, &options->warmups)
                   ? 0
                   : refuse(state, "warmups", text, "a number from 1 to 2147483647");
    case KEY_REPETITIONS:
        return parse_single(text, &options->repetitions)
                   ? 0
                   : refuse(state, "repetitions", text, "a number from 1 to 2147483647");
    case KEY_CALLS:
        return parse_single(text, &options->calls)
                   ? 0
                   : refuse(state, "calls", text, "a number from 1 to 2147483647");
    case KEY_CSV:
        options->csv = text;
        return 0;
    default:
        return parse_switch(key, parse);
    }
}

static const struct argp bench_argp = {
    .options = option_table,
    .parser = parse_option,
    .doc = "Compares MPI_Alltoall with its torus forms over the ranks it is started on:\v"
           "Start it with mpiexec: mpiexec -n 16 " PROGRAM " --ndims=2",
};

/* 1, 2 and 5 in every decade up to 10000. */
static void default_counts(struct count_list *list)
{
    static const int digit[] = {1, 2, 5};

    list->num = 0;
    for (int decade = 1; decade < 10000; decade *= 10) {
        for (int i = 0; i < 3; i++)
            list->value[list->num++] = digit[i] * decade;
    }
    list->value[list->num++] = 10000;
}

enum bench_action bench_options_parse(int argc, char **argv, bool quiet,
                                      struct bench_options *options)
{
    struct parse_state parse = {.options = options, .action = BENCH_RUN};
    unsigned flags = ARGP_NO_EXIT | ARGP_NO_HELP | (quiet ? ARGP_NO_ERRS : 0u);

    *options = (struct bench_options){
        .exchange = {.num = 1, .id = {EXCHANGE_AUTO}},
        .listing = true,
        .warmups = 8,
        .repetitions = 40,
        .calls = 1,
    };
    default_counts(&options->counts);
    if (argp_parse(&bench_argp, argc, argv, flags, NULL, &parse) != 0)
        return BENCH_WRONG;
    return parse.action;
}

void bench_options_tell(enum bench_action action)
{
    static char name[] = PROGRAM;

    if (action == BENCH_VERSION)
        printf(PROGRAM " (" PACKAGE_NAME ") " PACKAGE_VERSION "\n");
    else
        argp_help(&bench_argp, stdout,
                  action == BENCH_USAGE
                      ? ARGP_HELP_USAGE
                      : ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC,
                  name);
}
