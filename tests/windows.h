/* windows.h - the windows that a process has, as Linux sees them */
#ifndef WINDOWS_H
#define WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct windows {
    /* How many windows the process has mapped, and the bytes of address space that they take.
     */
    long num;
    size_t bytes;
};

static inline struct windows windows_mapped(void)
{
    struct windows found = {.num = 0};
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    size_t start, end;

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        if (strstr(line, "/torus_a2a.") == NULL || sscanf(line, "%zx-%zx", &start, &end) != 2)
            continue;
        found.num++;
        found.bytes += end - start;
    }
    if (maps != NULL)
        fclose(maps);
    return found;
}

/* Returns how many windows neither a core file nor a child process gets. */
static inline long windows_kept_from_others(void)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool is_window = false;
    long num = 0;
    size_t start, end;

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%zx-%zx ", &start, &end) == 2)
            is_window = strstr(line, "/torus_a2a.") != NULL;
        else if (is_window && strncmp(line, "VmFlags:", 8) == 0)
            num += strstr(line, " dd") != NULL && strstr(line, " dc") != NULL;
    }
    if (maps != NULL)
        fclose(maps);
    return num;
}

#endif
