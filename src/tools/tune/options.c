/* options.c - the options of torus-a2a-tune */
#include "tools/tune/options.h"

#include <stddef.h>
#include <string.h>

#include "tools/shared/program.h"

const char program_name[] = "torus-a2a-tune";

const char *const placement_names[PLACEMENTS] = {"world", "node", "across"};

/* Returns the kind with this name, or PLACEMENTS. */
static int find_placement(const char *name, size_t length)
{
    int kind = 0;

    while (kind < PLACEMENTS && (strlen(placement_names[kind]) != length ||
                                 strncmp(placement_names[kind], name, length) != 0))
        kind++;
    return kind;
}

static bool parse_placements(const char *text, void *field)
{
    struct placement_set *set = field;

    *set = (struct placement_set){{false}};
    for (;; text++) {
        size_t length = strcspn(text, ",");
        int kind = find_placement(text, length);
        if (kind == PLACEMENTS)
            return false;
        set->wanted[kind] = true;
        text += length;
        if (*text == '\0')
            return true;
    }
}

#define FIELD(member) .field = offsetof(struct tune_options, member)

static const struct line_option rows[] = {
    {.help = "Output:"},
    {"output", "FILE",
     "write the profile to FILE, and keep the rows there that are for other MPIs and other "
     "placements (required)",
     line_parse_file, FIELD(output), .required = true},
    {"restart", NULL, "measure anew what an interrupted run has kept in FILE.part",
     FIELD(restart), .setting = true},
    {"progress", NULL,
     "show on stderr what is being measured (default if stderr is a terminal)", FIELD(progress),
     .setting = true},
    {.help = "What is measured:"},
    {"placements", "LIST",
     "measure communicators of all ranks (world), of the ranks of a node (node), and of one "
     "rank of each node (across); default: world,node,across",
     parse_placements, FIELD(placements), .allowed = "a list of world, node, across"},
    {"bytes", "LIST",
     "measure these block sizes and no others, with k or m for the binary units: 4,64,1k",
     numbers_parse_bytes, FIELD(counts), .allowed = NUMBERS_BYTES},
    {"max-bytes", "BYTES",
     "the largest block size that the program chooses (default: 1m, or less where "
     "TORUS_A2A_MAX_MEMORY leaves no room)",
     numbers_parse_block, FIELD(most), .allowed = NUMBERS_BLOCK},
    {"repetitions", "NUMBER",
     "measure every way that may be the fastest so many times in each round (default: 30)",
     numbers_parse_one, FIELD(repetitions), .allowed = NUMBERS_ONE},
};

const struct command_line tune_command_line = {
    .options = rows,
    .num = sizeof rows / sizeof rows[0],
    .purpose = "Measures for which block sizes MPI_Alltoall is faster through a torus, and "
               "writes a profile for TORUS_A2A_PROFILE",
    .example = "mpiexec -n 64 torus-a2a-tune --output=torus.profile",
};

void tune_options_default(struct tune_options *options)
{
    *options = (struct tune_options){
        .placements = {{true, true, true}},
        .repetitions = 30,
    };
}
