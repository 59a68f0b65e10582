/* passed_on.c - the forms of the all-to-all that the library hands on

   The rounds of nonblocking and persistent calls would need progress while the program does
   something else, and only MPI can make that: docs/internals.md, "Nonblocking and persistent
   calls". The forms with a count for each rank, and those among neighbours, are no tori. The
   library counts all of these calls where the user asks for it, so that the user sees what it
   leaves alone.

   A call goes on to the next function of its name, because other tools count these calls, too.
   This file goes without mpi.h, as alltoall.c does. */
#include <stdatomic.h>

#include "interpose/export.h"
#include "interpose/foreign.h"
#include "interpose/next.h"
#include "mpi/traffic.h"
#include "process/process.h"
#include "stats/forms.h"
#include "stats/stats.h"

#include "config.h"

/* Whether calls are to be counted. */
enum { WATCH_UNKNOWN, WATCH_NO, WATCH_YES };

static atomic_int watch = WATCH_UNKNOWN;

/* A call of a foreign MPI does not count, and its handles mean nothing to the library. */
static bool look(void)
{
    bool wanted = !foreign_mpi() && (stats_are_on() || process_settings()->verbose > 0);

    atomic_store_explicit(&watch, wanted ? WATCH_YES : WATCH_NO, memory_order_relaxed);
    return wanted;
}

static inline bool is_watched(void)
{
    int state = atomic_load_explicit(&watch, memory_order_relaxed);

    return state != WATCH_NO && (state == WATCH_YES || look());
}

/* One count and one type for all ranks. */
static struct traffic equal(const void *sendbuf, int64_t sendcount, handle sendtype,
                            int64_t recvcount, handle recvtype, handle comm)
{
    return (struct traffic){
        .sendbuf = sendbuf,
        .send = {.count = sendcount, .type = handle_alone(sendtype)},
        .receive = {.count = recvcount, .type = handle_alone(recvtype)},
        .comm = handle_alone(comm),
    };
}

/* One type for all ranks. */
static struct traffic varied(const void *sendbuf, const void *sendcounts, handle sendtype,
                             const void *recvcounts, handle recvtype, handle comm)
{
    return (struct traffic){
        .sendbuf = sendbuf,
        .send = {.counts = sendcounts, .type = handle_alone(sendtype)},
        .receive = {.counts = recvcounts, .type = handle_alone(recvtype)},
        .comm = handle_alone(comm),
    };
}

/* A type for each rank. */
static struct traffic typed(const void *sendbuf, const void *sendcounts, const void *sendtypes,
                            const void *recvcounts, const void *recvtypes, handle comm)
{
    return (struct traffic){
        .sendbuf = sendbuf,
        .send = {.counts = sendcounts, .types = sendtypes},
        .receive = {.counts = recvcounts, .types = recvtypes},
        .comm = handle_alone(comm),
    };
}

/* After a call that MPI has taken. */
static void count(enum form_id id, struct traffic traffic, bool neighbours, bool large,
                  int64_t began)
{
    if (id == FORM_Ialltoall)
        process_count(COUNT_NONBLOCKING);
    else if (id == FORM_Alltoall_init)
        process_count(COUNT_PERSISTENT);
    if (!stats_are_on() || process_is_closed())
        return;
    uint64_t time = (uint64_t)(stats_now() - began);
    traffic.neighbours = neighbours;
    traffic.large = large;
    form_count(id, traffic_bytes(&traffic), time);
}

/* These macros stand for functions because each form has its own arguments. A function whose
   calls are not counted is two branches and a jump. neighbours and large are as in struct
   traffic. */
#define PASS_ON(name, id, neighbours, large, traffic, parameters, arguments)                  \
    typedef int name##_fn parameters;                                                         \
    name##_fn PMPI_##name MAY_BE_MISSING;                                                     \
    EXPORT int MPI_##name parameters                                                          \
    {                                                                                         \
        static _Atomic(any_fn *) kept;                                                        \
        name##_fn *next = (name##_fn *)next_kept(&kept, "MPI_" #name, (any_fn *)PMPI_##name); \
                                                                                              \
        if (!is_watched())                                                                    \
            return next arguments;                                                            \
        int64_t began = stats_are_on() ? stats_now() : 0;                                     \
        int err = next arguments;                                                             \
        if (err == 0)                                                                         \
            count(FORM_##id, traffic, neighbours, large, began);                              \
        return err;                                                                           \
    }

/* What may follow the communicator: nothing, a request, or hints and a request. */
#define ALONE_TYPES
#define ALONE_NAMES
#define REQUEST_TYPES , void *request
#define REQUEST_NAMES , request
#define HINTS_TYPES   , handle info, void *request
#define HINTS_NAMES   , info, request

/* number is int, or int64_t for MPI_Count. */
#define PASS_ON_EQUAL(name, id, neighbours, large, number, more)                    \
    PASS_ON(name, id, neighbours, large,                                            \
            equal(sendbuf, sendcount, sendtype, recvcount, recvtype, comm),         \
            (const void *sendbuf, number sendcount, handle sendtype, void *recvbuf, \
             number recvcount, handle recvtype, handle comm more##_TYPES),          \
            (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm more##_NAMES))

/* Arrays are pointers, whatever their elements are. */
#define PASS_ON_VARIED(name, id, neighbours, large, more)                                    \
    PASS_ON(name, id, neighbours, large,                                                     \
            varied(sendbuf, sendcounts, sendtype, recvcounts, recvtype, comm),               \
            (const void *sendbuf, const void *sendcounts, const void *sdispls,               \
             handle sendtype, void *recvbuf, const void *recvcounts, const void *rdispls,    \
             handle recvtype, handle comm more##_TYPES),                                     \
            (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, \
             comm more##_NAMES))

#define PASS_ON_TYPED(name, id, neighbours, large, more)                                       \
    PASS_ON(name, id, neighbours, large,                                                       \
            typed(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, comm),                \
            (const void *sendbuf, const void *sendcounts, const void *sdispls,                 \
             const void *sendtypes, void *recvbuf, const void *recvcounts,                     \
             const void *rdispls, const void *recvtypes, handle comm more##_TYPES),            \
            (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, \
             comm more##_NAMES))

/* The functions that every MPI-3 has. */
PASS_ON_VARIED(Alltoallv, Alltoallv, false, false, ALONE)
PASS_ON_TYPED(Alltoallw, Alltoallw, false, false, ALONE)
PASS_ON_EQUAL(Ialltoall, Ialltoall, false, false, int, REQUEST)
PASS_ON_VARIED(Ialltoallv, Ialltoallv, false, false, REQUEST)
PASS_ON_TYPED(Ialltoallw, Ialltoallw, false, false, REQUEST)
PASS_ON_EQUAL(Neighbor_alltoall, Neighbor_alltoall, true, false, int, ALONE)
PASS_ON_VARIED(Neighbor_alltoallv, Neighbor_alltoallv, true, false, ALONE)
PASS_ON_TYPED(Neighbor_alltoallw, Neighbor_alltoallw, true, false, ALONE)
PASS_ON_EQUAL(Ineighbor_alltoall, Ineighbor_alltoall, true, false, int, REQUEST)
PASS_ON_VARIED(Ineighbor_alltoallv, Ineighbor_alltoallv, true, false, REQUEST)
PASS_ON_TYPED(Ineighbor_alltoallw, Ineighbor_alltoallw, true, false, REQUEST)

#ifdef HAVE_MPI_ALLTOALL_C
PASS_ON_VARIED(Alltoallv_c, Alltoallv, false, true, ALONE)
PASS_ON_TYPED(Alltoallw_c, Alltoallw, false, true, ALONE)
PASS_ON_EQUAL(Ialltoall_c, Ialltoall, false, true, int64_t, REQUEST)
PASS_ON_VARIED(Ialltoallv_c, Ialltoallv, false, true, REQUEST)
PASS_ON_TYPED(Ialltoallw_c, Ialltoallw, false, true, REQUEST)
PASS_ON_EQUAL(Neighbor_alltoall_c, Neighbor_alltoall, true, true, int64_t, ALONE)
PASS_ON_VARIED(Neighbor_alltoallv_c, Neighbor_alltoallv, true, true, ALONE)
PASS_ON_TYPED(Neighbor_alltoallw_c, Neighbor_alltoallw, true, true, ALONE)
PASS_ON_EQUAL(Ineighbor_alltoall_c, Ineighbor_alltoall, true, true, int64_t, REQUEST)
PASS_ON_VARIED(Ineighbor_alltoallv_c, Ineighbor_alltoallv, true, true, REQUEST)
PASS_ON_TYPED(Ineighbor_alltoallw_c, Ineighbor_alltoallw, true, true, REQUEST)
#endif

#ifdef HAVE_MPI_ALLTOALL_INIT
PASS_ON_EQUAL(Alltoall_init, Alltoall_init, false, false, int, HINTS)
PASS_ON_VARIED(Alltoallv_init, Alltoallv_init, false, false, HINTS)
PASS_ON_TYPED(Alltoallw_init, Alltoallw_init, false, false, HINTS)
PASS_ON_EQUAL(Neighbor_alltoall_init, Neighbor_alltoall_init, true, false, int, HINTS)
PASS_ON_VARIED(Neighbor_alltoallv_init, Neighbor_alltoallv_init, true, false, HINTS)
PASS_ON_TYPED(Neighbor_alltoallw_init, Neighbor_alltoallw_init, true, false, HINTS)
#endif

#ifdef HAVE_MPI_ALLTOALL_INIT_C
PASS_ON_EQUAL(Alltoall_init_c, Alltoall_init, false, true, int64_t, HINTS)
PASS_ON_VARIED(Alltoallv_init_c, Alltoallv_init, false, true, HINTS)
PASS_ON_TYPED(Alltoallw_init_c, Alltoallw_init, false, true, HINTS)
PASS_ON_EQUAL(Neighbor_alltoall_init_c, Neighbor_alltoall_init, true, true, int64_t, HINTS)
PASS_ON_VARIED(Neighbor_alltoallv_init_c, Neighbor_alltoallv_init, true, true, HINTS)
PASS_ON_TYPED(Neighbor_alltoallw_init_c, Neighbor_alltoallw_init, true, true, HINTS)
#endif
