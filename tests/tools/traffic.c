/* traffic.c - prints what a rank sends and copies in one all-to-all through toruses by messages

   traffic linear|pairwise DIMS[,DIMS...]

   Each line has the factors, the messages, the blocks sent, and the blocks copied. The rounds
   run in the library's own exchange, but the functions below take the place of MPI's and of the
   copy, and only count. model.test compares the counts with those of torus-a2a-model. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copy/strided.h"
#include "exchange/exchange.h"
#include "mpi/large.h"
#include "policy/factorization.h"
#include "settings/values.h"

/* The blocks have one byte, so that bytes are blocks. */
static size_t messages, sent, copied;

static int count_message(large_count size)
{
    messages++;
    sent += (size_t)size;
    return MPI_SUCCESS;
}

int LARGE(PMPI_Isend)(const void *buf, large_count count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *request)
{
    (void)buf, (void)type, (void)to, (void)tag, (void)comm, (void)request;
    return count_message(count);
}

int LARGE(PMPI_Recv)(void *buf, large_count count, MPI_Datatype type, int from, int tag,
                     MPI_Comm comm, MPI_Status *status)
{
    (void)buf, (void)count, (void)type, (void)from, (void)tag, (void)comm, (void)status;
    return MPI_SUCCESS;
}

int LARGE(PMPI_Sendrecv)(const void *out, large_count count, MPI_Datatype type, int to, int tag,
                         void *in, large_count in_count, MPI_Datatype in_type, int from,
                         int in_tag, MPI_Comm comm, MPI_Status *status)
{
    (void)out, (void)type, (void)to, (void)tag, (void)in, (void)in_count, (void)in_type;
    (void)from, (void)in_tag, (void)comm, (void)status;
    return count_message(count);
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    (void)request, (void)status;
    return MPI_SUCCESS;
}

void strided_copy(const struct strided *to, const struct strided *from, size_t rows,
                  size_t segments, size_t segment)
{
    (void)to, (void)from;
    copied += rows * segments * segment;
}

static void run_rounds(const struct exchange *exchange, const struct factors *factors)
{
    /* Nobody reads or writes these bytes, but a round is in place if in and out are one. */
    static char bytes[4];
    struct round round = {.block = 1,
                          .in = &bytes[0],
                          .out = &bytes[1],
                          .send_staging = &bytes[2],
                          .recv_staging = &bytes[3]};

    messages = sent = copied = 0;
    for (int k = factors->num - 1; k >= 0; k--) {
        round.layout = layout_of_round(factors, k);
        round.requests = calloc((size_t)round.layout.peers, sizeof *round.requests);
        exchange->alltoall(&round);
        free(round.requests);
    }
}

int main(int argc, char **argv)
{
    struct dims_list list;
    char text[64];

    if (argc != 3 || !value_parse_dims(argv[2], &list))
        return EXIT_FAILURE;
    for (int i = 0; i < list.num; i++) {
        run_rounds(strcmp(argv[1], "linear") == 0 ? &exchange_linear : &exchange_pairwise,
                   &list.entry[i]);
        factorization_format(&list.entry[i], text, sizeof text);
        printf("%s %zu %zu %zu\n", text, messages, sent, copied);
    }
    return EXIT_SUCCESS;
}
