/* from_library.h - tells preloads which calls come from libtorus_a2a.so

   A call comes from the library if its return address lies in the library. Calls that MPI
   makes by itself do not count. */
#ifndef FROM_LIBRARY_H
#define FROM_LIBRARY_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uintptr_t library_start, library_end;

/* dlsym itself allocates, so a preload cannot look these functions up. glibc has them under
   these names too. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t num, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static int find_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    if (strstr(info->dlpi_name, "libtorus_a2a.so") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0) {
            library_start = start;
            library_end = start + segment->p_memsz;
        }
    }
    return 1;
}

__attribute__((constructor)) static void start(void)
{
    dl_iterate_phdr(find_library, NULL);
}

static bool is_from_library(const void *caller)
{
    uintptr_t address = (uintptr_t)caller;

    return address >= library_start && address < library_end;
}

#endif
