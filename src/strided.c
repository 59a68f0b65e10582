/* strided.c - the memcpy loop that packs, unpacks and moves composite blocks

   A call of memcpy costs more than the copy itself where a segment is one small block: the
   commonest small sizes get a loop in which the compiler knows the length. */
#include "strided.h"

#include <string.h>

__attribute__((always_inline)) static inline void copy_each(struct strided to,
                                                            struct strided from,
                                                            size_t segments, size_t segment)
{
    for (size_t m = 0; m < segments; m++)
        memcpy(to.base + m * to.stride, from.base + m * from.stride, segment);
}

void strided_copy(struct strided to, struct strided from, size_t segments, size_t segment)
{
    switch (segment) {
    case 1:
        copy_each(to, from, segments, 1);
        break;
    case 2:
        copy_each(to, from, segments, 2);
        break;
    case 4:
        copy_each(to, from, segments, 4);
        break;
    case 8:
        copy_each(to, from, segments, 8);
        break;
    case 16:
        copy_each(to, from, segments, 16);
        break;
    case 32:
        copy_each(to, from, segments, 32);
        break;
    case 64:
        copy_each(to, from, segments, 64);
        break;
    default:
        copy_each(to, from, segments, segment);
    }
}
