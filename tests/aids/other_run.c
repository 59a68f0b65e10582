/* other_run.c - a preload that plays another run of torus-a2a-tune, which ends at the same time

   The program renames a new file to the name of the profile. The other run adds its row to the
   profile just before. If the lock of the notes is taken, the other run waits for it, as
   torus-a2a-tune does. Then its row comes after the rename. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

/* Opens the notes beside a profile. Returns -1 if there are none. */
static int open_notes(const char *profile)
{
    char name[4096];

    snprintf(name, sizeof name, "%s.part", profile);
    return open(name, O_RDWR | O_CLOEXEC);
}

static void add_row(const char *profile)
{
    FILE *file = fopen(profile, "ae");

    if (file == NULL)
        return;
    fputs("mpi=\"Other 1.0\" ranks=1x9 bytes=1-inf way=native\n", file);
    fclose(file);
}

int rename(const char *old, const char *new)
{
    static int (*next)(const char *, const char *);

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "rename");
    int notes = open_notes(new);
    if (notes < 0)
        return next(old, new);
    bool waits = flock(notes, LOCK_EX | LOCK_NB) != 0;
    close(notes);
    if (!waits)
        add_row(new);
    int result = next(old, new);
    if (waits)
        add_row(new);
    return result;
}
