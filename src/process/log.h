/* log.h - prints lines on stderr: warnings, and what TORUS_A2A_VERBOSE asks for */
#ifndef TORUS_A2A_LOG_H
#define TORUS_A2A_LOG_H

/* Prints "torus-a2a: …" and a newline in one write, so that lines of several ranks stay whole.
   Text beyond 1000 bytes is cut off. */
__attribute__((format(printf, 1, 2))) void log_line(const char *format, ...);

#endif
