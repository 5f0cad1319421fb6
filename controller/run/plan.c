/* plan.c -- see plan.h. */
#include "controller/run/plan.h"

#include "common/base/clock.h"
#include "common/base/xalloc.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int find_driver(const struct work *work, const char *const *drivers, size_t count,
                       size_t *ret_index, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(drivers[i], work->driver) == 0) {
            *ret_index = i;
            return 0;
        }
    }
    return err_set(err, ERR_CONFIG, "work %s: driver \"%s\" is not there", work->name,
                   work->driver);
}

static bool is_pinned(const struct work *work)
{
    return work->driver && *work->driver;
}

/* Works with a name first take their drivers out of the pool. */
static int make_pool(const struct stage *stage, const char *const *drivers, size_t count,
                     bool *pinned, struct err *err)
{
    VEC_EACH (work, &stage->works) {
        size_t at = 0;
        if (!is_pinned(work))
            continue;
        int rc = find_driver(work, drivers, count, &at, err);
        if (rc < 0)
            return rc;
        pinned[at] = true;
    }
    return 0;
}

static void spread(struct plan *plan, size_t work_index, int64_t workers, const size_t *pool,
                   size_t pool_len, size_t *turn)
{
    int64_t base = workers / (int64_t)pool_len;
    size_t extra = (size_t)(workers % (int64_t)pool_len);
    int64_t first = 0;
    for (size_t i = 0; i < pool_len; i++) {
        size_t place = (i + pool_len - *turn) % pool_len; /* in the order of extras */
        int64_t count = base + (place < extra ? 1 : 0);
        if (count > 0) {
            struct plan_share share = {work_index, pool[i], first, count};
            vec_push(&plan->shares, share);
        }
        first += count;
    }
    *turn = (*turn + extra) % pool_len;
}

static int fill_plan(const struct stage *stage, const char *const *drivers, size_t count,
                     const size_t *pool, size_t pool_len, struct plan *plan, struct err *err)
{
    size_t turn = 0;
    for (size_t i = 0; i < stage->works.len; i++) {
        const struct work *work = &stage->works.items[i];
        if (is_pinned(work)) {
            size_t at = 0;
            int rc = find_driver(work, drivers, count, &at, err);
            if (rc < 0)
                return rc;
            struct plan_share share = {i, at, 0, work->workers};
            vec_push(&plan->shares, share);
        } else if (pool_len == 0) {
            return err_set(err, ERR_NOT_FOUND, "work %s: no free driver available", work->name);
        } else {
            spread(plan, i, work->workers, pool, pool_len, &turn);
        }
    }
    return 0;
}

int plan_stage(const struct stage *stage, const char *const *drivers, size_t driver_count,
               struct plan *ret_plan, struct err *err)
{
    struct plan plan = {{0}};
    AUTO(freep) bool *pinned = xcalloc(driver_count, sizeof(*pinned));
    AUTO(freep) size_t *pool = xcalloc(driver_count, sizeof(*pool));
    size_t pool_len = 0;
    int rc = make_pool(stage, drivers, driver_count, pinned, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < driver_count; i++)
        if (!pinned[i])
            pool[pool_len++] = i;
    rc = fill_plan(stage, drivers, driver_count, pool, pool_len, &plan, err);
    if (rc < 0) {
        plan_release(&plan);
        return rc;
    }
    *ret_plan = plan;
    return 0;
}

void plan_release(struct plan *plan)
{
    vec_release(&plan->shares);
}

static struct service copy_service(const struct service *from)
{
    return (struct service){.type = xstrdup(from->type ? from->type : "none"),
                            .config = xstrdup(from->config ? from->config : "")};
}

struct mission *plan_mission(const struct stage *stage, const struct plan_share *share,
                             const char *workload_id, const char *driver, int64_t interval_ns,
                             uint64_t seed)
{
    const struct work *work = &stage->works.items[share->work];
    struct mission *mission = xcalloc(1, sizeof(*mission));
    size_t stage_number = strcspn(stage->id, "-"); /* s3-main: the name is free text */
    mission->id = xasprintf("%s-%.*s-k%zu-%s", workload_id, (int)stage_number, stage->id,
                            share->work + 1, driver);
    mission->workload = xstrdup(workload_id);
    mission->stage = xstrdup(stage->id);
    mission->work = xstrdup(work->name);
    mission->work_index = (int64_t)share->work + 1;
    mission->work_type = work->type;
    mission->driver = xstrdup(driver);
    mission->storage = copy_service(&work->storage);
    mission->auth = copy_service(&work->auth);
    mission->workers_total = work->workers;
    mission->worker_first = share->worker_first;
    mission->workers = share->workers;
    mission->runtime_ns = work->runtime_s * SEC;
    mission->rampup_ns = work->runtime_s ? work->rampup_s * SEC : 0;
    mission->rampdown_ns = work->runtime_s ? work->rampdown_s * SEC : 0;
    mission->total_ops = work->total_ops;
    mission->total_bytes = work->total_bytes;
    mission->interval_ns = interval_ns;
    mission->seed = seed;
    VEC_EACH (operation, &work->operations) {
        struct mission_operation copy = {
            .id = xstrdup(operation->id),
            .type = operation->type,
            .name = xstrdup(operation->name),
            .ratio = operation->ratio,
            .division = operation->division,
            .config = xstrdup(operation->config),
        };
        vec_push(&mission->operations, copy);
    }
    return mission;
}
