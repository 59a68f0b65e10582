/* report.c - what torus-a2a-bench writes: the table, the CSV file and the progress line */
#include "tools/bench/report.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "policy/factorization.h"
#include "tools/shared/crew.h"

/* A cell has the best time and the median, and except for native the ratio to native. */
#define NATIVE_WIDTH 17
#define CELL_WIDTH   24

static int64_t bytes_of(int count)
{
    return (int64_t)count * (int64_t)sizeof(int);
}

static int cell_width(const struct contestant_list *list, int i)
{
    int least = i == 0 ? NATIVE_WIDTH : CELL_WIDTH;
    int label = (int)strlen(list->entry[i].label);

    return label > least ? label : least;
}

static void format_dims(const torus_a2a_decision *decision, char *text, size_t size)
{
    struct factors factors = {.num = decision->ndims};

    *text = '\0';
    memcpy(factors.size, decision->dims, sizeof factors.size);
    if (factors.num > 0)
        factorization_format(&factors, text, size);
}

static void describe(const torus_a2a_decision *decision, char *text, size_t size)
{
    char dims[LABEL_SIZE];

    if (!decision->torus) {
        snprintf(text, size, "native: %s", decision->reason);
        return;
    }
    format_dims(decision, dims, sizeof dims);
    snprintf(text, size, "torus %s, exchange %s%s: %s", dims, decision->exchange,
             decision->ndims > 1 ? ", last dimension first" : "", decision->reason);
}

/* Block sizes that follow one another and go the same way share one line. */
static void print_decisions(const struct contestant *contestant,
                            const struct count_list *counts)
{
    char way[512], next[512];
    torus_a2a_decision decision;
    const char *label = contestant->label;

    for (int first = 0, last; first < counts->num; first = last + 1) {
        contestant_decide(contestant, counts->value[first], &decision);
        describe(&decision, way, sizeof way);
        for (last = first; last + 1 < counts->num; last++) {
            contestant_decide(contestant, counts->value[last + 1], &decision);
            describe(&decision, next, sizeof next);
            if (strcmp(next, way) != 0)
                break;
        }
        printf("#   %-20s count %d", label, counts->value[first]);
        if (last > first)
            printf(" to %d", counts->value[last]);
        printf(": %s\n", way);
        label = "";
    }
}

static void print_contestants(const struct contestant_list *list,
                              const struct count_list *counts)
{
    for (int i = 0; i < list->num; i++) {
        if (contestant_is_decided(&list->entry[i]))
            print_decisions(&list->entry[i], counts);
        else if (i == 0)
            printf("#   %-20s MPI's own all-to-all\n", list->entry[i].label);
        else
            printf("#   %-20s the paper's program, which creates its datatypes in every call\n",
                   list->entry[i].label);
    }
}

static void print_library_version(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    /* MPICH puts tabs into the first line, and its build options into the other lines. */
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    for (char *tab = strchr(version, '\t'); tab != NULL; tab = strchr(tab, '\t'))
        *tab = ' ';
    printf("# %s\n", version);
}

void report_begin(int procs, bool oversubscribed, const struct bench_options *options,
                  const struct contestant_list *list)
{
    printf("# All-to-all, p = %d, blocks of MPI_INT\n", procs);
    print_library_version();
    if (options->warmups == WARMUPS_AUTO)
        printf("# up to %d", WARMUPS_MOST);
    else
        printf("# %d", options->warmups);
    printf(" warm-ups, %d repetitions; microseconds of the slowest rank\n",
           options->repetitions);
    if (!options->verify)
        printf("# nothing is verified\n");
    if (options->calls > 1)
        printf("# %d calls in each repetition, in a row; the time is that of one call\n",
               options->calls);
    if (oversubscribed)
        printf(
            "# more ranks than processors: the ranks yield before and after each repetition\n");
    printf("# best (median) and how many times faster than native, by medians\n");
    print_contestants(list, &options->counts);

    printf("\n%9s %10s", "count", "bytes");
    for (int i = 0; i < list->num; i++)
        printf("  %*s", cell_width(list, i), list->entry[i].label);
    printf("\n");
    fflush(stdout);
}

/* Writes at least three significant digits. */
static void format_time(double microseconds, char *text, size_t size)
{
    int decimals = microseconds < 9.995 ? 2 : microseconds < 99.95 ? 1 : 0;

    snprintf(text, size, "%.*f", decimals, microseconds);
}

static void format_cell(const struct bench_result *result, const struct bench_result *native,
                        char *text, size_t size)
{
    char best[32], median[32], ratio[32] = "";

    if (!result->ran) {
        snprintf(text, size, "-");
        return;
    }
    if (!result->verified) {
        snprintf(text, size, "wrong");
        return;
    }
    format_time(result->best, best, sizeof best);
    format_time(result->median, median, sizeof median);
    if (result != native)
        snprintf(ratio, sizeof ratio, " %6.2f", native->median / result->median);
    snprintf(text, size, "%s (%7s)%s", best, median, ratio);
}

void report_row(const struct contestant_list *list, int count,
                const struct bench_result *result)
{
    printf("%9d %10" PRId64, count, bytes_of(count));
    for (int i = 0; i < list->num; i++) {
        char cell[128];
        format_cell(&result[i], &result[0], cell, sizeof cell);
        printf("  %*s", cell_width(list, i), cell);
    }
    printf("\n");
    fflush(stdout);
}

void report_csv_begin(FILE *csv)
{
    fprintf(csv, "p,count,bytes,contestant,ndims,dims,exchange,repetitions,calls,"
                 "best_us,median_us,mean_us,worst_us,verified\n");
    fflush(csv);
}

void report_csv_row(FILE *csv, int procs, const struct bench_options *options,
                    const struct contestant_list *list, int count,
                    const struct bench_result *result)
{
    for (int i = 0; i < list->num; i++) {
        char dims[LABEL_SIZE];
        torus_a2a_decision decision;
        const char *verified = result[i].verified ? "yes" : "no";

        if (!result[i].ran)
            continue;
        if (!options->verify)
            verified = "skipped";
        contestant_decide(&list->entry[i], count, &decision);
        format_dims(&decision, dims, sizeof dims);
        /* Only the exchanges have commas, and nothing has quotation marks. */
        fprintf(csv, "%d,%d,%" PRId64 ",%s,%d,%s,\"%s\",%d,%d,%.3f,%.3f,%.3f,%.3f,%s\n", procs,
                count, bytes_of(count), list->entry[i].label, decision.ndims, dims,
                decision.exchange, options->repetitions, options->calls, result[i].best,
                result[i].median, result[i].mean, result[i].worst, verified);
    }
    fflush(csv);
}

void report_progress(const struct bench_options *options, int count, const char *what,
                     const char *label)
{
    if (!options->progress && !isatty(STDERR_FILENO))
        return;
    fputs("\r\033[K", stderr);
    if (what != NULL)
        fprintf(stderr, "%d ints: %s %s", count, what, label);
    fflush(stderr);
}
