/* store_stat.h -- what was measured: samples of works, reports of missions, causes of failure. */
#ifndef LOADSTONE_CONTROLLER_STORE_STORE_STAT_H
#define LOADSTONE_CONTROLLER_STORE_STORE_STAT_H

#include "common/stats/report.h"
#include "common/stats/sample.h"
#include "controller/store/db.h"

/* One operation in one sample. */
struct point_row {
    int64_t work_index, op_index;
    char *work, *operation, *label;
    uint64_t good, failed, bytes;
    int64_t response_sum_ns, proc_sum_ns;
    struct hist *response; /* may be NULL */
};

struct sample_row {
    int64_t seq, from_ns, to_ns; /* from the stage's start */
    int64_t workers_running;
    VEC(struct point_row) points; /* works and operations in order */
};

struct sample_rows {
    VEC(struct sample_row) list;
};
void sample_rows_release(struct sample_rows *rows);

/* Adds the merged sample of a work (all its missions); the same seq again replaces it. */
int store_add_sample(struct db *db, int64_t number, int64_t stage, int64_t work,
                     const struct sample *sample, struct err *err);
/* Samples of a stage whose end lies after after_ns, in order of time. */
int store_get_samples(struct db *db, int64_t number, int64_t stage, int64_t after_ns,
                      struct sample_rows *ret_rows, struct err *err);

/* A mission's report with its tallies and causes; again replaces it. */
int store_add_report(struct db *db, const char *mission, const struct report *report,
                     struct err *err);

/* One mission's part of an operation. */
struct part_row {
    char *driver;
    int64_t window_from_ns, window_to_ns;
    struct tally tally; /* of the window; causes included */
};

/* One operation of a work in a stage, with the parts of all drivers. */
struct outcome_row {
    int64_t stage_index, work_index, op_index;
    char *stage, *stage_name, *work, *operation, *op_name, *op_type, *sample_type, *label, *config;
    int64_t ratio;
    char *status; /* the stage's state */
    int64_t runtime_s;
    int64_t afr;
    bool client_bound;
    VEC(struct part_row) parts;
};

struct outcome_rows {
    VEC(struct outcome_row) list; /* stages, works and operations in order */
};
void outcome_rows_release(struct outcome_rows *rows);

/* Everything measured of a workload; stage 0: all its stages. */
int store_get_outcomes(struct db *db, int64_t number, int64_t stage, struct outcome_rows *ret_rows,
                       struct err *err);

/* How the driver side of a stage went: the worst of its missions. */
int store_set_stage_effort(struct db *db, int64_t number, int64_t stage, bool client_bound,
                           const char *reason, int64_t in_flight_ops, int64_t in_flight_bytes,
                           struct err *err);

#endif
