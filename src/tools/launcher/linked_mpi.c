/* linked_mpi.c - which MPI a program links, read from its ELF file */
#include "tools/launcher/linked_mpi.h"

#include <elf.h>
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
#include <unistd.h>

/* How the libraries begin that stand between ours and its MPI (../depth.c), and how many there
   are. */
#define DEPTH_PREFIX "libtorus_a2a_depth"
enum { DEPTHS = 2 };

/* A file in memory. Offsets come from the file itself and are not trusted. */
struct image {
    const char *bytes;
    size_t size;
    ElfW(Ehdr) elf;
};

/* Copies, as nothing in a file need be aligned. */
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

/* The first segment of this type that holds the address; 0 is any address. */
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

/* The number-th entry of the dynamic section with this tag. */
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

/* Whether a library is the one that holds MPI's C functions, not only a language's binding. */
static bool is_mpi_library(const char *name)
{
    static const char *const bindings[] = {"libmpi_cxx.", "libmpi_mpifh.", "libmpi_usempi"};

    for (size_t i = 0; i < sizeof bindings / sizeof bindings[0]; i++) {
        if (strncmp(name, bindings[i], strlen(bindings[i])) == 0)
            return false;
    }
    return strncmp(name, "libmpi.so", 9) == 0 || strncmp(name, "libmpich.so", 11) == 0 ||
           strncmp(name, "libmpi_", 7) == 0;
}

/* What is looked for among the libraries of a file, and what has been found. */
struct search {
    mpi_known *known;
    void *context;
    bool found; /* a known one: nothing can be better */
    char *mpi;
};

static void note_library(struct search *search, const char *library)
{
    const char *slash = strrchr(library, '/');
    const char *name = slash == NULL ? library : slash + 1;
    bool known = search->known != NULL && search->known(name, search->context);

    if (search->found || (!known && (search->mpi[0] != '\0' || !is_mpi_library(name))))
        return;
    search->found = known;
    snprintf(search->mpi, MPI_NAME_MAX, "%s", name);
}

/* The number-th library that a file names as needed, or NULL. */
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

/* Becomes the program's own loader, which resolves libraries as it will when the program runs,
   and starts nothing. What the user preloads is no part of the program. */
static _Noreturn void become_lister(const char *loader, const char *path, int output)
{
    int nowhere = open("/dev/null", O_WRONLY);

    unsetenv("LD_PRELOAD");
    if (nowhere >= 0 && dup2(output, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0)
        execl(loader, loader, "--list", path, (char *)NULL);
    _exit(127);
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

/* Notes the libraries that come in through others. Returns false when the loader fails. */
static bool note_indirect(struct search *search, const char *loader, const char *path)
{
    int ends[2], status;

    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        become_lister(loader, path, ends[1]);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return false;
    }
    note_listed(search, ends[0]);
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void inspect_image(struct program *program, struct image *image, const char *path,
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
    /* An MPI program nearly always names its MPI itself, which spares starting the loader. */
    if (program->mpi[0] != '\0' || (loader != NULL && note_indirect(search, loader, path)))
        program->kind = PROGRAM_DYNAMIC;
}

static bool runs_as_another(const char *path, const struct stat *status)
{
    struct statvfs system;

    if (statvfs(path, &system) != 0 || (system.f_flag & ST_NOSUID) != 0)
        return false;
    return ((status->st_mode & S_ISUID) != 0 && status->st_uid != getuid()) ||
           ((status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
            status->st_gid != getgid());
}

/* Maps a regular file; false where that cannot be done. */
static bool image_open(struct image *image, const char *path)
{
    struct stat status;
    void *bytes = MAP_FAILED;
    int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return false;
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

/* Writes the path that execvp would run; false where there is none. */
static bool find_file(const char *file, char path[PATH_MAX])
{
    const char *directory = getenv("PATH");

    if (strchr(file, '/') != NULL)
        return snprintf(path, PATH_MAX, "%s", file) < PATH_MAX && is_executable(path);
    if (directory == NULL)
        directory = "/bin:/usr/bin";
    for (;; directory++) {
        int length = (int)strcspn(directory, ":");
        /* An empty entry is the working directory. */
        if (snprintf(path, PATH_MAX, "%.*s/%s", length > 0 ? length : 1,
                     length > 0 ? directory : ".", file) < PATH_MAX &&
            is_executable(path))
            return true;
        directory += length;
        if (*directory == '\0')
            return false;
    }
}

void program_inspect(const char *file, mpi_known *known, void *context, struct program *program)
{
    struct search search = {.known = known, .context = context, .mpi = program->mpi};
    struct image image;
    struct stat status;
    char path[PATH_MAX];

    *program = (struct program){.kind = PROGRAM_UNKNOWN};
    if (!find_file(file, path) || !image_open(&image, path))
        return;
    program->secure = stat(path, &status) == 0 && runs_as_another(path, &status);
    inspect_image(program, &image, path, &search);
    image_close(&image);
}

/* Writes the path of the library that this one needs in place of its MPI: it is beside it. */
static bool find_deeper(const struct image *image, const char *path, char deeper[PATH_MAX])
{
    const char *slash = strrchr(path, '/'), *name;
    int directory = slash == NULL ? 0 : (int)(slash + 1 - path);

    for (size_t i = 0; (name = image_needed(image, i)) != NULL; i++) {
        if (strncmp(name, DEPTH_PREFIX, strlen(DEPTH_PREFIX)) == 0)
            return snprintf(deeper, PATH_MAX, "%.*s%s", directory, path, name) < PATH_MAX;
    }
    return false;
}

static void inspect_library(const char *path, int depths, struct search *search)
{
    struct image image;
    char deeper[PATH_MAX];

    if (!image_open(&image, path))
        return;
    if (image_is_native(&image)) {
        note_needed(search, &image);
        if (search->mpi[0] == '\0' && depths > 0 && find_deeper(&image, path, deeper))
            inspect_library(deeper, depths - 1, search);
    }
    image_close(&image);
}

bool process_inspect(const char *path, char mpi[MPI_NAME_MAX])
{
    struct search search = {.mpi = mpi};

    mpi[0] = '\0';
    inspect_library(path, DEPTHS, &search);
    return mpi[0] != '\0';
}
