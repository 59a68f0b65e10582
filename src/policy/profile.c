/* profile.c - reads and writes profiles, and looks up what they say */
#include "policy/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "settings/settings.h"

enum { LINE_MOST = 1024, ROWS_AT_ONCE = 64 };

/* MPICH writes "MPICH Version: 4.0.2". */
static void remove_label(char *name)
{
    static const char label[] = " Version:";
    char *found = strstr(name, label);

    if (found != NULL)
        memmove(found, found + sizeof label - 1, strlen(found) - (sizeof label - 1) + 1);
}

/* MPICH writes its version in the first line, and Open MPI in front of the first comma. */
void profile_mpi_name(const char *version, char name[PROFILE_MPI_TEXT])
{
    size_t length = 0;

    for (const char *c = version; strchr("\n,", *c) == NULL; c++) {
        bool blank = *c == ' ' || *c == '\t' || *c == '"';
        if (length == PROFILE_MPI_TEXT - 1)
            break;
        if (!blank)
            name[length++] = *c;
        else if (length > 0 && name[length - 1] != ' ')
            name[length++] = ' ';
    }
    while (length > 0 && name[length - 1] == ' ')
        length--;
    name[length] = '\0';
    remove_label(name);
}

static bool read_size(const char **text, size_t *size)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *size = (size_t)strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* FIRST-LAST, where LAST may be inf. */
static bool read_range(const char *text, struct profile_row *row)
{
    if (!read_size(&text, &row->first) || *text++ != '-')
        return false;
    if (strcmp(text, "inf") == 0) {
        row->last = SIZE_MAX;
        return true;
    }
    return read_size(&text, &row->last) && *text == '\0' && row->first <= row->last;
}

/* Microseconds with up to two digits behind the point. strtod would read what the locale of the
   program writes. */
static bool read_time(const char *text, double *time)
{
    size_t whole, part = 0;
    const char *point;

    if (!read_size(&text, &whole) || whole > 1000000000000)
        return false;
    point = *text == '.' ? text++ : NULL;
    if (point != NULL && (!read_size(&text, &part) || text - point > 3))
        return false;
    *time = (double)whole + (double)part / (point != NULL && text - point == 2 ? 10 : 100);
    return *text == '\0';
}

/* native, or FACTORS:EXCHANGES. */
static bool read_way(char *text, struct profile_row *row)
{
    char *colon = strchr(text, ':');

    row->native = strcmp(text, "native") == 0;
    if (row->native)
        return true;
    if (colon == NULL)
        return false;
    *colon = '\0';
    return candidate_parse(text, colon + 1, &row->torus);
}

static bool read_date(const char *text, char date[PROFILE_DATE_TEXT])
{
    static const char form[] = "0000-00-00";

    if (strlen(text) != sizeof form - 1)
        return false;
    for (size_t i = 0; i < sizeof form - 1; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == '0' ? !digit : text[i] != form[i])
            return false;
    }
    memcpy(date, text, sizeof form);
    return true;
}

static bool read_mpi(const char *text, char mpi[PROFILE_MPI_TEXT])
{
    size_t length = strlen(text);

    if (length == 0 || length >= PROFILE_MPI_TEXT)
        return false;
    memcpy(mpi, text, length + 1);
    return true;
}

/* The fields that a row must have. */
enum { HAS_MPI = 1, HAS_RANKS = 2, HAS_BYTES = 4, HAS_WAY = 8, HAS_ALL = 15 };

/* Returns NULL, or what is wrong. */
static const char *read_field(const char *name, char *value, struct profile_row *row, int *has)
{
    if (strcmp(name, "mpi") == 0) {
        *has |= HAS_MPI;
        return read_mpi(value, row->mpi) ? NULL : "mpi is not the name of an MPI";
    }
    if (strcmp(name, "ranks") == 0) {
        *has |= HAS_RANKS;
        return placement_parse(value, &row->placement, &row->p)
                   ? NULL
                   : "ranks is not NODESxRANKS, NODESxRANKS:round-robin or irregular:RANKS";
    }
    if (strcmp(name, "bytes") == 0) {
        *has |= HAS_BYTES;
        return read_range(value, row) ? NULL : "bytes is not FIRST-LAST or FIRST-inf";
    }
    if (strcmp(name, "way") == 0) {
        *has |= HAS_WAY;
        return read_way(value, row) ? NULL : "way is not native or FACTORS:EXCHANGES";
    }
    if (strcmp(name, "us") == 0)
        return read_time(value, &row->time) ? NULL : "us is not a time";
    if (strcmp(name, "native_us") == 0)
        return read_time(value, &row->native_time) ? NULL : "native_us is not a time";
    if (strcmp(name, "date") == 0)
        return read_date(value, row->date) ? NULL : "date is not YEAR-MONTH-DAY";
    return "a field is none of mpi, ranks, bytes, way, us, native_us and date";
}

/* Cuts the next NAME=VALUE off the line. A value may stand in quotation marks. Returns false if
   there is none. */
static bool cut_field(char **line, char **name, char **value)
{
    char *text = *line + strspn(*line, " \t"), *equals = strchr(text, '=');

    if (equals == NULL)
        return false;
    *equals = '\0';
    *name = text;
    *value = equals + 1;
    char *end;
    if (**value == '"') {
        (*value)++;
        end = strchr(*value, '"');
    } else {
        end = *value + strcspn(*value, " \t");
    }
    if (end == NULL)
        return false;
    *line = *end == '\0' ? end : end + 1;
    *end = '\0';
    return true;
}

const char *profile_parse_row(char *line, struct profile_row *row)
{
    const char *wrong = NULL;
    char *name, *value;
    int has = 0;

    memset(row, 0, sizeof *row);
    while (wrong == NULL && line[strspn(line, " \t")] != '\0') {
        if (!cut_field(&line, &name, &value))
            return "a field is not NAME=VALUE";
        wrong = read_field(name, value, row, &has);
    }
    if (wrong == NULL && has != HAS_ALL)
        return "mpi, ranks, bytes or way is missing";
    return wrong;
}

/* fprintf would write the decimal point of the locale. */
static void print_time(FILE *file, const char *name, double time)
{
    uint64_t hundredths = (uint64_t)(time * 100 + 0.5);

    fprintf(file, " %s=%" PRIu64 ".%02" PRIu64, name, hundredths / 100, hundredths % 100);
}

void profile_print_row(FILE *file, const struct profile_row *row)
{
    char ranks[PLACEMENT_TEXT], way[CANDIDATE_TEXT] = "native";

    placement_format(&row->placement, row->p, ranks);
    if (!row->native)
        candidate_format(&row->torus, ':', way);
    fprintf(file, "mpi=\"%s\" ranks=%s bytes=%zu-", row->mpi, ranks, row->first);
    if (row->last == SIZE_MAX)
        fputs("inf", file);
    else
        fprintf(file, "%zu", row->last);
    fprintf(file, " way=%s", way);
    if (row->time > 0)
        print_time(file, "us", row->time);
    if (row->native_time > 0)
        print_time(file, "native_us", row->native_time);
    if (row->date[0] != '\0')
        fprintf(file, " date=%s", row->date);
    fputc('\n', file);
}

static bool add_row(struct profile *profile, const struct profile_row *row)
{
    if (profile->num % ROWS_AT_ONCE == 0) {
        size_t room = (size_t)profile->num + ROWS_AT_ONCE;
        struct profile_row *rows = realloc(profile->rows, room * sizeof *rows);
        if (rows == NULL)
            return false;
        profile->rows = rows;
    }
    memcpy(&profile->rows[profile->num++], row, sizeof *row);
    return true;
}

/* Two ranks may have read files that differ in times and dates alone. */
static uint64_t hash_row(uint64_t before, const struct profile_row *row)
{
    char text[LINE_MOST], ranks[PLACEMENT_TEXT], way[CANDIDATE_TEXT] = "native";

    placement_format(&row->placement, row->p, ranks);
    if (!row->native)
        candidate_format(&row->torus, ':', way);
    int length = snprintf(text, sizeof text, "%016" PRIx64 " %s %s %zu %zu %s", before,
                          row->mpi, ranks, row->first, row->last, way);
    return settings_hash(text, (size_t)length);
}

static uint64_t hash_rows(const struct profile *profile)
{
    uint64_t hash = 0;

    for (int i = 0; i < profile->num; i++)
        hash = hash_row(hash, &profile->rows[i]);
    return hash;
}

static void complain(profile_warn_fn *warn, const char *name, int number, const char *wrong)
{
    char text[384];

    snprintf(text, sizeof text, "%.200s:%d: %s; the line is left out", name, number, wrong);
    warn(text);
}

static bool read_lines(FILE *file, const char *name, struct profile *profile,
                       profile_warn_fn *warn)
{
    struct profile_row row;
    char line[LINE_MOST];

    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        size_t length = strlen(line);
        bool whole = length < sizeof line - 1 || line[length - 1] == '\n';
        line[strcspn(line, "\r\n")] = '\0';
        char first = line[strspn(line, " \t")];
        if (!whole) {
            complain(warn, name, number, "the line is too long");
            for (int c = fgetc(file); c != '\n' && c != EOF; c = fgetc(file))
                ;
        } else if (first != '\0' && first != '#') {
            const char *wrong = profile_parse_row(line, &row);
            if (wrong != NULL)
                complain(warn, name, number, wrong);
            else if (!add_row(profile, &row))
                return false;
        }
    }
    return ferror(file) == 0;
}

bool profile_read(const char *name, struct profile *profile, profile_warn_fn *warn)
{
    *profile = (struct profile){.num = 0};
    FILE *file = fopen(name, "re");
    if (file == NULL)
        return false;
    bool good = read_lines(file, name, profile, warn);
    int failed = errno;
    fclose(file);
    if (!good) {
        profile_free(profile);
        errno = failed;
        return false;
    }
    profile->fingerprint = profile->num > 0 ? hash_rows(profile) | 1 : 0;
    return true;
}

void profile_free(struct profile *profile)
{
    free(profile->rows);
    *profile = (struct profile){.num = 0};
}

static bool is_same_placement(const struct profile_row *row, int p,
                              const struct placement *placement)
{
    if (row->p != p || row->placement.order != placement->order)
        return false;
    return placement->order == ORDER_NONE || row->placement.nodes == placement->nodes;
}

/* Whether a row for another placement may have something to say about this one. */
static bool is_alike(const struct profile_row *row, const struct placement *placement)
{
    return row->placement.order == placement->order &&
           (row->placement.nodes == 1) == (placement->nodes == 1);
}

/* How far the numbers of ranks are apart: their quotient. */
static double distance(const struct profile_row *row, int p)
{
    double quotient = (double)row->p / p;

    return quotient > 1 ? quotient : 1 / quotient;
}

/* Returns the first row that fits best, or NULL. */
static const struct profile_row *find_best(const struct profile *profile, const char *mpi,
                                           int p, const struct placement *placement,
                                           enum profile_fit *fit)
{
    const struct profile_row *best = NULL;

    *fit = PROFILE_NOTHING;
    for (int i = 0; i < profile->num; i++) {
        const struct profile_row *row = &profile->rows[i];
        bool same_mpi = strcmp(row->mpi, mpi) == 0;
        enum profile_fit here = PROFILE_NOTHING;
        if (is_same_placement(row, p, placement))
            here = same_mpi ? PROFILE_EXACT : PROFILE_OTHER_MPI;
        else if (same_mpi && is_alike(row, placement))
            here = PROFILE_OTHER_PLACEMENT;
        bool nearer = here == PROFILE_OTHER_PLACEMENT && *fit == here &&
                      distance(row, p) < distance(best, p);
        if (here > *fit || nearer) {
            *fit = here;
            best = row;
        }
    }
    return best;
}

enum profile_fit profile_choose(const struct profile *profile, const char *mpi, int p,
                                const struct placement *placement,
                                struct profile_choice choices[], int most, int *num,
                                const struct profile_row **row)
{
    enum profile_fit fit;
    const struct profile_row *best = find_best(profile, mpi, p, placement, &fit);

    *num = 0;
    *row = best;
    for (int i = 0; best != NULL && i < profile->num && *num < most; i++) {
        const struct profile_row *other = &profile->rows[i];
        struct profile_choice choice = {
            .first = other->first, .last = other->last, .native = other->native};
        if (strcmp(other->mpi, best->mpi) != 0 ||
            !is_same_placement(other, best->p, &best->placement))
            continue;
        if (choice.native ||
            candidate_fit(&other->torus, &other->placement, placement, p, &choice.torus))
            choices[(*num)++] = choice;
    }
    return *num > 0 ? fit : PROFILE_NOTHING;
}
