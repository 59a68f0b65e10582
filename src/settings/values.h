/* values.h - the types of values that a setting may have, and the parser of each type */
#ifndef TORUS_A2A_VALUES_H
#define TORUS_A2A_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "settings/exchanges.h"

/* A product of 32 factors greater than 1 is greater than INT_MAX, and a communicator has at
   most INT_MAX ranks. */
#define FACTORS_MAX 31

/* How many factorizations TORUS_A2A_DIMS may list. */
#define DIMS_LIST_MAX 16

/* The value of a threshold that the library chooses. */
enum { THRESHOLD_AUTO = -1 };

/* The value of a number of calls that the library chooses. */
enum { AFTER_AUTO = -1 };

struct factors {
    /* The number of factors. */
    int num;
    /* The first factor varies slowest, as in MPI_Cart_create. A factor 0 is left open. */
    int size[FACTORS_MAX];
};

/* The factorizations of TORUS_A2A_DIMS. A communicator gets the first one whose product is its
   size. */
struct dims_list {
    /* The number of factorizations; 0 means auto. */
    int num;
    /* The factorizations in the order in which the user wrote them. */
    struct factors entry[DIMS_LIST_MAX];
};

/* The exchanges of the dimensions. */
struct exchange_list {
    /* The number of exchanges: 1 for all dimensions together, or one for each dimension. */
    int num;
    /* The exchange of each dimension, in the order of the factors. */
    enum exchange_id id[FACTORS_MAX];
};

/* Who says which ranks share a node. */
enum nodes_source {
    /* The system, or MPI where nothing is known of the system. */
    NODES_AUTO,
    /* MPI, by MPI_Comm_split_type. */
    NODES_MPI
};

/* What the library measures while the program runs. */
enum tuning {
    /* Nothing. */
    TUNE_OFF,
    /* Whether a torus is faster than MPI's own all-to-all. */
    TUNE_GUARD,
    /* Which of several toruses is the fastest, or whether MPI's own all-to-all is. */
    TUNE_FULL
};

/* Where the report goes. */
enum report_kind { REPORT_OFF, REPORT_ON_STDERR, REPORT_IN_FILE };

/* The most bytes of the name of a file for the report. */
#define REPORT_FILE_MAX 255

struct report_place {
    enum report_kind kind;
    /* The name of the file, in which %r, %p, %h and %% stand for something else
       (stats/file_name.h). Empty if the report goes to no file. */
    char file[REPORT_FILE_MAX + 1];
};

/* The most bytes of the name of a profile. */
#define PROFILE_FILE_MAX 255

/* A profile that is read or written. */
struct profile_place {
    /* The file that the site has, if it has one. Otherwise `file` says which. */
    bool site;
    /* The name of the file. Empty if there is none. */
    char file[PROFILE_FILE_MAX + 1];
};

/* The largest number of toruses without a communicator. */
enum { KEEP_MAX = 64 };

/* A parser reads a whole text into *field, whose type stands beside the parser. It returns
   false where the text is not such a value; *field may hold a part of the value then. */
typedef bool value_parse_fn(const char *text, void *field);

value_parse_fn value_parse_switch;    /* int: 0 or 1 */
value_parse_fn value_parse_verbosity; /* int: 0, 1 or 2 */
value_parse_fn value_parse_ndims;     /* int: a number of dimensions; auto is 0 */
value_parse_fn value_parse_procs;     /* int: a number of processes, 2 at least */
value_parse_fn value_parse_bytes;     /* int64_t: bytes with k, m or g for a binary unit */
value_parse_fn value_parse_threshold; /* int64_t: bytes, inf (INT64_MAX) or auto */
value_parse_fn value_parse_after;     /* int64_t: a number of calls, or auto */
value_parse_fn value_parse_keep;      /* int: 0 to KEEP_MAX */
value_parse_fn value_parse_dims;      /* struct dims_list */
value_parse_fn value_parse_exchanges; /* struct exchange_list */
value_parse_fn value_parse_tuning;    /* enum tuning */
value_parse_fn value_parse_nodes;     /* enum nodes_source */
value_parse_fn value_parse_report;    /* struct report_place */
value_parse_fn value_parse_profile; /* struct profile_place: auto (the site's), off or a file */
value_parse_fn value_parse_output;  /* struct profile_place: off or a file */

#endif
