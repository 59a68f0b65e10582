/* settings.c - good and bad values of every setting, the warnings, and the fingerprint */
#include "settings/settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../tap.h"

extern char **environ;

enum { VALUES_MAX = 32, MEANING_MAX = 512 };

#define FIELD(member) offsetof(struct settings, member)

#define EIGHT(text) text text text text text text text text

struct good_value {
    const char *text, *meaning;
};

/* The tests of one row of settings_table. Each list ends with a null pointer. */
struct variable {
    const char *name;
    void (*print)(const void *field, char meaning[MEANING_MAX]);
    /* The meaning of the default. It is NULL if the default comes from measurements, because
       then it may change. */
    const char *meaning;
    struct good_value good[VALUES_MAX];
    const char *bad[VALUES_MAX];
};

static void print_int(const void *field, char meaning[MEANING_MAX])
{
    snprintf(meaning, MEANING_MAX, "%d", *(const int *)field);
}

static void print_int64(const void *field, char meaning[MEANING_MAX])
{
    snprintf(meaning, MEANING_MAX, "%" PRId64, *(const int64_t *)field);
}

static void print_dims(const void *field, char meaning[MEANING_MAX])
{
    const struct dims_list *list = field;
    size_t used = 0;

    meaning[0] = '\0';
    for (int i = 0; i < list->num; i++) {
        for (int k = 0; k < list->entry[i].num; k++) {
            const char *before = k > 0 ? "x" : i > 0 ? "," : "";
            used += (size_t)snprintf(meaning + used, MEANING_MAX - used, "%s%d", before,
                                     list->entry[i].size[k]);
        }
    }
}

static void print_nodes(const void *field, char meaning[MEANING_MAX])
{
    snprintf(meaning, MEANING_MAX, "%s",
             *(const enum nodes_source *)field == NODES_MPI ? "mpi" : "auto");
}

static void print_after(const void *field, char meaning[MEANING_MAX])
{
    int64_t calls = *(const int64_t *)field;

    if (calls == AFTER_AUTO)
        strcpy(meaning, "auto");
    else
        snprintf(meaning, MEANING_MAX, "%" PRId64, calls);
}

static void print_tuning(const void *field, char meaning[MEANING_MAX])
{
    static const char *const names[] = {
        [TUNE_OFF] = "off", [TUNE_GUARD] = "guard", [TUNE_FULL] = "full"};

    snprintf(meaning, MEANING_MAX, "%s", names[*(const enum tuning *)field]);
}

static void print_profile(const void *field, char meaning[MEANING_MAX])
{
    const struct profile_place *place = field;

    snprintf(meaning, MEANING_MAX, "%s",
             place->site              ? "auto"
             : place->file[0] == '\0' ? "off"
                                      : place->file);
}

static void print_report(const void *field, char meaning[MEANING_MAX])
{
    const struct report_place *place = field;

    snprintf(meaning, MEANING_MAX, "%s",
             place->kind == REPORT_OFF         ? "off"
             : place->kind == REPORT_ON_STDERR ? "stderr"
                                               : place->file);
}

static void append_name(char meaning[MEANING_MAX], const char *name)
{
    size_t used = strlen(meaning);

    snprintf(meaning + used, MEANING_MAX - used, "%s%s", used > 0 ? "," : "", name);
}

static void print_exchange(const void *field, char meaning[MEANING_MAX])
{
    const struct exchange_list *list = field;

    meaning[0] = '\0';
    for (int i = 0; i < list->num; i++)
        append_name(meaning, exchange_names[list->id[i]]);
}

/* The first good value of each setting must differ from the default in meaning, because the
   test of the fingerprint uses it. */
static const struct variable variables[] = {
    {"ENABLE",
     print_int,
     "1",
     {{"0", "0"}, {"1", "1"}, {"01", "1"}},
     {"", "2", "-1", "+1", "yes", "on", "true", "1 ", " 1", "1.0", "0x1", "1,1", "4294967297",
      "99999999999999999999"}},
    {"DIMS",
     print_dims,
     "",
     {{"8x8", "8x8"},
      {"auto", ""},
      {"0", "0"},
      {"1", "1"},
      {"0x32", "0x32"},
      {"4x3x2", "4x3x2"},
      {"1x1x5", "1x1x5"},
      {"36x32,8x8,0x4x0", "36x32,8x8,0x4x0"},
      {"08x8", "8x8"},
      {"2147483647", "2147483647"},
      {"46340x46340", "46340x46340"},
      {EIGHT("1x") EIGHT("1x") EIGHT("1x") "1x1x1x1x1x1x1",
       EIGHT("1x") EIGHT("1x") EIGHT("1x") "1x1x1x1x1x1x1"},
      {EIGHT("2,") "2,2,2,2,2,2,2,2", EIGHT("2,") "2,2,2,2,2,2,2,2"}},
     {"",
      "8y8",
      "x8",
      "8x",
      "8xx8",
      "8,",
      ",8",
      "8,,8",
      "8 x 8",
      " 8x8",
      "8x8 ",
      "-8x8",
      "+8",
      "8X8",
      "8*8",
      "8x8.0",
      "8x8,auto",
      "auto,8x8",
      "AUTO",
      "autox",
      "none",
      "2147483648",
      "65536x65536",
      "65536x0x65536",
      "99999999999999999999",
      EIGHT("1x") EIGHT("1x") EIGHT("1x") EIGHT("1x") "1",
      EIGHT("1x") EIGHT("1x") EIGHT("1x") "1x1x1x1x1x1x1x1",
      EIGHT("2,") EIGHT("2,") "2"}},
    {"NDIMS",
     print_int,
     "0",
     {{"3", "3"}, {"1", "1"}, {"2", "2"}, {"31", "31"}, {"auto", "0"}},
     {"", "0", "32", "-1", "+2", "2x", "two", "2.0", " 2", "2 ", "AUTO", "2147483650",
      "99999999999999999999"}},
    {"THRESHOLD",
     print_int64,
     NULL,
     {{"123", "123"},
      {"0", "0"},
      {"1k", "1024"},
      {"4K", "4096"},
      {"2m", "2097152"},
      {"2M", "2097152"},
      {"1g", "1073741824"},
      {"3G", "3221225472"},
      {"inf", "9223372036854775807"},
      {"auto", "-1"},
      {"9223372036854775807", "9223372036854775807"},
      {"9007199254740991k", "9223372036854774784"}},
     {"",
      "k",
      "-1",
      "+1",
      "1kb",
      "1KiB",
      "1 k",
      " 1",
      "1 ",
      "1t",
      "1b",
      "1.5k",
      "0x10",
      "INF",
      "infinity",
      "infk",
      "Auto",
      "9223372036854775808",
      "9007199254740992k",
      "8796093022208m",
      "8589934592g",
      "99999999999999999999"}},
    {"MIN_PROCS",
     print_int,
     NULL,
     {{"77", "77"}, {"2", "2"}, {"2147483647", "2147483647"}},
     {"", "0", "1", "-4", "+4", "4k", "four", "4.0", " 4", "4 ", "inf", "2147483648",
      "4294967300", "99999999999999999999"}},
    {"EXCHANGE",
     print_exchange,
     "auto",
     {{"pairwise", "pairwise"},
      {"native,linear", "native,linear"},
      {"auto,pairwise,auto", "auto,pairwise,auto"},
      {EIGHT("auto,") EIGHT("auto,") EIGHT("auto,") "auto,auto,auto,auto,auto,auto,auto",
       EIGHT("auto,") EIGHT("auto,") EIGHT("auto,") "auto,auto,auto,auto,auto,auto,auto"}},
     {"", ",", "native,", ",native", "native,,linear", "Native", "nativ", "natives",
      "native linear", " native", "native ", "native;linear", "bruck", "1", "native,bruck",
      EIGHT("auto,") EIGHT("auto,") EIGHT("auto,") EIGHT("auto,") "auto",
      EIGHT("auto,") EIGHT("auto,") EIGHT("auto,") "auto,auto,auto,auto,auto,auto,auto,auto"}},
    {"AFTER",
     print_after,
     "auto",
     {{"77", "77"}, {"auto", "auto"}, {"0", "0"}, {"2147483647", "2147483647"}},
     {"", "-1", "+1", "Auto", "automatic", "1k", "inf", " 1", "1 ", "1.0", "2147483648",
      "99999999999999999999"}},
    {"KEEP",
     print_int,
     "4",
     {{"0", "0"}, {"4", "4"}, {"64", "64"}},
     {"", "-1", "65", "auto", "1k", " 1", "1 ", "1.0", "4294967297"}},
    {"TUNE",
     print_tuning,
     "guard",
     {{"off", "off"}, {"guard", "guard"}, {"full", "full"}},
     {"", "Guard", "on", "0", "1", "fully", "guards", " off", "off ", "off,guard"}},
    {"PROFILE",
     print_profile,
     "auto",
     {{"a.profile", "a.profile"},
      {"auto", "auto"},
      {"off", "off"},
      {"/tmp/a b/%r", "/tmp/a b/%r"},
      {EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") "0123456789abcdef"
                                                                           "0123456789abcde",
       EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") "0123456789abcdef"
                                                                           "0123456789abcde"}},
     {"", "0", "1", "on", "yes", "true",
      EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") "0123456789abcdef"
                                                                          "0123456789abcdef"}},
    {"PROFILE_OUT",
     print_profile,
     "off",
     {{"a.profile", "a.profile"}, {"auto", "auto"}, {"off", "off"}},
     {"", "0", "1", "on", "no", "false",
      EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") "0123456789abcdef"
                                                                          "0123456789abcdef"}},
    {"NODES",
     print_nodes,
     "auto",
     {{"mpi", "mpi"}, {"auto", "auto"}},
     {"", "MPI", "Auto", "auto,mpi", "mpi ", " mpi", "system", "0", "1", "autompi"}},
    {"MAX_MEMORY",
     print_int64,
     NULL,
     {{"123", "123"},
      {"0", "0"},
      {"64k", "65536"},
      {"512M", "536870912"},
      {"16g", "17179869184"},
      {"9223372036854775807", "9223372036854775807"}},
     {"", "inf", "m", "-1", "+1", "1mb", "1 m", " 1", "1 ", "1t", "1.5g", "0x10", "half",
      "9223372036854775808", "8796093022208m", "99999999999999999999"}},
    {"STATS",
     print_report,
     "off",
     {{"report.json", "report.json"},
      {"off", "off"},
      {"stderr", "stderr"},
      {"/tmp/a b/report", "/tmp/a b/report"},
      {"%r.%p.%h.100%%", "%r.%p.%h.100%%"},
      {EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") "0123456789abcdef"
                                                                           "0123456789abcde",
       EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") "0123456789abcdef"
                                                                           "0123456789abcde"}},
     {"", "0", "1", "on", "yes", "true", "%", "a%", "%d.json", "%R",
      EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") EIGHT("0123456") "0123456789abcdef"
                                                                          "0123456789abcdef"}},
    {"VERBOSE",
     print_int,
     "0",
     {{"2", "2"}, {"1", "1"}, {"0", "0"}},
     {"", "3", "-1", "+1", "yes", "1 ", " 1", "debug", "1.0", "4294967297",
      "99999999999999999999"}},
};

static const struct variable *variable_of(const struct setting *row)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (strcmp(variables[i].name, row->name) == 0)
            return &variables[i];
    }
    return NULL;
}

/* The last warning. */
static char warning[1024];
static int warnings;

static void keep_warning(const char *line)
{
    snprintf(warning, sizeof warning, "%s", line);
    warnings++;
}

/* Reads the settings from the environment as it is now. */
static bool read_settings(struct settings *settings)
{
    static int garbage = 0x5a;

    warning[0] = '\0';
    warnings = 0;
    /* The result must not depend on what was in the memory before. So each call begins with
       other bytes there. */
    memset(settings, garbage++ & 0xff, sizeof *settings);
    return settings_read(settings, keep_warning);
}

static void set(const char *name, const char *value)
{
    char full[128];

    snprintf(full, sizeof full, SETTINGS_PREFIX "%s", name);
    if (setenv(full, value, 1) != 0)
        abort();
}

/* Removes all settings from the environment. The caller of the test may have some there. */
static void clear(void)
{
    for (char **entry = environ; *entry != NULL;) {
        char name[128];
        if (strncmp(*entry, SETTINGS_PREFIX, strlen(SETTINGS_PREFIX)) != 0) {
            entry++;
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*entry, "="), *entry);
        unsetenv(name);
        entry = environ;
    }
}

static bool means(const struct setting *row, const struct variable *variable,
                  const struct settings *settings, const char *meaning)
{
    char text[MEANING_MAX];

    variable->print((const char *)settings + row->field, text);
    if (strcmp(text, meaning) == 0)
        return true;
    printf("# %s is %s, not %s\n", row->name, text, meaning);
    return false;
}

/* Returns whether all settings but one have their default. */
static bool others_are_default(const struct setting *except, const struct settings *settings)
{
    struct settings defaults;
    char expected[MEANING_MAX];

    for (size_t i = 0; i < settings_table_size; i++) {
        const struct setting *row = &settings_table[i];
        const struct variable *variable = variable_of(row);
        if (row == except || variable == NULL)
            continue;
        memset(&defaults, 0, sizeof defaults);
        if (!row->parse(row->default_value, (char *)&defaults + row->field))
            return false;
        variable->print((const char *)&defaults + row->field, expected);
        if (!means(row, variable, settings, expected))
            return false;
    }
    return true;
}

static void defaults(void)
{
    struct settings settings;

    clear();
    ok(read_settings(&settings) && warnings == 0, "if nothing is set, there is no warning");
    ok(others_are_default(NULL, &settings),
       "if nothing is set, every setting has the default of the table");
    for (size_t i = 0; i < settings_table_size; i++) {
        const struct variable *variable = variable_of(&settings_table[i]);
        if (variable != NULL && variable->meaning != NULL)
            ok(means(&settings_table[i], variable, &settings, variable->meaning),
               "%s is %s unless set", variable->name, settings_table[i].default_value);
    }
}

static void good_values(const struct setting *row, const struct variable *variable)
{
    struct settings settings;

    for (const struct good_value *value = variable->good; value->text != NULL; value++) {
        clear();
        set(row->name, value->text);
        bool good = read_settings(&settings) && warnings == 0;
        ok(good && means(row, variable, &settings, value->meaning) &&
               others_are_default(row, &settings),
           "%s=%s is good", row->name, value->text);
    }
}

static void bad_values(const struct setting *row, const struct variable *variable)
{
    struct settings settings;
    char expected[1024];

    for (const char *const *value = variable->bad; *value != NULL; value++) {
        clear();
        set(row->name, *value);
        snprintf(expected, sizeof expected,
                 "TORUS_A2A_%s=%.64s is not %s; every call goes to MPI itself", row->name,
                 *value, row->allowed);
        bool good = read_settings(&settings);
        ok(!good && others_are_default(NULL, &settings), "%s=%s is bad, and the default stays",
           row->name, *value);
        if (!ok(warnings == 1 && strcmp(warning, expected) == 0, "%s=%s gets one warning",
                row->name, *value))
            printf("# %d, the last: %s\n# expected: %s\n", warnings, warning, expected);
    }
}

static void every_variable(void)
{
    for (size_t i = 0; i < settings_table_size; i++) {
        const struct setting *row = &settings_table[i];
        const struct variable *variable = variable_of(row);
        if (!ok(variable != NULL, "%s has tests", row->name))
            continue;
        good_values(row, variable);
        bad_values(row, variable);
    }
    ok(settings_table_size == sizeof variables / sizeof variables[0],
       "every setting with tests is in the table");
}

/* TORUS_A2A_EXCHANGE takes every name of the list. The warning about any other name tells all
   names of the list. */
static void every_exchange(void)
{
    static const char all[] = EXCHANGE_NAMES_TEXT;
    struct settings settings;

    for (int id = 0; id < EXCHANGE_COUNT; id++) {
        clear();
        set("EXCHANGE", exchange_names[id]);
        bool good = read_settings(&settings) && warnings == 0;
        ok(good && settings.exchange.num == 1 && (int)settings.exchange.id[0] == id,
           "the name %s stands for its exchange", exchange_names[id]);
        ok(strstr(all, exchange_names[id]) != NULL, "the text of all names contains %s",
           exchange_names[id]);
        ok((exchange_help[id] == NULL) == (id == EXCHANGE_AUTO), "%s has %s help text",
           exchange_names[id], id == EXCHANGE_AUTO ? "no" : "a");
    }
    clear();
    set("EXCHANGE", "pigeon");
    read_settings(&settings);
    ok(strstr(warning, all) != NULL, "the warning about a wrong name tells all names");
}

static void several_bad_values(void)
{
    struct settings settings;

    clear();
    set("DIMS", "8y8");
    set("NDIMS", "0");
    set("VERBOSE", "1");
    ok(!read_settings(&settings) && warnings == 2, "two bad values get two warnings");
    ok(settings.verbose == 1, "a good value counts although other values are bad");
}

static void misspelt_names(void)
{
    static const struct {
        const char *name, *line;
    } known[] = {
        {"DIM", "TORUS_A2A_DIM is not a setting; did you mean TORUS_A2A_DIMS?"},
        {"NDIM", "TORUS_A2A_NDIM is not a setting; did you mean TORUS_A2A_NDIMS?"},
        {"TRESHOLD", "TORUS_A2A_TRESHOLD is not a setting; did you mean TORUS_A2A_THRESHOLD?"},
        {"MINPROCS", "TORUS_A2A_MINPROCS is not a setting; did you mean TORUS_A2A_MIN_PROCS?"},
        {"EXCHANGES", "TORUS_A2A_EXCHANGES is not a setting; did you mean TORUS_A2A_EXCHANGE?"},
        {"MAXMEMORY",
         "TORUS_A2A_MAXMEMORY is not a setting; did you mean TORUS_A2A_MAX_MEMORY?"},
        {"VERBOSITY", "TORUS_A2A_VERBOSITY is not a setting; did you mean TORUS_A2A_VERBOSE?"},
        {"dims", "TORUS_A2A_dims is not a setting; did you mean TORUS_A2A_DIMS?"},
        {"Threshhold",
         "TORUS_A2A_Threshhold is not a setting; did you mean TORUS_A2A_THRESHOLD?"},
        {"ENABLED", "TORUS_A2A_ENABLED is not a setting; did you mean TORUS_A2A_ENABLE?"},
        {"", "TORUS_A2A_ is not a setting; torus-a2a --info lists them"},
        {"COLOUR", "TORUS_A2A_COLOUR is not a setting; torus-a2a --info lists them"},
        {EIGHT("LONGNAME"),
         "TORUS_A2A_" EIGHT("LONGNAME") " is not a setting; torus-a2a --info "
                                        "lists them"},
        {EIGHT("LONGNAME") "S", "TORUS_A2A_" EIGHT("LONGNAME") " is not a setting; torus-a2a "
                                                               "--info lists them"},
    };
    struct settings settings;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        clear();
        set(known[i].name, "1");
        bool good = read_settings(&settings);
        ok(good && others_are_default(NULL, &settings), "TORUS_A2A_%s changes nothing",
           known[i].name);
        if (!ok(warnings == 1 && strcmp(warning, known[i].line) == 0,
                "TORUS_A2A_%s gets the right warning", known[i].name))
            printf("# %d, the last: %s\n# expected: %s\n", warnings, warning, known[i].line);
    }
    clear();
    setenv("TORUS_A2", "1", 1);
    setenv("XTORUS_A2A_DIM", "1", 1);
    ok(read_settings(&settings) && warnings == 0,
       "there is no warning about variables of other programs");
}

/* Returns the fingerprint of the settings if only this one is set. If name is NULL, nothing is
   set. */
static uint64_t fingerprint_with(const char *name, const char *value)
{
    struct settings settings;

    clear();
    if (name != NULL)
        set(name, value);
    read_settings(&settings);
    return settings_fingerprint(&settings);
}

static void fingerprints(void)
{
    static const struct {
        const char *name, *one, *same;
    } equal[] = {
        {"THRESHOLD", "4k", "4096"},
        {"THRESHOLD", "1g", "1024m"},
        {"DIMS", "8x8", "08x08"},
        {"NDIMS", "2", "02"},
    };
    static const char *const different[] = {"8x8", "4x4", "8x8x1", "8x8,4x4", "4x4,8x8", "0x8"};
    uint64_t unset = fingerprint_with(NULL, NULL);

    for (size_t i = 0; i < settings_table_size; i++) {
        const struct setting *row = &settings_table[i];
        const struct variable *variable = variable_of(row);
        ok(fingerprint_with(row->name, row->default_value) == unset,
           "the fingerprint stays the same if %s is set to its default", row->name);
        if (variable == NULL)
            continue;
        bool same = fingerprint_with(row->name, variable->good[0].text) == unset;
        bool expected = row->may_differ;
        ok(same == expected, "%s=%s %s the fingerprint", row->name, variable->good[0].text,
           expected ? "does not change" : "changes");
    }
    for (size_t i = 0; i < sizeof equal / sizeof equal[0]; i++)
        ok(fingerprint_with(equal[i].name, equal[i].one) ==
               fingerprint_with(equal[i].name, equal[i].same),
           "%s=%s and %s have the same fingerprint", equal[i].name, equal[i].one,
           equal[i].same);
    for (size_t i = 0; i < sizeof different / sizeof different[0]; i++) {
        for (size_t j = 0; j < i; j++)
            ok(fingerprint_with("DIMS", different[i]) != fingerprint_with("DIMS", different[j]),
               "DIMS=%s and %s have different fingerprints", different[i], different[j]);
    }
}

static int by_value(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return (a > b) - (a < b);
}

/* Groups of ranks are told apart by such hashes (dispatch/stock.c). In each of these groups two
   pairs of ranks lie equally far apart, as in rows and columns of a grid. */
static void hashes(void)
{
    enum { RANKS = 600, APART = 2, GROUPS = RANKS * RANKS * APART };
    uint64_t *hash = malloc(GROUPS * sizeof *hash);
    size_t num = 0;
    int same = 0;

    for (int i = 0; hash != NULL && i < GROUPS; i++) {
        int first = i % RANKS, third = i / RANKS % RANKS, apart = 1 + i / RANKS / RANKS;
        struct {
            uint64_t before;
            int rank[4];
        } group = {.before = 4, .rank = {first, first + apart, third, third + apart}};
        hash[num++] = settings_hash(&group, sizeof group);
    }
    qsort(hash, num, sizeof *hash, by_value);
    for (size_t i = 1; i < num; i++)
        same += hash[i] == hash[i - 1];
    ok(num == GROUPS && same == 0, "no two of %d groups of ranks have the same hash (%d have)",
       GROUPS, same);
    free(hash);
    char text[24] = "0123456789abcdefghijklm";
    uint64_t whole = settings_hash(text, 23);
    text[22]++;
    ok(settings_hash(text, 23) != whole && settings_hash(text, 22) != whole,
       "a hash depends on the last byte, and on the number of bytes");
    char zeros[16] = {0};
    ok(settings_hash(zeros, 15) != settings_hash(zeros, 16), "also if these bytes are zeros");
}

int main(void)
{
    defaults();
    every_variable();
    every_exchange();
    several_bad_values();
    misspelt_names();
    fingerprints();
    hashes();
    return tap_done();
}
