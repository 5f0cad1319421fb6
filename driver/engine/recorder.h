/* recorder.h -- from completions to tallies: everything into the running interval, the measured
 * window into the report.
 *
 * A completion belongs to the report when it started at or after the window's begin and before its
 * end, and ended after the begin and not after the end (spec: execution.md, "Time window of a
 * worker"). One recorder per thread; no allocation once open, failures of a new cause apart. */
#ifndef LOADSTONE_DRIVER_ENGINE_RECORDER_H
#define LOADSTONE_DRIVER_ENGINE_RECORDER_H

#include "common/stats/report.h"
#include "common/stats/sample.h"

#include <stdbool.h>
#include <stdint.h>

/* One finished operation. Times are of the monotonic clock. */
struct completion {
    size_t op;             /* index of the operation in its mission */
    int64_t start_ns;      /* first byte sent */
    int64_t first_byte_ns; /* first byte of the answer */
    int64_t end_ns;        /* last byte received */
    int64_t transfer_ns;   /* body moving (spec: results.md, Avg-ProcTime) */
    int64_t bytes;
};

struct recorder {
    int64_t start_ns;            /* the mission's start */
    int64_t begin_ns, finish_ns; /* the measured window; finish INT64_MAX: open */
    struct sample interval;
    struct report report;
};

/* keep_hist[i]: operation i keeps histograms (its histo key). */
void recorder_open(struct recorder *recorder, size_t op_count, const bool *keep_hist);
void recorder_close(struct recorder *recorder);
void recorder_start(struct recorder *recorder, int64_t start_ns, int64_t rampup_ns,
                    int64_t runtime_ns);

/* True when the completion counts in the window. */
bool recorder_good(struct recorder *recorder, const struct completion *completion);
/* cause, message, example as tally_fail(). */
bool recorder_failed(struct recorder *recorder, const struct completion *completion,
                     const char *cause, const char *message, const char *example);

#endif
