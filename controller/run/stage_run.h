/* stage_run.h -- carries one stage out: all its works together, on all their drivers.
 *
 *   booting     drivers are there, their clocks are measured, works are cut into missions
 *   submitting  every mission is prepared on its driver
 *   authing     (sign-ins happen on the drivers while they prepare)
 *   launching   all are told one instant to start at
 *   running     samples are fetched each second until no mission runs
 *   closing     reports are fetched and stored, missions forgotten
 *   sleeping    the closure delay
 *
 * Each step is a barrier over all missions (spec: execution.md, A stage). */
#ifndef LOADSTONE_CONTROLLER_RUN_STAGE_RUN_H
#define LOADSTONE_CONTROLLER_RUN_STAGE_RUN_H

#include "controller/run/drivers.h"

#include <stdatomic.h>

/* What the runs of a controller share, and what is known of this one. */
struct run_site {
    struct db *db;
    struct drivers *drivers;
    const struct controller_conf *conf;
    int64_t number; /* the workload's */
    uint64_t seed;
    atomic_bool *cancel;   /* the person asked to end it */
    atomic_bool *shutdown; /* the controller ends */
    /* Called each second of a running stage. */
    void (*on_live)(void *context, const struct live_row *live);
    void *context;
};

/* Runs the stage of this index (from 1) to its end, which is stored when it returns. why: the
 * reason when it did not complete. */
enum stage_state stage_run(const struct run_site *site, const struct stage *stage, int64_t index,
                           struct err *why);

#endif
