/* command_line.c - makes of a table of options what argp wants */
#include "config.h"

#include "tools/shared/command_line.h"

#include <argp.h>
#include <errno.h>
#include <string.h>

#include "tools/shared/program.h"

/* Keys greater than every character, because no option has a short form. The option in row i
   has the key KEY_FIRST + i. */
enum { KEY_HELP = 256, KEY_USAGE, KEY_VERSION, KEY_FIRST };

static const struct argp_option every_option[] = {
    {"help", KEY_HELP, NULL, 0, "show these options", -1},
    {"usage", KEY_USAGE, NULL, 0, "show the options in short", -1},
    {"version", KEY_VERSION, NULL, 0, "show the version", -1},
};

enum { EVERY_OPTION = sizeof every_option / sizeof every_option[0] };

/* The rows, the options that every program has, and the end. */
typedef struct argp_option option_table[LINE_OPTIONS_MOST + EVERY_OPTION + 1];

struct parse_state {
    const struct command_line *line;
    /* The struct of options that the parser fills in. */
    char *options;
    /* The rows whose options were given, with a value that is not empty. */
    bool given[LINE_OPTIONS_MOST];
    enum line_action action;
};

bool line_parse_file(const char *text, void *field)
{
    *(const char **)field = text;
    return *text != '\0';
}

static error_t ask_for(struct parse_state *parse, enum line_action action)
{
    /* The first such option is answered. */
    if (parse->action == LINE_RUN)
        parse->action = action;
    return 0;
}

static error_t parse_row(struct parse_state *parse, int row, const char *text,
                         struct argp_state *state)
{
    const struct line_option *option = &parse->line->options[row];
    void *field = parse->options + option->field;

    parse->given[row] = text == NULL || *text != '\0';
    if (option->parse == NULL) {
        *(bool *)field = option->setting;
        return 0;
    }
    /* check_end says that it is missing. */
    if (option->required && !parse->given[row])
        return 0;
    if (option->parse(text, field))
        return 0;
    argp_error(state, "--%s=%s is not %s", option->name, text, option->allowed);
    return EINVAL;
}

/* The whole command line was read. */
static error_t check_end(const struct parse_state *parse, struct argp_state *state)
{
    for (int i = 0; i < parse->line->num && parse->action == LINE_RUN; i++) {
        const struct line_option *option = &parse->line->options[i];
        if (!option->required || parse->given[i])
            continue;
        argp_error(state, "--%s=%s is missing", option->name, option->value_name);
        return EINVAL;
    }
    return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct parse_state *parse = state->input;

    switch (key) {
    case KEY_HELP:
        return ask_for(parse, LINE_HELP);
    case KEY_USAGE:
        return ask_for(parse, LINE_USAGE);
    case KEY_VERSION:
        return ask_for(parse, LINE_VERSION);
    case ARGP_KEY_END:
        return check_end(parse, state);
    default:
        if (key < KEY_FIRST || key >= KEY_FIRST + parse->line->num)
            return ARGP_ERR_UNKNOWN;
        return parse_row(parse, key - KEY_FIRST, text, state);
    }
}

/* Each headline begins a group. */
static void make_table(const struct command_line *line, option_table table)
{
    int group = 0;

    memset(table, 0, sizeof(option_table));
    for (int i = 0; i < line->num; i++) {
        const struct line_option *option = &line->options[i];
        bool headline = option->name == NULL;
        table[i] = (struct argp_option){.name = option->name,
                                        .key = headline ? 0 : KEY_FIRST + i,
                                        .arg = option->value_name,
                                        .doc = option->help,
                                        .group = headline ? ++group : 0};
    }
    memcpy(&table[line->num], every_option, sizeof every_option);
}

/* Returns the whole documentation of the program, as argp wants it. */
static const char *make_doc(const struct command_line *line, char *text, size_t size)
{
    snprintf(text, size, "%s:\vStart it with mpiexec: %s", line->purpose, line->example);
    return text;
}

enum line_action command_line_parse(const struct command_line *line, int argc, char **argv,
                                    bool quiet, void *options)
{
    struct parse_state parse = {.line = line, .options = options, .action = LINE_RUN};
    unsigned flags = ARGP_NO_EXIT | ARGP_NO_HELP | (quiet ? ARGP_NO_ERRS : 0u);
    option_table table;

    make_table(line, table);
    const struct argp argp = {.options = table, .parser = parse_option};
    if (argp_parse(&argp, argc, argv, flags, NULL, &parse) != 0)
        return LINE_WRONG;
    return parse.action;
}

void command_line_tell(const struct command_line *line, enum line_action action)
{
    char name[64], doc[512];
    option_table table;

    if (action == LINE_VERSION) {
        printf("%s (" PACKAGE_NAME ") " PACKAGE_VERSION "\n", program_name);
        return;
    }
    make_table(line, table);
    snprintf(name, sizeof name, "%s", program_name);
    const struct argp argp = {
        .options = table, .parser = parse_option, .doc = make_doc(line, doc, sizeof doc)};
    argp_help(&argp, stdout,
              action == LINE_USAGE ? ARGP_HELP_USAGE
                                   : ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC,
              name);
}
