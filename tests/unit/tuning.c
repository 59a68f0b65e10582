/* tuning.c - torus-a2a-tune chooses ways, block sizes and ranges from times as it says, and
   keeps what a profile has already, and what other runs have noted */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tap.h"
#include "process/replace_file.h"
#include "tools/tune/choice.h"
#include "tools/tune/notes.h"
#include "tools/tune/profile_file.h"
#include "tools/tune/rows.h"
#include "tools/tune/sizes.h"

/* Native and two toruses. */
enum { WAYS = 3 };

static void add(struct results *results, size_t bytes, double native, double first,
                double second)
{
    results_add(results, &(struct result){.bytes = bytes, .time = {native, first, second}});
}

static int choose_last(const struct results *results)
{
    int way[SIZES_MOST];

    choice_make(results, way);
    return way[results->num - 1];
}

static void order(void)
{
    struct results results = {.ways = WAYS};

    add(&results, 64, 1, 2, 3);
    add(&results, 4, 1, 2, 3);
    add(&results, 16, 1, 2, 3);
    add(&results, 16, 5, 2, 3);
    ok(results.num == 3 && results.size[0].bytes == 4 && results.size[1].bytes == 16 &&
           results.size[2].bytes == 64,
       "results are in the order of the sizes, and each size is there once");
    ok(results.size[1].time[0] == 5, "a size that is measured again takes the place");
    ok(results_have(&results, 16) && !results_have(&results, 17),
       "it is known what was measured");
}

static void choices(void)
{
    struct results results = {.ways = WAYS};

    add(&results, 4, 10, 9.9, 30);
    ok(choose_last(&results) == 0, "native is taken if a torus is 1 %% faster");
    add(&results, 4, 10, 9.7, 9.6);
    ok(choose_last(&results) == 1, "the first torus is taken if the second is 1 %% faster");
    add(&results, 4, 10, 9.9, 9);
    ok(choose_last(&results) == 2, "the second torus is taken if it is much faster");
    add(&results, 8, 10, 9.9, 10);
    ok(choose_last(&results) == 2, "the way of the smaller size stays if the others gain 1 %%");
    add(&results, 16, 10, 9.9, 10.3);
    ok(choose_last(&results) == 0, "it goes if they gain more");

    results.num = 0;
    results_add(&results, &(struct result){4, {10, 9, 8}, {1, 0.1, 1}});
    ok(choose_last(&results) == 0, "native is taken if the errors explain what a torus gains");
    results_add(&results, &(struct result){4, {10, 9, 8}, {0.5, 0.1, 0.4}});
    ok(choose_last(&results) == 2, "the fastest way is taken if they do not");
    results_add(&results, &(struct result){8, {10, 9, 8.5}, {1, 1, 1}});
    ok(choose_last(&results) == 2, "the way of the smaller size stays if the errors allow it");
    results_add(&results, &(struct result){8, {8.5, 8, 9}, {1, 1, 1}});
    ok(choose_last(&results) == 0, "it does not if native was faster");
    results.num = 0;
    results_add(&results, &(struct result){4, {10, 9, 8}, {0.5, 0.6, 0.5}});

    ok(!choice_is_plain(&results.size[0], WAYS), "9 is not told from 8 by an error of 0.5");
    ok(choice_is_plain(&(struct result){4, {10, 8.1, 8}, {0.5, 0.5, 0.5}}, WAYS),
       "8.1 need not be told from 8, and 10 is told from it");
    ok(choice_is_plain(&(struct result){4, {10, 0, WRONG}, {5, 5, 5}}, WAYS),
       "ways without a time need not be told");

    results.num = 0;
    add(&results, 4, 10, WRONG, NO_ROOM);
    ok(choose_last(&results) == 0 && results_are_wrong(&results),
       "a way with a wrong result is not taken");
    add(&results, 4, WRONG, WRONG, NO_ROOM);
    ok(choose_last(&results) == NO_WAY, "there may be no way");
    add(&results, 4, 10, NO_ROOM, NO_ROOM);
    ok(!results_are_wrong(&results), "a torus without room is not wrong");
}

/* A machine on which the way of a size is given by two limits: native, the first torus, native
   again. Measures until nothing is left, and returns the number of sizes. */
static int tune(struct sizes *sizes, struct results *results, size_t first, size_t last)
{
    size_t bytes;
    int num = 0;

    for (; sizes_next(sizes, results, &bytes) && num < 1000; num++) {
        double torus = bytes < first || bytes > last ? 20 : 5;
        if (results_have(results, bytes))
            return -1;
        add(results, bytes, 10, torus, 100);
    }
    return num;
}

static void sizes_that_are_measured(void)
{
    struct results results = {.ways = WAYS};
    struct sizes sizes;
    struct profile_row rows[SIZES_MOST], form = {.p = 4};
    struct candidate candidates[CANDIDATES_MOST] = {{.factors = {.num = 1}}};
    int left;

    sizes_default(1 << 20, &sizes);
    ok(sizes.num == 19 && sizes.bytes[0] == 4 && sizes.bytes[18] == 1 << 20 && !sizes.fixed,
       "the powers of 2 from 4 bytes to 1 MiB");
    sizes_default(1000, &sizes);
    ok(sizes.num == 8 && sizes.bytes[7] == 512, "and no more than is wanted");
    ok(sizes_work_left(&sizes, &results, &left) > 0 && left == 8, "8 sizes are left");

    sizes_default(1 << 20, &sizes);
    int num = tune(&sizes, &results, 1000, 50000);
    ok(num > 19 && num < 35, "two boundaries need some more sizes: %d", num);
    ok(sizes_work_left(&sizes, &results, &left) == 0 && left == 0, "nothing is left");
    num = rows_make(&results, &form, candidates, rows);
    ok(num == 3 && rows[0].native && !rows[1].native && rows[2].native, "there are 3 ranges");
    ok(rows[1].first > 970 && rows[1].first < 1030 && rows[1].last > 48500 &&
           rows[1].last < 51500,
       "the boundaries are near the right ones: %zu to %zu", rows[1].first, rows[1].last);

    results.num = 0;
    ok(tune(&sizes, &results, 4, 1 << 20) == 19, "without a boundary there are no more sizes");

    results.num = 0;
    add(&results, 4, 10, NO_ROOM, NO_ROOM);
    ok(!sizes_next(&sizes, &results, &(size_t){0}),
       "if no torus has room, larger blocks are not measured");

    results.num = 0;
    sizes = (struct sizes){.num = 2, .bytes = {8, 4096}, .fixed = true};
    ok(tune(&sizes, &results, 100, 1 << 20) == 2, "a list of sizes is all that is measured");

    results.num = 0;
    sizes.fixed = false;
    sizes.num = 0;
    add(&results, 4, 10, 10.4, 100);
    add(&results, 4096, 10.4, 10, 100);
    ok(!sizes_next(&sizes, &results, &(size_t){0}),
       "ways that differ by less than 5 %% need no boundary");
}

static void ranges(void)
{
    struct results results = {.ways = WAYS};
    struct profile_row rows[SIZES_MOST];
    struct profile_row form = {.mpi = "X", .p = 4, .date = "2026-11-24"};
    struct candidate candidates[CANDIDATES_MOST] = {
        {.factors = {2, {2, 2}}, .exchange = {1, {EXCHANGE_SHM}}},
        {.factors = {.num = 1}, .exchange = {1, {EXCHANGE_LINEAR}}},
    };

    add(&results, 4, 10, 1, 5);
    add(&results, 8, 11, 2, 5);
    add(&results, 16, 12, 3, 5);
    add(&results, 64, 13, 9, 5);
    int num = rows_make(&results, &form, candidates, rows);
    ok(num == 2 && rows[0].first == 1 && rows[0].last == 32 && rows[1].first == 33 &&
           rows[1].last == 64,
       "two ranges meet at the geometric mean, and the last one ends at the largest size");
    ok(rows[0].torus.factors.num == 2 && rows[1].torus.factors.num == 1 && !rows[0].native,
       "the ways are the candidates");
    ok(rows[0].time == 2 && rows[0].native_time == 11, "the times are those in the middle");
    ok(strcmp(rows[1].mpi, "X") == 0 && rows[1].p == 4 &&
           strcmp(rows[1].date, "2026-11-24") == 0,
       "MPI, ranks and date are in each row");
    add(&results, 256, 1, 9, 5);
    num = rows_make(&results, &form, candidates, rows);
    ok(num == 3 && rows[2].native && rows[2].first == 129 && rows[2].last == SIZE_MAX,
       "a last range that is native has no end");
    add(&results, 4, WRONG, 1, 5);
    add(&results, 8, WRONG, 2, 5);
    rows_make(&results, &form, candidates, rows);
    ok(rows[0].time == 2 && rows[0].native_time == 0, "a wrong native way has no time");
    add(&results, 4, WRONG, WRONG, NO_ROOM);
    num = rows_make(&results, &form, candidates, rows);
    ok(num == 3 && rows[0].first == sizes_mean(4, 8) + 1, "a size without a way has no row");
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    fputs(text, file);
    fclose(file);
}

static bool has_text(const char *name, const char *expected)
{
    char text[4096];
    FILE *file = fopen(name, "r");

    if (file == NULL)
        return false;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    if (strcmp(text, expected) != 0)
        printf("# %s\n", text);
    return strcmp(text, expected) == 0;
}

#define OLD  HEAD_FIRST "0 measured\n" HEAD_MORE "old\n"
#define NEW  HEAD_FIRST "1 measured\n"
#define ROW  "mpi=\"A\" ranks=1x4 bytes=1-9 way=native\n"
#define KEPT "mpi=\"B\" ranks=1x4 bytes=1-9 way=native\n"

/* Counts the files in a directory. */
static int num_files(const char *name)
{
    DIR *directory = opendir(name);
    struct dirent *entry;
    int num = 0;

    while (directory != NULL && (entry = readdir(directory)) != NULL)
        num += entry->d_name[0] != '.';
    if (directory != NULL)
        closedir(directory);
    return num;
}

static bool write_word(FILE *file, void *word)
{
    return fputs(word, file) != EOF;
}

static void pipes(void)
{
    char directory[] = "/tmp/tuning-XXXXXX", name[64], word[8] = "";
    struct stat file;

    if (!ok(mkdtemp(directory) != NULL, "a directory for a pipe"))
        return;
    snprintf(name, sizeof name, "%s/pipe", directory);
    ok(mkfifo(name, 0600) == 0, "a pipe");
    int end = open(name, O_RDWR | O_NONBLOCK);
    ok(replace_file(name, write_word, "word") && read(end, word, sizeof word - 1) == 4 &&
           strcmp(word, "word") == 0,
       "a pipe is written to");
    ok(stat(name, &file) == 0 && S_ISFIFO(file.st_mode), "and stays a pipe");
    close(end);
    remove(name);
    remove(directory);
}

/* /dev/stdout may be a file that has a program's output. */
static void open_files(void)
{
    char name[] = "/tmp/tuning-XXXXXX", descriptor[32];
    int file = mkstemp(name);

    if (!ok(file >= 0 && write(file, "output ", 7) == 7, "an open file with output"))
        return;
    snprintf(descriptor, sizeof descriptor, "/dev/fd/%d", file);
    ok(replace_file(descriptor, write_word, "report ") && write(file, "more", 4) == 4 &&
           has_text(name, "output report more"),
       "an open file is written to as it is");
    struct profile_row row = {.mpi = "A", .p = 4, .first = 1, .last = 9, .native = true};
    row.placement = (struct placement){.order = ORDER_BLOCKS, .nodes = 1, .ranks = 4};
    ok(profile_file_update(descriptor, NEW, &row, 1) &&
           has_text(name, "output report more" NEW ROW),
       "a profile on an open file is no update of what the file has");
    close(file);
    ok(!replace_file(descriptor, write_word, "report") && errno == EBADF,
       "a file that is closed is told");
    remove(name);
}

static bool is_link(const char *name)
{
    struct stat file;

    return lstat(name, &file) == 0 && S_ISLNK(file.st_mode);
}

/* Links to a file that is not there. */
static void links_to_nothing(void)
{
    char directory[] = "/tmp/tuning-XXXXXX", name[64], link[64], further[64], full[64];

    if (!ok(mkdtemp(directory) != NULL, "a directory for links"))
        return;
    snprintf(name, sizeof name, "%s/file", directory);
    snprintf(link, sizeof link, "%s/link", directory);
    snprintf(further, sizeof further, "%s/further", directory);
    snprintf(full, sizeof full, "%s/full", directory);
    ok(symlink("file", link) == 0 && symlink("link", further) == 0 && symlink(name, full) == 0,
       "links to a file that is not there");
    ok(replace_file(link, write_word, "one") && is_link(link) && has_text(name, "one"),
       "the file is made, and the link stays a link");
    remove(name);
    ok(replace_file(further, write_word, "two") && is_link(further) && is_link(link) &&
           has_text(name, "two"),
       "also behind two links");
    remove(name);
    ok(replace_file(full, write_word, "three") && is_link(full) && has_text(name, "three"),
       "and behind a link with the whole path");
    remove(name);
    remove(link);
    ok(symlink("none/file", link) == 0 && !replace_file(link, write_word, "four") &&
           is_link(link),
       "a link into a directory that is not there is told");
    remove(link);
    remove(further);
    remove(full);
    ok(remove(directory) == 0, "no other file is left beside the links");
}

static void file_updates(void)
{
    struct profile_row row = {.mpi = "A", .p = 4, .first = 1, .last = 9, .native = true};
    char directory[] = "/tmp/tuning-XXXXXX", name[64], link[64];
    struct stat file;

    row.placement = (struct placement){.order = ORDER_BLOCKS, .nodes = 1, .ranks = 4};
    if (!ok(mkdtemp(directory) != NULL, "a directory for the file"))
        return;
    snprintf(name, sizeof name, "%s/file", directory);
    snprintf(link, sizeof link, "%s/link", directory);
    ok(profile_file_update(name, NEW, &row, 1) && has_text(name, NEW ROW), "a new file");
    write_text(name, "# by hand\n" OLD "mpi=A ranks=1x4 bytes=5-6 way=0:shm\n"
                     "mpi=A ranks=1x4 bytes=7-8 way=native\n");
    ok(profile_file_update(name, NEW, &row, 1) && has_text(name, "# by hand\n" NEW ROW),
       "rows of the same MPI and placement are replaced, and their head too");
    write_text(name, OLD ROW KEPT ROW "broken\n\nmpi=A ranks=2x2 bytes=1-9 way=native");
    ok(profile_file_update(name, NEW, &row, 1) &&
           has_text(name, OLD KEPT "broken\n\nmpi=A ranks=2x2 bytes=1-9 way=native\n" NEW ROW),
       "all other lines are kept, and the head of rows that stay");
    ok(num_files(directory) == 1, "the temporary file is gone");
    ok(symlink(name, link) == 0 && chmod(name, 0604) == 0 &&
           profile_file_update(link, NEW, &row, 1),
       "a file behind a link");
    ok(is_link(link), "the link stays a link");
    ok(stat(name, &file) == 0 && (file.st_mode & 0777) == 0604, "the file keeps its mode");
    remove(link);
    remove(name);
    snprintf(name, sizeof name, "%s/none/file", directory);
    ok(!profile_file_update(name, NEW, &row, 1), "a directory that is not there is told");
    ok(!profile_file_update(directory, NEW, &row, 1), "a directory is no file");
    ok(remove(directory) == 0, "no temporary file stays after an error");
}

/* Two runs with one file. Each has its own placement. */
static void notes_of_two_runs(void)
{
    static const struct lineup lineup = {.num = 1, .way = {{.label = "native"}}};
    const struct notes_key one = {"A", "1x2", 30}, other = {"A", "1x4", 30};
    const struct result result = {.bytes = 4, .time = {2}, .error = {1}};
    char directory[] = "/tmp/tuning-XXXXXX", name[64];
    struct notes ours, others;

    if (!ok(mkdtemp(directory) != NULL, "a directory for notes"))
        return;
    snprintf(name, sizeof name, "%s/file.part", directory);
    ok(notes_open(name, &ours) && notes_open(name, &others), "two runs open one file");
    ok(notes_add(&ours, &one, &lineup, &result) && notes_lock(&ours) &&
           notes_forget(&ours, &one) == 0,
       "the first run finishes before the second one has noted anything");
    notes_unlock(&ours);
    ok(access(name, F_OK) != 0, "the file is gone");
    ok(notes_add(&others, &other, &lineup, &result) &&
           has_text(name, "mpi=\"A\" ranks=1x4 repetitions=30 bytes=4 native=2.0000~1.0000\n"),
       "what the second run notes then stands in a file with the name");
    ok(notes_lock(&ours) && notes_forget(&ours, &one) == 1 && access(name, F_OK) == 0,
       "the first run does not remove it");
    notes_close(&ours);
    ok(access(name, F_OK) == 0, "a file with a note is not removed when a run closes it");
    ok(notes_lock(&others) && notes_forget(&others, &other) == 0 && notes_open(name, &ours) &&
           access(name, F_OK) == 0,
       "a third run opens the file anew");
    notes_close(&others);
    ok(access(name, F_OK) == 0, "the second run leaves this file, because it is not its own");
    notes_close(&ours);
    ok(access(name, F_OK) != 0, "the third run removes it, because it has noted nothing");
    ok(remove(directory) == 0, "no other file is left");
}

int main(void)
{
    order();
    choices();
    sizes_that_are_measured();
    ranges();
    file_updates();
    links_to_nothing();
    pipes();
    open_files();
    notes_of_two_runs();
    return tap_done();
}
