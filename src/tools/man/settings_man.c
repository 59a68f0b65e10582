/* settings_man.c - prints the tables of the manual pages from the tables of the library

   --variables and --exchanges print a list in the language of the manual pages;
   --exchange-names and --reasons print one name, or one reason for a native call, in each line,
   for the tests. The program fails, and the build with it, if the example of a variable is no
   value of that variable. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/reason.h"
#include "settings/settings.h"

/* Prints text that troff leaves as it is. A line of troff that begins with a dot is a request,
   but every text here begins with a letter. */
static void print_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(*text);
    }
}

static void print_sentence(const char *text)
{
    putchar(toupper((unsigned char)text[0]));
    print_text(text + 1);
    puts(".");
}

static bool print_variable(const struct setting *row)
{
    struct settings scratch;

    if (!row->parse(row->example, (char *)&scratch + row->field)) {
        fprintf(stderr, "%s=%s is no good example\n", row->name, row->example);
        return false;
    }
    printf(".TP\n.BI " SETTINGS_PREFIX "%s= %s\n", row->name, row->value_name);
    print_sentence(row->help);
    fputs("The value is ", stdout);
    print_text(row->allowed);
    printf("; the default is\n.BR %s .\n", row->default_value);
    printf("For example,\n.B " SETTINGS_PREFIX "%s=%s\n", row->name, row->example);
    print_text(row->purpose);
    puts(".");
    return true;
}

static bool print_variables(void)
{
    bool good = true;

    for (size_t i = 0; i < settings_table_size; i++)
        good = print_variable(&settings_table[i]) && good;
    return good;
}

static bool print_exchanges(void)
{
    for (int id = EXCHANGE_AUTO + 1; id < EXCHANGE_COUNT; id++) {
        printf(".TP\n.B %s\nEach process ", exchange_names[id]);
        print_text(exchange_help[id]);
        puts(".");
    }
    return true;
}

static bool print_exchange_names(void)
{
    for (int id = EXCHANGE_AUTO + 1; id < EXCHANGE_COUNT; id++)
        puts(exchange_names[id]);
    return true;
}

static bool print_reasons(void)
{
    for (int reason = REASON_NONE + 1; reason < REASON_COUNT; reason++)
        puts(reason_text((enum reason)reason));
    return true;
}

static const struct {
    const char *option;
    bool (*print)(void);
} lists[] = {
    {"--variables", print_variables},
    {"--exchanges", print_exchanges},
    {"--exchange-names", print_exchange_names},
    {"--reasons", print_reasons},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(argv[1], lists[i].option) == 0)
            return lists[i].print() && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    fputs("settings-man takes one option: --variables, --exchanges, --exchange-names or "
          "--reasons\n",
          stderr);
    return 2;
}
