/* datatype.c - the MPI library's own all-to-all on a derived datatype per round

   The paper's zero-copy form: the strided segments of a composite block are a vector, resized
   so that consecutive composite blocks start one segment apart, and MPI moves the data. The
   type is made once for a block size and kept. Good where an MPI or a network gathers strided
   data in hardware; elsewhere packing is faster (docs/measurements.md). A user's datatype at
   either end is packed, as its handle may be freed and used again between two calls; so is the
   other end of that round. */
#include "exchange/exchange.h"
#include "mpi/large.h"

/* The widest predefined type whose size divides the segment: MPI moves whole elements. */
static MPI_Datatype widest_element(size_t segment, size_t *size)
{
    static const size_t widths[] = {16, 8, 4, 2, 1};
    const MPI_Datatype types[] = {MPI_C_DOUBLE_COMPLEX, MPI_INT64_T, MPI_INT32_T, MPI_INT16_T,
                                  MPI_BYTE};
    size_t i = 0;

    while (segment % widths[i] != 0)
        i++;
    *size = widths[i];
    return types[i];
}

static void prepare(const struct layout *layout, const void *state, struct prepared *prepared)
{
    size_t width;
    MPI_Datatype element = widest_element(layout->segment, &width);
    MPI_Datatype vector, composite;

    (void)state;
    /* Contiguous data is sent as contiguous bytes: derived types miss MPICH's memcpy path. */
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
    prepared->type = composite;
}

static int alltoall(const struct round *round)
{
    MPI_Datatype type = round->prepared->type;

    /* Packed where there is no type, one buffer is both sides, or a side has a user's type;
       then both sides are, as the all-to-all of Open MPI 4.1 is wrong on 16 ranks or more where
       sender and receiver describe the bytes in different ways. native needs no more of a
       round than this exchange does. */
    if (type == MPI_DATATYPE_NULL || round->aliased || !blocks_are_packed(&round->in) ||
        !blocks_are_packed(&round->out))
        return exchange_native.alltoall(round);
    return LARGE(PMPI_Alltoall)(round->in.base, 1, type, round->out.base, 1, type, round->comm);
}

const struct exchange exchange_datatype = {
    .alltoall = alltoall, .prepare = prepare, .communicators = 1};
