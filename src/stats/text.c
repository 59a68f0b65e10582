/* text.c - the report for people: totals first, then the ten rows that took the longest time

   src/tools/report/report.py prints the same text from the JSON of a report. report.test
   compares the two. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "stats/forms.h"
#include "stats/report.h"

enum { ROWS_PRINTED = 10, TEXT = 64 };

/* Prints a number with a unit that leaves one to three digits before the point. */
static void format_scaled(char text[TEXT], double number, double base,
                          const char *const units[], int most)
{
    int unit = 0;

    while (unit < most && (number >= 999.5 || number <= -999.5)) {
        number /= base;
        unit++;
    }
    bool whole = unit == 0 && number >= 0 && number == (double)(uint64_t)number;
    double size = number < 0 ? -number : number;
    snprintf(text, TEXT, "%.*f %s",
             whole || size >= 99.95 ? 0
             : size >= 9.995        ? 1
                                    : 2,
             number, units[unit]);
}

static const char *format_bytes(char text[TEXT], uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

    format_scaled(text, (double)bytes, 1000, units, 6);
    return text;
}

static const char *format_seconds(char text[TEXT], double seconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};

    if (seconds > 0 || seconds < 0)
        format_scaled(text, seconds * 1e9, 1000, units, 3);
    else
        snprintf(text, TEXT, "0 s");
    return text;
}

static const char *format_gain(char text[TEXT], double seconds, double uncertainty)
{
    char gain[TEXT], error[TEXT];

    snprintf(text, TEXT, "%s%.30s +- %.24s", seconds >= 0 ? "+" : "",
             format_seconds(gain, seconds), format_seconds(error, uncertainty));
    return text;
}

static void print_head(FILE *file, const struct report_process *process)
{
    fprintf(file, "torus-a2a " PACKAGE_VERSION ": all-to-alls of ");
    if (process->rank >= 0)
        fprintf(file, "rank %d of %d, ", process->rank, process->ranks);
    fprintf(file, "process %ld on %s, %s\n", process->pid, process->host, process->program);
}

static void print_total(FILE *file, const char *name, const struct report_sum *sum)
{
    char seconds[TEXT], bytes[TEXT];

    fprintf(file, "  %-24s %9s  %" PRIu64 " calls, %s sent\n", name,
            format_seconds(seconds, sum->seconds), sum->calls, format_bytes(bytes, sum->bytes));
}

static void print_gain(FILE *file, const struct report *report)
{
    char gain[TEXT];
    uint64_t unknown = report->torus.calls - report->gain_calls;

    if (report->gain_calls == 0) {
        fprintf(file, "  gained                   not measured: no %s\n",
                report->torus.calls == 0 ? "calls through the torus"
                                         : "native calls to compare with");
        return;
    }
    fprintf(file, "  gained                   %s, less the making of toruses",
            format_gain(gain, report->gain, report->gain_uncertainty));
    if (unknown > 0)
        fprintf(file, "; not measured for %" PRIu64 " calls", unknown);
    putc('\n', file);
}

static void print_totals(FILE *file, const struct report *report)
{
    const struct report_process *process = &report->process;
    double seconds = report_seconds(report);
    char text[TEXT];

    if (process->run > 0)
        fprintf(file, "  %-24s %9s\n", "run", format_seconds(text, process->run));
    fprintf(file, "  %-24s %9s", "in all-to-alls", format_seconds(text, seconds));
    if (process->run > 0)
        fprintf(file, "  %.1f %% of the run",
                seconds < process->run ? 100 * seconds / process->run : 100.0);
    putc('\n', file);
    print_total(file, "  through the torus", &report->torus);
    print_total(file, "  native", &report->native);
    print_total(file, "  not accelerated", &report->others);
    fprintf(file, "  %-24s %9s  %" PRIu64 " made\n", "  making toruses",
            format_seconds(text, process->making), process->toruses);
    fprintf(file, "  %-24s %9s  at most\n", "memory", format_bytes(text, process->memory));
    print_gain(file, report);
}

/* "64 ranks (2 x 32)" */
static const char *format_ranks(char text[TEXT], const struct table_shape *shape)
{
    if (shape->ranks == 0)
        snprintf(text, TEXT, "-");
    else if (shape->nodes > 0)
        snprintf(text, TEXT, "%d (%dx%d)", shape->ranks, shape->nodes, shape->ranks_per_node);
    else
        snprintf(text, TEXT, "%d", shape->ranks);
    return text;
}

/* Why the calls were native, or the torus: "8x8 linear,shm". */
static void print_way(FILE *file, const struct table_row *row)
{
    const struct table_shape *shape = row->shape;

    if (row->reason != NULL) {
        fprintf(file, "native: %s", row->reason);
        return;
    }
    for (int i = 0; i < shape->factors.num; i++)
        fprintf(file, "%s%d", i > 0 ? "x" : "torus ", shape->factors.size[i]);
    for (int i = 0; i < shape->factors.num; i++)
        fprintf(file, "%s%s", i > 0 ? "," : " ", exchange_names[shape->exchange[i]]);
}

static void print_row(FILE *file, const struct report_row *row)
{
    char seconds[TEXT], block[TEXT], ranks[TEXT], median[TEXT], native[TEXT] = "-", gain[TEXT];

    if (row->gain.measured)
        format_seconds(native, row->gain.native_median);
    fprintf(file, "  %9s %10" PRIu64 " %9s  %-14s %9s %9s  ",
            format_seconds(seconds, row->sum.seconds), row->sum.calls,
            format_bytes(block, row->row->block), format_ranks(ranks, row->row->shape),
            format_seconds(median, row->quartile[1]), native);
    print_way(file, row->row);
    if (row->gain.measured)
        fprintf(file, ", gained %s",
                format_gain(gain, row->gain.seconds, row->gain.uncertainty));
    putc('\n', file);
}

static void print_rows(FILE *file, const struct report *report)
{
    size_t printed = report->rows < ROWS_PRINTED ? report->rows : ROWS_PRINTED;
    double rest = report->rest_torus.seconds + report->rest_native.seconds;
    char text[TEXT];

    if (report->torus.calls + report->native.calls == 0) {
        fputs("MPI_Alltoall was not called.\n", file);
        return;
    }
    fputs("MPI_Alltoall:\n", file);
    fprintf(file, "  %9s %10s %9s  %-14s %9s %9s  %s\n", "time", "calls", "block",
            "ranks (nodes)", "median", "native", "way");
    for (size_t i = 0; i < printed; i++)
        print_row(file, &report->row[i]);
    for (size_t i = printed; i < report->rows; i++)
        rest += report->row[i].sum.seconds;
    if (report->rows > printed || report->rest_torus.calls + report->rest_native.calls > 0)
        fprintf(file, "  %9s in all other calls\n", format_seconds(text, rest));
}

static void print_forms(FILE *file)
{
    bool any = false;
    char bytes[TEXT], seconds[TEXT];

    for (int i = 0; i < FORM_COUNT; i++) {
        const struct form *form = &forms[i];
        if (form->calls == 0)
            continue;
        if (!any)
            fprintf(file, "Not accelerated:\n  %9s %10s %9s\n", "time", "calls", "sent");
        any = true;
        snprintf(seconds, sizeof seconds, "-");
        if (form->blocking)
            format_seconds(seconds, (double)form->time / 1e9);
        fprintf(file, "  %9s %10" PRIu64 " %9s  %s\n", seconds, form->calls,
                format_bytes(bytes, form->bytes), form->name);
    }
}

void report_print_text(const struct report *report, FILE *file)
{
    print_head(file, &report->process);
    print_totals(file, report);
    print_rows(file, report);
    print_forms(file);
}
