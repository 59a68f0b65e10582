/* datatype.c - the MPI library's own all-to-all on a derived datatype per round

   This is the paper's zero-copy form. The strided segments of a composite block are a vector,
   which is resized so that consecutive composite blocks start one segment apart, and MPI moves
   the data. The type is made once for a block size and kept. It pays where an MPI or a network
   gathers strided data in hardware. Elsewhere packing is faster: docs/decisions.md, "Messages
   are packed; the datatype exchange is kept".

   Cost = the cost of the MPI's own algorithm, and of its walk over the vector. */
#include "exchange/exchange.h"
#include "mpi/large.h"
#include "process/simulation.h"

struct datatype_prepared {
    /* False if there is no type: the round goes through exchange_native. */
    bool made;
    /* One composite block. */
    MPI_Datatype type;
};

/* The widest element. MPI may move an element by one load and one store, and the program's
   buffers may lie at any address. Processors other than these may refuse a wide element at an
   address that is no multiple of its size. On 32-bit x86 a load and a store of a double may
   also change its bits: a signalling NaN becomes a quiet one. */
#if defined __x86_64__ || defined __aarch64__
enum { WIDEST = 16 };
#else
enum { WIDEST = 1 };
#endif

/* Returns the widest predefined type whose size divides the segment, because MPI moves whole
   elements. */
static MPI_Datatype widest_element(size_t segment, size_t *size)
{
    static const size_t widths[] = {16, 8, 4, 2, 1};
    const MPI_Datatype types[] = {MPI_C_DOUBLE_COMPLEX, MPI_INT64_T, MPI_INT32_T, MPI_INT16_T,
                                  MPI_BYTE};
    size_t i = 0;

    while (widths[i] > WIDEST || segment % widths[i] != 0)
        i++;
    *size = widths[i];
    return types[i];
}

static void datatype_prepare(const struct layout *layout, const void *state, void *prepared)
{
    struct datatype_prepared *kept = prepared;
    size_t width;
    MPI_Datatype element = widest_element(layout->segment, &width);
    MPI_Datatype vector, composite;

    (void)state;
    /* Contiguous data goes through exchange_native: MPICH copies it by memcpy only if its type
       is not derived. */
    if (layout_is_contiguous(layout))
        return;
    if (LARGE(PMPI_Type_vector)(
            (large_count)layout->segments, (large_count)(layout->segment / width),
            (large_count)(layout->stride / width), element, &vector) != MPI_SUCCESS)
        return;
    int err = PMPI_Type_create_resized(vector, 0, (MPI_Aint)layout->segment, &composite);
    PMPI_Type_free(&vector);
    if (err != MPI_SUCCESS)
        return;
    if (PMPI_Type_commit(&composite) != MPI_SUCCESS) {
        PMPI_Type_free(&composite);
        return;
    }
    *kept = (struct datatype_prepared){.made = true, .type = composite};
}

static void datatype_release(void *prepared)
{
    struct datatype_prepared *kept = prepared;

    if (kept->made)
        PMPI_Type_free(&kept->type);
}

/* MPI does not take the same buffer on both sides, so exchange_native carries out an in-place
   round. It needs no more of a round than this exchange does. */
static int datatype_alltoall(const struct round *round)
{
    const struct datatype_prepared *kept = round->prepared;

    if (!kept->made || round_is_in_place(round))
        return exchange_native.alltoall(round);
    /* MPI walks over the segments of all composite blocks twice: to send and to receive. */
    const struct layout *layout = &round->layout;
    const size_t segments = 2 * (size_t)layout->segments * (size_t)layout->peers;
    simulation_copy(segments, segments * layout->segment);
    return LARGE(PMPI_Alltoall)(round->in, 1, kept->type, round->out, 1, kept->type,
                                round->comm);
}

const struct exchange exchange_datatype = {.alltoall = datatype_alltoall,
                                           .prepared_size = sizeof(struct datatype_prepared),
                                           .prepare = datatype_prepare,
                                           .release = datatype_release,
                                           .sends_messages = true};
