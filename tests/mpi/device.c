/* device.c - all-to-alls whose buffers are memory of a GPU, or partly so

   device RUNTIME cuda      the runtime is CUDA's
   device RUNTIME hip       the runtime is HIP's
   device RUNTIME native    the runtime cannot be asked: MPI does all calls
   device RUNTIME native-even    ranks of even number alone load it
   device RUNTIME other     the library does not know the runtime
   device RUNTIME late      the runtime is loaded after calls without it; it is CUDA's
   device RUNTIME late-unaskable    likewise, and cannot be asked
   device RUNTIME even      ranks of even number alone load the runtime; it is CUDA's

   RUNTIME is the file of the stand-in. gpu_mpi and the library are preloaded. Blocks of more
   than MOST bytes are above the threshold. The test prints how many calls go through the torus.
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

/* How many bytes a buffer has, for MPI to find as well what is around the blocks. */
static size_t room;
static int rank, size;
static gpu_count_fn *packs, *natives;
static gpu_view_fn *view;
static gpu_asked_fn *asked;
static long calls_through_torus;

/* The buffers of a call are of these. What the calling rank has no runtime for is NULL. */
static char *sends[GPU_KINDS], *receives[GPU_KINDS];
static bool is_device[GPU_KINDS]; /* the library must not touch it */
static bool is_native;            /* MPI does all calls */

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

/* What the calling rank sends, or what it is to receive. */
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

/* One call. from is GPU_KINDS for MPI_IN_PLACE. Returns whether every byte is right, and the
   call went the way that it should. */
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

/* The kind on this rank: ordinary memory where there is no such kind. */
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
    ok_all(good, "from %s to %s", from == GPU_KINDS ? "the same" : kind_names[from],
           kind_names[to]);
}

/* The kinds change from call to call of the same size as well. */
static void check_mixed(int kinds)
{
    bool good = true;

    for (int i = 0; i < BLOCKS; i++) {
        for (int turn = 0; turn < TURNS * kinds * kinds; turn++)
            good = call(blocks[i], kind_here(turn % kinds), kind_here(turn / kinds % kinds),
                        turn) &&
                   good;
    }
    ok_all(good, "the kinds change from call to call");
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
    ok_all(asked() > 0, "CUDA was asked");
}

static void check_hip(const char *runtime)
{
    load(runtime);
    is_device[GPU_DEVICE] = true;
    check_all(GPU_DEVICE + 1);
    ok_all(asked() > 0, "HIP was asked");
}

static void check_native(const char *runtime, bool on_all)
{
    if (on_all || rank % 2 == 0)
        load(runtime);
    is_native = true;
    check_all(GPU_KINDS);
    ok_all(asked == NULL || asked() == 0, "nothing was asked");
}

static void check_other(const char *runtime)
{
    load(runtime);
    check_all(GPU_PINNED + 1);
    ok_all(asked() == 0, "nothing was asked");
}

static void check_late(const char *runtime, bool unaskable)
{
    bool good = true;

    for (int turn = 0; turn < TURNS; turn++)
        good = call(100, GPU_NONE, GPU_NONE, turn) && good;
    ok_all(good, "without the runtime");
    load(runtime);
    is_device[GPU_DEVICE] = is_device[GPU_APART] = true;
    for (int kind = 0; kind < GPU_KINDS; kind++)
        is_device[kind] = is_device[kind] || unaskable;
    check_all(GPU_KINDS);
    good = call(100, GPU_DEVICE, GPU_NONE, 0);
    good = call(100, GPU_NONE, GPU_DEVICE, 1) && good;
    ok_all(good, "a block size of the time before");
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
