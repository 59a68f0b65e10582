/* paper_listing.c - the torus all-to-all as Träff's paper prints it

   J. L. Träff, "Effective MPI: User-defined Datatypes and Cartesian Communicators for Zero-copy
   All-to-all Communication in Multidimensional Tori", 2026: the section "The Implementation in
   MPI" has the factorization, the caching and the all-to-all. This file makes the same MPI
   calls in the same order. The benchmark compares the library with it, so this file must not
   become faster than the paper's program. */
#include "tools/shared/paper_listing.h"

#include <stdlib.h>

/* What is cached on the Cartesian communicator. */
struct listing_torus {
    /* The number of dimensions. */
    int num;
    /* The communicator of this rank along each dimension. */
    MPI_Comm comm[FACTORS_MAX];
};

static int listing_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    struct listing_torus *torus = value;

    (void)comm;
    (void)keyval;
    (void)extra;
    for (int i = 0; i < torus->num; i++)
        MPI_Comm_free(&torus->comm[i]);
    free(torus);
    return MPI_SUCCESS;
}

static int listing_keyval(void)
{
    static int keyval = MPI_KEYVAL_INVALID;

    if (keyval == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, listing_delete, &keyval, NULL);
    return keyval;
}

void paper_listing_factorize(MPI_Comm comm, const struct factors *factors, MPI_Comm *cartesian)
{
    int periodic[FACTORS_MAX], origin[FACTORS_MAX];
    int rank, stride;
    struct listing_torus *torus = malloc(sizeof *torus);

    if (torus == NULL)
        MPI_Abort(comm, EXIT_FAILURE);
    for (int i = 0; i < factors->num; i++)
        periodic[i] = 1;
    MPI_Cart_create(comm, factors->num, factors->size, periodic, 0, cartesian);
    MPI_Comm_rank(*cartesian, &rank);
    MPI_Comm_size(*cartesian, &stride);
    MPI_Cart_coords(*cartesian, rank, factors->num, origin);

    torus->num = factors->num;
    for (int i = 0; i < factors->num; i++) {
        stride /= factors->size[i];
        MPI_Comm_split(*cartesian, rank - origin[i] * stride, origin[i], &torus->comm[i]);
    }
    MPI_Comm_set_attr(*cartesian, listing_keyval(), torus);
}

/* Returns the type of the composite block of the round along dimension k. It consists of
   segments of count blocks. For each dimension before k a resized type inside a contiguous type
   repeats them. */
static MPI_Datatype composite_type(const struct listing_torus *torus, const MPI_Aint stride[],
                                   int k, int count, MPI_Datatype block, MPI_Aint extent)
{
    MPI_Datatype segment, tile, composite;

    MPI_Type_contiguous(count, block, &segment);
    for (int i = 0; i < k; i++) {
        int size;
        MPI_Type_create_resized(segment, 0, stride[i] * extent, &tile);
        MPI_Type_free(&segment);
        MPI_Comm_size(torus->comm[i], &size);
        MPI_Type_contiguous(size, tile, &segment);
        MPI_Type_free(&tile);
    }
    MPI_Type_create_resized(segment, 0, count * extent, &composite);
    MPI_Type_free(&segment);
    MPI_Type_commit(&composite);
    return composite;
}

/* Sets stride[k] to the distance in blocks from one rank to the next along dimension k. */
static void dimension_strides(const struct listing_torus *torus, MPI_Aint stride[])
{
    MPI_Aint product = 1;

    for (int i = torus->num - 1; i >= 0; i--) {
        int size;
        stride[i] = product;
        MPI_Comm_size(torus->comm[i], &size);
        product *= size;
    }
}

void paper_listing_alltoall(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                            MPI_Comm cartesian)
{
    MPI_Datatype block;
    MPI_Aint lower, extent, stride[FACTORS_MAX];
    struct listing_torus *torus;
    int procs, found, segment = 1;

    MPI_Comm_size(cartesian, &procs);
    MPI_Type_contiguous(count, type, &block);
    MPI_Type_get_extent(block, &lower, &extent);
    void *temporary = malloc((size_t)procs * (size_t)extent);
    if (temporary == NULL)
        MPI_Abort(cartesian, EXIT_FAILURE);
    MPI_Comm_get_attr(cartesian, listing_keyval(), &torus, &found);
    dimension_strides(torus, stride);

    /* Each round goes from one buffer to the other one. The first buffer is chosen so that the
       last round ends in recvbuf. */
    const void *from = sendbuf;
    void *to = torus->num % 2 == 0 ? temporary : recvbuf;
    for (int k = torus->num - 1; k >= 0; k--) {
        int size;
        MPI_Datatype composite = composite_type(torus, stride, k, segment, block, extent);
        /* The program in the paper calls MPI_Alltoall. Here that would be the library. */
        PMPI_Alltoall(from, 1, composite, to, 1, composite, torus->comm[k]);
        MPI_Type_free(&composite);
        from = to;
        to = to == recvbuf ? temporary : recvbuf;
        MPI_Comm_size(torus->comm[k], &size);
        segment *= size;
    }
    MPI_Type_free(&block);
    free(temporary);
}
