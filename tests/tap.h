/* tap.h - the results of a test without MPI, in the Test Anything Protocol */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_tests, tap_failures;

/* Prints one result. The text says what holds if the test passes. */
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
    /* The line must be out before the next test, because that test may crash. */
    fflush(stdout);
    return good;
}

/* Prints the plan, and returns the exit status of the program. */
static inline int tap_done(void)
{
    printf("1..%d\n", tap_tests);
    return tap_failures > 0 || fflush(stdout) != 0;
}

#endif
