/* time_calls.c - a preload for measurements, which says how much of a program's time its calls
   of MPI_Alltoall take

   Each rank prints one line in MPI_Finalize, if it has called MPI_Alltoall. The time of the
   program begins when MPI_Init ends. The time of a call contains the wait for ranks that call
   later. Calls from C and through mpif.h or "use mpi" are counted. In LD_PRELOAD this preload
   stands before the library, if the library is there. It is an aid, and no part of the
   library. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

typedef void init_f_fn(MPI_Fint *err);
typedef void init_thread_f_fn(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *err);
typedef void alltoall_f_fn(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                           void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                           const MPI_Fint *comm, MPI_Fint *err);
typedef void finalize_f_fn(MPI_Fint *err);

/* The names that gfortran gives to these functions. */
init_f_fn mpi_init_;
init_thread_f_fn mpi_init_thread_;
alltoall_f_fn mpi_alltoall_;
finalize_f_fn mpi_finalize_;

static double began, in_calls;
static long calls;
/* In some MPIs the Fortran function calls MPI_Alltoall. Such a call counts once. */
static int depth;

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double enter(void)
{
    depth++;
    return seconds();
}

static void leave(double before)
{
    if (--depth > 0)
        return;
    in_calls += seconds() - before;
    calls++;
}

static void report(void)
{
    const double all = seconds() - began;
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (calls > 0)
        fprintf(stderr,
                "time_calls: rank %d: %ld calls of MPI_Alltoall took %.6f s of %.6f s\n", rank,
                calls, in_calls, all);
    calls = 0;
}

int MPI_Init(int *argc, char ***argv)
{
    int err = PMPI_Init(argc, argv);

    began = seconds();
    return err;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int err = PMPI_Init_thread(argc, argv, required, provided);

    began = seconds();
    return err;
}

int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    static __typeof__(&MPI_Alltoall) next;
    const double before = enter();

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "MPI_Alltoall");
    int err = next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    leave(before);
    return err;
}

int MPI_Finalize(void)
{
    report();
    return PMPI_Finalize();
}

void mpi_init_(MPI_Fint *err)
{
    init_f_fn *next;

    *(void **)&next = dlsym(RTLD_NEXT, "mpi_init_");
    next(err);
    began = seconds();
}

void mpi_init_thread_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *err)
{
    init_thread_f_fn *next;

    *(void **)&next = dlsym(RTLD_NEXT, "mpi_init_thread_");
    next(required, provided, err);
    began = seconds();
}

void mpi_alltoall_(void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                   void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                   const MPI_Fint *comm, MPI_Fint *err)
{
    static alltoall_f_fn *next;
    const double before = enter();

    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "mpi_alltoall_");
    next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, err);
    leave(before);
}

void mpi_finalize_(MPI_Fint *err)
{
    finalize_f_fn *next;

    report();
    *(void **)&next = dlsym(RTLD_NEXT, "mpi_finalize_");
    next(err);
}
