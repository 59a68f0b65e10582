/* gpu.h - a stand-in for a GPU: its runtime (gpu_runtime.c), and an MPI that knows it
   (gpu_mpi.c)

   Memory of the stand-in is mapped twice. The program has one address of it, the face; if the
   processor must not touch the memory, whoever reads or writes there dies of SIGSEGV. The MPI
   and the test reach the same bytes at another address, the view. */
#ifndef GPU_H
#define GPU_H

#include <stddef.h>

/* GPU_APART is managed memory that the processor must not touch while the device computes, on a
   device of CUDA's that does not share it. HIP has no such memory. */
enum gpu_kind { GPU_NONE, GPU_PINNED, GPU_MANAGED, GPU_DEVICE, GPU_APART, GPU_KINDS };

/* The functions below are looked up by name: the runtime is loaded when the program runs. */

/* Of the runtime: memory of a kind, for the rest of the process. */
typedef void *gpu_alloc_fn(size_t size, enum gpu_kind kind);
gpu_alloc_fn gpu_alloc;

/* The view of a face. Any other address is returned as it came. */
typedef void *gpu_view_fn(const void *face);
gpu_view_fn gpu_view;

/* How often the runtime was asked about a pointer. */
typedef long gpu_asked_fn(void);
gpu_asked_fn gpu_asked;

/* What CUDA returns for memory that is not its own; 0 for the usual error. */
typedef void gpu_set_fn(int value);
gpu_set_fn gpu_set_error;
/* Which version HIP has, as hipRuntimeGetVersion tells it. */
gpu_set_fn gpu_set_hip_version;
/* Leaves an error of HIP's, as a call of the program's that failed. */
gpu_set_fn gpu_set_hip_error;

/* Of the MPI: how often MPI_Pack or MPI_Unpack was called on a buffer, and how often MPI's own
   all-to-all was. */
typedef long gpu_count_fn(void);
gpu_count_fn gpu_packs;
gpu_count_fn gpu_natives;

#endif
