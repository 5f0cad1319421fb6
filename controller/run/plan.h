/* plan.h -- cuts the works of a stage into missions: which driver runs which workers. Pure.
 *
 * By spec execution.md, "Which driver runs what": a work with a driver's name runs there whole, and
 * that driver leaves the pool of the stage's other works; those are spread over the pool in its
 * order, workers / n each, the extra ones going to drivers in turn, starting where the previous
 * work's extras ended. A driver without workers gets no mission. */
#ifndef LOADSTONE_CONTROLLER_RUN_PLAN_H
#define LOADSTONE_CONTROLLER_RUN_PLAN_H

#include "common/base/err.h"
#include "common/base/vec.h"
#include "common/model/mission.h"

/* A driver's part of a work. */
struct plan_share {
    size_t work;          /* index in the stage, from 0 */
    size_t driver;        /* index in the list of drivers */
    int64_t worker_first; /* workers of the work before this part */
    int64_t workers;      /* > 0 */
};

struct plan {
    VEC(struct plan_share) shares; /* works in order, drivers in order */
};

/* drivers: names of those that can be used, in order. ERR_CONFIG names the work: no such driver;
 * ERR_NOT_FOUND: no free driver available. */
int plan_stage(const struct stage *stage, const char *const *drivers, size_t driver_count,
               struct plan *ret_plan, struct err *err);
void plan_release(struct plan *plan);

/* The mission of a share. workload_id "w12". The caller owns it. */
struct mission *plan_mission(const struct stage *stage, const struct plan_share *share,
                             const char *workload_id, const char *driver, int64_t interval_ns,
                             uint64_t seed);

#endif
