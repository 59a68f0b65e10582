/* forms.c - counts of the all-to-alls that the library only hands on */
#include "stats/forms.h"

#define FORM_ROW(form, blocks) [FORM_##form] = {.name = "MPI_" #form, .blocking = blocks},

struct form forms[FORM_COUNT] = {FORMS(FORM_ROW)};

void form_count(enum form_id id, uint64_t bytes, uint64_t time)
{
    struct form *form = &forms[id];

    atomic_fetch_add_explicit(&form->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&form->bytes, bytes, memory_order_relaxed);
    if (form->blocking)
        atomic_fetch_add_explicit(&form->time, time, memory_order_relaxed);
}
