/* options.c - the command line of torus-a2a-bench */
#include "config.h"

#include "tools/bench/options.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>

#include "tools/shared/program.h"

#define PROGRAM "torus-a2a-bench"

const char program_name[] = PROGRAM;

/* Greater than every character, because no option has a short form. */
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
     "numbers of MPI_INTs in a block, separated by commas (default: 1,2,5,10,20,50 and so on "
     "to 10000)",
     0},
    {"bytes", KEY_BYTES, "LIST", 0,
     "block sizes in bytes instead, with k or m for the binary units: 4,64,1k", 0},
    {NULL, 0, NULL, 0, "Contestants besides native and torus-a2a:", 2},
    {"ndims", KEY_NDIMS, "LIST", 0,
     "compare balanced factors with these numbers of dimensions (default: every number from 2 "
     "to log2 of the number of ranks, rounded up)",
     0},
    {"dims", KEY_DIMS, "LIST", 0,
     "compare these factors: 8x4,4x4x2; the benchmark chooses a factor 0", 0},
    {"exchange", KEY_EXCHANGE, "LIST", 0,
     "compare one torus for each of these: " EXCHANGE_NAMES_TEXT " (default: auto)", 0},
    {"listing", KEY_LISTING, NULL, 0,
     "compare the program that the paper prints, which creates its datatypes in every call "
     "(default)",
     0},
    {"no-listing", KEY_NO_LISTING, NULL, 0, "leave that program out", 0},
    {NULL, 0, NULL, 0, "Measurement:", 3},
    {"warmups", KEY_WARMUPS, "NUMBER", 0,
     "make so many calls before the first measured call, and verify the last of them (default: "
     "8)",
     0},
    {"repetitions", KEY_REPETITIONS, "NUMBER", 0,
     "measure every contestant so many times (default: 40)", 0},
    {"calls", KEY_CALLS, "NUMBER", 0,
     "make so many calls in a row in each measurement, and divide the time by their number "
     "(default: 1)",
     0},
    {NULL, 0, NULL, 0, "Output:", 4},
    {"csv", KEY_CSV, "FILE", 0, "write the results to FILE too, as comma-separated values", 0},
    {"progress", KEY_PROGRESS, NULL, 0,
     "show on stderr what is being measured (default if stderr is a terminal)", 0},
    {"help", KEY_HELP, NULL, 0, "show these options", -1},
    {"usage", KEY_USAGE, NULL, 0, "show the options in short", -1},
    {"version", KEY_VERSION, NULL, 0, "show the version", -1},
    {0},
};

struct parse_state {
    /* The options that the parser fills in. */
    struct bench_options *options;
    /* What the command line asks for. */
    enum bench_action action;
};

static bool parse_ndims(const char *text, void *field)
{
    struct ndims_list *list = field;

    return numbers_read_list(text, FACTORS_MAX, FACTORS_MAX, list->value, &list->num);
}

#define FIELD(member) offsetof(struct bench_options, member)

/* The options that have a value. */
static const struct value_option {
    int key;
    /* The name of the option without the hyphens. */
    const char *name;
    /* Reads the value into the field at this offset of struct bench_options. */
    value_parse_fn *parse;
    size_t field;
    /* Completes the error "--name=value is not …". */
    const char *allowed;
} value_options[] = {
    {KEY_COUNTS, "counts", numbers_parse_counts, FIELD(counts), NUMBERS_LIST},
    {KEY_BYTES, "bytes", numbers_parse_bytes, FIELD(counts), NUMBERS_BYTES},
    {KEY_NDIMS, "ndims", parse_ndims, FIELD(ndims), "a list of numbers from 1 to 31"},
    {KEY_DIMS, "dims", value_parse_dims, FIELD(dims), "factors such as 8x4, or a list of them"},
    {KEY_EXCHANGE, "exchange", value_parse_exchanges, FIELD(exchange),
     "a list of " EXCHANGE_NAMES_TEXT},
    {KEY_WARMUPS, "warmups", numbers_parse_one, FIELD(warmups), NUMBERS_ONE},
    {KEY_REPETITIONS, "repetitions", numbers_parse_one, FIELD(repetitions), NUMBERS_ONE},
    {KEY_CALLS, "calls", numbers_parse_one, FIELD(calls), NUMBERS_ONE},
};

static error_t ask_for(struct parse_state *parse, enum bench_action action)
{
    /* The first such option is answered. */
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

    if (key == KEY_CSV) {
        parse->options->csv = text;
        return 0;
    }
    for (size_t i = 0; i < sizeof value_options / sizeof value_options[0]; i++) {
        const struct value_option *option = &value_options[i];
        if (option->key != key)
            continue;
        if (option->parse(text, (char *)parse->options + option->field))
            return 0;
        argp_error(state, "--%s=%s is not %s", option->name, text, option->allowed);
        return EINVAL;
    }
    return parse_switch(key, parse);
}

static const struct argp bench_argp = {
    .options = option_table,
    .parser = parse_option,
    .doc = "Compares MPI_Alltoall of the MPI library with torus all-to-alls, over all ranks of "
           "the "
           "job:\v"
           "Start it with mpiexec: mpiexec -n 16 " PROGRAM " --ndims=2",
};

/* The numbers 1, 2 and 5 of every decade, up to 10000. */
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
