/* device.c - finds the GPU runtimes of the process, and asks them about buffers

   The library is built without CUDA and HIP, and needs neither. What it takes from them is
   here: a few functions by name, and the numbers of the attributes and answers, which both
   runtimes keep the same for programs that are built already.

   Level Zero tells nothing of a pointer without a context, and only the program has its
   contexts. Its own library, libze_loader.so, says nothing about a GPU: hwloc loads it on
   machines without one. It has memory only through a driver, which it loads when something
   initializes it.

   A runtime that was found is never unloaded, as the library holds a handle of it. */
#include "mpi/device.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

/* Errors have the same numbers in CUDA and in HIP. */
enum {
    ERROR_NONE = 0,
    ERROR_INVALID_VALUE = 1,
    ERROR_NOT_INITIALIZED = 3,
    ERROR_DEINITIALIZED = 4,
    ERROR_STUB_LIBRARY = 34,
    ERROR_INSUFFICIENT_DRIVER = 35,
    ERROR_NO_DEVICE = 100
};

enum {
    CUDA_POINTER_MEMORY_TYPE = 2,
    CUDA_POINTER_IS_MANAGED = 8,
    CUDA_POINTER_DEVICE_ORDINAL = 9,
    CUDA_DEVICE_CONCURRENT_MANAGED_ACCESS = 89
};
enum { CUDA_TYPE_HOST = 1 };

/* Before version 6 of HIP 0 was the host's memory, and 1 the device's. Since then 0 is memory
   that HIP does not know. */
enum { HIP_TYPE_HOST_BEFORE_6 = 0, HIP_TYPE_UNKNOWN = 0, HIP_TYPE_HOST = 1 };
enum { HIP_VERSION_MAJOR = 10000000 };

/* The beginning of HIP's struct. */
struct hip_attributes {
    int type;
    int device;
    void *device_pointer;
    void *host_pointer;
    int is_managed;
    unsigned flags;
    /* A later version of HIP may write more. */
    char room[256];
};

typedef int cuda_pointer_fn(void *answer, int attribute, unsigned long long pointer);
typedef int cuda_device_fn(int *answer, int attribute, int device);
typedef int hip_pointer_fn(struct hip_attributes *attributes, const void *pointer);
typedef int hip_version_fn(int *version);
typedef int hip_error_fn(void);

/* The functions of the runtimes that were found. They are NULL for the others. */
static _Atomic(cuda_pointer_fn *) cuda_pointer;
static _Atomic(cuda_device_fn *) cuda_device;
static _Atomic(hip_pointer_fn *) hip_pointer;
static _Atomic(hip_version_fn *) hip_version;
static _Atomic(hip_error_fn *) hip_peek_error, hip_take_error;

static atomic_bool unaskable;
atomic_bool device_runtime_found;

/* How many libraries the process had loaded, ever, when it was looked at last. */
static atomic_ullong looked_at;

enum runtime { RUNTIME_CUDA, RUNTIME_HIP, RUNTIME_LEVEL_ZERO, RUNTIME_COUNT };

/* A name that ends in _ is how the names of several files begin: Level Zero has one driver for
   each kind of device. */
static const char *const runtime_names[RUNTIME_COUNT] = {
    [RUNTIME_CUDA] = "libcuda.so",
    [RUNTIME_HIP] = "libamdhip64.so",
    [RUNTIME_LEVEL_ZERO] = "libze_intel_",
};

/* What one pass over the loaded libraries finds. */
struct search {
    /* How many libraries the process has loaded, ever. */
    unsigned long long loads;
    /* Under which name each runtime was loaded; empty where it was not. */
    char path[RUNTIME_COUNT][PATH_MAX];
};

/* Returns whether path ends in the file name, or in the file name and a version. The name may
   be the beginning of a file name, as above. */
static bool has_name(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;
    size_t length = strlen(name);

    return strncmp(file, name, length) == 0 &&
           (name[length - 1] == '_' || file[length] == '\0' || file[length] == '.');
}

/* Looks at one library. The loader holds its lock meanwhile, so the runtimes are opened later.
 */
static int search_library(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    size_t length = strlen(info->dlpi_name);

    (void)size;
    search->loads = info->dlpi_adds;
    if (search->loads == atomic_load_explicit(&looked_at, memory_order_relaxed))
        return 1;
    for (int i = 0; i < RUNTIME_COUNT; i++) {
        if (has_name(info->dlpi_name, runtime_names[i]) && length < sizeof search->path[i])
            memcpy(search->path[i], info->dlpi_name, length + 1);
    }
    return 0;
}

/* NULL where the process does not have the library, or not any more. */
static void *open_loaded(const char *path)
{
    return path[0] != '\0' ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

static void find_cuda(void *library)
{
    cuda_pointer_fn *pointer;
    cuda_device_fn *device;

    *(void **)&pointer = dlsym(library, "cuPointerGetAttribute");
    *(void **)&device = dlsym(library, "cuDeviceGetAttribute");
    if (pointer == NULL || device == NULL) {
        atomic_store(&unaskable, true);
        return;
    }
    atomic_store(&cuda_device, device);
    atomic_store(&cuda_pointer, pointer);
}

static void find_hip(void *library)
{
    hip_pointer_fn *pointer;
    hip_version_fn *version;
    hip_error_fn *peek, *take;

    *(void **)&pointer = dlsym(library, "hipPointerGetAttributes");
    *(void **)&version = dlsym(library, "hipRuntimeGetVersion");
    *(void **)&peek = dlsym(library, "hipPeekAtLastError");
    *(void **)&take = dlsym(library, "hipGetLastError");
    if (pointer == NULL || version == NULL || peek == NULL || take == NULL) {
        atomic_store(&unaskable, true);
        return;
    }
    atomic_store(&hip_version, version);
    atomic_store(&hip_peek_error, peek);
    atomic_store(&hip_take_error, take);
    atomic_store(&hip_pointer, pointer);
}

void device_look(void)
{
    struct search search;
    void *library;

    for (int i = 0; i < RUNTIME_COUNT; i++)
        search.path[i][0] = '\0';
    if (dl_iterate_phdr(search_library, &search) != 0)
        return;
    if ((library = open_loaded(search.path[RUNTIME_CUDA])) != NULL)
        find_cuda(library);
    if ((library = open_loaded(search.path[RUNTIME_HIP])) != NULL)
        find_hip(library);
    if (open_loaded(search.path[RUNTIME_LEVEL_ZERO]) != NULL)
        atomic_store(&unaskable, true);
    if (atomic_load(&cuda_pointer) != NULL || atomic_load(&hip_pointer) != NULL ||
        atomic_load(&unaskable))
        atomic_store(&device_runtime_found, true);
    atomic_store(&looked_at, search.loads);
}

/* Returns whether the answer of a runtime means that the buffer is ordinary memory: the runtime
   does not know it, or cannot have any memory. */
static bool says_ordinary(int error)
{
    return error == ERROR_INVALID_VALUE || error == ERROR_NOT_INITIALIZED ||
           error == ERROR_DEINITIALIZED || error == ERROR_STUB_LIBRARY ||
           error == ERROR_INSUFFICIENT_DRIVER || error == ERROR_NO_DEVICE;
}

/* Returns whether the processor may touch managed memory while the device computes. */
static bool cuda_shares(cuda_pointer_fn *ask, unsigned long long pointer)
{
    cuda_device_fn *ask_device = atomic_load(&cuda_device);
    int device = 0, concurrent = 0;

    return ask(&device, CUDA_POINTER_DEVICE_ORDINAL, pointer) == ERROR_NONE &&
           ask_device(&concurrent, CUDA_DEVICE_CONCURRENT_MANAGED_ACCESS, device) ==
               ERROR_NONE &&
           concurrent != 0;
}

static bool cuda_holds(const void *buffer)
{
    cuda_pointer_fn *ask = atomic_load(&cuda_pointer);
    unsigned long long pointer = (uintptr_t)buffer;
    unsigned type = 0, managed = 0;

    if (ask == NULL)
        return false;
    int error = ask(&type, CUDA_POINTER_MEMORY_TYPE, pointer);
    if (error != ERROR_NONE)
        return !says_ordinary(error);
    /* This comes before the type, as managed memory may have either type. */
    if (ask(&managed, CUDA_POINTER_IS_MANAGED, pointer) == ERROR_NONE && managed != 0)
        return !cuda_shares(ask, pointer);
    return type != CUDA_TYPE_HOST;
}

/* HIP keeps the error of a thread's last call for the program. An error that the program has
   not made must not stay there; one that was there before it must. */
static int hip_ask(hip_pointer_fn *ask, struct hip_attributes *attributes, const void *buffer)
{
    int before = atomic_load(&hip_peek_error)();
    int error = ask(attributes, buffer);

    if (error != ERROR_NONE && before == ERROR_NONE)
        atomic_load (&hip_take_error)();
    return error;
}

static bool hip_has_6(void)
{
    int version = 0;

    return atomic_load(&hip_version)(&version) == ERROR_NONE &&
           version / HIP_VERSION_MAJOR >= 6;
}

/* The processor may touch managed memory of HIP at any time. */
static bool hip_holds(const void *buffer)
{
    hip_pointer_fn *ask = atomic_load(&hip_pointer);
    struct hip_attributes attributes = {.type = 0};

    if (ask == NULL)
        return false;
    int error = hip_ask(ask, &attributes, buffer);
    if (error != ERROR_NONE)
        return !says_ordinary(error);
    if (attributes.is_managed)
        return false;
    if (hip_has_6())
        return attributes.type != HIP_TYPE_UNKNOWN && attributes.type != HIP_TYPE_HOST;
    return attributes.type != HIP_TYPE_HOST_BEFORE_6;
}

bool device_holds(const void *buffer)
{
    if (!atomic_load(&device_runtime_found) || buffer == NULL)
        return false;
    return atomic_load(&unaskable) || cuda_holds(buffer) || hip_holds(buffer);
}

bool device_is_unaskable(void)
{
    return atomic_load(&unaskable);
}
