/* options.c - the command line of torus-a2a-tune */
#include "config.h"

#include "tools/tune/options.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "tools/shared/program.h"

#define PROGRAM "torus-a2a-tune"

const char program_name[] = PROGRAM;

const char *const placement_names[PLACEMENTS] = {"world", "node", "across"};

/* Greater than every character, because no option has a short form. */
enum option_key {
    KEY_OUTPUT = 256,
    KEY_RESTART,
    KEY_PLACEMENTS,
    KEY_BYTES,
    KEY_MAX_BYTES,
    KEY_REPETITIONS,
    KEY_PROGRESS,
    KEY_HELP,
    KEY_USAGE,
    KEY_VERSION
};

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Output:", 1},
    {"output", KEY_OUTPUT, "FILE", 0,
     "write the profile to FILE, and keep the rows there that are for other MPIs and other "
     "placements (required)",
     0},
    {"restart", KEY_RESTART, NULL, 0,
     "measure anew what an interrupted run has kept in FILE.part", 0},
    {"progress", KEY_PROGRESS, NULL, 0,
     "show on stderr what is being measured (default if stderr is a terminal)", 0},
    {NULL, 0, NULL, 0, "What is measured:", 2},
    {"placements", KEY_PLACEMENTS, "LIST", 0,
     "measure communicators of all ranks (world), of the ranks of a node (node), and of one "
     "rank of each node (across); default: world,node,across",
     0},
    {"bytes", KEY_BYTES, "LIST", 0,
     "measure these block sizes and no others, with k or m for the binary units: 4,64,1k", 0},
    {"max-bytes", KEY_MAX_BYTES, "BYTES", 0,
     "the largest block size that the program chooses (default: 1m, or less where "
     "TORUS_A2A_MAX_MEMORY leaves no room)",
     0},
    {"repetitions", KEY_REPETITIONS, "NUMBER", 0,
     "measure every way that may be the fastest so many times in each round (default: 30)", 0},
    {"help", KEY_HELP, NULL, 0, "show these options", -1},
    {"usage", KEY_USAGE, NULL, 0, "show the options in short", -1},
    {"version", KEY_VERSION, NULL, 0, "show the version", -1},
    {0},
};

struct parse_state {
    /* The options that the parser fills in. */
    struct tune_options *options;
    /* What the command line asks for. */
    enum tune_action action;
};

/* Returns the kind with this name, or PLACEMENTS. */
static int find_placement(const char *name, size_t length)
{
    int kind = 0;

    while (kind < PLACEMENTS && (strlen(placement_names[kind]) != length ||
                                 strncmp(placement_names[kind], name, length) != 0))
        kind++;
    return kind;
}

static bool parse_placements(const char *text, void *field)
{
    struct placement_set *set = field;

    *set = (struct placement_set){{false}};
    for (;; text++) {
        size_t length = strcspn(text, ",");
        int kind = find_placement(text, length);
        if (kind == PLACEMENTS)
            return false;
        set->wanted[kind] = true;
        text += length;
        if (*text == '\0')
            return true;
    }
}

#define FIELD(member) offsetof(struct tune_options, member)

/* The options that have a value. */
static const struct value_option {
    int key;
    /* The name of the option without the hyphens. */
    const char *name;
    /* Reads the value into the field at this offset of struct tune_options. */
    value_parse_fn *parse;
    size_t field;
    /* Completes the error "--name=value is not …". */
    const char *allowed;
} value_options[] = {
    {KEY_PLACEMENTS, "placements", parse_placements, FIELD(placements),
     "a list of world, node, across"},
    {KEY_BYTES, "bytes", numbers_parse_bytes, FIELD(counts), NUMBERS_BYTES},
    {KEY_MAX_BYTES, "max-bytes", numbers_parse_block, FIELD(most), NUMBERS_BLOCK},
    {KEY_REPETITIONS, "repetitions", numbers_parse_one, FIELD(repetitions), NUMBERS_ONE},
};

static error_t ask_for(struct parse_state *parse, enum tune_action action)
{
    /* The first such option is answered. */
    if (parse->action == TUNE_RUN)
        parse->action = action;
    return 0;
}

static error_t parse_switch(int key, struct parse_state *parse)
{
    switch (key) {
    case KEY_RESTART:
        parse->options->restart = true;
        return 0;
    case KEY_PROGRESS:
        parse->options->progress = true;
        return 0;
    case KEY_HELP:
        return ask_for(parse, TUNE_HELP);
    case KEY_USAGE:
        return ask_for(parse, TUNE_USAGE);
    case KEY_VERSION:
        return ask_for(parse, TUNE_VERSION);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The whole command line was read. */
static error_t check_end(const struct parse_state *parse, struct argp_state *state)
{
    const char *output = parse->options->output;

    if (parse->action != TUNE_RUN || (output != NULL && *output != '\0'))
        return 0;
    argp_error(state, "--output=FILE is missing");
    return EINVAL;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct parse_state *parse = state->input;

    if (key == KEY_OUTPUT) {
        parse->options->output = text;
        return 0;
    }
    if (key == ARGP_KEY_END)
        return check_end(parse, state);
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

static const struct argp tune_argp = {
    .options = option_table,
    .parser = parse_option,
    .doc = "Measures for which block sizes MPI_Alltoall is faster through a torus, and writes "
           "a profile for TORUS_A2A_PROFILE:\v"
           "Start it with mpiexec: mpiexec -n 64 " PROGRAM " --output=torus.profile",
};

enum tune_action tune_options_parse(int argc, char **argv, bool quiet,
                                    struct tune_options *options)
{
    struct parse_state parse = {.options = options, .action = TUNE_RUN};
    unsigned flags = ARGP_NO_EXIT | ARGP_NO_HELP | (quiet ? ARGP_NO_ERRS : 0u);

    *options = (struct tune_options){
        .placements = {{true, true, true}},
        .repetitions = 30,
    };
    if (argp_parse(&tune_argp, argc, argv, flags, NULL, &parse) != 0)
        return TUNE_WRONG;
    return parse.action;
}

void tune_options_tell(enum tune_action action)
{
    static char name[] = PROGRAM;

    if (action == TUNE_VERSION)
        printf(PROGRAM " (" PACKAGE_NAME ") " PACKAGE_VERSION "\n");
    else
        argp_help(&tune_argp, stdout,
                  action == TUNE_USAGE ? ARGP_HELP_USAGE
                                       : ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC,
                  name);
}
