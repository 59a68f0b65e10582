/* settings.c - the table of settings, and how it is read from the environment */
#include "settings/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/misspelt.h"

#include "config.h"

extern char **environ;

#define FIELD(member) offsetof(struct settings, member)

const struct setting settings_table[] = {
    {
        .name = "ENABLE",
        .value_name = "0|1",
        .default_value = "1",
        .allowed = "0 or 1",
        .help = "let the library decide how every call goes (1), or leave every call to the "
                "MPI library (0)",
        .example = "0",
        .purpose = "shows how fast the MPI library's own all-to-all is, without a change of "
                   "the job script",
        .field = FIELD(enable),
        .parse = value_parse_switch,
    },
    {
        .name = "DIMS",
        .value_name = "FACTORS",
        .default_value = "auto",
        .allowed = "auto, or factors such as 8x8, or up to 16 such products separated by "
                   "commas (a factor 0 is left open)",
        .help =
            "the sizes of the dimensions; a communicator takes the first product of the list "
            "that equals its number of ranks",
        .example = "36x32,0x8",
        .purpose = "arranges 1152 ranks as 36x32, and every other multiple of 8 ranks in "
                   "lines of 8",
        .field = FIELD(dims),
        .parse = value_parse_dims,
    },
    {
        .name = "NDIMS",
        .value_name = "NUMBER",
        .default_value = "auto",
        .allowed = "auto or a number from 1 to 31",
        .help = "the number of dimensions of a communicator that DIMS has no factors for; "
                "auto takes 1 where ranks share memory, and 2 elsewhere",
        .example = "3",
        .purpose = "sends fewer and larger messages where thousands of ranks exchange blocks "
                   "of a few bytes",
        .field = FIELD(ndims),
        .parse = value_parse_ndims,
    },
    {
        .name = "THRESHOLD",
        .value_name = "BYTES",
        .default_value = "auto",
        .allowed = "auto, a number of bytes (with k, m or g), 0 or inf",
        .help =
            "the largest block (count times type size) that goes through the torus; auto "
            "takes a size that depends on the torus, and leaves few bytes on many nodes to the "
            "MPI library",
        .example = "64k",
        .purpose = "lets blocks of up to 65536 bytes go through the torus",
        .field = FIELD(threshold),
        .parse = value_parse_threshold,
    },
    {
        .name = "MIN_PROCS",
        .value_name = "NUMBER",
        .default_value = "2",
        .allowed = "a number from 2 to 2147483647",
        .help = "the number of ranks of the smallest communicator that gets a torus",
        .example = "32",
        .purpose = "leaves communicators of fewer than 32 ranks to the MPI library",
        .field = FIELD(min_procs),
        .parse = value_parse_procs,
    },
    {
        .name = "EXCHANGE",
        .value_name = "NAMES",
        .default_value = EXCHANGE_AUTO_NAME,
        .allowed = "a name from " EXCHANGE_NAMES_TEXT ", or a list of such names",
        .help = "the exchange, which is the all-to-all along a dimension; one name holds for "
                "all dimensions, and a list has one name for each",
        .example = "native,shm",
        .purpose = "takes native along the first dimension and shm along the second",
        .field = FIELD(exchange),
        .parse = value_parse_exchanges,
    },
    {
        .name = "AFTER",
        .value_name = "NUMBER",
        .default_value = "auto",
        .allowed = "auto or a number from 0 to 2147483647",
        .help =
            "the number of calls on a communicator that go to the MPI library before the "
            "torus is made; auto takes so many that they cost twice as much as the torus, or "
            "0 where DIMS, NDIMS or EXCHANGE is set",
        .example = "0",
        .purpose = "makes the torus of a communicator at the first call",
        .field = FIELD(after),
        .parse = value_parse_after,
    },
    {
        .name = "TUNE",
        .value_name = "off|guard|full",
        .default_value = "guard",
        .allowed = "off, guard or full",
        .help =
            "whether to time some calls both ways: guard leaves block sizes to the MPI library "
            "where that is faster, full tries several toruses, too, and off compares nothing; "
            "a torus that DIMS, NDIMS or EXCHANGE asks for is never compared",
        .example = "off",
        .purpose = "keeps calls in the torus even where it is slower",
        .field = FIELD(tune),
        .parse = value_parse_tuning,
    },
    {
        .name = "PROFILE",
        .value_name = "auto|off|FILE",
        .default_value = "auto",
        .allowed = "auto, off, or the name of a file of at most 255 bytes that can be read",
        .help = "the profile that says which way is the fastest for which block sizes; auto "
                "takes the site's profile if there is one; where DIMS, NDIMS or EXCHANGE is "
                "set, no profile is used",
        .example = "cluster.profile",
        .purpose = "takes the ways that torus-a2a-tune has measured",
        .field = FIELD(profile),
        .parse = value_parse_profile,
        .may_differ = true,
    },
    {
        .name = "PROFILE_OUT",
        .value_name = "off|FILE",
        .default_value = "off",
        .allowed = "off, or the name of a file of at most 255 bytes",
        .help = "where rank 0 writes at MPI_Finalize what TUNE has found, as a profile",
        .example = "learned.profile",
        .purpose = "keeps what a program has found with TUNE=full for its next run",
        .field = FIELD(profile_out),
        .parse = value_parse_output,
        .may_differ = true,
    },
    {
        .name = "NODES",
        .value_name = "auto|mpi",
        .default_value = "auto",
        .allowed = "auto or mpi",
        .help = "who says which processes share a node: the system, by the shared memory that "
                "they can open (auto), or the MPI library (mpi)",
        .example = "mpi",
        .purpose = "takes the nodes that MPI_Comm_split_type finds, where an MPI library was "
                   "told to divide a machine",
        .field = FIELD(nodes),
        .parse = value_parse_nodes,
    },
    {
        .name = "MAX_MEMORY",
        .value_name = "BYTES",
        .default_value = "256m",
        .allowed = "a number of bytes (with k, m or g)",
        .help = "the bytes that the buffers and windows of all communicators may take in each "
                "process",
        .example = "1g",
        .purpose = "makes room for large blocks on nodes that have the memory",
        .field = FIELD(max_memory),
        .parse = value_parse_bytes,
    },
    {
        .name = "KEEP",
        .value_name = "NUMBER",
        .default_value = "4",
        .allowed = "a number from 0 to 64",
        .help = "the toruses of freed communicators that a process keeps, for other "
                "communicators of the same ranks in the same order",
        .example = "0",
        .purpose = "frees a torus together with its communicator",
        .field = FIELD(keep),
        .parse = value_parse_keep,
    },
    {
        .name = "STATS",
        .value_name = "off|stderr|FILE",
        .default_value = "off",
        .allowed =
            "off, stderr, or the name of a file of at most 255 bytes, in which %r stands "
            "for the rank, %p for the process id and %h for the host; words such as 1 and on "
            "are no names",
        .help = "where to write a report on all calls at MPI_Finalize; a file whose name ends "
                "with .json gets JSON; rank 0 writes, or every rank if the name has %r",
        .bare = "stderr",
        .example = "report-%r.json",
        .purpose = "lets each rank write a file that torus-a2a report prints",
        .field = FIELD(stats),
        .parse = value_parse_report,
        .may_differ = true,
    },
    {
        .name = "VERBOSE",
        .value_name = "0|1|2",
        .default_value = "0",
        .allowed = "0, 1 or 2",
        .help = "say on stderr how calls go and why, and count the calls; 1 does so on rank "
                "0, and 2 on every rank",
        .bare = "1",
        .example = "1",
        .purpose = "shows the factors of every communicator, or why the communicator has none",
        .field = FIELD(verbose),
        .parse = value_parse_verbosity,
        .may_differ = true,
    },
};

const size_t settings_table_size = sizeof settings_table / sizeof settings_table[0];

/* A value comes from the environment and may hold any character. A warning is one line of
   text all the same. */
static void warn_of_line(settings_warn_fn *warn, char *line)
{
    if (warn == NULL)
        return;
    for (char *c = line; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    }
    warn(line);
}

static void set_to_default(const struct setting *row, struct settings *settings)
{
    row->parse(row->default_value, (char *)settings + row->field);
}

static bool read_one(const struct setting *row, struct settings *settings,
                     settings_warn_fn *warn)
{
    char name[64], line[384];
    void *field = (char *)settings + row->field;

    snprintf(name, sizeof name, SETTINGS_PREFIX "%s", row->name);
    const char *text = getenv(name);
    if (text == NULL || row->parse(text, field))
        return true;
    /* The parser may have written a part of the value. */
    set_to_default(row, settings);
    snprintf(line, sizeof line, "%s=%.64s is not %s; every call goes to MPI itself", name, text,
             row->allowed);
    warn_of_line(warn, line);
    return false;
}

static const char *name_of(size_t i)
{
    return settings_table[i].name;
}

static bool is_setting(const char *name)
{
    for (size_t i = 0; i < settings_table_size; i++) {
        if (strcmp(name, settings_table[i].name) == 0)
            return true;
    }
    return false;
}

/* Module systems set such variables for every package, with the path of a directory. */
static bool is_of_modules(const char *name, const char *value)
{
    static const char *const names[] = {"ROOT", "DIR", "HOME",   "BASE", "PREFIX", "PATH",
                                        "BIN",  "LIB", "LIBDIR", "INC",  "INCLUDE"};

    if (value[0] != '/')
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* Warns about a variable that begins like a setting and is none. */
static void warn_of_name(const char *name, settings_warn_fn *warn)
{
    char line[256];
    const char *nearest = misspelt_nearest(name, name_of, settings_table_size);

    if (nearest != NULL)
        snprintf(line, sizeof line,
                 SETTINGS_PREFIX "%.64s is not a setting; did you mean " SETTINGS_PREFIX "%s?",
                 name, nearest);
    else
        snprintf(line, sizeof line,
                 SETTINGS_PREFIX "%.64s is not a setting; torus-a2a --info lists them", name);
    warn_of_line(warn, line);
}

static void warn_of_names(settings_warn_fn *warn)
{
    size_t prefix_length = strlen(SETTINGS_PREFIX);

    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        char name[65];
        if (strncmp(*variable, SETTINGS_PREFIX, prefix_length) != 0)
            continue;
        size_t length = strcspn(*variable + prefix_length, "=");
        snprintf(name, sizeof name, "%.*s", (int)(length < 64 ? length : 64),
                 *variable + prefix_length);
        const char *value = *variable + prefix_length + length;
        if (!is_setting(name) && !is_of_modules(name, value[0] == '=' ? value + 1 : value))
            warn_of_name(name, warn);
    }
}

bool settings_read(struct settings *settings, settings_warn_fn *warn)
{
    bool good = true;

    /* The fingerprint reads the whole struct as bytes. So its padding and the unused entries of
       its lists need a value, too. */
    memset(settings, 0, sizeof *settings);
    for (size_t i = 0; i < settings_table_size; i++)
        set_to_default(&settings_table[i], settings);
    for (size_t i = 0; i < settings_table_size; i++)
        good = read_one(&settings_table[i], settings, warn) && good;
    warn_of_names(warn);
    settings->fingerprint = settings_fingerprint(settings);
    return good;
}

/* The last step of MurmurHash3, as a step for each word. It changes about half of all bits
   where two words differ in one. With a weaker step, such as that of FNV-1a, one word can undo
   the difference of another, and then two groups of ranks have the same hash. */
static uint64_t add_word(uint64_t hash, uint64_t word)
{
    hash ^= word;
    hash = (hash ^ hash >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    hash = (hash ^ hash >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    return hash ^ hash >> 33;
}

/* Ranks hash a thousand bytes when they look for a torus that is there already, and that must
   not take as long as the calls which the torus saves. So a processor can work on several words
   at a time. */
uint64_t settings_hash(const void *data, size_t size)
{
    enum { LANES = 4 };
    uint64_t lane[LANES] = {1, 2, 3, 4}, word = 0;
    const size_t words = size / sizeof word, rest = size % sizeof word;
    const char *bytes = data;

    for (size_t i = 0; i < words; i++) {
        memcpy(&word, &bytes[i * sizeof word], sizeof word);
        lane[i % LANES] = add_word(lane[i % LANES], word);
    }
    word = 0;
    memcpy(&word, &bytes[size - rest], rest);
    uint64_t hash = add_word(size, word);
    for (int i = 0; i < LANES; i++)
        hash = add_word(hash, lane[i]);
    return hash;
}

uint64_t settings_fingerprint(const struct settings *settings)
{
    struct settings compared;

    /* An assignment need not copy the padding. */
    memcpy(&compared, settings, sizeof compared);
    compared.fingerprint = 0;
    for (size_t i = 0; i < settings_table_size; i++) {
        if (settings_table[i].may_differ)
            set_to_default(&settings_table[i], &compared);
    }
    /* Two versions of the library may decide differently about the same settings. The text is
       read while the program runs, so that a test can change it. */
    const char *volatile version = PACKAGE_VERSION;
    return settings_hash(&compared, sizeof compared) ^
           settings_hash(version, sizeof PACKAGE_VERSION);
}
