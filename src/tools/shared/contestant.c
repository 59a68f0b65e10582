/* contestant.c - the two kinds of contestants that every program measures: native and a torus
 */
#include "tools/shared/contestant.h"

#include <string.h>

static int native_prepare(struct contestant *contestant)
{
    (void)contestant;
    return MPI_SUCCESS;
}

static void native_alltoall(const struct contestant *contestant, const int *sendbuf,
                            int *recvbuf, int count)
{
    PMPI_Alltoall(sendbuf, count, MPI_INT, recvbuf, count, MPI_INT, contestant->comm);
}

static int torus_prepare(struct contestant *contestant)
{
    const struct candidate *torus = &contestant->torus;
    char text[CANDIDATE_TEXT];

    /* torus_a2a_factorize wants the exchanges alone. */
    candidate_format(torus, ' ', text);
    const char *exchanges = strchr(text, ' ') + 1;
    MPI_Comm_set_errhandler(contestant->comm, MPI_ERRORS_RETURN);
    int error = torus_a2a_factorize(contestant->comm, torus->factors.num, torus->factors.size,
                                    exchanges);
    MPI_Comm_set_errhandler(contestant->comm, MPI_ERRORS_ARE_FATAL);
    return error;
}

static void torus_alltoall(const struct contestant *contestant, const int *sendbuf,
                           int *recvbuf, int count)
{
    torus_a2a_alltoall(sendbuf, count, MPI_INT, recvbuf, count, MPI_INT, contestant->comm);
}

const struct contestant_kind contestant_native = {"native", false, false, native_prepare,
                                                  native_alltoall};
const struct contestant_kind contestant_torus = {"torus", true, true, torus_prepare,
                                                 torus_alltoall};

int contestant_prepare(struct contestant *contestant, MPI_Comm comm)
{
    MPI_Comm_dup(comm, &contestant->comm);
    int error = contestant->kind->prepare(contestant);
    if (error != MPI_SUCCESS)
        MPI_Comm_free(&contestant->comm);
    return error;
}

void contestant_run(const struct contestant *contestant, const int *sendbuf, int *recvbuf,
                    int count)
{
    contestant->kind->alltoall(contestant, sendbuf, recvbuf, count);
}

bool contestant_is_decided(const struct contestant *contestant)
{
    return contestant->kind->is_decided;
}

void contestant_decide(const struct contestant *contestant, int count,
                       torus_a2a_decision *decision)
{
    const struct factors *factors = &contestant->torus.factors;

    *decision = (torus_a2a_decision){0};
    if (contestant->kind->is_decided) {
        torus_a2a_query(contestant->comm, (MPI_Aint)count * (MPI_Aint)sizeof(int), decision);
        return;
    }
    decision->ndims = factors->num;
    memcpy(decision->dims, factors->size, sizeof factors->size);
}

bool contestant_takes_part(const struct contestant *contestant, int count)
{
    torus_a2a_decision decision;

    if (!contestant->kind->is_torus)
        return true;
    contestant_decide(contestant, count, &decision);
    return decision.torus != 0;
}
