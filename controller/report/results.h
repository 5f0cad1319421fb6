/* results.h -- the figures of a run, by the formulas of spec results.md, from merged histograms.
 *
 *   avg-restime  = sum of response times of good completions / op-count
 *   avg-proctime = sum of (response time - transfer time) / op-count
 *   throughput   = op-count / window; bandwidth = bytes / window
 *   window       = from the first counted start to the last counted end over all missions of the
 * work (at least 1 ms) succ-ratio   = good / (good + failed) */
#ifndef LOADSTONE_CONTROLLER_REPORT_RESULTS_H
#define LOADSTONE_CONTROLLER_REPORT_RESULTS_H

#include "controller/store/store_stat.h"

#define RESULT_PERCENTILES 12
extern const double
    result_percents[RESULT_PERCENTILES]; /* 50 60 70 75 80 90 95 99 99.9 99.99 99.999 100 */
extern const char *const result_percent_names[RESULT_PERCENTILES]; /* "50", "99.9", ... */

/* The figures of some completions. */
struct figures {
    uint64_t op_count, failed, byte_count;
    int64_t workers, window_ns;
    double avg_restime_ms, avg_proctime_ms; /* 0 when op_count is 0 */
    double throughput, bandwidth;           /* per second */
    double succ_ratio;                      /* 0..1; -1 when nothing ran */
    double percentiles_ms[RESULT_PERCENTILES];
    bool has_percentiles;
};

struct driver_result {
    char *driver;
    struct figures figures;
};

struct error_result {
    char *driver;
    struct cause cause;
};

struct result {
    const struct outcome_row *outcome; /* names; borrowed from results.outcomes */
    struct figures figures;            /* merged over drivers */
    struct tally tally;                /* what they come from */
    VEC(struct driver_result) drivers;
    VEC(struct error_result) errors;
};

struct results {
    struct outcome_rows outcomes;
    VEC(struct result) list;
};

/* Results of a workload (stage 0: all). Release with results_release(). */
int results_load(struct db *db, int64_t number, int64_t stage, struct results *ret_results,
                 struct err *err);
void results_release(struct results *results);

/* Figures of one sample's point. */
struct figures figures_of(const struct tally *tally, int64_t window_ns);

#endif
