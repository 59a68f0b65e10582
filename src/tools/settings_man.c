/* settings_man.c - prints the variables for the manual page, from the table of settings

   Fails, and the build with it, where a variable has no example or one that does not parse. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../settings.h"

struct example {
    const char *name;
    const char *value; /* one that somebody would set */
    const char *when;  /* and what for */
};

static const struct example examples[] = {
    {"ENABLE", "0",
     "compares with the MPI library's own all-to-all in an unchanged job script"},
    {"DIMS", "36x32,12x8",
     "takes these factors for communicators of 1152 and of 96 processes; 0x32, the number of "
     "processes per node last, does for any number of nodes of 32"},
    {"NDIMS", "3",
     "sends fewer and larger messages at thousands of processes, where blocks are "
     "a few bytes"},
    {"THRESHOLD", "64k", "lets blocks of up to 65536 bytes through; inf lets all through"},
    {"MIN_PROCS", "32", "leaves small communicators to the MPI library"},
    {"EXCHANGE", "pairwise",
     "has one message at a time under way per process; native,linear "
     "gives each of two dimensions its own"},
    {"MAX_MEMORY", "1g", "makes room for large blocks on nodes that have it"},
    {"VERBOSE", "1", "shows the factors in use, and why a communicator has none"},
};

static const struct example *find_example(const char *name)
{
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        if (strcmp(examples[i].name, name) == 0)
            return &examples[i];
    }
    return NULL;
}

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
    const struct example *example = find_example(row->name);

    if (example == NULL || !row->parse(example->value, (char *)&scratch + row->field)) {
        fprintf(stderr, "settings_man.c has no good example for %s\n", row->name);
        return false;
    }
    printf(".TP\n.BI " SETTINGS_PREFIX "%s= %s\n", row->name, row->value_name);
    print_sentence(row->help);
    fputs("The value is ", stdout);
    print_text(row->allowed);
    printf("; the default is\n.BR %s .\n", row->default_value);
    printf("For example,\n.B " SETTINGS_PREFIX "%s=%s\n", row->name, example->value);
    print_text(example->when);
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
