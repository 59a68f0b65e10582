/* kernels.c - the loops that copy segments of one length

   Where segments are small a call of memcpy costs more than the copy itself, and so does a
   question that is asked for each of them. So every small length has loops of its own, which
   copy a segment in parts as large as a register. The last part, which may be half as large,
   ends with the segment and overlaps the one before. The parts have 16 bytes at most, and 32
   where the processor has AVX2. */
#include "copy/kernels.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#ifdef HAVE_AVX2
#include <sys/platform/x86.h>

#include "copy/transpose.h"
#endif

#define INLINE __attribute__((always_inline)) static inline

/* Above so many registers memcpy is as fast. Segments of up to SMALL_MOST bytes, and of up to
   FEW_MOST whole parts, have kernels of their own. */
enum { REGISTERS_MOST = 32, SMALL_MOST = 32, FEW_MOST = 3 };

/* For a part of 32 bytes, where GCC would take two registers of 16 for memcpy. */
typedef char bytes32 __attribute__((vector_size(32), aligned(1), may_alias));

INLINE void copy_part(char *to, const char *from, size_t part)
{
    if (part == sizeof(bytes32))
        *(bytes32 *)to = *(const bytes32 *)from;
    else
        memcpy(to, from, part);
}

/* One segment: whole parts of part bytes, and one of last bytes that ends with it. The compiler
   would keep a loop over few parts; that over many is unrolled, as its time would depend on
   where it happens to lie. */
INLINE void copy_segment(char *to, const char *from, size_t segment, size_t whole, size_t part,
                         size_t last)
{
    if (whole > 0)
        copy_part(to, from, part);
    if (whole > 1)
        copy_part(to + part, from + part, part);
    if (whole > 2)
        copy_part(to + 2 * part, from + 2 * part, part);
#pragma GCC unroll 2
    for (size_t i = 3; i < whole; i++)
        copy_part(to + i * part, from + i * part, part);
    copy_part(to + segment - last, from + segment - last, last);
}

/* Single parts go two at a time: a loop of a load and a store is so short that its time depends
   on where it happens to lie. */
INLINE void copy_inner(char *to, const char *from, size_t to_distance, size_t from_distance,
                       size_t inner, size_t segment, size_t whole, size_t part, size_t last)
{
    for (; whole == 0 && inner > 1; inner -= 2) {
        copy_part(to, from, last);
        copy_part(to + to_distance, from + from_distance, last);
        to += 2 * to_distance;
        from += 2 * from_distance;
    }
    for (; inner > 0; inner--) {
        copy_segment(to, from, segment, whole, part, last);
        to += to_distance;
        from += from_distance;
    }
}

/* All is read first: the compiler would read it anew after every byte written, which might be
   its own. */
INLINE void copy_all(const struct copying *copying, char *to, const char *from, size_t segment,
                     size_t whole, size_t part, size_t last)
{
    const struct distances sink = copying->to, source = copying->from;
    const size_t inner = copying->inner;

    for (size_t left = copying->outer; left > 0; left--) {
        copy_inner(to, from, sink.inner, source.inner, inner, segment, whole, part, last);
        to += sink.outer;
        from += source.outer;
    }
}

/* An even number of segments, without a loop. */
INLINE void copy_row(char *to, const char *from, size_t to_distance, size_t from_distance,
                     size_t num, size_t segment, size_t whole, size_t part, size_t last)
{
#pragma GCC unroll 4
    for (size_t left = num; left > 0; left -= 2) {
        copy_segment(to, from, segment, whole, part, last);
        copy_segment(to + to_distance, from + from_distance, segment, whole, part, last);
        to += 2 * to_distance;
        from += 2 * from_distance;
    }
}

#define KERNEL(processor, name, whole, part, last)                                        \
    processor static void name(const struct copying *copying, char *to, const char *from) \
    {                                                                                     \
        const size_t segment = copying->segment;                                          \
                                                                                          \
        copy_all(copying, to, from, segment, whole, part, last);                          \
    }

/* For num segments in the inner loop, which is written out; the outer one is unrolled to eight
   segments. In a call nothing is known of where branches went the last time, and each that is
   not foreseen costs as much as ten parts. */
#define KERNEL_OF_ROWS(processor, name, num, segment, whole, part, last, unroll)           \
    processor static void name(const struct copying *copying, char *to, const char *from)  \
    {                                                                                      \
        const struct distances sink = copying->to, source = copying->from;                 \
                                                                                           \
        _Pragma(#unroll) for (size_t left = copying->outer; left > 0; left--)              \
        {                                                                                  \
            copy_row(to, from, sink.inner, source.inner, num, segment, whole, part, last); \
            to += sink.outer;                                                              \
            from += source.outer;                                                          \
        }                                                                                  \
    }

#define KERNELS_OF_ROWS(processor, segment, whole, part, last)                      \
    KERNEL_OF_ROWS(processor, copy_##segment##_by_2, 2, segment, whole, part, last, \
                   GCC unroll 4)                                                    \
    KERNEL_OF_ROWS(processor, copy_##segment##_by_4, 4, segment, whole, part, last, \
                   GCC unroll 2)                                                    \
    KERNEL_OF_ROWS(processor, copy_##segment##_by_8, 8, segment, whole, part, last, \
                   GCC unroll 1)

KERNELS_OF_ROWS(ANY_PROCESSOR, 4, 0, 4, 4)
KERNELS_OF_ROWS(ANY_PROCESSOR, 8, 0, 8, 8)
KERNELS_OF_ROWS(ANY_PROCESSOR, 12, 1, 8, 4)
KERNELS_OF_ROWS(ANY_PROCESSOR, 16, 0, 16, 16)
KERNELS_OF_ROWS(ANY_PROCESSOR, 24, 1, 16, 8)

KERNEL(ANY_PROCESSOR, copy_1, 0, 1, 1)
KERNEL(ANY_PROCESSOR, copy_2, 0, 2, 2)
KERNEL(ANY_PROCESSOR, copy_3, 1, 2, 1)
KERNEL(ANY_PROCESSOR, copy_4, 0, 4, 4)
KERNEL(ANY_PROCESSOR, copy_to_6, 1, 4, 2)
KERNEL(ANY_PROCESSOR, copy_7, 1, 4, 4)
KERNEL(ANY_PROCESSOR, copy_8, 0, 8, 8)
KERNEL(ANY_PROCESSOR, copy_to_12, 1, 8, 4)
KERNEL(ANY_PROCESSOR, copy_to_15, 1, 8, 8)
KERNEL(ANY_PROCESSOR, copy_16, 0, 16, 16)
KERNEL(ANY_PROCESSOR, copy_to_24, 1, 16, 8)
KERNEL(ANY_PROCESSOR, copy_to_32, 1, 16, 16)
KERNEL(ANY_PROCESSOR, copy_to_40, 2, 16, 8)
KERNEL(ANY_PROCESSOR, copy_to_48, 2, 16, 16)
KERNEL(ANY_PROCESSOR, copy_to_56, 3, 16, 8)
KERNEL(ANY_PROCESSOR, copy_to_64, 3, 16, 16)
KERNEL(ANY_PROCESSOR, copy_in_16_8, (segment - 1) / 16, 16, 8)
KERNEL(ANY_PROCESSOR, copy_in_16_16, (segment - 1) / 16, 16, 16)

/* The kernels of a kind of processor. by_2 and so on are for so many segments in the inner
   loop, NULL where the length is rare. Of what is longer than SMALL_MOST there are two each:
   the last part may be half as large as the others, or as large. */
struct kernels {
    size_t part;                       /* the largest, in bytes */
    copying_fn *small[SMALL_MOST + 1]; /* by the length of the segment */
    copying_fn *by_2[SMALL_MOST + 1];  /* the same */
    copying_fn *by_4[SMALL_MOST + 1];
    copying_fn *by_8[SMALL_MOST + 1];
    copying_fn *few[FEW_MOST][2]; /* by whole parts, from 1 on */
    copying_fn *many[2];
    copying_fn *(*transposing)(const struct copying *); /* or NULL: it cannot */
};

#define SMALL_KERNELS(of_32)                                                                 \
    {                                                                                        \
        NULL, copy_1, copy_2, copy_3, copy_4, copy_to_6, copy_to_6, copy_7, copy_8,          \
            copy_to_12, copy_to_12, copy_to_12, copy_to_12, copy_to_15, copy_to_15,          \
            copy_to_15, copy_16, copy_to_24, copy_to_24, copy_to_24, copy_to_24, copy_to_24, \
            copy_to_24, copy_to_24, copy_to_24, copy_to_32, copy_to_32, copy_to_32,          \
            copy_to_32, copy_to_32, copy_to_32, copy_to_32, of_32                            \
    }

#define ROWS_KERNELS(num)                                                  \
    [4] = copy_4_by_##num, [8] = copy_8_by_##num, [12] = copy_12_by_##num, \
    [16] = copy_16_by_##num, [24] = copy_24_by_##num

/* One whole part of 16 bytes is small. */
static const struct kernels kernels_portable = {
    .part = 16,
    .small = SMALL_KERNELS(copy_to_32),
    .by_2 = {ROWS_KERNELS(2)},
    .by_4 = {ROWS_KERNELS(4)},
    .by_8 = {ROWS_KERNELS(8)},
    .few = {{NULL, NULL}, {copy_to_40, copy_to_48}, {copy_to_56, copy_to_64}},
    .many = {copy_in_16_8, copy_in_16_16}};

#ifdef HAVE_AVX2
KERNELS_OF_ROWS(WITH_AVX2, 32, 0, 32, 32)

KERNEL(WITH_AVX2, copy_32_avx2, 0, 32, 32)
KERNEL(WITH_AVX2, copy_to_48_avx2, 1, 32, 16)
KERNEL(WITH_AVX2, copy_to_64_avx2, 1, 32, 32)
KERNEL(WITH_AVX2, copy_to_80_avx2, 2, 32, 16)
KERNEL(WITH_AVX2, copy_to_96_avx2, 2, 32, 32)
KERNEL(WITH_AVX2, copy_to_112_avx2, 3, 32, 16)
KERNEL(WITH_AVX2, copy_to_128_avx2, 3, 32, 32)
KERNEL(WITH_AVX2, copy_in_32_16_avx2, (segment - 1) / 32, 32, 16)
KERNEL(WITH_AVX2, copy_in_32_32_avx2, (segment - 1) / 32, 32, 32)

static const struct kernels kernels_avx2 = {.part = 32,
                                            .small = SMALL_KERNELS(copy_32_avx2),
                                            .by_2 = {ROWS_KERNELS(2), [32] = copy_32_by_2},
                                            .by_4 = {ROWS_KERNELS(4), [32] = copy_32_by_4},
                                            .by_8 = {ROWS_KERNELS(8), [32] = copy_32_by_8},
                                            .few = {{copy_to_48_avx2, copy_to_64_avx2},
                                                    {copy_to_80_avx2, copy_to_96_avx2},
                                                    {copy_to_112_avx2, copy_to_128_avx2}},
                                            .many = {copy_in_32_16_avx2, copy_in_32_32_avx2},
                                            .transposing = transposing};

/* Asked once, as that is a call into libc; __builtin_cpu_supports would bring a constructor
   into the library. */
static const struct kernels *kernels_of_processor(void)
{
    static const struct kernels *_Atomic known;
    const struct kernels *kernels = atomic_load_explicit(&known, memory_order_relaxed);

    if (kernels == NULL) {
        kernels = CPU_FEATURE_ACTIVE(AVX2) ? &kernels_avx2 : &kernels_portable;
        atomic_store_explicit(&known, kernels, memory_order_relaxed);
    }
    return kernels;
}
#else
static const struct kernels *kernels_of_processor(void)
{
    return &kernels_portable;
}
#endif

static copying_fn *small_kernel(const struct kernels *kernels, const struct copying *copying)
{
    const size_t segment = copying->segment;
    copying_fn *kernel = copying->inner == 2   ? kernels->by_2[segment]
                         : copying->inner == 4 ? kernels->by_4[segment]
                         : copying->inner == 8 ? kernels->by_8[segment]
                                               : NULL;

    return kernel != NULL ? kernel : kernels->small[segment];
}

copying_fn *kernel_of(const struct copying *copying)
{
    const struct kernels *kernels = kernels_of_processor();
    const size_t segment = copying->segment;
    copying_fn *tiles = kernels->transposing != NULL ? kernels->transposing(copying) : NULL;

    if (tiles != NULL)
        return tiles;
    if (segment <= SMALL_MOST)
        return small_kernel(kernels, copying);
    if (segment > REGISTERS_MOST * kernels->part)
        return NULL;
    size_t halves = (segment - 1) / (kernels->part / 2), whole = halves / 2;
    return whole <= FEW_MOST ? kernels->few[whole - 1][halves % 2] : kernels->many[halves % 2];
}
