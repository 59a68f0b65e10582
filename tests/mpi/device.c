/* device.c - all-to-alls with buffers in the memory of a GPU, on both sides or on one

   device RUNTIME cuda      the runtime is CUDA
   device RUNTIME hip       the runtime is HIP
   device RUNTIME native    the runtime cannot be asked, so MPI carries out all calls
   device RUNTIME native-even    the same, and only ranks with an even number load the runtime
   device RUNTIME other     the library does not know the runtime
   device RUNTIME late      the runtime is CUDA, and the program loads it after its first calls
   device RUNTIME late-unaskable    the same with a runtime that cannot be asked
   device RUNTIME even      the runtime is CUDA, and only ranks with an even number load it

   RUNTIME is the file of the stand-in. gpu_mpi and the library are preloaded. Blocks of more
   than MOST bytes are above the threshold. The test prints how many calls should go through the
   torus.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "../aids/gpu.h"
#include "../mpi_tap.h"

enum { MOST = 4096, LARGEST = 10 * MOST, TURNS = 3 };
static const size_t blocks[] = {1, 12, 400, MOST, LARGEST};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

static const char *const kind_names[GPU_KINDS] = {"host", "pinned", "managed", "device",
                                                  "apart"};

/* The bytes of a buffer. It has one byte more than the largest blocks need, so that the test
   sees a write behind the blocks. */
static size_t room;
static int rank, size;
static gpu_count_fn *packs, *natives;
static gpu_view_fn *view;
static gpu_asked_fn *asked;
static long calls_through_torus;

/* The buffers of the calls, one of each kind. A buffer is NULL if the calling rank has no
   runtime for its kind. */
static char *sends[GPU_KINDS], *receives[GPU_KINDS];
/* The library must not touch buffers of this kind. */
static bool is_device[GPU_KINDS];
/* MPI carries out all calls. */
static bool is_native;

static void load(const char *path)
{
    gpu_alloc_fn *alloc;
    void *runtime = dlopen(path, RTLD_NOW | RTLD_GLOBAL);

    if (runtime == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        PMPI_Abort(MPI_COMM_WORLD, 99);
        return;
    }
    *(void **)&alloc = dlsym(runtime, "gpu_alloc");
    *(void **)&view = dlsym(runtime, "gpu_view");
    *(void **)&asked = dlsym(runtime, "gpu_asked");
    for (int kind = GPU_NONE + 1; kind < GPU_KINDS; kind++) {
        sends[kind] = alloc(room, (enum gpu_kind)kind);
        receives[kind] = alloc(room, (enum gpu_kind)kind);
    }
}

static char *view_of(char *face)
{
    return view != NULL ? view(face) : face;
}

static char value(int from, int to, size_t i, int turn)
{
    return (char)(from * 41 + to * 13 + (int)(i % 127) + turn * 7);
}

/* Fills a buffer with the blocks that the calling rank sends. */
static void fill(char *bytes, size_t block, int turn)
{
    for (int to = 0; to < size; to++) {
        for (size_t i = 0; i < block; i++)
            bytes[(size_t)to * block + i] = value(rank, to, i, turn);
    }
}

static bool is_right(const char *bytes, size_t block, int turn)
{
    for (int from = 0; from < size; from++) {
        for (size_t i = 0; i < block; i++) {
            if (bytes[(size_t)from * block + i] != value(from, rank, i, turn))
                return false;
        }
    }
    return true;
}

static bool is_filled(const char *bytes, size_t block, int turn)
{
    for (int to = 0; to < size; to++) {
        for (size_t i = 0; i < block; i++) {
            if (bytes[(size_t)to * block + i] != value(rank, to, i, turn))
                return false;
        }
    }
    return true;
}

/* Makes one call; from is GPU_KINDS for MPI_IN_PLACE. Returns whether every byte is right, and
   the call was native or packed its buffers exactly if it should. */
static bool call(size_t block, int from, int to, int turn)
{
    bool in_place = from == GPU_KINDS, ints = block % sizeof(int) == 0;
    MPI_Datatype type = ints ? MPI_INT : MPI_BYTE;
    int count = (int)(ints ? block / sizeof(int) : block);
    char *sent = in_place ? receives[to] : sends[from], *received = receives[to];
    size_t end = (size_t)size * block;
    long packs_before = packs(), natives_before = natives();
    bool native = is_native || block > MOST;
    bool packed = !native && (is_device[to] || (!in_place && is_device[from]));

    memset(view_of(received), 0x55, room);
    fill(view_of(sent), block, turn);
    MPI_Alltoall(in_place ? MPI_IN_PLACE : sent, count, type, received, count, type,
                 MPI_COMM_WORLD);
    calls_through_torus += !native;
    return is_right(view_of(received), block, turn) &&
           (in_place || is_filled(view_of(sent), block, turn)) &&
           view_of(received)[end] == 0x55 && (packs() > packs_before) == packed &&
           (natives() > natives_before) == native;
}

/* Returns the kind. A rank that has no memory of this kind takes ordinary memory instead. */
static int kind_here(int kind)
{
    return kind == GPU_KINDS || sends[kind] != NULL ? kind : GPU_NONE;
}

static void check_kinds(int from, int to)
{
    bool good = true;

    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < BLOCKS; i++)
            good = call(blocks[i], kind_here(from), kind_here(to), turn) && good;
    }
    ok_all(good, "calls from %s to %s memory are right",
           from == GPU_KINDS ? "the same" : kind_names[from], kind_names[to]);
}

/* Here the kinds also change between calls with the same block size. */
static void check_mixed(int kinds)
{
    bool good = true;

    for (int i = 0; i < BLOCKS; i++) {
        for (int turn = 0; turn < TURNS * kinds * kinds; turn++)
            good = call(blocks[i], kind_here(turn % kinds), kind_here(turn / kinds % kinds),
                        turn) &&
                   good;
    }
    ok_all(good, "calls are right if the kinds change from call to call");
}

static void check_all(int kinds)
{
    for (int to = 0; to < kinds; to++) {
        for (int from = 0; from < kinds; from++)
            check_kinds(from, to);
        check_kinds(GPU_KINDS, to);
    }
    check_mixed(kinds);
}

static void check_cuda(const char *runtime)
{
    load(runtime);
    is_device[GPU_DEVICE] = is_device[GPU_APART] = true;
    check_all(GPU_KINDS);
    ok_all(asked() > 0, "the library has asked CUDA");
}

static void check_hip(const char *runtime)
{
    load(runtime);
    is_device[GPU_DEVICE] = true;
    check_all(GPU_DEVICE + 1);
    ok_all(asked() > 0, "the library has asked HIP");
}

static void check_native(const char *runtime, bool on_all)
{
    if (on_all || rank % 2 == 0)
        load(runtime);
    is_native = true;
    check_all(GPU_KINDS);
    ok_all(asked == NULL || asked() == 0,
           "the library has not asked a runtime that cannot be asked");
}

static void check_other(const char *runtime)
{
    load(runtime);
    check_all(GPU_PINNED + 1);
    ok_all(asked() == 0, "the library has not asked a runtime that it does not know");
}

static void check_late(const char *runtime, bool unaskable)
{
    bool good = true;

    for (int turn = 0; turn < TURNS; turn++)
        good = call(100, GPU_NONE, GPU_NONE, turn) && good;
    ok_all(good, "calls are right before the runtime is loaded");
    load(runtime);
    is_device[GPU_DEVICE] = is_device[GPU_APART] = true;
    for (int kind = 0; kind < GPU_KINDS; kind++)
        is_device[kind] = is_device[kind] || unaskable;
    check_all(GPU_KINDS);
    good = call(100, GPU_DEVICE, GPU_NONE, 0);
    good = call(100, GPU_NONE, GPU_DEVICE, 1) && good;
    ok_all(good, "calls are right with a block size from before the runtime was loaded");
}

static void check_even(const char *runtime)
{
    if (rank % 2 == 0)
        load(runtime);
    is_device[GPU_DEVICE] = is_device[GPU_APART] = true;
    check_all(GPU_KINDS);
}

static bool look_up(void)
{
    *(void **)&packs = dlsym(RTLD_DEFAULT, "gpu_packs");
    *(void **)&natives = dlsym(RTLD_DEFAULT, "gpu_natives");
    return packs != NULL && natives != NULL;
}

static bool check(const char *runtime, const char *what)
{
    if (strncmp(what, "native", 6) == 0)
        check_native(runtime, strcmp(what, "native-even") != 0);
    else if (strcmp(what, "cuda") == 0)
        check_cuda(runtime);
    else if (strcmp(what, "hip") == 0)
        check_hip(runtime);
    else if (strcmp(what, "other") == 0)
        check_other(runtime);
    else if (strncmp(what, "late", 4) == 0)
        check_late(runtime, strcmp(what, "late-unaskable") == 0);
    else if (strcmp(what, "even") == 0)
        check_even(runtime);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    room = (size_t)size * LARGEST + 1;
    sends[GPU_NONE] = malloc(room);
    receives[GPU_NONE] = malloc(room);
    if (sends[GPU_NONE] == NULL || receives[GPU_NONE] == NULL || argc != 3 || !look_up() ||
        !check(argv[1], argv[2])) {
        fprintf(stderr, "device RUNTIME KIND, with gpu_mpi preloaded\n");
        MPI_Abort(MPI_COMM_WORLD, 99);
    }
    if (rank == 0)
        printf("# %ld calls through the torus\n", calls_through_torus);
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
