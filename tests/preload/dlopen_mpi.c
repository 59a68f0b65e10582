/* dlopen_mpi.c - a program that is not linked to MPI and loads it with RTLD_LOCAL, as Python
   does

   dlopen_mpi LIBRARY          calls MPI_Alltoall of LIBRARY
   dlopen_mpi LIBRARY global   calls the first MPI_Alltoall in the order of the loader */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { PEERS_MAX = 64 };

static void *mpi;

static void *function(void *handle, const char *name)
{
    void *symbol = dlsym(handle, name);

    if (symbol == NULL)
        fprintf(stderr, "%s\n", dlerror());
    return symbol;
}

/* dlsym returns a pointer to an object, and C does not convert this to a pointer to a
   function. */
#define LOOK_UP(handle, name)                       \
    __typeof__(&name) my_##name;                    \
    *(void **)&my_##name = function(handle, #name); \
    if (my_##name == NULL)                          \
    return 1

/* Open MPI's handles are addresses in its library. The program looks them up by name, because
   the names of mpi.h would link the library. */
#ifdef OPEN_MPI
#undef MPI_COMM_WORLD
#undef MPI_INT
#define MPI_COMM_WORLD ((MPI_Comm)function(mpi, "ompi_mpi_comm_world"))
#define MPI_INT        ((MPI_Datatype)function(mpi, "ompi_mpi_int"))
#endif

static int run(void *source)
{
    int rank, size, out[PEERS_MAX], in[PEERS_MAX], status = 0;

    LOOK_UP(mpi, MPI_Init);
    LOOK_UP(mpi, MPI_Comm_rank);
    LOOK_UP(mpi, MPI_Comm_size);
    LOOK_UP(source, MPI_Alltoall);
    LOOK_UP(mpi, MPI_Finalize);

    my_MPI_Init(NULL, NULL);
    my_MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    my_MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++)
        out[i] = 100 * rank + i;
    my_MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        status |= in[i] != 100 * i + rank;
    my_MPI_Finalize();
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    mpi = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (mpi == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    return run(argc > 2 && strcmp(argv[2], "global") == 0 ? RTLD_DEFAULT : mpi);
}
