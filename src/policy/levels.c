/* levels.c - hardware-guided splits of the nodes, as MPI has them from version 4.0 on */
#include "policy/levels.h"

#include <stdbool.h>

#include "config.h"

#if HAVE_DECL_MPI_COMM_TYPE_HW_GUIDED
/* The caller's part of whole; MPI_COMM_NULL where MPI has none, or no communicator for it. */
static MPI_Comm part_of(MPI_Comm whole, const char *name)
{
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Info info = MPI_INFO_NULL;
    int rank;

    bool named = PMPI_Info_create(&info) == MPI_SUCCESS &&
                 PMPI_Info_set(info, "mpi_hw_resource_type", name) == MPI_SUCCESS;
    /* A rank without the name is in no part; the others wait for it all the same. */
    int kind = named ? MPI_COMM_TYPE_HW_GUIDED : MPI_UNDEFINED;
    PMPI_Comm_rank(whole, &rank);
    int err = PMPI_Comm_split_type(whole, kind, rank, info, &part);
    if (info != MPI_INFO_NULL)
        PMPI_Info_free(&info);
    if (err != MPI_SUCCESS)
        return MPI_COMM_NULL;
    if (part != MPI_COMM_NULL)
        PMPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN);
    return part;
}
#else
static MPI_Comm part_of(MPI_Comm whole, const char *name)
{
    (void)whole;
    (void)name;
    return MPI_COMM_NULL;
}
#endif

/* Divides the caller's part, which becomes the smaller one. */
static int divide(MPI_Comm comm, MPI_Comm *part, const char *name, struct division *division)
{
    struct agreement agreement = {.value = 0};
    MPI_Comm smaller = part_of(*part, name);

    division_propose(*part, smaller, &agreement);
    int err = agree(comm, &agreement);
    if (err == MPI_SUCCESS)
        *division = division_conclude(*part, &agreement);
    if (smaller != MPI_COMM_NULL) {
        PMPI_Comm_free(part);
        *part = smaller;
    }
    return err;
}

int levels_find(MPI_Comm comm, MPI_Comm *part, const struct level_list *names,
                struct levels *levels)
{
    int err = MPI_SUCCESS;

    for (levels->num = 0; levels->num < names->num; levels->num++) {
        struct division *division = &levels->division[levels->num];
        err = divide(comm, part, names->name[levels->num], division);
        /* Where all are in one part, some MPIs have that, and others none. */
        if (err != MPI_SUCCESS || division->kind == DIVISION_IRREGULAR || division->parts == 1)
            break;
    }
    return err;
}
