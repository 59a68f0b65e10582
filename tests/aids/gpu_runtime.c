/* gpu_runtime.c - a stand-in for the runtime of a GPU; its file name says whether it plays
   CUDA, HIP or Level Zero

   It has the functions of CUDA and of HIP that the library calls. The library calls none of
   Level Zero, because it cannot ask Level Zero about a buffer. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu.h"

enum { AREAS_MAX = 64 };

struct area {
    char *face, *view;
    size_t size;
    enum gpu_kind kind;
};

static struct area areas[AREAS_MAX];
static int areas_num;
static long asked;
static int other_error, hip_version = 60000000, hip_error;

/* The runtimes declare these functions in the same way, but they have their own names for the
   types. */
int cuPointerGetAttribute(void *answer, int attribute, unsigned long long pointer);
int cuDeviceGetAttribute(int *answer, int attribute, int device);
int hipPointerGetAttributes(void *answer, const void *pointer);
int hipRuntimeGetVersion(int *version);
int hipPeekAtLastError(void);
int hipGetLastError(void);

void *gpu_alloc(size_t size, enum gpu_kind kind)
{
    bool is_hidden = kind == GPU_DEVICE || kind == GPU_APART;
    struct area *area = &areas[areas_num];
    int file = memfd_create("gpu", 0);

    if (areas_num == AREAS_MAX || file < 0 || ftruncate(file, (off_t)size) != 0)
        return NULL;
    area->face =
        mmap(NULL, size, is_hidden ? PROT_NONE : PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    area->view = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (area->face == MAP_FAILED || area->view == MAP_FAILED)
        return NULL;
    area->size = size;
    area->kind = kind;
    areas_num++;
    return area->face;
}

static const struct area *area_of(const void *face)
{
    uintptr_t address = (uintptr_t)face;

    for (int i = 0; i < areas_num; i++) {
        uintptr_t start = (uintptr_t)areas[i].face;
        if (address >= start && address - start < areas[i].size)
            return &areas[i];
    }
    return NULL;
}

void *gpu_view(const void *face)
{
    const struct area *area = area_of(face);

    return area != NULL ? area->view + ((const char *)face - area->face) : (void *)face;
}

static enum gpu_kind kind_of(const void *face)
{
    const struct area *area = area_of(face);

    return area != NULL ? area->kind : GPU_NONE;
}

long gpu_asked(void)
{
    return asked;
}

void gpu_set_error(int value)
{
    other_error = value;
}

void gpu_set_hip_version(int value)
{
    hip_version = value;
}

void gpu_set_hip_error(int value)
{
    hip_error = value;
}

int cuPointerGetAttribute(void *answer, int attribute, unsigned long long pointer)
{
    enum gpu_kind kind = kind_of((const void *)(uintptr_t)pointer);
    unsigned type = kind == GPU_PINNED ? 1 : 2;
    unsigned is_managed = kind == GPU_MANAGED || kind == GPU_APART;
    unsigned device = kind == GPU_APART;

    asked++;
    if (kind == GPU_NONE)
        return other_error != 0 ? other_error : 1;
    switch (attribute) {
    case 2:
        memcpy(answer, &type, sizeof type);
        return 0;
    case 8:
        memcpy(answer, &is_managed, sizeof is_managed);
        return 0;
    case 9:
        memcpy(answer, &device, sizeof device);
        return 0;
    default:
        return 1;
    }
}

/* Device 0 shares its managed memory with the processor. Device 1 does not. */
int cuDeviceGetAttribute(int *answer, int attribute, int device)
{
    if (attribute != 89 || device > 1)
        return 1;
    *answer = device == 0;
    return 0;
}

/* This struct is longer than the struct of the runtimes that exist, because a later runtime may
   have a longer one. */
struct attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    int is_managed;
    unsigned flags;
    char more[64];
};

int hipPointerGetAttributes(void *answer, const void *pointer)
{
    static const int types_before_6[GPU_KINDS] = {-1, 0, 1, 1, 1},
                     types[GPU_KINDS] = {0, 1, 3, 2, 3};
    enum gpu_kind kind = kind_of(pointer);
    bool has_6 = hip_version >= 60000000;
    struct attributes attributes = {.type = has_6 ? types[kind] : types_before_6[kind],
                                    .is_managed = kind == GPU_MANAGED || kind == GPU_APART};

    asked++;
    hip_error = kind == GPU_NONE && !has_6 ? 1 : 0;
    if (hip_error == 0)
        memcpy(answer, &attributes, sizeof attributes);
    return hip_error;
}

int hipRuntimeGetVersion(int *version)
{
    *version = hip_version;
    return 0;
}

int hipPeekAtLastError(void)
{
    return hip_error;
}

int hipGetLastError(void)
{
    int error = hip_error;

    hip_error = 0;
    return error;
}
