/* gpu.h - a stand-in for a GPU: its runtime (gpu_runtime.c), and an MPI that knows it
   (gpu_mpi.c)

   The memory of the stand-in is mapped twice. The program has one address of it, the face. If
   the processor must not touch the memory, a read or a write at the face ends the process by
   SIGSEGV. The MPI and the test reach the same bytes at another address, the view. */
#ifndef GPU_H
#define GPU_H

#include <stddef.h>

/* GPU_APART is managed memory of a CUDA device that does not share it: the processor must not
   touch the memory while the device computes. HIP has no such memory. */
enum gpu_kind { GPU_NONE, GPU_PINNED, GPU_MANAGED, GPU_DEVICE, GPU_APART, GPU_KINDS };

/* The tests look these functions up by name, because the runtime is loaded while the program
   runs. */

/* A function of the runtime: allocates memory of a kind, which stays until the process ends. */
typedef void *gpu_alloc_fn(size_t size, enum gpu_kind kind);
gpu_alloc_fn gpu_alloc;

/* Returns the view of a face. Any other address is returned unchanged. */
typedef void *gpu_view_fn(const void *face);
gpu_view_fn gpu_view;

/* Returns how often the runtime was asked about a pointer. */
typedef long gpu_asked_fn(void);
gpu_asked_fn gpu_asked;

/* Sets the error that CUDA returns for memory that is not its own. 0 stands for the usual
 * error. */
typedef void gpu_set_fn(int value);
gpu_set_fn gpu_set_error;
/* Sets the version that hipRuntimeGetVersion returns. */
gpu_set_fn gpu_set_hip_version;
/* Leaves an error of HIP, as a failed call of the program does. */
gpu_set_fn gpu_set_hip_error;

/* Functions of the MPI: they return how often the library called MPI_Pack or MPI_Unpack, and
   how often it called the all-to-all of MPI itself. */
typedef long gpu_count_fn(void);
gpu_count_fn gpu_packs;
gpu_count_fn gpu_natives;

#endif
