/* settings_man.c - prints the variables for the manual page, from the table of settings

   Fails, and the build with it, where the example of a variable does not parse. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/settings.h"

/* Text in which troff finds nothing of its own. A line's first word is never a request: all
   text here starts with a letter. */
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

int main(void)
{
    bool good = true;

    for (size_t i = 0; i < settings_table_size; i++)
        good = print_variable(&settings_table[i]) && good;
    return good && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
