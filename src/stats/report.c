/* report.c - the figures of the report, from what was counted */
#include "stats/report.h"

#include <stdlib.h>

#include "stats/forms.h"

static void add(struct report_sum *sum, const struct report_sum *more)
{
    sum->calls += more->calls;
    sum->bytes += more->bytes;
    sum->seconds += more->seconds;
}

static struct report_sum sum_of_rest(bool torus)
{
    const struct table_rest *rest = table_rest_of(torus);

    return (struct report_sum){
        .calls = rest->calls, .bytes = rest->bytes, .seconds = (double)rest->time / 1e9};
}

static struct report_row row_of(const struct table_row *row, struct table_row *const rows[],
                                size_t num)
{
    uint64_t calls = histogram_calls(&row->times);
    struct report_row made = {.row = row};

    made.sum = (struct report_sum){.calls = calls,
                                   .bytes = calls * row->block * (uint64_t)row->shape->ranks,
                                   .seconds = (double)row->time / 1e9};
    for (int i = 0; i < 3; i++)
        made.quartile[i] = histogram_quantile(&row->times, (i + 1) / 4.0) / 1e9;
    made.gain = gain_of(row, rows, num);
    return made;
}

/* Rows of the same time come in an order of their own, so that a report is always the same. */
static int by_time(const void *a, const void *b)
{
    const struct report_row *x = a, *y = b;

    if (x->sum.seconds != y->sum.seconds)
        return x->sum.seconds < y->sum.seconds ? 1 : -1;
    if (x->row->block != y->row->block)
        return x->row->block > y->row->block ? 1 : -1;
    return (x->row->reason != NULL) - (y->row->reason != NULL);
}

static void add_gain(struct report *report, const struct report_row *row, double *squares)
{
    if (!row->gain.measured)
        return;
    report->gain += row->gain.seconds;
    report->gain_calls += row->sum.calls;
    *squares += row->gain.uncertainty * row->gain.uncertainty;
}

static void add_rows(struct report *report)
{
    struct table_row *rows[TABLE_ROWS];
    double squares = 0;

    report->rows = table_rows(rows);
    for (size_t i = 0; i < report->rows; i++) {
        struct report_row *row = &report->row[i];
        *row = row_of(rows[i], rows, report->rows);
        add(rows[i]->reason == NULL ? &report->torus : &report->native, &row->sum);
        add_gain(report, row, &squares);
    }
    report->gain_uncertainty = gain_square_root(squares);
    qsort(report->row, report->rows, sizeof report->row[0], by_time);
}

struct report *report_new(const struct report_process *process)
{
    struct report *report = calloc(1, sizeof *report);

    if (report == NULL)
        return NULL;
    report->process = *process;
    add_rows(report);
    report->rest_torus = sum_of_rest(true);
    report->rest_native = sum_of_rest(false);
    add(&report->torus, &report->rest_torus);
    add(&report->native, &report->rest_native);
    for (int i = 0; i < FORM_COUNT; i++)
        add(&report->others, &(struct report_sum){.calls = forms[i].calls,
                                                  .bytes = forms[i].bytes,
                                                  .seconds = (double)forms[i].time / 1e9});
    report->gain -= process->making;
    return report;
}

double report_seconds(const struct report *report)
{
    return report->torus.seconds + report->native.seconds + report->process.making +
           report->others.seconds;
}
