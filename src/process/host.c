/* host.c - tells one shared memory from another: the machine's last start, the directory, the
   user

   Containers of one machine have the same machine and often the same name for it, and may have
   a /dev/shm each. Two machines may have the same name. */
#include "process/host.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "settings/settings.h"

/* Linux makes this text at random at each start of the machine. */
#define BOOT_ID_FILE   "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_LENGTH 36
/* The files of shm_open lie here. */
#define MEMORY_DIRECTORY "/dev/shm/"

/* The boot id, and the name of the machine that had it. */
static struct {
    bool known;
    char id[BOOT_ID_LENGTH];
    struct utsname machine;
} boot;
static pthread_mutex_t boot_lock = PTHREAD_MUTEX_INITIALIZER;

static bool read_boot_id(char *id)
{
    int file = open(BOOT_ID_FILE, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return false;
    ssize_t got = read(file, id, BOOT_ID_LENGTH);
    close(file);
    return got == BOOT_ID_LENGTH;
}

/* To read the file takes a quarter of the time of making a torus. So it is read again only on a
   machine with another name. */
static bool find_boot_id(char *id)
{
    struct utsname machine;

    if (uname(&machine) != 0)
        return read_boot_id(id);
    pthread_mutex_lock(&boot_lock);
    if (!boot.known || strcmp(boot.machine.nodename, machine.nodename) != 0) {
        boot.known = read_boot_id(boot.id);
        boot.machine = machine;
    }
    bool known = boot.known;
    memcpy(id, boot.id, BOOT_ID_LENGTH);
    pthread_mutex_unlock(&boot_lock);
    return known;
}

int host_memory(uint64_t alone)
{
    struct stat directory;
    struct {
        char boot[BOOT_ID_LENGTH + 4];
        uint64_t device, inode, user;
    } facts;

    memset(&facts, 0, sizeof facts);
    if (!find_boot_id(facts.boot) || stat(MEMORY_DIRECTORY, &directory) != 0)
        return (int)(alone & INT_MAX);
    facts.device = (uint64_t)directory.st_dev;
    facts.inode = (uint64_t)directory.st_ino;
    facts.user = (uint64_t)geteuid();
    return (int)(settings_hash(&facts, sizeof facts) & INT_MAX);
}
