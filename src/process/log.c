/* log.c - writes each line by one call of write */
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
    /* If stderr takes nothing more, the line is lost. */
    if (write(STDERR_FILENO, line, used) < 0)
        return;
}
