/* text.c - memory and texts for torus-a2a, which ends when there is no memory */
#include "tools/launcher/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void die_of_memory(void)
{
    fputs("torus-a2a: out of memory\n", stderr);
    exit(EXIT_CANNOT_EXECUTE);
}

void *allocate(size_t number, size_t size)
{
    void *memory = calloc(number, size);

    if (memory == NULL)
        die_of_memory();
    return memory;
}

char *format_text(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        die_of_memory();
    char *text = allocate((size_t)length + 1, 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}
