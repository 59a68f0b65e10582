/* long.c - copies of many bytes, by an instruction of the processor

   Most of the library's long copies go to memory that another processor has read. A store to
   such a line first fetches the line from the other processor, though all of it is overwritten.
   The instruction "rep movsb" does not fetch the lines, because it knows how many bytes follow.
   memcpy of glibc uses it on some processors, and in some versions.

   The bytes that one such instruction writes may appear to another processor in any order, but
   all of them before a later store. So a rank can announce them as after memcpy. */
#include "copy/long.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A sanitizer does not see what an instruction writes that is not the compiler's own. GCC and
   clang say in different ways that there is one. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define HAS_SANITIZER
#endif
#endif

#if defined(__x86_64__) && !defined(__ILP32__) && !defined(HAS_SANITIZER)
#include <cpuid.h>

/* The instruction can be slow where it writes a few bytes further in a page than it reads.
   Copies of more than LONG_MOST bytes were not measured, so memcpy makes them. */
enum { PAGE = 4096, CLOSE = 256, LONG_MOST = 262144 };

/* Whether the processor says that the instruction is quick for copies of any length ("fast
   short rep mov"). To ask it takes microseconds on a virtual machine. */
static bool is_quick(void)
{
    enum { UNKNOWN, NO, YES };
    static atomic_int known = UNKNOWN;
    const unsigned features = 7, fast_short_rep_mov = 1U << 4;
    unsigned a, b, c, d = 0;

    int quick = atomic_load_explicit(&known, memory_order_relaxed);
    if (quick == UNKNOWN) {
        quick = __get_cpuid_count(features, 0, &a, &b, &c, &d) && (d & fast_short_rep_mov) != 0
                    ? YES
                    : NO;
        atomic_store_explicit(&known, quick, memory_order_relaxed);
    }
    return quick == YES;
}

static bool are_close(const char *to, const char *from)
{
    return ((uintptr_t)to - (uintptr_t)from) % PAGE < CLOSE;
}

void long_copy(char *to, const char *from, size_t size)
{
    if (size > LONG_MOST || are_close(to, from) || !is_quick())
        memcpy(to, from, size);
    else
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

#else

void long_copy(char *to, const char *from, size_t size)
{
    memcpy(to, from, size);
}

#endif
