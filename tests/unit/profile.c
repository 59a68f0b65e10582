/* profile.c - profiles are read and written as torus-a2a-profile(5) says, and the rows that fit
   best are found; also placements and candidates, of which rows consist */
#include "policy/profile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tap.h"

#define MPICH "mpi=\"MPICH 4.0.2\" "

/* The last warning, and how many there were. */
static char warning[512];
static int warnings;

static void keep_warning(const char *line)
{
    warnings++;
    snprintf(warning, sizeof warning, "%s", line);
}

static const char *parse(const char *text, struct profile_row *row)
{
    char line[1024];

    snprintf(line, sizeof line, "%s", text);
    return profile_parse_row(line, row);
}

/* Prints a row into text, without the newline. */
static void print(const struct profile_row *row, char *text, size_t size)
{
    FILE *file = fmemopen(text, size, "w");

    profile_print_row(file, row);
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
}

static void mpi_name(const char *version, const char *expected)
{
    char name[PROFILE_MPI_TEXT];

    profile_mpi_name(version, name);
    ok(strcmp(name, expected) == 0, "the MPI is named %s: %s", expected, name);
}

static void mpi_names(void)
{
    char text[200], name[PROFILE_MPI_TEXT];

    mpi_name("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n"
             "MPICH ABI:\t14:2:2\n",
             "MPICH 4.0.2");
    mpi_name(
        "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, "
        "2022",
        "Open MPI v4.1.4");
    mpi_name("\t A  \"B\" \n", "A B");
    mpi_name("", "");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    text[100] = ' ';
    profile_mpi_name(text, name);
    ok(strlen(name) == PROFILE_MPI_TEXT - 1 && name[PROFILE_MPI_TEXT - 2] == 'x',
       "a long name is cut");
}

/* A row that is printed as it was written. */
static void round_trip(const char *text)
{
    struct profile_row row;
    char printed[1024] = "";

    const char *wrong = parse(text, &row);
    if (wrong == NULL)
        print(&row, printed, sizeof printed);
    ok(wrong == NULL && strcmp(printed, text) == 0, "%s: %s%s", text, wrong ? wrong : "",
       printed);
}

static void rows(void)
{
    struct profile_row row;

    round_trip(MPICH
               "ranks=1x16 bytes=1-1024 way=0:shm us=3.50 native_us=9.25 date=2026-11-24");
    round_trip(MPICH "ranks=4x8 bytes=1-64 way=4x8:linear,shm us=30.00 native_us=90.00");
    round_trip(MPICH "ranks=4x8:round-robin bytes=65-inf way=native");
    round_trip(MPICH "ranks=irregular:13 bytes=0-18446744073709551614 way=0:leaders");
    round_trip("mpi=\"Open MPI v4.1.4\" ranks=16x1 bytes=7-7 way=2x2x4:linear date=2026-01-31");

    ok(parse(" bytes=1-9\tway=native  mpi=X ranks=2x3", &row) == NULL, "the order is free");
    ok(strcmp(row.mpi, "X") == 0 && row.p == 6 && row.placement.nodes == 2 &&
           row.placement.ranks == 3 && row.placement.order == ORDER_BLOCKS && row.first == 1 &&
           row.last == 9 && row.native && row.time == 0 && row.date[0] == '\0',
       "all fields are read");
    ok(parse(MPICH "ranks=1x4 bytes=5-inf way=2x2:shm us=1000", &row) == NULL &&
           row.last == SIZE_MAX && !row.native && row.torus.factors.num == 2 &&
           row.torus.exchange.num == 1 && row.torus.exchange.id[0] == EXCHANGE_SHM &&
           row.time == 1000,
       "inf, a torus and a time are read");
}

static void refused(const char *text, const char *expected)
{
    struct profile_row row;
    const char *wrong = parse(text, &row);

    ok(wrong != NULL && strcmp(wrong, expected) == 0, "\"%s\": %s", text,
       wrong == NULL ? "accepted" : wrong);
}

#define REST " ranks=1x4 bytes=1-9 way=native"

static void broken_rows(void)
{
    static const char no_pair[] = "a field is not NAME=VALUE";
    static const char missing[] = "mpi, ranks, bytes or way is missing";
    static const char ranks[] =
        "ranks is not NODESxRANKS, NODESxRANKS:round-robin or irregular:RANKS";
    static const char bytes[] = "bytes is not FIRST-LAST or FIRST-inf";
    static const char way[] = "way is not native or FACTORS:EXCHANGES";
    static const char date[] = "date is not YEAR-MONTH-DAY";
    char text[256];

    refused("rubbish", no_pair);
    refused("mpi=\"MPICH" REST, no_pair);
    refused(MPICH "ranks=1x4 bytes=1-9 way=native rubbish", no_pair);
    refused(MPICH "ranks=1x4 bytes=1-9", missing);
    refused("ranks=1x4 bytes=1-9 way=native", missing);
    refused("mpi=" REST, "mpi is not the name of an MPI");
    snprintf(text, sizeof text, "mpi=%064d" REST, 0);
    refused(text, "mpi is not the name of an MPI");
    refused(MPICH "ranks=4 bytes=1-9 way=native", ranks);
    refused(MPICH "ranks=1x4 bytes=9 way=native", bytes);
    refused(MPICH "ranks=1x4 bytes=9-8 way=native", bytes);
    refused(MPICH "ranks=1x4 bytes=-9 way=native", bytes);
    refused(MPICH "ranks=1x4 bytes=1-9k way=native", bytes);
    refused(MPICH "ranks=1x4 bytes=1-99999999999999999999 way=native", bytes);
    refused(MPICH "ranks=1x4 bytes=1-9 way=torus", way);
    refused(MPICH "ranks=1x4 bytes=1-9 way=0:pigeon", way);
    refused(MPICH "ranks=1x4 bytes=1-9 way=2x2x2:shm,linear", way);
    refused(MPICH "ranks=1x4 bytes=1-9 way=2x2,4:shm", way);
    refused(MPICH "us=-1" REST, "us is not a time");
    refused(MPICH "us=nan" REST, "us is not a time");
    refused(MPICH "us=1,50" REST, "us is not a time");
    refused(MPICH "us=1.505" REST, "us is not a time");
    refused(MPICH "native_us=9s" REST, "native_us is not a time");
    refused(MPICH "date=24.11.2026" REST, date);
    refused(MPICH "date=2026-11-2x" REST, date);
    refused(MPICH "color=red" REST,
            "a field is none of mpi, ranks, bytes, way, us, native_us and date");
}

/* Writes a file of this text, and reads it. */
static bool read_text(const char *text, struct profile *profile)
{
    char name[] = "/tmp/profile-XXXXXX";
    int file = mkstemp(name);

    warnings = 0;
    bool good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    close(file);
    good = good && profile_read(name, profile, keep_warning);
    remove(name);
    return good;
}

#define ROW_A MPICH "ranks=1x4 bytes=1-9 way=native us=1.00 date=2026-11-24\n"
#define ROW_B MPICH "ranks=1x4 bytes=10-inf way=0:shm us=1.00\n"

static uint64_t fingerprint(const char *text)
{
    struct profile profile;
    uint64_t hash = read_text(text, &profile) ? profile.fingerprint : 1;

    profile_free(&profile);
    return hash;
}

static void files(void)
{
    struct profile profile;
    char text[4096], *end;

    ok(read_text("# a comment\n\n  \t# another\r\n" ROW_A "\n" ROW_B, &profile) &&
           warnings == 0 && profile.num == 2 && profile.rows[1].first == 10,
       "comments and empty lines are left out");
    profile_free(&profile);
    ok(read_text(ROW_A "rubbish\n" ROW_B, &profile) && profile.num == 2 && warnings == 1,
       "a broken line costs no other row");
    end = strchr(warning, ':');
    ok(end != NULL && strcmp(end, ":2: a field is not NAME=VALUE; the line is left out") == 0,
       "the warning names file and line: %s", warning);
    profile_free(&profile);
    snprintf(text, sizeof text, "mpi=%02000d\n" ROW_A, 0);
    ok(read_text(text, &profile) && profile.num == 1 && warnings == 1 &&
           strstr(warning, ":1: the line is too long") != NULL,
       "a line that is too long is left out as one line");
    profile_free(&profile);
    for (int i = 0; i < 100; i++)
        memcpy(text + 8 * i, "rubbish\n", 9);
    ok(read_text(text, &profile) && profile.num == 0 && warnings == 9 &&
           strstr(warning, ": 92 more lines are left out") != NULL,
       "a file of 100 broken lines gets 9 warnings: %s", warning);
    profile_free(&profile);
    ok(read_text("", &profile) && profile.num == 0 && profile.fingerprint == 0,
       "an empty file is a profile without rows");
    ok(!profile_read("/tmp/none/profile", &profile, keep_warning) && profile.num == 0,
       "a file that is not there is told");
    ok(!profile_read("/tmp", &profile, keep_warning), "a directory is no profile");

    ok(fingerprint(ROW_A) != 0 && fingerprint(ROW_A) != fingerprint(ROW_B) &&
           fingerprint(ROW_A ROW_B) != fingerprint(ROW_B ROW_A),
       "the hash tells rows and their order");
    ok(fingerprint(ROW_A) ==
           fingerprint("# other\n" MPICH
                       "ranks=1x4 bytes=1-9 way=native us=2.00 date=2025-11-24\n"),
       "the hash does not depend on comments, times and dates");
    for (int i = 0; i < 100; i++)
        snprintf(text + 40 * i, sizeof text - 40 * (size_t)i, "%-39s\n",
                 "mpi=X ranks=1x4 bytes=1-9 way=native");
    ok(read_text(text, &profile) && profile.num == 100, "a file may have many rows");
    profile_free(&profile);
}

/* What the profile says for ranks that lie as in the text. */
static enum profile_fit choose(const struct profile *profile, const char *mpi,
                               const char *ranks, struct profile_choice choices[8], int *num)
{
    const struct profile_row *row;
    struct placement placement;
    int p;

    placement_parse(ranks, &placement, &p);
    return profile_choose(profile, mpi, p, &placement, choices, 8, num, &row);
}

/* Whether a choice is this torus. */
static bool is_torus(const struct profile_choice *choice, const char *text)
{
    char way[CANDIDATE_TEXT];

    candidate_format(&choice->torus, ':', way);
    return !choice->native && strcmp(way, text) == 0;
}

static void fits(void)
{
    static const char text[] = "mpi=A ranks=1x4 bytes=1-9 way=0:shm\n"
                               "mpi=A ranks=1x4 bytes=1-99 way=native\n"
                               "mpi=B ranks=1x4 bytes=1-9 way=2x2:shm\n"
                               "mpi=B ranks=1x16 bytes=1-9 way=0:shm\n"
                               "mpi=B ranks=4x8 bytes=1-9 way=4x8:linear,shm\n"
                               "mpi=B ranks=2x64 bytes=1-9 way=0:leaders\n"
                               "mpi=B ranks=2x64 bytes=10-99 way=4x32:linear\n"
                               "mpi=B ranks=2x3:round-robin bytes=1-9 way=3x2:shm,linear\n"
                               "mpi=D ranks=1x81 bytes=1-9 way=0:shm\n"
                               "mpi=D ranks=1x25 bytes=1-9 way=native\n";
    struct profile profile;
    struct profile_choice choices[8];
    const struct profile_row *row;
    struct placement placement;
    int num, p;

    ok(read_text(text, &profile) && profile.num == 10, "a profile of three MPIs");
    ok(choose(&profile, "A", "1x4", choices, &num) == PROFILE_EXACT && num == 2 &&
           is_torus(&choices[0], "0:shm") && choices[1].native && choices[1].first == 1 &&
           choices[1].last == 99,
       "the rows of the same MPI and placement come in their order: the first match wins");
    ok(choose(&profile, "B", "1x4", choices, &num) == PROFILE_EXACT && num == 1 &&
           is_torus(&choices[0], "2x2:shm"),
       "rows of this MPI come before rows of another one that stand first");
    ok(choose(&profile, "C", "1x16", choices, &num) == PROFILE_OTHER_MPI && num == 1 &&
           is_torus(&choices[0], "0:shm"),
       "rows of another MPI for the same placement");
    ok(choose(&profile, "A", "1x16", choices, &num) == PROFILE_OTHER_MPI,
       "they come before rows of this MPI for another placement");
    ok(choose(&profile, "B", "1x12", choices, &num) == PROFILE_OTHER_PLACEMENT && num == 1 &&
           is_torus(&choices[0], "0:shm"),
       "the nearest number of ranks is taken");
    ok(choose(&profile, "D", "1x45", choices, &num) == PROFILE_OTHER_PLACEMENT && num == 1 &&
           is_torus(&choices[0], "0:shm"),
       "of two numbers of ranks that are equally near, the first one is taken");
    ok(choose(&profile, "B", "4x7", choices, &num) == PROFILE_OTHER_PLACEMENT && num == 1 &&
           is_torus(&choices[0], "4x7:linear,shm"),
       "nodes become nodes, and ranks of a node become ranks of a node");
    ok(choose(&profile, "B", "2x62", choices, &num) == PROFILE_OTHER_PLACEMENT && num == 1 &&
           is_torus(&choices[0], "0:leaders"),
       "a torus whose factors do not fit is left out");
    ok(choose(&profile, "B", "5x4:round-robin", choices, &num) == PROFILE_OTHER_PLACEMENT &&
           num == 1 && is_torus(&choices[0], "4x5:shm,linear"),
       "round-robin rows serve other round-robin ranks");
    ok(choose(&profile, "A", "4x7", choices, &num) == PROFILE_NOTHING && num == 0,
       "rows for one node say nothing about several");
    ok(choose(&profile, "B", "irregular:32", choices, &num) == PROFILE_NOTHING,
       "rows for regular nodes say nothing about irregular ones");
    placement_parse("1x4", &placement, &p);
    choices[1].last = 77;
    ok(profile_choose(&profile, "A", p, &placement, choices, 1, &num, &row) == PROFILE_EXACT &&
           num == 2 && row == &profile.rows[0] && choices[0].last == 9 && choices[1].last == 77,
       "no more choices are written than there is room, and their number and first row are "
       "told");
    profile_free(&profile);
}

/* The candidates for ranks that lie as in the text, separated by blanks. */
static void candidates(const char *ranks, const char *expected)
{
    struct candidate list[CANDIDATES_MOST];
    struct placement placement;
    char text[CANDIDATES_MOST * CANDIDATE_TEXT] = "", way[CANDIDATE_TEXT];
    int p;

    placement_parse(ranks, &placement, &p);
    int num = candidates_list(p, &placement, list);
    for (int i = 0; i < num; i++) {
        candidate_format(&list[i], ':', way);
        strcat(strcat(text, i > 0 ? " " : ""), way);
    }
    ok(strcmp(text, expected) == 0, "candidates for %s: %s", ranks, text);
}

static void all_candidates(void)
{
    candidates("1x2", "0:shm 0:linear");
    candidates("1x16", "0:shm 4x4:shm 0:linear 4x4:linear 4x2x2:linear 2x2x2x2:linear");
    candidates("4x8",
               "0:leaders 4x8:linear,shm 4x8:pairwise,shm 0:linear 8x4:linear 4x4x2:linear "
               "4x2x2x2:linear");
    candidates("8x4:round-robin",
               "0:leaders 4x8:shm,linear 4x8:shm,pairwise 0:linear 8x4:linear "
               "4x4x2:linear 4x2x2x2:linear");
    candidates("irregular:13", "0:leaders 0:linear");
    candidates("16x1", "0:linear 4x4:linear 4x2x2:linear 2x2x2x2:linear");
    candidates("2x1", "0:linear");
}

/* What a candidate for one placement becomes for another one; NULL: nothing. */
static void fit(const char *way, const char *from_text, const char *to_text,
                const char *expected)
{
    struct candidate candidate, fitted;
    struct placement from, to;
    char factors[CANDIDATE_TEXT], text[CANDIDATE_TEXT] = "nothing";
    int p;

    snprintf(factors, sizeof factors, "%s", way);
    *strchr(factors, ':') = '\0';
    placement_parse(from_text, &from, &p);
    placement_parse(to_text, &to, &p);
    bool good = candidate_parse(factors, strchr(way, ':') + 1, &candidate);
    if (good && candidate_fit(&candidate, &from, &to, p, &fitted))
        candidate_format(&fitted, ':', text);
    ok(good && strcmp(text, expected) == 0, "%s for %s becomes %s for %s", way, from_text, text,
       to_text);
}

static void all_fits(void)
{
    fit("0:shm", "1x16", "1x13", "0:shm");
    fit("4x4:shm", "1x16", "1x13", "nothing");
    fit("4x4:shm", "1x16", "1x16", "4x4:shm");
    fit("4x8:linear,shm", "4x8", "3x5", "3x5:linear,shm");
    fit("8x4:linear", "4x8", "3x5", "nothing");
    fit("8x4:shm,linear", "4x8:round-robin", "5x3:round-robin", "3x5:shm,linear");
    fit("4x8:linear,shm", "4x8", "8x4:round-robin", "4x8:linear,shm");
    fit("0x2:linear", "irregular:10", "irregular:14", "0x2:linear");
}

static void placements(void)
{
    static const char *const good[] = {"1x1", "4x8", "8x4:round-robin", "irregular:13",
                                       "1x2147483647"};
    static const char *const rubbish[] = {"",
                                          "x",
                                          "4",
                                          "4x",
                                          "x8",
                                          "4x8x2",
                                          "4x8:",
                                          "4x8:rr",
                                          "0x8",
                                          "4x0",
                                          "-4x8",
                                          "4x-8",
                                          "+4x8",
                                          " 4x8",
                                          "4x8 ",
                                          "irregular",
                                          "irregular:",
                                          "irregular:0",
                                          "irregular:4x8",
                                          "irregular:-1",
                                          "99999999999x1",
                                          "65536x65536",
                                          "round-robin",
                                          "4x8:round-robin "};
    struct placement placement;
    char text[PLACEMENT_TEXT];
    int p;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        bool read = placement_parse(good[i], &placement, &p);
        if (read)
            placement_format(&placement, p, text);
        ok(read && strcmp(text, good[i]) == 0, "the placement %s", good[i]);
    }
    for (size_t i = 0; i < sizeof rubbish / sizeof *rubbish; i++)
        ok(!placement_parse(rubbish[i], &placement, &p), "no placement: \"%s\"", rubbish[i]);
}

int main(void)
{
    mpi_names();
    rows();
    broken_rows();
    files();
    fits();
    all_candidates();
    all_fits();
    placements();
    return tap_done();
}
