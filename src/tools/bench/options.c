/* options.c - the options of torus-a2a-bench */
#include "tools/bench/options.h"

#include <stddef.h>

#include "tools/shared/crew.h"
#include "tools/shared/program.h"

const char program_name[] = "torus-a2a-bench";

#define FIELD(member) .field = offsetof(struct bench_options, member)

static const struct line_option rows[] = {
    {.help = "Block sizes:"},
    {"counts", "LIST",
     "numbers of MPI_INTs in a block, separated by commas (default: 1,2,5,10,20,50 and so on "
     "to 10000)",
     numbers_parse_counts, FIELD(counts), .allowed = NUMBERS_LIST},
    {"bytes", "LIST", "block sizes in bytes instead, with k or m for the binary units: 4,64,1k",
     numbers_parse_bytes, FIELD(counts), .allowed = NUMBERS_BYTES},
    {.help = "Contestants besides native and torus-a2a:"},
    {"ndims", "LIST",
     "compare balanced factors with these numbers of dimensions (default: every number from 2 "
     "to log2 of the number of ranks, rounded up, and at most 8)",
     contestants_parse_ndims, FIELD(contestants.ndims),
     .allowed = "a list of numbers from 1 to 31"},
    {"dims", "LIST", "compare these factors: 8x4,4x4x2; the benchmark chooses a factor 0",
     value_parse_dims, FIELD(contestants.dims),
     .allowed = "factors such as 8x4, or a list of them"},
    {"exchange", "LIST",
     "compare one torus for each of these: " EXCHANGE_NAMES_TEXT " (default: auto)",
     value_parse_exchanges, FIELD(contestants.exchange),
     .allowed = "a list of " EXCHANGE_NAMES_TEXT},
    {"listing", NULL,
     "compare the program that the paper prints, which creates its datatypes in every call "
     "(default)",
     FIELD(contestants.listing), .setting = true},
    {"no-listing", NULL, "do not compare the program that the paper prints",
     FIELD(contestants.listing), .setting = false},
    {"alone", NULL,
     "compare only native and torus-a2a; the other options of this group have no effect",
     FIELD(contestants.alone), .setting = true},
    {.help = "Measurement:"},
    {"warmups", "NUMBER",
     "make so many calls before the first measured call, and verify the last of them (default: "
     "400, or as many as take a second)",
     numbers_parse_one, FIELD(warmups), .allowed = NUMBERS_ONE},
    {"verify", NULL, "verify the last call to warm up (default)", FIELD(verify),
     .setting = true},
    {"no-verify", NULL,
     "verify nothing, and never write to the buffers: for a simulation whose ranks share their "
     "memory",
     FIELD(verify), .setting = false},
    {"repetitions", "NUMBER", "measure every contestant so many times (default: 40)",
     numbers_parse_one, FIELD(repetitions), .allowed = NUMBERS_ONE},
    {"calls", "NUMBER",
     "make so many calls in a row in each measurement, and divide the time by their number "
     "(default: 1)",
     numbers_parse_one, FIELD(calls), .allowed = NUMBERS_ONE},
    {.help = "Output:"},
    {"model", NULL,
     "fit a cost model to toruses by messages, and compare what it predicts and chooses with "
     "the measurements (needs SciPy)",
     FIELD(model), .setting = true},
    {"csv", "FILE", "write the results to FILE too, as comma-separated values", line_parse_file,
     FIELD(csv), .allowed = "the name of a file"},
    {"progress", NULL,
     "show on stderr what is being measured (default if stderr is a terminal)", FIELD(progress),
     .setting = true},
};

const struct command_line bench_command_line = {
    .options = rows,
    .num = sizeof rows / sizeof rows[0],
    .purpose =
        "Compares MPI_Alltoall of the MPI library with torus all-to-alls, over all ranks "
        "of the job",
    .example = "mpiexec -n 16 torus-a2a-bench --ndims=2",
};

void bench_options_default(struct bench_options *options)
{
    *options = (struct bench_options){
        .contestants = {.library = true,
                        .exchange = {.num = 1, .id = {EXCHANGE_AUTO}},
                        .listing = true},
        .warmups = WARMUPS_AUTO,
        .verify = true,
        .repetitions = 40,
        .calls = 1,
    };
    numbers_default_counts(&options->counts);
}
