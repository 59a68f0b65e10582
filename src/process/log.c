/* log.c - one line, one write */
#include "process/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void log_line(const char *format, ...)
{
    enum { TEXT_MAX = 1000 };
    char line[TEXT_MAX + 32] = "torus-a2a: ";
    size_t used = strlen(line);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line + used, TEXT_MAX, format, arguments);
    va_end(arguments);
    used = strlen(line);
    line[used++] = '\n';
    /* Nothing can be done about a stderr that takes no more. */
    if (write(STDERR_FILENO, line, used) < 0)
        return;
}
