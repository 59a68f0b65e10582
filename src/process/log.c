/* log.c - writes to the descriptor of stderr, past the buffer that the program may have set */
#include "process/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process/held_signals.h"

void log_text(const char *text, size_t length)
{
    struct held_signals signals;

    held_signals_begin(&signals);
    while (length > 0) {
        ssize_t done = write(STDERR_FILENO, text, length);
        if (done < 0 && errno == EINTR)
            continue;
        /* If stderr takes nothing more, the rest is lost. */
        if (done <= 0)
            break;
        text += done;
        length -= (size_t)done;
    }
    held_signals_end(&signals, length > 0);
}

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
    log_text(line, used);
}
