/* exchanges.h - the list of exchanges: everything that names an exchange comes from here */
#ifndef TORUS_A2A_EXCHANGES_H
#define TORUS_A2A_EXCHANGES_H

/* One line for each implementation of the component all-to-all: its identifier, its name, and
   its help, which completes the sentence "Each process …". The name is what users write, and
   exchange_NAME is the struct that the file of the exchange defines. */
#define EXCHANGES(EXCHANGE)                                                                   \
    EXCHANGE(NATIVE, native, "calls the MPI library's all-to-all on packed blocks")           \
    EXCHANGE(DATATYPE, datatype, "calls the MPI library's all-to-all on a derived datatype")  \
    EXCHANGE(LINEAR, linear, "starts all its messages at once")                               \
    EXCHANGE(PAIRWISE, pairwise, "exchanges messages with one partner at a time")             \
    EXCHANGE(SHM, shm, "reads the blocks from the shared memory of its node")                 \
    EXCHANGE(LEADERS, leaders,                                                                \
             "puts its blocks into memory of its node, from which few messages take them to " \
             "other nodes")

/* The name that leaves the choice to the library. */
#define EXCHANGE_AUTO_NAME "auto"

#define EXCHANGE_ID(id, name, help) EXCHANGE_##id,
enum exchange_id { EXCHANGE_AUTO, EXCHANGES(EXCHANGE_ID) EXCHANGE_COUNT };
#undef EXCHANGE_ID

/* All names in one text: "auto, native, …". */
#define EXCHANGE_COMMA_NAME(id, name, help) ", " #name
#define EXCHANGE_NAMES_TEXT                 EXCHANGE_AUTO_NAME EXCHANGES(EXCHANGE_COMMA_NAME)

/* The name of each exchange; the name of EXCHANGE_AUTO is "auto". */
extern const char *const exchange_names[EXCHANGE_COUNT];

/* The help of each exchange; NULL for EXCHANGE_AUTO. */
extern const char *const exchange_help[EXCHANGE_COUNT];

#endif
