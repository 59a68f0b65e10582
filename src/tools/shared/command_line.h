/* command_line.h - the command line of a measuring program, which is a table of options

   The options --help, --usage and --version need no row. */
#ifndef TORUS_A2A_COMMAND_LINE_H
#define TORUS_A2A_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "settings/values.h"

/* One row for each option, and for each headline of the help. */
struct line_option {
    /* The name without the hyphens. NULL for a headline. */
    const char *name;
    /* What the help calls the value. NULL if the option is a switch. */
    const char *value_name;
    /* The help, or the headline. */
    const char *help;
    /* Reads the value into the field at this offset of the program's struct of options. A
       switch has no reader, and its field is a bool. */
    value_parse_fn *parse;
    size_t field;
    /* Completes the error "--name=value is not …". */
    const char *allowed;
    /* What a switch sets its field to. */
    bool setting;
    /* The option must be there, with a value that is not empty. */
    bool required;
};

/* The most rows of a program. */
enum { LINE_OPTIONS_MOST = 28 };

struct command_line {
    const struct line_option *options;
    int num;
    /* What the program does; stands in front of the options in the help. */
    const char *purpose;
    /* An example of how to start it; stands behind them. */
    const char *example;
};

/* Reads any text but an empty one into a const char *, which points into argv. */
value_parse_fn line_parse_file;

/* What a command line asks for. */
enum line_action { LINE_RUN, LINE_HELP, LINE_USAGE, LINE_VERSION, LINE_WRONG };

/* Parses the command line into a struct of options that has the defaults already. Says on
   stderr what is wrong with it, unless quiet. It never exits, so that every rank ends with the
   same status and through MPI_Finalize. */
enum line_action command_line_parse(const struct command_line *line, int argc, char **argv,
                                    bool quiet, void *options);

/* Writes the help, the usage or the version to stdout. */
void command_line_tell(const struct command_line *line, enum line_action action);

#endif
