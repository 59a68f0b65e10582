/* contestants.c - makes the contestants that the options of a program ask for */
#include "tools/shared/contestants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/factorization.h"
#include "tools/shared/numbers.h"
#include "tools/shared/paper_listing.h"
#include "tools/shared/program.h"

bool contestants_parse_ndims(const char *text, void *field)
{
    struct ndims_list *list = field;

    return numbers_read_list(text, FACTORS_MAX, FACTORS_MAX, list->value, &list->num);
}

static void refuse(MPI_Comm comm, const char *subject, const char *what)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        fprintf(stderr, "%s: %s: %s\n", program_name, subject, what);
}

static void library_alltoall(const struct contestant *contestant, const int *sendbuf,
                             int *recvbuf, int count)
{
    MPI_Alltoall(sendbuf, count, MPI_INT, recvbuf, count, MPI_INT, contestant->comm);
}

/* torus_a2a_query knows more than the settings only after the ranks have agreed on the torus.
   They do so in the first call, so it is made here. */
static int library_prepare(struct contestant *contestant)
{
    int procs;

    MPI_Comm_size(contestant->comm, &procs);
    int *buffers = calloc((size_t)procs * 2, sizeof *buffers);
    if (buffers == NULL)
        MPI_Abort(contestant->comm, EXIT_FAILURE);
    library_alltoall(contestant, buffers, buffers + procs, 1);
    free(buffers);
    return MPI_SUCCESS;
}

/* The Cartesian communicator takes the place of the duplicate. */
static int listing_prepare(struct contestant *contestant)
{
    MPI_Comm plain = contestant->comm;

    paper_listing_factorize(plain, &contestant->torus.factors, &contestant->comm);
    return MPI_Comm_free(&plain);
}

static void listing_alltoall(const struct contestant *contestant, const int *sendbuf,
                             int *recvbuf, int count)
{
    paper_listing_alltoall(sendbuf, recvbuf, count, MPI_INT, contestant->comm);
}

static const struct contestant_kind library_kind = {"torus-a2a", false, true, library_prepare,
                                                    library_alltoall};
static const struct contestant_kind listing_kind = {"listing", false, false, listing_prepare,
                                                    listing_alltoall};

static void make_label(struct contestant *contestant)
{
    const struct factors *factors = &contestant->torus.factors;
    enum exchange_id id = contestant->torus.exchange.id[0];
    const char *exchange = id == EXCHANGE_AUTO ? "" : exchange_names[id];
    char dims[CANDIDATE_TEXT / 2] = "";

    if (factors->num > 0)
        factorization_format(factors, dims, sizeof dims);
    snprintf(contestant->label, sizeof contestant->label, "%s%s%s%s%s", contestant->kind->name,
             *dims == '\0' ? "" : " ", dims, *exchange == '\0' ? "" : " ", exchange);
}

static bool is_in_list(const struct contestant_list *list, const char *label)
{
    for (int i = 0; i < list->num; i++) {
        if (strcmp(list->entry[i].label, label) == 0)
            return true;
    }
    return false;
}

/* Adds a contestant, unless the list has it already: several options may ask for the same
   factors. */
static bool add_contestant(struct contestant_list *list, MPI_Comm comm,
                           const struct contestant_kind *kind, const struct factors *dims,
                           enum exchange_id exchange)
{
    struct contestant contestant = {
        .kind = kind,
        .torus = {.factors = *dims, .exchange = {1, {exchange}}},
    };
    char text[MPI_MAX_ERROR_STRING];
    int length;

    make_label(&contestant);
    if (is_in_list(list, contestant.label))
        return true;
    struct contestant *entry =
        realloc(list->entry, ((size_t)list->num + 1) * sizeof *list->entry);
    if (entry == NULL)
        MPI_Abort(comm, EXIT_FAILURE);
    list->entry = entry;
    int error = contestant_prepare(&contestant, comm);
    if (error != MPI_SUCCESS) {
        MPI_Error_string(error, text, &length);
        refuse(comm, contestant.label, text);
        return false;
    }
    list->entry[list->num++] = contestant;
    return true;
}

static bool add_torus(struct contestant_list *list, MPI_Comm comm,
                      const struct contestants_wanted *wanted, const struct factors *dims)
{
    for (int i = 0; i < wanted->exchange.num; i++) {
        if (!add_contestant(list, comm, &contestant_torus, dims, wanted->exchange.id[i]))
            return false;
    }
    return true;
}

/* The factorizations that the options ask for, without factors of 1. */
struct factors_list {
    /* The number of factorizations. */
    int num;
    /* The factorizations, in the order of the contestants. */
    struct factors entry[DIMS_LIST_MAX + FACTORS_MAX];
};

static void append_factors(struct factors_list *list, struct factors factors)
{
    factorization_drop_ones(&factors);
    list->entry[list->num++] = factors;
}

/* No more dimensions are compared unless an option asks for them. Each dimension of each torus
   takes a communicator, and the toruses of a process may take 256 (process/accounts.c). */
enum { NDIMS_MOST = 8 };

/* Appends balanced factors for each number of dimensions up to NDIMS_MOST for which p has
   enough factors. */
static void append_every_ndims(struct factors_list *list, int p)
{
    for (int d = 2; d <= NDIMS_MOST && (INT64_C(1) << (d - 1)) < p; d++) {
        struct factors factors;
        factorization_balance(p, d, &factors);
        factorization_drop_ones(&factors);
        if (factors.num == d)
            append_factors(list, factors);
    }
}

static bool list_factors(const struct contestants_wanted *wanted, MPI_Comm comm,
                         struct factors_list *list)
{
    char text[LABEL_SIZE], what[64];
    int p;

    MPI_Comm_size(comm, &p);
    list->num = 0;
    if (wanted->alone)
        return true;
    if (wanted->ndims.num == 0 && wanted->dims.num == 0)
        append_every_ndims(list, p);
    for (int i = 0; i < wanted->ndims.num; i++) {
        struct factors factors;
        factorization_balance(p, wanted->ndims.value[i], &factors);
        append_factors(list, factors);
    }
    for (int i = 0; i < wanted->dims.num; i++) {
        struct factors factors;
        if (!factorization_fill(&wanted->dims.entry[i], p, &factors)) {
            factorization_format(&wanted->dims.entry[i], text, sizeof text);
            snprintf(what, sizeof what, "not a factorization of %d ranks", p);
            refuse(comm, text, what);
            return false;
        }
        append_factors(list, factors);
    }
    return true;
}

bool contestants_create(MPI_Comm comm, const struct contestants_wanted *wanted,
                        struct contestant_list *list)
{
    static const struct factors none = {.num = 0};
    struct factors_list factors;

    *list = (struct contestant_list){0};
    if (!list_factors(wanted, comm, &factors))
        return false;
    bool made = add_contestant(list, comm, &contestant_native, &none, EXCHANGE_AUTO);
    if (wanted->library)
        made = made && add_contestant(list, comm, &library_kind, &none, EXCHANGE_AUTO);
    for (int i = 0; made && i < factors.num; i++)
        made = add_torus(list, comm, wanted, &factors.entry[i]);
    for (int i = 0; made && wanted->listing && i < factors.num; i++)
        made = add_contestant(list, comm, &listing_kind, &factors.entry[i], EXCHANGE_AUTO);
    if (!made)
        contestants_free(list);
    return made;
}

void contestants_free(struct contestant_list *list)
{
    for (int i = 0; i < list->num; i++)
        MPI_Comm_free(&list->entry[i].comm);
    free(list->entry);
    *list = (struct contestant_list){0};
}
