/* age.c - how long this process runs: Linux tells it in /proc/self/stat */
#include "process/age.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double age_of_process(void)
{
    char line[1024];
    unsigned long long ticks;
    struct timespec now;
    FILE *file = fopen("/proc/self/stat", "re");

    if (file == NULL)
        return -1;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    /* The name of the program comes second, in parentheses, and may contain anything. The time
       of the start is the 22nd field, in ticks since the machine was started. */
    const char *field = strrchr(line, ')');
    if (field == NULL || sscanf(field + 1,
                                " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                                "%*s %*s %*s %*s %llu",
                                &ticks) != 1)
        return -1;
    clock_gettime(CLOCK_BOOTTIME, &now);
    double age = (double)now.tv_sec + (double)now.tv_nsec / 1e9 -
                 (double)ticks / (double)sysconf(_SC_CLK_TCK);
    return age > 0 ? age : 0;
}
