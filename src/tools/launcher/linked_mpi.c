/* linked_mpi.c - which MPI a program links, read from its ELF file before it is run */
#include "tools/launcher/linked_mpi.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* libtorus_a2a.so needs its MPI through two libraries whose names begin like this; see
   src/interpose/depth.c. */
#define DEPTH_PREFIX "libtorus_a2a_depth"
enum { DEPTHS = 2 };

/* A file in memory. The offsets in it come from the file, so every one of them is checked. */
struct image {
    /* The bytes of the file. */
    const char *bytes;
    /* The number of bytes. */
    size_t size;
    /* A copy of the header. */
    ElfW(Ehdr) elf;
};

/* Copies a part of the file. A pointer into it would not do, because the part need not be
 * aligned. */
static bool image_read(const struct image *image, uint64_t offset, void *to, size_t length)
{
    if (offset > image->size || length > image->size - offset)
        return false;
    memcpy(to, image->bytes + offset, length);
    return true;
}

static const char *image_string(const struct image *image, uint64_t offset)
{
    if (offset >= image->size ||
        memchr(image->bytes + offset, '\0', image->size - offset) == NULL)
        return NULL;
    return image->bytes + offset;
}

static bool image_is_native(struct image *image)
{
    const int class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    const int data = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

    return image_read(image, 0, &image->elf, sizeof image->elf) &&
           memcmp(image->elf.e_ident, ELFMAG, SELFMAG) == 0 &&
           image->elf.e_ident[EI_CLASS] == class && image->elf.e_ident[EI_DATA] == data &&
           image->elf.e_phentsize == sizeof(ElfW(Phdr)) &&
           (image->elf.e_type == ET_EXEC || image->elf.e_type == ET_DYN);
}

/* Finds the first segment of this type that holds the address. Address 0 stands for every
 * address. */
static bool image_segment(const struct image *image, uint32_t type, ElfW(Addr) address,
                          ElfW(Phdr) * segment)
{
    for (size_t i = 0; i < image->elf.e_phnum; i++) {
        if (!image_read(image, image->elf.e_phoff + i * sizeof *segment, segment,
                        sizeof *segment))
            return false;
        if (segment->p_type == type &&
            (address == 0 ||
             (address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz)))
            return true;
    }
    return false;
}

/* Finds the entry with this tag and this number in the dynamic section. */
static bool image_dynamic(const struct image *image, ElfW(Sxword) tag, size_t number,
                          ElfW(Dyn) * entry)
{
    ElfW(Phdr) dynamic;

    if (!image_segment(image, PT_DYNAMIC, 0, &dynamic))
        return false;
    for (size_t at = 0; at + sizeof *entry <= dynamic.p_filesz; at += sizeof *entry) {
        if (!image_read(image, dynamic.p_offset + at, entry, sizeof *entry) ||
            entry->d_tag == DT_NULL)
            return false;
        if (entry->d_tag == tag && number-- == 0)
            return true;
    }
    return false;
}

/* Returns whether a library holds the C functions of MPI. The libraries with the bindings of
   other languages do not, and neither does Cray's library for memory of GPUs. */
static bool is_mpi_library(const char *name)
{
    static const char *const others[] = {"libmpi_cxx.", "libmpi_mpifh.", "libmpi_usempi",
                                         "libmpi_gtl_"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strncmp(name, others[i], strlen(others[i])) == 0)
            return false;
    }
    return strncmp(name, "libmpi.so", 9) == 0 || strncmp(name, "libmpich.so", 11) == 0 ||
           strncmp(name, "libmpi_", 7) == 0;
}

/* The search for an MPI among the libraries of a file. */
struct search {
    /* Tells which MPIs the caller serves; NULL if the caller serves all of them. */
    mpi_is_served_fn *is_served;
    /* The second argument of is_served. */
    void *context;
    /* An MPI that is served has been found, and the search is over. */
    bool done;
    /* The MPI that has been found; an empty text if there is none yet. */
    char *mpi;
};

static void note_library(struct search *search, const char *library)
{
    const char *slash = strrchr(library, '/');
    const char *name = slash == NULL ? library : slash + 1;
    bool served = search->is_served != NULL && search->is_served(name, search->context);

    if (search->done || (!served && (search->mpi[0] != '\0' || !is_mpi_library(name))))
        return;
    search->done = served;
    snprintf(search->mpi, MPI_NAME_MAX, "%s", name);
}

/* Returns the library with this number among those that a file needs, or NULL. */
static const char *image_needed(const struct image *image, size_t number)
{
    ElfW(Dyn) strings, needed;
    ElfW(Phdr) segment;

    if (!image_dynamic(image, DT_STRTAB, 0, &strings) ||
        !image_segment(image, PT_LOAD, strings.d_un.d_ptr, &segment) ||
        !image_dynamic(image, DT_NEEDED, number, &needed))
        return NULL;
    return image_string(image, segment.p_offset + (strings.d_un.d_ptr - segment.p_vaddr) +
                                   needed.d_un.d_val);
}

static void note_needed(struct search *search, const struct image *image)
{
    const char *name;

    for (size_t i = 0; (name = image_needed(image, i)) != NULL; i++)
        note_library(search, name);
}

/* Whether errno says that the system lacks something, and nothing about the file. A limit of
   the address space (ENOMEM) is the same on all ranks, as a rule. */
static bool system_lacks_something(void)
{
    static const int lacks[] = {EMFILE, ENFILE, EAGAIN, EINTR, ESTALE, EIO};

    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++) {
        if (errno == lacks[i])
            return true;
    }
    return false;
}

/* The exit status of a process that could not become the loader. The loader has other ones. */
enum { NOT_LISTED = 125 };

/* Turns this process into the loader of the program. The loader finds the libraries as it will
   when the program runs, but does not start the program. Libraries that the user preloads are
   no part of the program. */
static _Noreturn void become_lister(const char *loader, const char *path, int output)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    unsetenv("LD_PRELOAD");
    if (nowhere < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        _exit(NOT_LISTED);
    execl(loader, loader, "--list", path, (char *)NULL);
    _exit(system_lacks_something() ? NOT_LISTED : 127);
}

static void note_listed(struct search *search, int input)
{
    FILE *list = fdopen(input, "r");
    char line[PATH_MAX + 256], name[256];

    if (list == NULL) {
        close(input);
        return;
    }
    while (fgets(line, sizeof line, list) != NULL) {
        if (sscanf(line, " %255s", name) == 1)
            note_library(search, name);
    }
    fclose(list);
}

/* Notes the libraries that the program needs through other libraries. The program's kind is
   unknown if the loader fails. */
static enum program_kind note_indirect(struct search *search, const char *loader,
                                       const char *path)
{
    int ends[2], status;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return PROGRAM_UNSEEN;
    pid_t child = fork();
    if (child == 0)
        become_lister(loader, path, ends[1]);
    int error = errno;
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        errno = error;
        return PROGRAM_UNSEEN;
    }
    note_listed(search, ends[0]);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return PROGRAM_UNKNOWN;
    if (WEXITSTATUS(status) == NOT_LISTED) {
        errno = EAGAIN;
        return PROGRAM_UNSEEN;
    }
    return WEXITSTATUS(status) == 0 ? PROGRAM_DYNAMIC : PROGRAM_UNKNOWN;
}

static void search_image(struct program *program, struct image *image, const char *path,
                         struct search *search)
{
    ElfW(Phdr) interpreter;

    if (!image_is_native(image))
        return;
    if (!image_segment(image, PT_INTERP, 0, &interpreter)) {
        program->kind = PROGRAM_STATIC;
        return;
    }
    note_needed(search, image);
    const char *loader = image_string(image, interpreter.p_offset);
    /* Most MPI programs name their MPI themselves. Only for other programs the loader is
     * started. */
    if (program->mpi[0] != '\0')
        program->kind = PROGRAM_DYNAMIC;
    else if (loader != NULL)
        program->kind = note_indirect(search, loader, path);
}

/* Whether the system gives the program rights that its user does not have. */
static bool gets_rights(const char *path, const struct stat *status)
{
    struct statvfs system;

    if (statvfs(path, &system) != 0 || (system.f_flag & ST_NOSUID) != 0)
        return false;
    if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
        return true;
    return ((status->st_mode & S_ISUID) != 0 && status->st_uid != getuid()) ||
           ((status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
            status->st_gid != getgid());
}

/* Maps a regular file into memory. Returns false if that is impossible; errno says why. */
static bool image_open(struct image *image, const char *path)
{
    struct stat status;
    void *bytes = MAP_FAILED;
    int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return false;
    errno = 0;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        image->size = (size_t)status.st_size;
        bytes = mmap(NULL, image->size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    image->bytes = bytes;
    return bytes != MAP_FAILED;
}

static void image_close(const struct image *image)
{
    munmap((void *)image->bytes, image->size);
}

static bool is_executable(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Writes the path of the file that execvp would run. Returns false if there is no such file. */
static bool find_file(const char *file, char path[PATH_MAX])
{
    const char *directory = getenv("PATH");

    if (strchr(file, '/') != NULL)
        return snprintf(path, PATH_MAX, "%s", file) < PATH_MAX && is_executable(path);
    if (directory == NULL)
        directory = "/bin:/usr/bin";
    for (;; directory++) {
        int length = (int)strcspn(directory, ":");
        /* An empty entry of PATH is the working directory. */
        if (snprintf(path, PATH_MAX, "%.*s/%s", length > 0 ? length : 1,
                     length > 0 ? directory : ".", file) < PATH_MAX &&
            is_executable(path))
            return true;
        directory += length;
        if (*directory == '\0')
            return false;
    }
}

void linked_mpi_of_program(const char *file, mpi_is_served_fn *is_served, void *context,
                           struct program *program)
{
    struct search search = {.is_served = is_served, .context = context, .mpi = program->mpi};
    struct image image;
    struct stat status;
    char path[PATH_MAX];

    *program = (struct program){.kind = PROGRAM_UNKNOWN};
    if (!find_file(file, path))
        return;
    if (!image_open(&image, path)) {
        if (system_lacks_something())
            program->kind = PROGRAM_UNSEEN;
        return;
    }
    program->secure = stat(path, &status) == 0 && gets_rights(path, &status);
    search_image(program, &image, path, &search);
    int error = errno;
    image_close(&image);
    errno = error;
}

/* Writes the path of the library through which this one needs its MPI. Both are in one
 * directory. */
static bool find_next_depth(const struct image *image, const char *path, char next[PATH_MAX])
{
    const char *slash = strrchr(path, '/'), *name;
    int directory = slash == NULL ? 0 : (int)(slash + 1 - path);

    for (size_t i = 0; (name = image_needed(image, i)) != NULL; i++) {
        if (strncmp(name, DEPTH_PREFIX, strlen(DEPTH_PREFIX)) == 0)
            return snprintf(next, PATH_MAX, "%.*s%s", directory, path, name) < PATH_MAX;
    }
    return false;
}

static void search_library(const char *path, int depths, struct search *search)
{
    struct image image;
    char next[PATH_MAX];

    if (!image_open(&image, path))
        return;
    if (image_is_native(&image)) {
        note_needed(search, &image);
        if (search->mpi[0] == '\0' && depths > 0 && find_next_depth(&image, path, next))
            search_library(next, depths - 1, search);
    }
    image_close(&image);
}

bool linked_mpi_of_library(const char *path, char mpi[MPI_NAME_MAX])
{
    struct search search = {.mpi = mpi};

    mpi[0] = '\0';
    search_library(path, DEPTHS, &search);
    return mpi[0] != '\0';
}
