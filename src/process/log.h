/* log.h - prints on stderr: warnings, what TORUS_A2A_VERBOSE asks for, and the report

   What stderr does not take is lost, and no signal ends the program for that. */
#ifndef TORUS_A2A_LOG_H
#define TORUS_A2A_LOG_H

#include <stddef.h>

/* Prints "torus-a2a: …" and a newline in one write, so that lines of several ranks stay whole.
   Text beyond 1000 bytes is cut off. */
__attribute__((format(printf, 1, 2))) void log_line(const char *format, ...);

/* Prints a text in one write, if stderr takes it whole, so that reports of several ranks do not
   mix. */
void log_text(const char *text, size_t length);

#endif
