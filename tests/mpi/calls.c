/* calls.c - all-to-all calls of every kind, run through the library and compared with MPI's own
 */
#include "config.h"

#include "calls.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "torus_a2a.h"

enum { RED_ZONE = 128, REPORTS_MAX = 8 };

static const struct {
    const char *name;
    MPI_Datatype type;
} bases[] = {
    {"MPI_BYTE", MPI_BYTE},
    {"MPI_INT", MPI_INT},
    {"MPI_CHAR", MPI_CHAR},
    {"MPI_SHORT", MPI_SHORT},
    {"MPI_WCHAR", MPI_WCHAR},
    {"MPI_FLOAT", MPI_FLOAT},
    {"MPI_LONG_LONG", MPI_LONG_LONG},
    {"MPI_DOUBLE", MPI_DOUBLE},
    {"MPI_C_BOOL", MPI_C_BOOL},
    {"MPI_AINT", MPI_AINT},
    {"MPI_C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX},
    {"MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX},
    {"MPI_2INT", MPI_2INT},
    {"MPI_SHORT_INT", MPI_SHORT_INT},
    {"MPI_FLOAT_INT", MPI_FLOAT_INT},
    {"MPI_DOUBLE_INT", MPI_DOUBLE_INT},
    {"MPI_LONG_INT", MPI_LONG_INT},
    {"struct of int, double, char", MPI_DATATYPE_NULL},
    {"MPI_LONG_DOUBLE", MPI_LONG_DOUBLE},
    {"MPI_C_LONG_DOUBLE_COMPLEX", MPI_C_LONG_DOUBLE_COMPLEX},
};

const int bases_num = sizeof bases / sizeof bases[0];
const int base_mixed = sizeof bases / sizeof bases[0] - 3;
const int base_byte = 0;
const int base_int = 1;

static const char *const shape_names[SHAPE_SEND_COUNT] = {
    [SHAPE_PLAIN] = "plain",
    [SHAPE_CONTIGUOUS] = "contiguous",
    [SHAPE_GROUPED] = "several contiguous",
    [SHAPE_VECTOR] = "vector with holes",
    [SHAPE_SPACED] = "spaced elements",
    [SHAPE_SHIFTED_UP] = "positive lower bound",
    [SHAPE_SHIFTED_DOWN] = "negative lower bound",
    [SHAPE_PADDED] = "padded on both sides",
    [SHAPE_INTERLEAVED] = "interleaved",
    [SHAPE_REVERSED] = "reversed elements",
    [SHAPE_DESCENDING] = "negative extent",
    [SHAPE_SUBARRAY] = "subarray",
    [SHAPE_SCATTERED] = "pieces out of order",
    [SHAPE_DUPLICATE] = "duplicate",
    [SHAPE_LARGE] = "of a large-count constructor",
    [SHAPE_SAME] = "zero extent",
};

const char *base_name(int base)
{
    return bases[base].name;
}

const char *shape_name(enum shape shape)
{
    return shape_names[shape];
}

/* The generator is splitmix64. */
uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int random_below(uint64_t *state, int limit)
{
    return (int)(random_next(state) % (uint64_t)limit);
}

uint64_t random_seed(const char *given)
{
    uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("# seed %llu\n", (unsigned long long)seed);
    return seed;
}

/* The largest number that the calls of these tests need. */
static bool type_is_predefined(MPI_Datatype type)
{
    for (int i = 0; i < bases_num; i++) {
        if (type == bases[i].type)
            return true;
    }
    return false;
}

static void type_free(MPI_Datatype *type)
{
    if (!type_is_predefined(*type))
        MPI_Type_free(type);
}

static MPI_Aint type_extent(MPI_Datatype type)
{
    MPI_Aint lower, extent;

    MPI_Type_get_extent(type, &lower, &extent);
    return extent;
}

/* Takes over the ownership of old. */
static MPI_Datatype type_resize(MPI_Datatype old, MPI_Aint lower, MPI_Aint extent)
{
    MPI_Datatype type;

    MPI_Type_create_resized(old, lower, extent, &type);
    type_free(&old);
    return type;
}

static MPI_Datatype type_contiguous(MPI_Datatype old, int num)
{
    MPI_Datatype type;

    MPI_Type_contiguous(num, old, &type);
    return type;
}

static MPI_Datatype type_strided(MPI_Datatype old, int num, MPI_Aint stride)
{
    MPI_Datatype type;

    MPI_Type_create_hvector(num, 1, stride, old, &type);
    return type;
}

/* num elements. The first one lies at a displacement from the start of the buffer. */
static MPI_Datatype type_shifted(MPI_Datatype old, int num, MPI_Aint displacement)
{
    MPI_Datatype type;

    MPI_Type_create_hindexed(1, &num, &displacement, old, &type);
    return type;
}

/* The right-hand column of a num × 2 array. */
static MPI_Datatype type_column(MPI_Datatype old, int num)
{
    MPI_Datatype type;

    if (num == 0)
        return type_contiguous(old, 0);
    MPI_Type_create_subarray(2, (int[]){num, 2}, (int[]){num, 1}, (int[]){0, 1}, MPI_ORDER_C,
                             old, &type);
    return type;
}

/* The first half of the elements lies behind the second half. */
static MPI_Datatype type_scattered(MPI_Datatype old, int num)
{
    MPI_Datatype type;
    int half = num / 2;

    MPI_Type_indexed(2, (int[]){half, num - half}, (int[]){num + 1, 0}, old, &type);
    return type;
}

static MPI_Datatype type_mixed(int variant)
{
    static const MPI_Aint places[][3] = {{0, 8, 16}, {24, 8, 1}, {0, 4, 12}};
    static const MPI_Aint extents[] = {24, 32, 13};
    MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, type;

    MPI_Type_create_struct(3, (int[]){1, 1, 1}, places[variant], types, &type);
    return type_resize(type, 0, extents[variant]);
}

static int smallest_divisor(int num)
{
    for (int divisor = 2; divisor < num; divisor++) {
        if (num % divisor == 0)
            return divisor;
    }
    return 1;
}

static MPI_Datatype type_of_shape(enum shape shape, MPI_Datatype base, int num, int peers)
{
    MPI_Aint extent = type_extent(base);
    MPI_Datatype type = MPI_DATATYPE_NULL;

    switch (shape) {
    case SHAPE_CONTIGUOUS:
        return type_contiguous(base, num);
    case SHAPE_GROUPED:
        return type_contiguous(base, num / smallest_divisor(num));
    case SHAPE_VECTOR:
        return type_strided(base, num, 2 * extent);
    case SHAPE_SPACED:
        return type_resize(type_contiguous(base, 1), 0, 3 * extent);
    case SHAPE_SHIFTED_UP:
        return type_shifted(base, num, 2 * extent);
    case SHAPE_SHIFTED_DOWN:
        return type_shifted(base, num, -3 * extent);
    case SHAPE_PADDED:
        return type_resize(type_contiguous(base, num), -extent, (num + 2) * extent);
    case SHAPE_INTERLEAVED:
        return type_resize(type_strided(base, num, peers * extent), 0, extent);
    case SHAPE_REVERSED:
        return type_strided(base, num, -extent);
    case SHAPE_DESCENDING:
        return type_resize(type_contiguous(base, num), 0, -num * extent);
    case SHAPE_SUBARRAY:
        return type_column(base, num);
    case SHAPE_SCATTERED:
        return type_scattered(base, num);
    case SHAPE_DUPLICATE:
        MPI_Type_dup(base, &type);
        return type;
    case SHAPE_LARGE:
#ifdef HAVE_MPI_ALLTOALL_C
        MPI_Type_vector_c(num, 1, 2, base, &type);
        return type;
#else
        return type_contiguous(base, num);
#endif
    case SHAPE_SAME:
        return type_resize(type_contiguous(base, num), 0, 0);
    default:
        return base;
    }
}

static int count_of_shape(enum shape shape, int num)
{
    switch (shape) {
    case SHAPE_PLAIN:
    case SHAPE_SPACED:
    case SHAPE_DUPLICATE:
        return num;
    case SHAPE_GROUPED:
        return smallest_divisor(num);
    default:
        return 1;
    }
}

static void side_fill(struct side *side, uint64_t seed)
{
    for (size_t i = 0; i < side->size; i++)
        side->initial[i] = (unsigned char)random_next(&seed);
}

/* Allocates memory for count × peers elements of the type, wherever they lie around the
   buffer. The memory is skew bytes off its natural alignment. */
static void side_place(struct side *side, int peers, int skew)
{
    MPI_Aint lower, true_extent, low = 0, high = 0;
    MPI_Aint elements = (MPI_Aint)side->count * peers;

    MPI_Type_get_true_extent(side->type, &lower, &true_extent);
    if (elements > 0 && true_extent > 0) {
        MPI_Aint last = (elements - 1) * type_extent(side->type);
        low = lower + (last < 0 ? last : 0);
        high = lower + true_extent + (last > 0 ? last : 0);
    }
    side->size = (size_t)(high - low) + 2 * RED_ZONE;
    side->region = malloc(side->size);
    side->initial = malloc(side->size);
    if (side->region == NULL || side->initial == NULL)
        MPI_Abort(MPI_COMM_WORLD, 99);
    side->buffer = side->region + (RED_ZONE + skew - low);
}

/* Makes a type that holds the address of the buffer, for calls with MPI_BOTTOM. */
static void side_make_absolute(struct side *side)
{
    MPI_Datatype absolute;
    MPI_Aint address;

    MPI_Get_address(side->buffer, &address);
    MPI_Type_create_hindexed(1, (int[]){1}, &address, side->type, &absolute);
    type_free(&side->type);
    MPI_Type_commit(&absolute);
    side->type = absolute;
    side->buffer = MPI_BOTTOM;
}

static void side_make(struct side *side, struct signature signature, struct half half,
                      int peers, int variant, uint64_t seed)
{
    bool mixed = signature.base == base_mixed;
    MPI_Datatype base = mixed ? type_mixed(variant) : bases[signature.base].type;

    side->type = type_of_shape(half.shape, base, signature.num, peers);
    side->count = count_of_shape(half.shape, signature.num);
    if (mixed && side->type != base)
        MPI_Type_free(&base);
    MPI_Type_commit(&side->type);
    side_place(side, peers, signature.base == base_byte ? 1 : 0);
    if (half.bottom)
        side_make_absolute(side);
    side_fill(side, seed);
}

static void side_free(struct side *side)
{
    type_free(&side->type);
    free(side->region);
    free(side->initial);
}

static void side_reset(struct side *side)
{
    memcpy(side->region, side->initial, side->size);
}

static int call_peers(MPI_Comm comm)
{
    int inter, peers;

    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &peers);
    else
        MPI_Comm_size(comm, &peers);
    return peers;
}

/* Only 10 of the 16 bytes of an x87 long double have a meaning, and MPI need not move the
   other ones. */
static bool base_is_padded(int base)
{
    return LDBL_MANT_DIG == 64 && base > base_mixed;
}

static void clear_padding(const struct call *call, unsigned char *memory)
{
    const size_t whole = sizeof(long double), used = 10;
    size_t end = call->recv.size - RED_ZONE;

    for (size_t i = RED_ZONE; call->padded && i + whole <= end; i += whole)
        memset(memory + i + used, 0, whole - used);
}

/* Makes the same call through MPI_Alltoallv. MPI_Alltoall of Open MPI 4.1 writes outside its
   buffers if there are 16 ranks or more and the send and receive types differ. Between two
   groups its MPI_Alltoall is right, and its MPI_Alltoallv waits for ever if the extent of a
   type is 0. */
static void call_reference(const struct call *call, MPI_Comm comm)
{
    const void *sendbuf = call->in_place ? MPI_IN_PLACE : call->send.buffer;
    int num = call->peers, inter;

    MPI_Comm_test_inter(comm, &inter);
    if (inter) {
        PMPI_Alltoall(sendbuf, call->send.count, call->send.type, call->recv.buffer,
                      call->recv.count, call->recv.type, comm);
        return;
    }
    int *counts = malloc(4 * (size_t)num * sizeof *counts);
    if (counts == NULL)
        MPI_Abort(MPI_COMM_WORLD, 99);
    for (int i = 0; i < num; i++) {
        counts[i] = call->send.count;
        counts[num + i] = call->send.count * i;
        counts[2 * num + i] = call->recv.count;
        counts[3 * num + i] = call->recv.count * i;
    }
    PMPI_Alltoallv(sendbuf, counts, counts + num, call->send.type, call->recv.buffer,
                   counts + 2 * num, counts + 3 * num, call->recv.type, comm);
    free(counts);
}

void call_make(struct call *call, MPI_Comm comm, struct signature signature, struct half send,
               struct half recv, bool in_place, uint64_t seed)
{
    int size;

    call->padded = base_is_padded(signature.base);
    if (call->padded)
        send = recv = (struct half){SHAPE_PLAIN, false};
    MPI_Comm_rank(comm, &call->rank);
    seed += (uint64_t)call->rank << 32;
    call->peers = call_peers(comm);
    call->in_place = in_place;
    snprintf(call->name, sizeof call->name, "%d × %s, %s%s to %s%s", signature.num,
             base_name(signature.base), in_place ? "in place" : shape_name(send.shape),
             !in_place && send.bottom ? " at MPI_BOTTOM" : "", shape_name(recv.shape),
             recv.bottom ? " at MPI_BOTTOM" : "");
    side_make(&call->send, signature, send, call->peers, (int)(seed % 3), seed + 1);
    side_make(&call->recv, signature, recv, call->peers, (int)((seed + 1) % 3), seed + 2);
    MPI_Type_size(call->recv.type, &size);
    call->block = (size_t)size * (size_t)call->recv.count;

    side_reset(&call->send);
    side_reset(&call->recv);
    call_reference(call, comm);
    call->expected = malloc(call->recv.size);
    if (call->expected == NULL)
        MPI_Abort(MPI_COMM_WORLD, 99);
    memcpy(call->expected, call->recv.region, call->recv.size);
    clear_padding(call, call->expected);
}

void call_free(struct call *call)
{
    side_free(&call->send);
    side_free(&call->recv);
    free(call->expected);
}

static int call_run(const struct call *call, MPI_Comm comm, enum way way)
{
    const struct side *send = &call->send, *recv = &call->recv;
    const void *sendbuf = call->in_place ? MPI_IN_PLACE : send->buffer;

    switch (way) {
    case WAY_API:
        return torus_a2a_alltoall(sendbuf, send->count, send->type, recv->buffer, recv->count,
                                  recv->type, comm);
#if MPI_VERSION >= 4
    case WAY_LARGE:
        return MPI_Alltoall_c(sendbuf, send->count, send->type, recv->buffer, recv->count,
                              recv->type, comm);
#endif
    default:
        return MPI_Alltoall(sendbuf, send->count, send->type, recv->buffer, recv->count,
                            recv->type, comm);
    }
}

/* Compares memory with the bytes that it must hold. */
static bool same(const struct call *call, const char *what, const unsigned char *memory,
                 const unsigned char *wanted, size_t size)
{
    static int reports;
    size_t i = 0;

    if (memcmp(memory, wanted, size) == 0)
        return true;
    if (reports++ >= REPORTS_MAX)
        return false;
    while (memory[i] == wanted[i])
        i++;
    fprintf(stderr, "# rank %d: %s: %s differs first at byte %ld of %zu (%02x, not %02x)\n",
            call->rank, call->name, what, (long)i - RED_ZONE, size - 2 * RED_ZONE, memory[i],
            wanted[i]);
    return false;
}

bool call_check(struct call *call, MPI_Comm comm, enum way way)
{
    side_reset(&call->send);
    side_reset(&call->recv);

    int error = call_run(call, comm, way);
    if (error != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(error, text, &length);
        fprintf(stderr, "# %s: %s\n", call->name, text);
        return false;
    }
    clear_padding(call, call->recv.region);
    bool sent =
        same(call, "send buffer", call->send.region, call->send.initial, call->send.size);
    bool received =
        same(call, "receive buffer", call->recv.region, call->expected, call->recv.size);
    return sent && received;
}
