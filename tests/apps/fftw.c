/* fftw.c - FFTW's MPI transforms in two and three dimensions, compared with its serial
   transform

   The forward transform leaves its output transposed, and the backward transform takes its
   input transposed. FFTW exchanges data by MPI_Alltoall if the ranks have equal blocks, the
   plan may destroy its input, and the result goes to another array. Otherwise it uses
   MPI_Sendrecv. So each transform here is one call.

   Rank 0 prints a line for each transform. The line is the same if all ranks have the same
   bits. */
#include <complex.h>
#include <fftw3-mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct transform {
    int dimensions;
    ptrdiff_t n[3];
    /* The number of elements that have the same first two indices. */
    ptrdiff_t inner;
    /* The part of the first dimension that this rank has before the transform. */
    ptrdiff_t rows, first_row;
    /* The part of the second dimension that this rank has while the data are transposed. */
    ptrdiff_t columns, first_column;
    /* The number of elements that FFTW needs in an array. */
    ptrdiff_t room;
};

static void *zeros(ptrdiff_t elements)
{
    void *array = fftw_alloc_complex((size_t)elements);

    if (array == NULL)
        MPI_Abort(MPI_COMM_WORLD, 99);
    return memset(array, 0, (size_t)elements * sizeof(fftw_complex));
}

/* A number for each index. The numbers have no pattern that a wrong transform would keep. */
static fftw_complex input(ptrdiff_t index)
{
    uint32_t x = (uint32_t)index * 2654435761U;

    x ^= x >> 15;
    x *= 2246822519U;
    return (double)(x >> 16) / 65536.0 + (double)(x & 0xffff) / 65536.0 * I;
}

static fftw_complex *serial(const struct transform *t)
{
    const int n[3] = {(int)t->n[0], (int)t->n[1], (int)t->n[2]};
    const ptrdiff_t all = t->n[0] * t->n[1] * t->inner;
    fftw_complex *array = zeros(all);
    fftw_plan plan = fftw_plan_dft(t->dimensions, n, array, array, FFTW_FORWARD, FFTW_ESTIMATE);

    for (ptrdiff_t i = 0; i < all; i++)
        array[i] = input(i);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return array;
}

/* Executes a plan from one array to another one, which FFTW may do by MPI_Alltoall. */
static void transform(const struct transform *t, const fftw_complex *from, fftw_complex *to,
                      int sign, unsigned transposed)
{
    fftw_complex *copy = zeros(t->room);
    fftw_plan plan = fftw_mpi_plan_dft(t->dimensions, t->n, copy, to, MPI_COMM_WORLD, sign,
                                       FFTW_ESTIMATE | FFTW_DESTROY_INPUT | transposed);

    memcpy(copy, from, (size_t)t->room * sizeof *copy);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    fftw_free(copy);
}

/* The largest difference between the transposed columns of this rank and the columns of the
   serial transform. */
static double forward_error(const struct transform *t, const fftw_complex *spectrum)
{
    fftw_complex *right = serial(t);
    double error = 0;

    for (ptrdiff_t j = 0; j < t->columns; j++) {
        for (ptrdiff_t i = 0; i < t->n[0]; i++) {
            const fftw_complex *mine = spectrum + (j * t->n[0] + i) * t->inner;
            const fftw_complex *same = right + (i * t->n[1] + t->first_column + j) * t->inner;
            for (ptrdiff_t k = 0; k < t->inner; k++)
                error = cabs(mine[k] - same[k]) > error ? cabs(mine[k] - same[k]) : error;
        }
    }
    fftw_free(right);
    return error;
}

static double back_error(const struct transform *t, const fftw_complex *back)
{
    const double all = (double)(t->n[0] * t->n[1] * t->inner);
    const ptrdiff_t row = t->n[1] * t->inner;
    double error = 0;

    for (ptrdiff_t i = 0; i < t->rows * row; i++) {
        double distance = cabs(back[i] / all - input(t->first_row * row + i));
        error = distance > error ? distance : error;
    }
    return error;
}

/* The FNV-1a hash of the rank and of all bits of an array. The rank is in it so that data on
   the wrong rank gives another hash. */
static uint64_t digest(const fftw_complex *array, ptrdiff_t elements)
{
    const unsigned char *bytes = (const unsigned char *)array;
    uint64_t hash = 14695981039346656037U;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    hash = (hash ^ (uint64_t)rank) * 1099511628211U;
    for (size_t i = 0; i < (size_t)elements * sizeof *array; i++)
        hash = (hash ^ bytes[i]) * 1099511628211U;
    return hash;
}

static bool report(const char *what, int dimensions, double error, uint64_t bits)
{
    double worst;
    uint64_t together;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce(&bits, &together, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d-D %s: largest error %.2e, bits %016llx\n", dimensions, what, worst,
               (unsigned long long)together);
    return worst < 1e-11;
}

static bool there_and_back(int dimensions, const ptrdiff_t n[3])
{
    struct transform t = {
        .dimensions = dimensions, .n = {n[0], n[1], n[2]}, .inner = dimensions == 3 ? n[2] : 1};
    bool good;

    t.room = fftw_mpi_local_size_transposed(dimensions, t.n, MPI_COMM_WORLD, &t.rows,
                                            &t.first_row, &t.columns, &t.first_column);
    fftw_complex *data = zeros(t.room), *spectrum = zeros(t.room);
    for (ptrdiff_t i = 0; i < t.rows * t.n[1] * t.inner; i++)
        data[i] = input(t.first_row * t.n[1] * t.inner + i);

    transform(&t, data, spectrum, FFTW_FORWARD, FFTW_MPI_TRANSPOSED_OUT);
    good = report("forward", dimensions, forward_error(&t, spectrum),
                  digest(spectrum, t.columns * t.n[0] * t.inner));
    transform(&t, spectrum, data, FFTW_BACKWARD, FFTW_MPI_TRANSPOSED_IN);
    good = report("back", dimensions, back_error(&t, data),
                  digest(data, t.rows * t.n[1] * t.inner)) &&
           good;
    fftw_free(data);
    fftw_free(spectrum);
    return good;
}

int main(int argc, char **argv)
{
    const ptrdiff_t plane[3] = {64, 48, 1}, box[3] = {16, 24, 20};
    int rank;

    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%s\n", fftw_version);
    bool good = there_and_back(2, plane);
    good = there_and_back(3, box) && good;
    fftw_mpi_cleanup();
    MPI_Finalize();
    return good ? 0 : 1;
}
