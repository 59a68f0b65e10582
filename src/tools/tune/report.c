/* report.c - the progress of torus-a2a-tune on stderr, and its table on stdout */
#include "tools/tune/report.h"

#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "tools/shared/program.h"

/* Estimates the seconds that remain, from what was done so far. */
static void format_left(const struct report *report, char *text, size_t size)
{
    double spent = MPI_Wtime() - report->start;
    double left = report->work_done > 0 ? spent * report->work_left / report->work_done : 0;

    if (report->work_done <= 0)
        *text = '\0';
    else if (left < 90)
        snprintf(text, size, ", about %.0f s left", left);
    else
        snprintf(text, size, ", about %.0f min left", left / 60);
}

void report_step(const struct report *report, const char *way)
{
    char left[64];

    if (!report->shown)
        return;
    format_left(report, left, sizeof left);
    fprintf(stderr, "\r\033[K%s %s, %zu bytes: measuring %s; %d of %d sizes done%s",
            report->name, report->ranks, report->bytes, way, report->done,
            report->done + report->left, left);
    fflush(stderr);
}

void report_clear(const struct report *report)
{
    if (!report->shown)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

static void format_range(const struct profile_row *row, char *text, size_t size)
{
    if (row->last == SIZE_MAX)
        snprintf(text, size, "%zu-inf", row->first);
    else
        snprintf(text, size, "%zu-%zu", row->first, row->last);
}

static void print_row(const struct profile_row *row)
{
    char ranks[PLACEMENT_TEXT], range[64], way[CANDIDATE_TEXT], gain[32] = "-";

    placement_format(&row->placement, row->p, ranks);
    format_range(row, range, sizeof range);
    profile_format_way(row, way);
    if (row->native_time > 0)
        snprintf(gain, sizeof gain, "%.2f", row->native_time / row->time);
    printf("%-20s %-18s %-20s %10.2f %10.2f %6s\n", ranks, range, way, row->time,
           row->native_time, gain);
}

void report_table(const char *mpi, const struct profile_row rows[], int num)
{
    printf("# %s for %s: microseconds of a call in the middle of each range\n", program_name,
           mpi);
    printf("%-20s %-18s %-20s %10s %10s %6s\n", "ranks", "bytes", "way", "us", "native_us",
           "gain");
    for (int i = 0; i < num; i++)
        print_row(&rows[i]);
    fflush(stdout);
}
