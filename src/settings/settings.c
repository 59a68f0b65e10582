/* settings.c - the table of settings and the parsers of its value types */
#include "settings/settings.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

const char *const exchange_names[EXCHANGE_COUNT] = {
    [EXCHANGE_AUTO] = "auto",         [EXCHANGE_NATIVE] = "native",
    [EXCHANGE_DATATYPE] = "datatype", [EXCHANGE_LINEAR] = "linear",
    [EXCHANGE_PAIRWISE] = "pairwise", [EXCHANGE_SHM] = "shm",
    [EXCHANGE_LEADERS] = "leaders",
};

/* Reads a decimal number at *text and moves *text past it. No sign, no blanks: strtoll would
   take both. */
static bool parse_digits(const char **text, int64_t *value)
{
    const char *s = *text;
    int64_t number = 0;

    if (*s < '0' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++) {
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *s - '0', &number))
            return false;
    }
    *text = s;
    *value = number;
    return true;
}

static bool parse_int_between(const char *text, int least, int most, int *value)
{
    int64_t number;

    if (!parse_digits(&text, &number) || *text != '\0' || number < least || number > most)
        return false;
    *value = (int)number;
    return true;
}

static bool parse_switch(const char *text, void *field)
{
    return parse_int_between(text, 0, 1, field);
}

static bool parse_level(const char *text, void *field)
{
    return parse_int_between(text, 0, 2, field);
}

static bool parse_ndims(const char *text, void *field)
{
    if (strcmp(text, "auto") == 0) {
        *(int *)field = 0;
        return true;
    }
    return parse_int_between(text, 1, FACTORS_MAX, field);
}

static bool parse_procs(const char *text, void *field)
{
    return parse_int_between(text, 2, INT_MAX, field);
}

/* Bytes with an optional binary unit: 512, 4k, 1m, 2g. */
static bool parse_bytes(const char *text, void *field)
{
    static const char units[] = "kmgKMG";
    int64_t number;

    if (!parse_digits(&text, &number))
        return false;
    if (*text != '\0') {
        const char *unit = strchr(units, *text);
        if (unit == NULL || text[1] != '\0')
            return false;
        int shift = 10 * (int)((unit - units) % 3 + 1);
        if (number > (INT64_MAX >> shift))
            return false;
        number <<= shift;
    }
    *(int64_t *)field = number;
    return true;
}

static bool parse_threshold(const char *text, void *field)
{
    if (strcmp(text, "auto") == 0) {
        *(int64_t *)field = THRESHOLD_AUTO;
        return true;
    }
    if (strcmp(text, "inf") == 0) {
        *(int64_t *)field = INT64_MAX;
        return true;
    }
    return parse_bytes(text, field);
}

/* One factorization, 4x3x2; stops at a comma or at the end. */
static bool parse_factors(const char **text, struct factors *factors)
{
    int64_t product = 1;

    for (factors->num = 0;; (*text)++) {
        int64_t size;
        if (factors->num == FACTORS_MAX || !parse_digits(text, &size) || size > INT_MAX)
            return false;
        factors->size[factors->num++] = (int)size;
        product *= size > 0 ? size : 1;
        if (product > INT_MAX)
            return false;
        if (**text != 'x')
            return **text == ',' || **text == '\0';
    }
}

static bool parse_dims(const char *text, void *field)
{
    struct dims_list *list = field;

    list->num = 0;
    if (strcmp(text, "auto") == 0)
        return true;
    for (;; text++) {
        if (list->num == DIMS_LIST_MAX || !parse_factors(&text, &list->entry[list->num]))
            return false;
        list->num++;
        if (*text == '\0')
            return true;
    }
}

static bool parse_exchange_name(const char *name, size_t length, enum exchange_id *id)
{
    for (int i = 0; i < EXCHANGE_COUNT; i++) {
        if (strlen(exchange_names[i]) == length &&
            strncmp(exchange_names[i], name, length) == 0) {
            *id = (enum exchange_id)i;
            return true;
        }
    }
    return false;
}

bool settings_parse_exchange(const char *text, struct exchange_list *list)
{
    for (list->num = 0;; text++) {
        size_t length = strcspn(text, ",");
        if (list->num == FACTORS_MAX ||
            !parse_exchange_name(text, length, &list->id[list->num]))
            return false;
        list->num++;
        text += length;
        if (*text == '\0')
            return true;
    }
}

static bool parse_exchange(const char *text, void *field)
{
    return settings_parse_exchange(text, field);
}

#define FIELD(member) offsetof(struct settings, member)

const struct setting settings_table[] = {
    {"ENABLE", "0|1", "1", "0 or 1", "use the torus (1) or leave every call to MPI (0)", "0",
     "compares with the MPI library's own all-to-all in an unchanged job script", FIELD(enable),
     parse_switch},
    {"DIMS", "FACTORS", "auto",
     "auto or factors such as 8x8, up to 16 separated by commas, 0 for a factor left open",
     "factorizations, each for the communicators whose size is its product", "36x32,0x8",
     "takes these factors for communicators of 1152 ranks, and 8 ranks per node times any "
     "number of nodes for the others that 8 divides",
     FIELD(dims), parse_dims},
    {"NDIMS", "NUMBER", "auto", "auto or a number from 1 to 31",
     "number of dimensions of the balanced factorization where DIMS names none; auto: 1 where "
     "ranks share memory, else 2",
     "3", "sends fewer and larger messages at thousands of ranks, where blocks are a few bytes",
     FIELD(ndims), parse_ndims},
    {"THRESHOLD", "BYTES", "auto", "auto, a number of bytes (with k, m or g), 0 or inf",
     "largest block that goes through the torus: count times type size; auto: as measured for "
     "the torus chosen",
     "64k", "lets blocks of up to 65536 bytes through", FIELD(threshold), parse_threshold},
    {"MIN_PROCS", "NUMBER", "2", "a number from 2 to 2147483647",
     "smallest communicator that is factorized", "32",
     "leaves small communicators to the MPI library", FIELD(min_procs), parse_procs},
    {"EXCHANGE", "NAMES", "auto",
     "auto, native, datatype, linear, pairwise, shm or leaders, or one of them per dimension",
     "component all-to-all of every dimension, or one per dimension separated by commas; auto: "
     "shm within a node, leaders over several, linear elsewhere",
     "native,shm", "gives each of two dimensions its own", FIELD(exchange), parse_exchange},
    {"MAX_MEMORY", "BYTES", "256m", "a number of bytes (with k, m or g)",
     "most that buffers and windows of all communicators may take per process", "1g",
     "makes room for large blocks on nodes that have it", FIELD(max_memory), parse_bytes},
    {"VERBOSE", "0|1|2", "0", "0, 1 or 2",
     "say on stderr what was decided, and count the calls: 1 on rank 0, 2 on every rank", "1",
     "shows the factors in use, and why a communicator has none", FIELD(verbose), parse_level},
};

const size_t settings_table_size = sizeof settings_table / sizeof settings_table[0];

/* Levenshtein's distance, for names of at most 31 characters; more counts as far away. Small
   letters in a count as capitals. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 31 };
    size_t row[LONGEST + 1];
    size_t len_a = strlen(a), len_b = strlen(b);

    if (len_a > LONGEST || len_b > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= len_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= len_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= len_b; j++) {
            size_t best = diagonal + (toupper((unsigned char)a[i - 1]) != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[len_b];
}

/* What the environment holds may be anything; a warning is one line of text. */
static void say(settings_warn_fn *warn, char *line)
{
    for (char *c = line; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    }
    warn(line);
}

static void warn_unknown_name(const char *name, settings_warn_fn *warn)
{
    char line[256];
    const char *nearest = NULL;
    size_t least = SIZE_MAX;

    for (size_t i = 0; i < settings_table_size; i++) {
        if (strcmp(name, settings_table[i].name) == 0)
            return;
        size_t distance = edit_distance(name, settings_table[i].name);
        if (distance < least) {
            least = distance;
            nearest = settings_table[i].name;
        }
    }
    if (least <= 1 + strlen(name) / 3)
        snprintf(line, sizeof line,
                 "%s%.64s is not a setting; did you mean " SETTINGS_PREFIX "%s?",
                 SETTINGS_PREFIX, name, nearest);
    else
        snprintf(line, sizeof line,
                 SETTINGS_PREFIX "%.64s is not a setting; torus-a2a --info lists them", name);
    say(warn, line);
}

static void warn_unknown_names(settings_warn_fn *warn)
{
    size_t prefix_length = strlen(SETTINGS_PREFIX);

    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        char name[65];
        if (strncmp(*variable, SETTINGS_PREFIX, prefix_length) != 0)
            continue;
        size_t length = strcspn(*variable + prefix_length, "=");
        snprintf(name, sizeof name, "%.*s", (int)(length < 64 ? length : 64),
                 *variable + prefix_length);
        warn_unknown_name(name, warn);
    }
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
    /* A parser may have written half a value before it gave up. */
    row->parse(row->default_value, field);
    snprintf(line, sizeof line, "%s=%.64s is not %s; every call goes to MPI itself", name, text,
             row->allowed);
    say(warn, line);
    return false;
}

bool settings_read(struct settings *settings, settings_warn_fn *warn)
{
    bool good = true;

    /* The fingerprint reads the struct as bytes, padding and unused entries included. */
    memset(settings, 0, sizeof *settings);
    for (size_t i = 0; i < settings_table_size; i++) {
        const struct setting *row = &settings_table[i];
        row->parse(row->default_value, (char *)settings + row->field);
    }
    for (size_t i = 0; i < settings_table_size; i++)
        good = read_one(&settings_table[i], settings, warn) && good;
    warn_unknown_names(warn);
    return good;
}

/* FNV-1a. */
uint64_t settings_hash(const void *data, size_t size)
{
    const unsigned char *byte = data;
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

uint64_t settings_fingerprint(const struct settings *settings)
{
    struct settings compared;

    /* memcpy, not an assignment: that need not copy the padding. */
    memcpy(&compared, settings, sizeof compared);
    compared.verbose = 0;
    return settings_hash(&compared, sizeof compared);
}
