/* mission_run.h -- carries one mission out: prepares it, launches its threads, collects samples,
 * closes with a report.
 *
 *   open (submitted) --start--> launched --limits or walks end--> finished
 *                                        --fatal error--> terminated    --stop--> aborted
 *
 * All functions may be called from any thread. */
#ifndef LOADSTONE_DRIVER_MISSION_RUN_H
#define LOADSTONE_DRIVER_MISSION_RUN_H

#include "common/base/scope.h"
#include "common/wire/messages.h"
#include "driver/ops/body.h"

struct mission_run;

/* What all missions of a driver share. */
struct mission_site {
    const struct body_pool *random_pool, *zero_pool;
    int threads; /* event-loop threads of a mission, at most */
};

/* Takes mission, also on error. Checks settings, resolves the endpoint, builds the workers: nothing
 * is sent yet. ERR_CONFIG, ERR_NETWORK (no address), ERR_SYSTEM or ERR_LIMIT (descriptors). */
int mission_run_open(struct mission *mission, const struct mission_site *site,
                     struct mission_run **ret_run, struct err *err);
/* Stops it first if need be. */
void mission_run_free(struct mission_run *run);
DEFINE_FREEP(mission_run)

const struct mission *mission_run_mission(const struct mission_run *run);
/* Starts at an instant of this host's wall clock; in the past: at once. Again: no effect. */
int mission_run_start(struct mission_run *run, int64_t start_wall_ns, struct err *err);
/* Ends it early; waits until its threads have ended. What was measured stays. */
void mission_run_stop(struct mission_run *run);
void mission_run_status(struct mission_run *run, struct mission_status *ret_status);

/* The message with the complete samples after seq `after`; those up to it are forgotten. New
 * reference. */
json_t *mission_run_samples(struct mission_run *run, int64_t after);
/* The report message (new reference), or NULL while it runs. */
json_t *mission_run_report(struct mission_run *run);

#endif
