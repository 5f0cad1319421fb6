/* mission.h -- one driver's share of a work: all a driver needs to know to run it. */
#ifndef LOADSTONE_COMMON_MODEL_MISSION_H
#define LOADSTONE_COMMON_MODEL_MISSION_H

#include "common/base/scope.h"
#include "common/model/workload.h"

#include <stdint.h>

struct mission_operation {
    char *id;
    enum op_type type;
    char *name;
    int ratio;
    enum division division;
    char *config; /* merged config string */
};

struct mission {
    char *id;       /* w1-s3-k1-driver1: workload, stage, work number, driver; unique for ever */
    char *workload; /* w1 */
    char *stage;    /* s3-main */
    char *work;     /* main */
    int64_t work_index; /* from 1, in its stage */
    enum work_type work_type;
    char *driver;
    struct service storage, auth;
    int64_t workers_total; /* of the work, over all drivers */
    int64_t worker_first;  /* workers of the work before this mission's */
    int64_t workers;       /* of this mission */
    int64_t runtime_ns, rampup_ns, rampdown_ns;
    int64_t total_ops, total_bytes; /* of the work; 0: no such limit */
    int64_t interval_ns;            /* length of a sample */
    uint64_t seed;
    VEC(struct mission_operation) operations;
};

void mission_free(struct mission *mission);
DEFINE_FREEP(mission)

/* The share of total (totalOps or totalBytes) that worker index (1-based) of all has: total / all,
 * the remainder going to the first workers (spec: execution.md, Limits per worker). */
int64_t mission_worker_share(int64_t total, int64_t index, int64_t all);

#endif
