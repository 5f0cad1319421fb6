/* report.c -- see report.h. */
#include "common/stats/report.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

void report_init(struct report *report, size_t tally_count)
{
    memset(report, 0, sizeof(*report));
    report->tallies = xcalloc(tally_count, sizeof(*report->tallies));
    report->tally_count = tally_count;
    for (size_t i = 0; i < tally_count; i++)
        tally_init(&report->tallies[i]);
}

void report_release(struct report *report)
{
    for (size_t i = 0; i < report->tally_count; i++)
        tally_release(&report->tallies[i]);
    free(report->tallies);
    memset(report, 0, sizeof(*report));
}
