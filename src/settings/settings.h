/* settings.h - the TORUS_A2A_… variables, read once into one struct */
#ifndef TORUS_A2A_SETTINGS_H
#define TORUS_A2A_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 2^31 is beyond INT_MAX: no communicator has more factors larger than 1. */
#define FACTORS_MAX 31

enum { THRESHOLD_AUTO = -1 };

/* How many factorizations TORUS_A2A_DIMS may list. */
#define DIMS_LIST_MAX 16

/* A factorization, first factor slowest as in MPI_Cart_create; 0 is a factor left open. */
struct factors {
    int num;
    int size[FACTORS_MAX];
};

/* The implementations of the component all-to-all; exchange.c holds one row for each. */
enum exchange_id {
    EXCHANGE_AUTO,
    EXCHANGE_NATIVE,
    EXCHANGE_DATATYPE,
    EXCHANGE_LINEAR,
    EXCHANGE_PAIRWISE,
    EXCHANGE_SHM,
    EXCHANGE_LEADERS,
    EXCHANGE_COUNT
};

extern const char *const exchange_names[EXCHANGE_COUNT];

/* One exchange for all dimensions, or one for each. */
struct exchange_list {
    int num;
    enum exchange_id id[FACTORS_MAX];
};

/* Factorizations to choose from by their product; none means auto. */
struct dims_list {
    int num;
    struct factors entry[DIMS_LIST_MAX];
};

struct settings {
    int enable;                    /* 0: every call goes native */
    struct dims_list dims;         /* explicit factorizations */
    int ndims;                     /* factors where dims has no match; 0: by placement */
    int64_t threshold;             /* largest block for the torus, bytes; INT64_MAX: no limit;
                                      THRESHOLD_AUTO: as measured for the torus chosen */
    int min_procs;                 /* smallest communicator that is factorized */
    struct exchange_list exchange; /* of the dimensions, first factor first */
    int64_t max_memory;            /* bytes of buffers per process, over all communicators */
    int verbose;                   /* 0, 1 or 2; the only one that ranks may differ in */
};

/* One row per variable: parsing, --info, the manual and the warnings all come from here. */
struct setting {
    const char *name;          /* without the prefix */
    const char *value_name;    /* what the manual calls the value */
    const char *default_value; /* as one would write it in the environment */
    const char *allowed;       /* completes "… is not " in a warning */
    const char *help;          /* one sentence, no full stop */
    const char *example;       /* a value that one would really set */
    const char *purpose;       /* and what for: completes "VARIABLE=example …" */
    size_t field;              /* offset in struct settings */
    bool (*parse)(const char *text, void *field);
};

#define SETTINGS_PREFIX "TORUS_A2A_"

extern const struct setting settings_table[];
extern const size_t settings_table_size;

/* Receives one line, without a newline, about a value or a name that makes no sense. */
typedef void settings_warn_fn(const char *line);

/* Reads all variables from the environment. Returns false, after one warning per bad value,
   when a value makes no sense; a name that no row has is warned about only. */
bool settings_read(struct settings *settings, settings_warn_fn *warn);

/* Parses a list of exchanges as TORUS_A2A_EXCHANGE has it. */
bool settings_parse_exchange(const char *text, struct exchange_list *list);

/* A hash of bytes; the same on all machines. */
uint64_t settings_hash(const void *data, size_t size);

/* A hash of everything that decides a call's way, to be compared across ranks. */
uint64_t settings_fingerprint(const struct settings *settings);

#endif
