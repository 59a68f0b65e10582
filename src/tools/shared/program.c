/* program.c - the main function of a measuring program */
#include "tools/shared/program.h"

#include <mpi.h>
#include <stdlib.h>

#include "tools/shared/alone.h"

int program_main(int argc, char **argv, const struct program *program)
{
    int status = EXIT_SUCCESS, rank, procs;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    enum line_action action =
        command_line_parse(program->line, argc, argv, rank != 0, program->options);
    if (action == LINE_RUN)
        status = is_alone_by_mistake(procs) ? program->status_if_alone
                                            : program->run(program->state);
    else if (action == LINE_WRONG)
        status = EXIT_USAGE;
    else if (rank == 0)
        command_line_tell(program->line, action);
    MPI_Finalize();
    return status;
}
