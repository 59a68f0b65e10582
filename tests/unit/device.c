/* device.c - the library asks a GPU runtime about a buffer, and understands the answers

   device RUNTIME cuda|hip|level-zero|other    RUNTIME is the file of the stand-in

   The library must not touch a buffer that is not for the processor. If it cannot tell, it must
   take the buffer for one of the GPU. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "../aids/gpu.h"
#include "../tap.h"
#include "mpi/device.h"

static const char *const kind_names[GPU_KINDS] = {
    [GPU_NONE] = "ordinary memory",
    [GPU_PINNED] = "pinned memory",
    [GPU_MANAGED] = "managed memory",
    [GPU_DEVICE] = "memory of the device",
    [GPU_APART] = "managed memory that the device does not share",
};

static gpu_set_fn *set_error, *set_hip_version, *set_hip_error;
static gpu_asked_fn *asked;
static char ordinary[64];
static void *memory[GPU_KINDS];

static bool load(const char *path)
{
    gpu_alloc_fn *alloc;
    void *runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (runtime == NULL)
        return false;
    *(void **)&alloc = dlsym(runtime, "gpu_alloc");
    *(void **)&asked = dlsym(runtime, "gpu_asked");
    *(void **)&set_error = dlsym(runtime, "gpu_set_error");
    *(void **)&set_hip_version = dlsym(runtime, "gpu_set_hip_version");
    *(void **)&set_hip_error = dlsym(runtime, "gpu_set_hip_error");
    memory[GPU_NONE] = ordinary;
    for (int kind = GPU_NONE + 1; kind < GPU_KINDS; kind++)
        memory[kind] = alloc(sizeof ordinary, (enum gpu_kind)kind);
    return true;
}

static void expect(enum gpu_kind kind, bool held)
{
    ok(device_holds((char *)memory[kind] + 8) == held, "%s is %sfor the processor",
       kind_names[kind], held ? "not " : "");
}

static void check_cuda(void)
{
    static const int ordinary_errors[] = {1, 3, 4, 100};

    expect(GPU_NONE, false);
    expect(GPU_PINNED, false);
    expect(GPU_MANAGED, false);
    expect(GPU_DEVICE, true);
    expect(GPU_APART, true);
    for (size_t i = 0; i < sizeof ordinary_errors / sizeof *ordinary_errors; i++) {
        set_error(ordinary_errors[i]);
        ok(!device_holds(ordinary), "CUDA's error %d means ordinary memory",
           ordinary_errors[i]);
    }
    set_error(700);
    ok(device_holds(ordinary), "after another error the buffer is not for the processor");
    ok(!device_is_unaskable(), "CUDA can be asked");
}

static void check_hip_version(int version)
{
    set_hip_version(version);
    expect(GPU_NONE, false);
    expect(GPU_PINNED, false);
    expect(GPU_MANAGED, false);
    expect(GPU_DEVICE, true);
}

static void check_hip(void *runtime)
{
    int (*peek)(void);

    *(void **)&peek = dlsym(runtime, "hipPeekAtLastError");
    check_hip_version(60000000);
    check_hip_version(70200000);
    check_hip_version(50731921);
    set_hip_error(0);
    ok(!device_holds(ordinary) && peek() == 0,
       "the question leaves no error that the program would find");
    set_hip_error(98);
    ok(!device_holds(ordinary) && peek() != 0,
       "the question does not remove an error that the program has not seen yet");
    ok(!device_is_unaskable(), "HIP can be asked");
}

static void check_level_zero(void)
{
    ok(device_is_unaskable(), "Level Zero cannot be asked");
    ok(device_may_be() && device_holds(ordinary),
       "with Level Zero no buffer counts as memory for the processor");
}

static void check_other(void)
{
    ok(!device_may_be(), "without a runtime no buffer can be memory of a GPU");
    ok(!device_holds(memory[GPU_DEVICE]) && !device_is_unaskable(),
       "without a runtime every buffer is for the processor");
    ok(asked() == 0, "the library does not ask a library of another name");
}

int main(int argc, char **argv)
{
    device_look();
    ok(!device_may_be(), "the library finds no runtime before one is loaded");
    if (argc != 3 || !load(argv[1])) {
        fprintf(stderr, "device RUNTIME cuda|hip|level-zero|other\n");
        return 99;
    }
    ok(!device_may_be(), "the library does not find a runtime before it looks again");
    device_look();
    device_look();
    if (strcmp(argv[2], "cuda") == 0)
        check_cuda();
    else if (strcmp(argv[2], "hip") == 0)
        check_hip(dlopen(argv[1], RTLD_NOW));
    else if (strcmp(argv[2], "level-zero") == 0)
        check_level_zero();
    else
        check_other();
    long before = asked();
    ok(!device_holds(NULL) && asked() == before,
       "the library does not ask about a null pointer");
    return tap_done();
}
