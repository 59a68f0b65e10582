/* tap.h - the results of a test without MPI, in the Test Anything Protocol */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_tests, tap_failures;

/* One line per test; the text tells what holds when it passes. */
__attribute__((format(printf, 2, 3))) static inline bool ok(bool good, const char *format, ...)
{
    va_list arguments;

    tap_tests++;
    tap_failures += !good;
    printf("%sok %d - ", good ? "" : "not ", tap_tests);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    /* What was printed must survive a crash in the next test. */
    fflush(stdout);
    return good;
}

/* Prints the plan; the result is the exit status. */
static inline int tap_done(void)
{
    printf("1..%d\n", tap_tests);
    return tap_failures > 0 || fflush(stdout) != 0;
}

#endif
