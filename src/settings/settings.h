/* settings.h - the TORUS_A2A_… variables, read once into one struct */
#ifndef TORUS_A2A_SETTINGS_H
#define TORUS_A2A_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings/values.h"

/* The value of every setting. */
struct settings {
    /* 0 sends every call to the MPI library, 1 lets the library decide. */
    int enable;
    /* The factorizations that the user names. */
    struct dims_list dims;
    /* The number of dimensions of a communicator that dims has no factorization for; 0 lets the
       library choose it. */
    int ndims;
    /* The largest block in bytes that goes through the torus: INT64_MAX is no limit, and
       THRESHOLD_AUTO lets the library choose it. */
    int64_t threshold;
    /* The number of ranks of the smallest communicator that gets a torus. */
    int min_procs;
    /* The exchanges of the dimensions. */
    struct exchange_list exchange;
    /* The number of calls on a communicator that are native before its torus is made, or
       AFTER_AUTO: the library chooses it. */
    int64_t after;
    /* What the library compares while the program runs. */
    enum tuning tune;
    /* The profile that says which way was measured to be the fastest. */
    struct profile_place profile;
    /* Where to write what the comparisons have found. */
    struct profile_place profile_out;
    /* Who says which ranks share a node. */
    enum nodes_source nodes;
    /* The bytes that the buffers and windows of all communicators together may take in a
       process. */
    int64_t max_memory;
    /* The number of toruses of freed communicators that a process keeps. */
    int keep;
    /* How much the library says: 0 is nothing, 1 is what rank 0 decides, 2 is what every rank
       decides. */
    int verbose;
    /* Where the report about all calls goes. */
    struct report_place stats;
    /* settings_fingerprint of all the fields above. */
    uint64_t fingerprint;
};

/* One row for each setting. The variable, the option of the launcher, --info, the manual page
   and the warnings come from the row. */
struct setting {
    /* The name of the variable without SETTINGS_PREFIX. */
    const char *name;
    /* What the manual page calls the value. */
    const char *value_name;
    /* The default, written as a user would write it. */
    const char *default_value;
    /* The values that are allowed; completes the warning "… is not …". */
    const char *allowed;
    /* What the setting does: a sentence without the full stop. */
    const char *help;
    /* The value if the launcher's option is given without one, or NULL if it needs one. */
    const char *bare;
    /* A value that a user would set. */
    const char *example;
    /* What the example does; completes the sentence "VARIABLE=example …". */
    const char *purpose;
    /* The offset of the value in struct settings. */
    size_t field;
    /* Reads the value; its type and the type of the field are the same. */
    value_parse_fn *parse;
    /* Ranks may have different values: the fingerprint leaves the setting out. */
    bool may_differ;
};

#define SETTINGS_PREFIX "TORUS_A2A_"

extern const struct setting settings_table[];
extern const size_t settings_table_size;

/* Receives one line, without a newline, about a value or a name that makes no sense. */
typedef void settings_warn_fn(const char *line);

/* Reads all variables from the environment. Returns false if some value makes no sense, after
   one warning for each such value. A variable that is no setting gets a warning, too, and does
   not change what is returned. warn may be NULL: no warnings. */
bool settings_read(struct settings *settings, settings_warn_fn *warn);

/* A hash of bytes. It is the same in all processes of a job. */
uint64_t settings_hash(const void *data, size_t size);

/* A hash of all settings that must be the same on all ranks. */
uint64_t settings_fingerprint(const struct settings *settings);

#endif
