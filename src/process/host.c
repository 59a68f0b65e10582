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
#include <unistd.h>

#include "settings/settings.h"

/* Linux makes this text at random at each start of the machine. */
#define BOOT_ID_FILE   "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_LENGTH 36
/* The files of shm_open lie here. */
#define MEMORY_DIRECTORY "/dev/shm/"

static char boot_id[BOOT_ID_LENGTH];
static bool boot_id_known;
static pthread_once_t boot_id_once = PTHREAD_ONCE_INIT;

static void read_boot_id(void)
{
    int file = open(BOOT_ID_FILE, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return;
    boot_id_known = read(file, boot_id, BOOT_ID_LENGTH) == BOOT_ID_LENGTH;
    close(file);
}

int host_memory(uint64_t alone)
{
    struct stat directory;
    struct {
        char boot[BOOT_ID_LENGTH + 4];
        uint64_t device, inode, user;
    } facts;

    memset(&facts, 0, sizeof facts);
    pthread_once(&boot_id_once, read_boot_id);
    memcpy(facts.boot, boot_id, BOOT_ID_LENGTH);
    if (!boot_id_known || stat(MEMORY_DIRECTORY, &directory) != 0)
        return (int)(alone & INT_MAX);
    facts.device = (uint64_t)directory.st_dev;
    facts.inode = (uint64_t)directory.st_ino;
    facts.user = (uint64_t)geteuid();
    return (int)(settings_hash(&facts, sizeof facts) & INT_MAX);
}
