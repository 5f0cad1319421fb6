/* report.h -- what a mission measured in its window, and how hard the driver worked for it. */
#ifndef LOADSTONE_COMMON_STATS_REPORT_H
#define LOADSTONE_COMMON_STATS_REPORT_H

#include "common/stats/tally.h"

#include <stdbool.h>
#include <stdint.h>

/* The load generator's own effort (docs/results.md, "client bound"). */
struct effort {
    int64_t threads;
    double cpu_share_max; /* of the busiest loop thread, 0..1 of a core */
    double cpu_share_mean;
    int64_t loop_lag_p99_ns; /* how late a turn of the loop came */
    bool client_bound;
    char reason[160]; /* why, when client_bound */
};

struct report {
    int64_t ended_ns;                       /* from the mission's start */
    int64_t workers;                        /* of the mission */
    int64_t workers_idle;                   /* had an empty share */
    int64_t window_from_ns, window_to_ns;   /* the measured window */
    int64_t in_flight_ops, in_flight_bytes; /* under way when the window closed: not counted */
    struct tally *tallies;                  /* one per operation, the window only */
    size_t tally_count;
    struct effort effort;
    uint64_t connections, tls_handshakes, retries;
    int64_t connect_sum_ns;
};

void report_init(struct report *report, size_t tally_count);
void report_release(struct report *report);

#endif
