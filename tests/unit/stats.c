/* stats.c - histograms, gains, names of files, and reports of calls that this test makes up

   stats FILE.json FILE.txt   writes the same report in both forms, for tests/tools/report.test
 */
#include <stdlib.h>
#include <string.h>

#include "../tap.h"

#include "stats/file_name.h"
#include "stats/forms.h"
#include "stats/gain.h"
#include "stats/histogram.h"
#include "stats/report.h"
#include "stats/table.h"

static bool near(double value, double wanted, double part)
{
    bool is = value >= wanted * (1 - part) && value <= wanted * (1 + part);

    if (!is)
        printf("# %g is not %g\n", value, wanted);
    return is;
}

/* --- Histograms */

static bool steps_rise(void)
{
    unsigned before = 0;

    for (uint64_t time = 0; time < UINT64_C(1) << 45; time += 1 + time / 50) {
        unsigned step = histogram_step(time);
        if (step < before || step > before + 1 || step >= HISTOGRAM_STEPS)
            return false;
        before = step;
    }
    return before == HISTOGRAM_STEPS - 1;
}

static void histograms(void)
{
    static struct histogram empty, single, many;
    bool right = true;

    ok(steps_rise(), "a longer time has the same step or the next one, up to the last step");
    ok(histogram_calls(&empty) == 0 && histogram_quantile(&empty, 0.5) <= 0,
       "a histogram without times has no median");
    for (uint64_t time = 1; time < UINT64_C(1) << 40; time = time * 3 + 1) {
        memset(&single, 0, sizeof single);
        histogram_add(&single, time);
        right = right &&
                near(histogram_quantile(&single, 0.5), (double)time, time < 8 ? 1 : 0.0667);
    }
    ok(right, "the median of one time is right within 7 %%");
    for (uint64_t time = 1000; time <= 9000; time++)
        histogram_add(&many, time);
    ok(histogram_calls(&many) == 8001, "all times are counted");
    ok(near(histogram_quantile(&many, 0.25), 3000, 0.02) &&
           near(histogram_quantile(&many, 0.5), 5000, 0.02) &&
           near(histogram_quantile(&many, 0.75), 7000, 0.02),
       "the quartiles of many times");
}

/* --- Rows and gains */

static const struct table_shape *shape_of(int ranks, int nodes)
{
    struct table_shape shape;

    table_clear_shape(&shape);
    shape.ranks = ranks;
    shape.nodes = nodes;
    shape.ranks_per_node = nodes > 0 ? ranks / nodes : 0;
    return table_keep_shape(&shape);
}

static struct table_row *row_of(const struct table_shape *shape, size_t block,
                                const char *reason, int calls, uint64_t time)
{
    struct table_row *row = table_find(shape, block, reason);

    for (int i = 0; row != NULL && i < calls; i++)
        table_add(row, time);
    return row;
}

static struct gain gain_now(const struct table_row *row)
{
    struct table_row *rows[TABLE_ROWS];
    size_t num = table_rows(rows);

    return gain_of(row, rows, num);
}

static const char above[] = "above", below[] = "below";

static void gains(void)
{
    const struct table_shape *eight = shape_of(8, 2), *unknown = shape_of(8, 0);
    const struct table_shape *other = shape_of(8, 4), *nine = shape_of(9, 0);
    struct table_row *row = row_of(eight, 100, NULL, 1000, 10000);

    ok(row == table_find(eight, 100, NULL), "a row is found again");
    ok(shape_of(8, 2) == eight && unknown != eight, "a shape is found again");
    ok(!gain_now(row).measured, "no gain without native calls");
    row_of(nine, 100, above, 10, 20000);
    row_of(other, 100, above, 10, 20000);
    row_of(eight, 201, above, 10, 20000);
    row_of(eight, 49, above, 10, 20000);
    row_of(eight, 0, above, 10, 20000);
    ok(!gain_now(row).measured, "none with other ranks, nodes or far sizes");
    row_of(eight, 200, above, 10, 80000);
    ok(near(gain_now(row).seconds, 0.07, 0.1), "a block that is twice as large compares");
    /* The right time lies between 40 and 80 µs. */
    ok(near(gain_now(row).uncertainty, 1000 * 40e-6 * 0.58, 0.1),
       "how much the size matters is uncertain");
    row_of(unknown, 100, above, 10, 20000);
    ok(near(gain_now(row).seconds, 0.01, 0.2),
       "the nearest size counts, also on unknown nodes");
    row_of(unknown, 100, below, 20, 40000);
    struct gain gain = gain_now(row);
    ok(near(gain.seconds, 0.03, 0.1), "of one size the row with the most calls counts");
    ok(near(gain.native_median, 40e-6, 0.07), "its median is given");
    /* Nearly no spread: what is left is the width of a step. */
    ok(near(gain.uncertainty, 1000 * 0.036 * 41e-6, 0.2), "the width of a step is uncertain");
    ok(!gain_now(table_find(unknown, 100, below)).measured, "native calls have no gain");
    ok(near(gain_square_root(2), 1.41421356, 1e-6) &&
           near(gain_square_root(1e-10), 1e-5, 1e-6) &&
           near(gain_square_root(1e20), 1e10, 1e-6) && gain_square_root(0) <= 0,
       "square roots");
}

static void bounds(void)
{
    const struct table_shape *shape = shape_of(5, 0), *last = shape;
    int rows = 0, shapes = 0;

    for (size_t block = 1; block < 1000; block++)
        rows += table_find(shape, block, above) != NULL;
    ok(rows > 200 && rows < TABLE_ROWS, "the table has a bounded number of rows");
    ok(table_find(shape, 1, above) != NULL && table_find(shape, 999, above) == NULL,
       "its rows stay");
    for (int ranks = 100; ranks < 1000 && last != NULL; ranks++) {
        last = shape_of(ranks, 1);
        shapes++;
    }
    ok(shapes > 50 && shapes <= TABLE_SHAPES, "it has a bounded number of shapes");
    ok(table_find(NULL, 1, above) == NULL, "without a shape there is no row");
}

/* --- Names of files */

static void name_is(const char *pattern, int rank, const char *wanted)
{
    char name[64];
    bool made = file_name_make(pattern, rank, 77, "host", name, sizeof name);

    ok(made && strcmp(name, wanted) == 0, "%s on rank %d is %s", pattern, rank, wanted);
}

static void names(void)
{
    char name[16];

    name_is("a.json", 0, "a.json");
    name_is("a-%r-%p-%h.json", 3, "a-3-77-host.json");
    name_is("100%%", 0, "100%");
    name_is("%%r", 0, "%r");
    name_is("a-%r.json", -1, "a-host.77.json");
    name_is("a.json", -1, "a.host.77.json");
    name_is("dir.d/a", -1, "dir.d/a.host.77");
    name_is("dir/.a", -1, "dir/.a.host.77");
    name_is("a-%p.b", -1, "a-77.b");
    name_is("/dev/stdout", -1, "/dev/stdout");
    name_is("/dev/null", -1, "/dev/null");
    ok(!file_name_make("0123456789-%h-%h", 0, 1, "host", name, sizeof name),
       "a name that is too long");
    ok(file_name_has_rank("a%r") && !file_name_has_rank("a%%r%p"), "which names have a rank");
    ok(file_name_is_json("a.json") && !file_name_is_json("a.json.txt") &&
           !file_name_is_json("json"),
       "which names are JSON");
}

/* --- A report */

static struct report *make_report(void)
{
    static const struct report_process process = {.rank = 3,
                                                  .ranks = 64,
                                                  .pid = 4711,
                                                  .host = "node-1",
                                                  .program = "./a \"b\" \\ \t c\303\266 \377 d",
                                                  .mpi = "libmpi.so",
                                                  .run = 12.25,
                                                  .toruses = 2,
                                                  .making = 0.0125,
                                                  .memory = 1234567};
    struct table_shape shape;

    table_clear_shape(&shape);
    shape.ranks = 64;
    shape.nodes = 2;
    shape.ranks_per_node = 32;
    const struct table_shape *plain = table_keep_shape(&shape);
    shape.factors = (struct factors){.num = 2, .size = {8, 8}};
    shape.exchange[0] = EXCHANGE_LINEAR;
    shape.exchange[1] = EXCHANGE_SHM;
    const struct table_shape *torus = table_keep_shape(&shape);
    for (size_t i = 1; i <= 12; i++)
        row_of(torus, 8 * i, NULL, (int)(100 * i), 3456 * i);
    row_of(plain, 64, above, 500, 98765);
    row_of(plain, 123456, above, 2, 987654321);
    row_of(shape_of(0, 0), 0, below, 7, 40);
    table_add_to_rest(true, 1000, 5000);
    table_add_to_rest(false, 2000, 6000);
    form_count(FORM_Alltoallv, 1000, 123456);
    form_count(FORM_Alltoallv, 1000, 1000000);
    form_count(FORM_Ialltoallw, 24, 99);
    return report_new(&process);
}

static bool write_report(const struct report *report, const char *name,
                         void (*print)(const struct report *, FILE *))
{
    FILE *file = fopen(name, "w");

    if (file == NULL)
        return false;
    print(report, file);
    return fclose(file) == 0;
}

static int write_both(const char *json, const char *text)
{
    struct report *report = make_report();
    bool written = report != NULL && write_report(report, json, report_print_json) &&
                   write_report(report, text, report_print_text);

    free(report);
    return written ? 0 : 1;
}

static void sums(void)
{
    struct report *report = make_report();

    ok(report != NULL && report->torus.calls >= 7801 && report->rest_torus.calls == 1,
       "calls without a row count");
    ok(report != NULL && report->others.calls == 3 && report->others.bytes == 2024,
       "the other forms are summed up");
    ok(report != NULL && near(report->others.seconds, 1123456e-9, 1e-9),
       "without the time of nonblocking forms");
    bool sorted = report != NULL;
    for (size_t i = 1; sorted && i < report->rows; i++)
        sorted = report->row[i].sum.seconds <= report->row[i - 1].sum.seconds;
    ok(sorted, "the rows are sorted by time");
    free(report);
}

/* --- Names in JSON */

/* Whether a program with this name has that one in the JSON. */
static bool program_is(const char *program, const char *wanted)
{
    const struct report_process process = {
        .host = "node-1", .program = program, .mpi = "libmpi.so"};
    struct report *report = report_new(&process);
    char expected[128], *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if (report != NULL && file != NULL)
        report_print_json(report, file);
    if (file != NULL)
        fclose(file);
    snprintf(expected, sizeof expected, "\"program\": \"%s\"", wanted);
    bool is = text != NULL && strstr(text, expected) != NULL;
    free(text);
    free(report);
    return is;
}

static void json_names(void)
{
    static const char good[] = "\302\200 \337\277 \340\240\200 \355\237\277 \356\200\200 "
                               "\360\220\200\200 \364\217\277\277";

    ok(program_is(good, good), "the first and last characters of each length stay");
    ok(program_is("a\355\240\200b\355\277\277c", "a???b???c"), "halves of pairs do not");
    ok(program_is("\300\257 \340\200\200 \340\237\277", "?? ??? ???"),
       "longer forms with two or three bytes do not");
    ok(program_is("\360\200\200\200 \360\217\277\277", "???? ????"),
       "longer forms with four bytes do not");
    ok(program_is("\364\220\200\200 \365\200\200\200", "???? ????"),
       "what lies above the last character does not");
    ok(program_is("\303", "?") && program_is("\340\240", "??") && program_is("\303a", "?a"),
       "what is cut off does not");
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return write_both(argv[1], argv[2]);
    histograms();
    gains();
    sums();
    bounds();
    names();
    json_names();
    return tap_done();
}
