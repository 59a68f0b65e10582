/* profile.c - reads and writes profiles, and looks up what they say */
#include "policy/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "settings/settings.h"

enum { LINE_MOST = 1024, ROWS_AT_ONCE = 64 };

/* A file that is no profile has a broken line in each line. */
enum { WARNINGS_MOST = 8 };

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
static bool read_range(char *text, struct profile_row *row)
{
    const char *rest = text;

    if (!read_size(&rest, &row->first) || *rest++ != '-')
        return false;
    if (strcmp(rest, "inf") == 0) {
        row->last = SIZE_MAX;
        return true;
    }
    return read_size(&rest, &row->last) && *rest == '\0' && row->first <= row->last;
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

static bool read_date(char *text, struct profile_row *row)
{
    static const char form[] = "0000-00-00";

    if (strlen(text) != sizeof form - 1)
        return false;
    for (size_t i = 0; i < sizeof form - 1; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == '0' ? !digit : text[i] != form[i])
            return false;
    }
    memcpy(row->date, text, sizeof form);
    return true;
}

static bool read_mpi(char *text, struct profile_row *row)
{
    size_t length = strlen(text);

    if (length == 0 || length >= PROFILE_MPI_TEXT)
        return false;
    memcpy(row->mpi, text, length + 1);
    return true;
}

static bool read_ranks(char *text, struct profile_row *row)
{
    return placement_parse(text, &row->placement, &row->p);
}

static bool read_way_time(char *text, struct profile_row *row)
{
    return read_time(text, &row->time);
}

static bool read_native_time(char *text, struct profile_row *row)
{
    return read_time(text, &row->native_time);
}

/* The fields of a row. The first ones must be there. */
static const struct field {
    const char *name;
    /* Reads the value, which it may change. */
    bool (*read)(char *text, struct profile_row *row);
    /* What a value is that cannot be read. */
    const char *wrong;
} fields[] = {
    {"mpi", read_mpi, "mpi is not the name of an MPI"},
    {"ranks", read_ranks,
     "ranks is not NODESxRANKS, NODESxRANKS:round-robin or irregular:RANKS"},
    {"bytes", read_range, "bytes is not FIRST-LAST or FIRST-inf"},
    {"way", read_way, "way is not native or FACTORS:EXCHANGES"},
    {"us", read_way_time, "us is not a time"},
    {"native_us", read_native_time, "native_us is not a time"},
    {"date", read_date, "date is not YEAR-MONTH-DAY"},
};
enum { FIELDS = sizeof fields / sizeof fields[0], FIELDS_NEEDED = 4 };

/* Returns NULL, or what is wrong. Adds the field to those that were found. */
static const char *read_field(const char *name, char *value, struct profile_row *row,
                              unsigned *found)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        if (strcmp(name, fields[i].name) != 0)
            continue;
        *found |= 1U << i;
        return fields[i].read(value, row) ? NULL : fields[i].wrong;
    }
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
    const unsigned needed = (1U << FIELDS_NEEDED) - 1;
    const char *wrong = NULL;
    char *name, *value;
    unsigned found = 0;

    memset(row, 0, sizeof *row);
    while (wrong == NULL && line[strspn(line, " \t")] != '\0') {
        if (!cut_field(&line, &name, &value))
            return "a field is not NAME=VALUE";
        wrong = read_field(name, value, row, &found);
    }
    if (wrong == NULL && (found & needed) != needed)
        return "mpi, ranks, bytes or way is missing";
    return wrong;
}

/* fprintf would write the decimal point of the locale. */
static void print_time(FILE *file, const char *name, double time)
{
    uint64_t hundredths = (uint64_t)(time * 100 + 0.5);

    fprintf(file, " %s=%" PRIu64 ".%02" PRIu64, name, hundredths / 100, hundredths % 100);
}

void profile_format_way(const struct profile_row *row, char way[CANDIDATE_TEXT])
{
    if (row->native)
        snprintf(way, CANDIDATE_TEXT, "native");
    else
        candidate_format(&row->torus, ':', way);
}

void profile_print_row(FILE *file, const struct profile_row *row)
{
    char ranks[PLACEMENT_TEXT], way[CANDIDATE_TEXT];

    placement_format(&row->placement, row->p, ranks);
    profile_format_way(row, way);
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

void profile_today(char date[PROFILE_DATE_TEXT])
{
    time_t now = time(NULL);
    struct tm day;

    if (localtime_r(&now, &day) == NULL ||
        strftime(date, PROFILE_DATE_TEXT, "%Y-%m-%d", &day) == 0)
        date[0] = '\0';
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
    char text[LINE_MOST], ranks[PLACEMENT_TEXT], way[CANDIDATE_TEXT];

    placement_format(&row->placement, row->p, ranks);
    profile_format_way(row, way);
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

/* Who hears of broken lines, and how many there were. */
struct complaints {
    profile_warn_fn *warn;
    const char *name;
    int num;
};

static void complain(struct complaints *complaints, int number, const char *wrong)
{
    char text[384];

    if (complaints->num++ >= WARNINGS_MOST)
        return;
    snprintf(text, sizeof text, "%.200s:%d: %s; the line is left out", complaints->name, number,
             wrong);
    complaints->warn(text);
}

static void complain_of_rest(const struct complaints *complaints)
{
    char text[384];

    if (complaints->num <= WARNINGS_MOST)
        return;
    snprintf(text, sizeof text, "%.200s: %d more lines are left out", complaints->name,
             complaints->num - WARNINGS_MOST);
    complaints->warn(text);
}

static bool read_lines(FILE *file, struct profile *profile, struct complaints *complaints)
{
    struct profile_row row;
    char line[LINE_MOST];

    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        size_t length = strlen(line);
        bool whole = length < sizeof line - 1 || line[length - 1] == '\n';
        line[strcspn(line, "\r\n")] = '\0';
        char first = line[strspn(line, " \t")];
        if (!whole) {
            complain(complaints, number, "the line is too long");
            for (int c = fgetc(file); c != '\n' && c != EOF; c = fgetc(file))
                ;
        } else if (first != '\0' && first != '#') {
            const char *wrong = profile_parse_row(line, &row);
            if (wrong != NULL)
                complain(complaints, number, wrong);
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
    struct complaints complaints = {.warn = warn, .name = name};
    bool good = read_lines(file, profile, &complaints);
    int failed = errno;
    complain_of_rest(&complaints);
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

/* Whether a row for another placement may have something to say about this one. */
static bool is_alike(const struct profile_row *row, const struct placement *placement)
{
    return row->placement.order == placement->order &&
           (row->placement.nodes == 1) == (placement->nodes == 1);
}

/* Whether the number of ranks of one row is nearer to p than that of another row: by the
   quotient of the larger number and the smaller one. Fractions are compared exactly, because
   ranks may round floating-point numbers differently, and must choose the same row. */
static bool is_nearer(const struct profile_row *row, const struct profile_row *other, int p)
{
    int64_t smaller = row->p < p ? row->p : p, larger = row->p < p ? p : row->p;
    int64_t other_smaller = other->p < p ? other->p : p;
    int64_t other_larger = other->p < p ? p : other->p;

    return larger * other_smaller < other_larger * smaller;
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
        if (placement_is_same(&row->placement, row->p, placement, p))
            here = same_mpi ? PROFILE_EXACT : PROFILE_OTHER_MPI;
        else if (same_mpi && is_alike(row, placement))
            here = PROFILE_OTHER_PLACEMENT;
        bool nearer =
            here == PROFILE_OTHER_PLACEMENT && *fit == here && is_nearer(row, best, p);
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
    for (int i = 0; best != NULL && i < profile->num; i++) {
        const struct profile_row *other = &profile->rows[i];
        struct profile_choice choice = {
            .first = other->first, .last = other->last, .native = other->native};
        if (strcmp(other->mpi, best->mpi) != 0 ||
            !placement_is_same(&other->placement, other->p, &best->placement, best->p))
            continue;
        if (!choice.native &&
            !candidate_fit(&other->torus, &other->placement, placement, p, &choice.torus))
            continue;
        if (*num < most)
            choices[*num] = choice;
        (*num)++;
    }
    return *num > 0 ? fit : PROFILE_NOTHING;
}
