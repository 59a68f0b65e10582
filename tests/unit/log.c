/* log.c - a line or a report that stderr does not take ends no program */
#include "process/log.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/replace_file.h"

#include "../tap.h"

enum { LIMIT = 1024 };

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
    (void)number;
    signals++;
}

static bool write_line(FILE *file, void *content)
{
    (void)content;
    return fputs("line\n", file) >= 0;
}

/* The descriptor becomes the write end of a pipe that nobody reads. */
static void lose_reader(int descriptor)
{
    int ends[2];

    if (pipe(ends) != 0)
        exit(99);
    dup2(ends[1], descriptor);
    close(ends[0]);
    close(ends[1]);
}

static void write_to_lost_stderr(void)
{
    lose_reader(STDERR_FILENO);
    log_line("a line");
    ok(signals == 0, "a line for a pipe that nobody reads sends no signal");
    errno = 0;
    bool written = replace_file("/dev/stderr", write_line, NULL);
    ok(!written && errno == EPIPE && signals == 0, "nor does a file that is such a pipe: %s",
       strerror(errno));
    bool refused = write(STDERR_FILENO, "x", 1) < 0;
    ok(refused && signals == 1, "what the program itself writes sends the signal as before");
    signals = 0;
}

/* A report to stdout flushes what the program has printed before. */
static void write_to_lost_stdout(void)
{
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    lose_reader(STDOUT_FILENO);
    printf("# of the program\n");
    bool written = replace_file("/dev/stdout", write_line, NULL);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    clearerr(stdout);
    ok(!written && signals == 0, "nor does what the program has printed before a report");
}

/* stderr becomes a file that takes LIMIT bytes. */
static void reach_limit(void)
{
    static const char text[LIMIT] = "a report";
    char name[] = "/tmp/log.XXXXXX";
    struct rlimit before, limit;
    struct stat file;

    if (dup2(mkstemp(name), STDERR_FILENO) < 0)
        exit(99);
    unlink(name);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = LIMIT;
    setrlimit(RLIMIT_FSIZE, &limit);
    log_line("a line");
    log_text(text, sizeof text);
    int num_part = signals;
    log_line("a line");
    /* What the test prints may go to a longer file. */
    setrlimit(RLIMIT_FSIZE, &before);
    fstat(STDERR_FILENO, &file);
    ok(num_part == 0 && file.st_size == LIMIT, "of a report beyond the limit for files, stderr "
                                               "gets what it takes, and no signal comes");
    ok(signals == 0, "nor does one for a line beyond the limit");
}

int main(void)
{
    signal(SIGPIPE, count_signal);
    signal(SIGXFSZ, count_signal);
    write_to_lost_stderr();
    write_to_lost_stdout();
    reach_limit();
    return tap_done();
}
