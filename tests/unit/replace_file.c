/* replace_file.c - a file is replaced as a whole or not at all, also at the limit for files

   tuning.c has the tests with pipes and links. */
#include "process/replace_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tap.h"

enum { LIMIT = 1024 };

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
    (void)number;
    signals++;
}

static bool write_bytes(FILE *file, void *content)
{
    static const char zeros[4 * LIMIT];

    return fwrite(zeros, *(size_t *)content, 1, file) == 1;
}

static bool has_bytes(const char *name, off_t bytes)
{
    struct stat file;

    return stat(name, &file) == 0 && file.st_size == bytes;
}

static void replace(const char *name)
{
    size_t some = 100, others = 200;

    ok(replace_file(name, write_bytes, &some) && has_bytes(name, 100), "a file is written");
    chmod(name, 0640);
    ok(replace_file(name, write_bytes, &others) && has_bytes(name, 200), "and replaced");
    struct stat file;
    ok(stat(name, &file) == 0 && (file.st_mode & 07777) == 0640, "its mode stays");
}

/* Returns whether a file beyond the limit is refused, and the old one stays. */
static bool is_refused(const char *name)
{
    size_t many = 4 * LIMIT;

    errno = 0;
    bool replaced = replace_file(name, write_bytes, &many);
    return !replaced && errno == EFBIG && has_bytes(name, 200);
}

static void block_signal(void)
{
    sigset_t beyond_limit;

    sigemptyset(&beyond_limit);
    sigaddset(&beyond_limit, SIGXFSZ);
    sigprocmask(SIG_BLOCK, &beyond_limit, NULL);
}

static bool is_pending(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ);
}

static void stay_within_limit(const char *name)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = LIMIT;
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, count_signal);
    ok(is_refused(name) && signals == 0,
       "a file above the limit of the process is refused without a signal");
    block_signal();
    ok(is_refused(name) && !is_pending(), "nor does one come later, if the program blocks it");
    raise(SIGXFSZ);
    ok(is_refused(name) && is_pending(), "a signal that was pending before stays");
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

int main(void)
{
    char folder[] = "/tmp/replace_file.XXXXXX", name[64];

    if (mkdtemp(folder) == NULL)
        return 99;
    snprintf(name, sizeof name, "%s/file", folder);
    replace(name);
    stay_within_limit(name);
    remove(name);
    ok(rmdir(folder) == 0, "no other file is left behind");
    return tap_done();
}
