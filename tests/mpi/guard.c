/* guard.c - right results while the library compares a torus with MPI's own all-to-all

   guard CALLS   makes so many calls on MPI_COMM_WORLD, with blocks of 4 bytes
   guard groups  makes calls on halves of MPI_COMM_WORLD, and then on other halves
   guard forget  makes calls of two sizes in turn, and rank 0 forgets what it remembers of them
   guard lesson  one communicator teaches that a size goes through another torus than the first
                 one, and on the next communicator every second rank has forgotten this size
   guard asked   makes calls with large blocks, after a torus that the program has asked for
   guard mix     makes calls of several sizes and kinds on two communicators, whose examinations
                 overlap */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mpi_tap.h"
#include "../right.h"
#include "../windows.h"
#include "torus_a2a.h"

static int rank, procs;

/* Every rank describes the block of two ints in its own way. */
static bool call_in_kinds(MPI_Comm comm, int number)
{
    int *out = calloc(2 * (size_t)procs, sizeof *out),
        *in = calloc(2 * (size_t)procs, sizeof *in);
    bool right = true;
    MPI_Datatype pair;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < 2 * procs; i++)
        out[i] = right_value(rank, i / 2, number + i % 2);
    if ((rank + number) % 3 == 0)
        MPI_Alltoall(out, 1, pair, in, 2, MPI_INT, comm);
    else
        MPI_Alltoall(out, 2, MPI_INT, in, 8, MPI_BYTE, comm);
    for (int i = 0; i < 2 * procs; i++)
        right = right && in[i] == right_value(i / 2, rank, number + i % 2);
    MPI_Type_free(&pair);
    free(out);
    free(in);
    return right;
}

static void mix(void)
{
    enum { CALLS = 1500 };
    MPI_Comm other;
    bool right = true;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = 0; i < CALLS; i++) {
        MPI_Comm comm = i % 5 == 0 ? other : MPI_COMM_WORLD;
        right = right_alltoall(comm, 1 + i * 7 % 40) && right;
        right = call_in_kinds(comm, i) && right;
    }
    ok_all(right, "%d calls of many kinds and sizes", 2 * CALLS);
    MPI_Comm_free(&other);
}

/* The second halves have the shape of the first ones, and other ranks. */
static void use_groups(void)
{
    enum { CALLS = 100 };
    const int colors[] = {rank % 2, rank < procs / 2};
    bool right = true;

    for (int i = 0; i < 2; i++) {
        MPI_Comm half;
        MPI_Comm_split(MPI_COMM_WORLD, colors[i], rank, &half);
        for (int k = 0; k < CALLS; k++)
            right = right_alltoall(half, 1) && right;
        MPI_Comm_free(&half);
    }
    ok_all(right, "%d calls on each half", CALLS);
}

/* When a communicator is freed, a process forgets where its calls went. The others do not. */
static void forget(void)
{
    enum { CALLS = 400, LARGE = 512, SMALL = 2 };
    bool right = true;

    for (int i = 0; i < CALLS; i++) {
        right = right_alltoall(MPI_COMM_WORLD, LARGE) && right;
        if (rank == 0) {
            MPI_Comm own;
            MPI_Comm_dup(MPI_COMM_SELF, &own);
            right = right_alltoall(own, 1) && right;
            MPI_Comm_free(&own);
        }
        right = right_alltoall(MPI_COMM_WORLD, SMALL) && right;
    }
    ok_all(right, "%d calls, while rank 0 forgets", 2 * CALLS);
}

/* With 512 KiB of memory the first torus for 8 ranks takes blocks of up to 21 845 bytes, and
   one of one dimension up to 32 768. For LARGE there is none, and LARGE is of the same class as
   MIDDLE. */
static void lesson(void)
{
    enum { CALLS = 20, LARGE = 10000, MIDDLE = 8192, SMALL = 1 };
    MPI_Comm teacher, pupil, own;
    bool right = true;

    MPI_Comm_dup(MPI_COMM_WORLD, &teacher);
    for (int i = 0; i < CALLS; i++)
        right = right_alltoall(teacher, MIDDLE) && right;
    MPI_Comm_free(&teacher);
    MPI_Comm_dup(MPI_COMM_WORLD, &pupil);
    right = right_alltoall(pupil, LARGE) && right;
    right = right_alltoall(pupil, MIDDLE) && right;
    if (rank % 2 == 1) {
        MPI_Comm_dup(MPI_COMM_SELF, &own);
        right = right_alltoall(own, SMALL) && right;
        MPI_Comm_free(&own);
    }
    right = right_alltoall(pupil, SMALL) && right;
    right = right_alltoall(pupil, MIDDLE) && right;
    ok_all(right, "calls after a lesson");
    MPI_Comm_free(&pupil);
}

/* Nobody compares the settings for a torus that the program asks for. */
static void asked(void)
{
    enum { CALLS = 10, LARGE = 50000 };
    MPI_Comm comm;
    bool right = torus_a2a_factorize(MPI_COMM_WORLD, 1, (int[]){0}, NULL) == MPI_SUCCESS;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < CALLS; i++)
        right = right_alltoall(comm, LARGE) && right;
    ok_all(right, "%d calls with large blocks", CALLS);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    bool right = true;
    int calls = argc > 1 ? atoi(argv[1]) : 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    if (argc > 1 && strcmp(argv[1], "groups") == 0)
        use_groups();
    else if (argc > 1 && strcmp(argv[1], "forget") == 0)
        forget();
    else if (argc > 1 && strcmp(argv[1], "lesson") == 0)
        lesson();
    else if (argc > 1 && strcmp(argv[1], "asked") == 0)
        asked();
    else if (calls == 0)
        mix();
    for (int i = 0; i < calls; i++)
        right = right_alltoall(MPI_COMM_WORLD, 1) && right;
    ok_all(right, "%d calls of one size", calls);
    if (rank == 0)
        printf("# rank 0 has %ld windows\n", windows_mapped().num);
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}
