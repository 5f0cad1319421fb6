/* workload_run.h -- carries a workload out: its stages in order, to an end state that is stored.
 *
 * A stage that fails does not stop the workload, which then ends as failed; one that terminates
 * ends it as terminated and the stages left are aborted; a cancel ends it as cancelled (spec:
 * execution.md, A workload). */
#ifndef LOADSTONE_CONTROLLER_RUN_WORKLOAD_RUN_H
#define LOADSTONE_CONTROLLER_RUN_WORKLOAD_RUN_H

#include "controller/run/stage_run.h"

/* Runs site->number, which is processing already, to its end. */
void workload_run(struct run_site *site);

#endif
