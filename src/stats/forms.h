/* forms.h - counts of the all-to-alls that the library only hands on */
#ifndef TORUS_A2A_FORMS_H
#define TORUS_A2A_FORMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One line for each function: its name without MPI_, and whether it returns only when its data
   have arrived. A form with MPI_Count counts as the form without. */
#define FORMS(FORM)                      \
    FORM(Alltoallv, true)                \
    FORM(Alltoallw, true)                \
    FORM(Ialltoall, false)               \
    FORM(Ialltoallv, false)              \
    FORM(Ialltoallw, false)              \
    FORM(Alltoall_init, false)           \
    FORM(Alltoallv_init, false)          \
    FORM(Alltoallw_init, false)          \
    FORM(Neighbor_alltoall, true)        \
    FORM(Neighbor_alltoallv, true)       \
    FORM(Neighbor_alltoallw, true)       \
    FORM(Ineighbor_alltoall, false)      \
    FORM(Ineighbor_alltoallv, false)     \
    FORM(Ineighbor_alltoallw, false)     \
    FORM(Neighbor_alltoall_init, false)  \
    FORM(Neighbor_alltoallv_init, false) \
    FORM(Neighbor_alltoallw_init, false)

#define FORM_ID(name, blocking) FORM_##name,
enum form_id { FORMS(FORM_ID) FORM_COUNT };
#undef FORM_ID

struct form {
    /* The name of the function, with MPI_. */
    const char *name;
    /* Whether the time of the call is the time of the data. */
    bool blocking;
    /* The calls, the bytes that this process has sent by them, and the nanoseconds that they
       took. */
    _Atomic uint64_t calls, bytes, time;
};

extern struct form forms[FORM_COUNT];

/* Counts a call. time is in nanoseconds. */
void form_count(enum form_id id, uint64_t bytes, uint64_t time);

#endif
