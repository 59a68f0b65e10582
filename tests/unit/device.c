/* device.c - what the library asks a GPU runtime, and what it makes of the answers

   unit_device RUNTIME cuda|hip|level-zero|other    RUNTIME is the file of the stand-in */
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
    [GPU_APART] = "managed memory of a device that does not share it",
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
    ok(device_holds((char *)memory[kind] + 8) == held, "%s: %s", kind_names[kind],
       held ? "not for the processor" : "for the processor");
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
        ok(!device_holds(ordinary), "error %d: ordinary memory", ordinary_errors[i]);
    }
    set_error(700);
    ok(device_holds(ordinary), "another error: in doubt not for the processor");
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
    ok(!device_holds(ordinary) && peek() == 0, "the question leaves no error to the program");
    set_hip_error(98);
    ok(!device_holds(ordinary) && peek() != 0,
       "an error that was there before is not taken away");
    ok(!device_is_unaskable(), "HIP can be asked");
}

static void check_level_zero(void)
{
    ok(device_is_unaskable(), "Level Zero cannot be asked");
    ok(device_may_be() && device_holds(ordinary), "in doubt not for the processor");
}

static void check_other(void)
{
    ok(!device_may_be(), "no runtime: no buffer can be a GPU's");
    ok(!device_holds(memory[GPU_DEVICE]) && !device_is_unaskable(), "nothing is asked");
    ok(asked() == 0, "a library of another name is not asked");
}

int main(int argc, char **argv)
{
    device_look();
    ok(!device_may_be(), "nothing is loaded yet");
    if (argc != 3 || !load(argv[1])) {
        fprintf(stderr, "unit_device RUNTIME cuda|hip|level-zero|other\n");
        return 99;
    }
    ok(!device_may_be(), "nothing is found before a look");
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
    ok(!device_holds(NULL) && asked() == before, "nothing is asked about no buffer");
    return tap_done();
}
