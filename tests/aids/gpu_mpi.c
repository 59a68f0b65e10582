/* gpu_mpi.c - a preload with which the MPI knows the GPU of gpu_runtime.c

   The library calls MPI_Alltoall, MPI_Pack and MPI_Unpack with buffers of the GPU. With this
   preload these functions accept such buffers. */
#include <dlfcn.h>
#include <mpi.h>

#include "gpu.h"

static long packs, natives;

long gpu_packs(void)
{
    return packs;
}

long gpu_natives(void)
{
    return natives;
}

/* As long as no runtime is loaded, there is no memory of the GPU, and every address stays as it
   is. */
static void *view_of(const void *buffer)
{
    gpu_view_fn *view;

    *(void **)&view = dlsym(RTLD_DEFAULT, "gpu_view");
    return view != NULL ? view(buffer) : (void *)buffer;
}

/* Calls the function of the MPI with the same name. Each buffer is replaced by its view. */
#define KNOWING(name, counter, parameters, arguments)  \
    int name parameters                                \
    {                                                  \
        static __typeof__(&name) next;                 \
        counter++;                                     \
        if (next == NULL)                              \
            *(void **)&next = dlsym(RTLD_NEXT, #name); \
        return next arguments;                         \
    }

KNOWING(PMPI_Alltoall, natives,
        (const void *from, int from_num, MPI_Datatype from_type, void *to, int to_num,
         MPI_Datatype to_type, MPI_Comm comm),
        (view_of(from), from_num, from_type, view_of(to), to_num, to_type, comm))
KNOWING(PMPI_Pack, packs,
        (const void *from, int num, MPI_Datatype type, void *bytes, int size, int *position,
         MPI_Comm comm),
        (view_of(from), num, type, view_of(bytes), size, position, comm))
KNOWING(PMPI_Unpack, packs,
        (const void *bytes, int size, int *position, void *to, int num, MPI_Datatype type,
         MPI_Comm comm),
        (view_of(bytes), size, position, view_of(to), num, type, comm))

#if MPI_VERSION >= 4
KNOWING(PMPI_Pack_c, packs,
        (const void *from, MPI_Count num, MPI_Datatype type, void *bytes, MPI_Count size,
         MPI_Count *position, MPI_Comm comm),
        (view_of(from), num, type, view_of(bytes), size, position, comm))
KNOWING(PMPI_Unpack_c, packs,
        (const void *bytes, MPI_Count size, MPI_Count *position, void *to, MPI_Count num,
         MPI_Datatype type, MPI_Comm comm),
        (view_of(bytes), size, position, view_of(to), num, type, comm))
#endif
