/* options.c - the options of torus-a2a-verify */
#include "tools/verify/options.h"

#include <stddef.h>

#include "tools/shared/crew.h"
#include "tools/shared/program.h"

const char program_name[] = "torus-a2a-verify";

#define FIELD(member) .field = offsetof(struct verify_options, member)

static const struct line_option rows[] = {
    {.help = "Block sizes:"},
    {"counts", "LIST",
     "numbers of MPI_INTs in a block, separated by commas (default: 1,2,5,10,20,50 and so on "
     "to 10000)",
     numbers_parse_counts, FIELD(counts), .allowed = NUMBERS_LIST},
    {"bytes", "LIST", "block sizes in bytes instead, with k or m for the binary units: 4,64,1k",
     numbers_parse_bytes, FIELD(counts), .allowed = NUMBERS_BYTES},
    {.help = "Toruses that MPI_Alltoall must not be slower than:"},
    {"ndims", "LIST",
     "balanced factors with these numbers of dimensions (default: every number from 2 "
     "to log2 of the number of ranks, rounded up, and at most 8)",
     contestants_parse_ndims, FIELD(contestants.ndims),
     .allowed = "a list of numbers from 1 to 31"},
    {"dims", "LIST", "these factors: 8x4,4x4x2; the program chooses a factor 0",
     value_parse_dims, FIELD(contestants.dims),
     .allowed = "factors such as 8x4, or a list of them"},
    {"exchange", "LIST",
     "one torus for each of these: " EXCHANGE_NAMES_TEXT
     " (default: native,datatype,linear,pairwise, which send messages of this MPI)",
     value_parse_exchanges, FIELD(contestants.exchange),
     .allowed = "a list of " EXCHANGE_NAMES_TEXT},
    {.help = "Measurement:"},
    {"warmups", "NUMBER",
     "make so many calls before the first measured call, and verify the data of the last of "
     "them (default: 400, or as many as take a second)",
     numbers_parse_one, FIELD(warmups), .allowed = NUMBERS_ONE},
    {"repetitions", "NUMBER",
     "measure each way so many times, in a new random order each time (default: 60)",
     numbers_parse_one, FIELD(repetitions), .allowed = NUMBERS_ONE},
    {"calls", "NUMBER",
     "make so many calls in a row in each measurement, and divide the time by their number "
     "(default: 1)",
     numbers_parse_one, FIELD(calls), .allowed = NUMBERS_ONE},
    {.help = "Output:"},
    {"report-only", NULL, "exit with status 0 even if the MPI breaks a guideline",
     FIELD(report_only), .setting = true},
    {"samples", "FILE", "write all measurements to FILE, as comma-separated values",
     line_parse_file, FIELD(samples), .allowed = "the name of a file"},
    {"csv", "FILE", "write the verdicts to FILE too, as comma-separated values",
     line_parse_file, FIELD(csv), .allowed = "the name of a file"},
    {"json", "FILE", "write the verdicts to FILE too, as JSON", line_parse_file, FIELD(json),
     .allowed = "the name of a file"},
    {"progress", NULL,
     "show on stderr what is being measured (default if stderr is a terminal)", FIELD(progress),
     .setting = true},
};

const struct command_line verify_command_line = {
    .options = rows,
    .num = sizeof rows / sizeof rows[0],
    .purpose = "Finds out whether MPI_Alltoall of the MPI library is slower than a torus that "
               "stands on the same library, or slower for fewer bytes",
    .example = "mpiexec -n 16 torus-a2a-verify --ndims=2,3",
};

void verify_options_default(struct verify_options *options)
{
    *options = (struct verify_options){
        .contestants = {.exchange = {.num = 4,
                                     .id = {EXCHANGE_NATIVE, EXCHANGE_DATATYPE, EXCHANGE_LINEAR,
                                            EXCHANGE_PAIRWISE}}},
        .warmups = WARMUPS_AUTO,
        .repetitions = 60,
        .calls = 1,
    };
    numbers_default_counts(&options->counts);
}
