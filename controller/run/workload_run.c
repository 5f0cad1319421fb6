/* workload_run.c -- see workload_run.h. */
#include "controller/run/workload_run.h"

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/xalloc.h"

#include <inttypes.h>
#include <string.h>

static void set_state(const struct run_site *site, enum workload_state state, const char *error)
{
    struct err err = {0};
    if (store_set_workload_state(site->db, site->number, state, error, clock_wall_ns(), &err) < 0)
        log_error("workload state not stored workload=w%" PRId64 " state=%s: %s", site->number,
                  workload_state_name(state), err.text);
    log_info("workload %s workload=w%" PRId64 "%s%s", workload_state_name(state), site->number,
             *error ? " why=" : "", error);
}

static int load(struct run_site *site, struct workload **ret_workload, struct err *err)
{
    AUTO(freep) char *xml = NULL;
    AUTO(diags_release) struct diags diags = {.errors = 0};
    int rc = store_get_xml(site->db, site->number, &xml, &site->seed, err);
    if (rc == 0)
        rc = workload_parse(xml, strlen(xml), ret_workload, &diags, err);
    return rc;
}

/* Stages that will not run any more. */
static void skip_stages(const struct run_site *site, const struct workload *workload, size_t from,
                        enum stage_state state)
{
    struct err err = {0};
    for (size_t i = from; i < workload->stages.len; i++)
        if (store_set_stage_state(site->db, site->number, (int64_t)i + 1, state, "",
                                  clock_wall_ns(), &err) < 0)
            log_error("stage state not stored: %s", err.text);
}

static enum workload_state run_stages(struct run_site *site, const struct workload *workload,
                                      struct err *why)
{
    enum workload_state end = WORKLOAD_FINISHED;
    for (size_t i = 0; i < workload->stages.len; i++) {
        const struct stage *stage = &workload->stages.items[i];
        struct err problem = {0};
        enum stage_state state = stage_run(site, stage, (int64_t)i + 1, &problem);
        if (state == STAGE_COMPLETED)
            continue;
        if (end == WORKLOAD_FINISHED) /* the first problem is the one to name */
            err_set(why, problem.code, "stage %s: %s", stage->id, problem.text);
        if (state == STAGE_FAILED) {
            end = WORKLOAD_FAILED;
            continue;
        }
        bool cancelled = state == STAGE_CANCELLED;
        skip_stages(site, workload, i + 1, cancelled ? STAGE_CANCELLED : STAGE_ABORTED);
        err_set(why, problem.code, "stage %s: %s", stage->id, problem.text);
        return cancelled ? WORKLOAD_CANCELLED : WORKLOAD_TERMINATED;
    }
    return end;
}

void workload_run(struct run_site *site)
{
    AUTO(workload_freep) struct workload *workload = NULL;
    struct err why = {0};
    enum workload_state end = WORKLOAD_TERMINATED;
    if (load(site, &workload, &why) == 0)
        end = run_stages(site, workload, &why);
    set_state(site, end, why.text);
}
