/* workload.c -- see workload.h. */
#include "common/model/workload.h"

#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/model/workload_parts.h"

#include <stdlib.h>

static void service_release(struct service *service)
{
    free(service->type);
    free(service->config);
}

void workload_release_work(struct work *work)
{
    VEC_EACH (operation, &work->operations) {
        free(operation->name);
        free(operation->label);
        free(operation->config);
    }
    vec_release(&work->operations);
    service_release(&work->storage);
    service_release(&work->auth);
    free(work->name);
    free(work->driver);
}

void workload_free(struct workload *workload)
{
    if (!workload)
        return;
    VEC_EACH (stage, &workload->stages) {
        VEC_EACH (work, &stage->works)
            workload_release_work(work);
        vec_release(&stage->works);
        free(stage->name);
        free(stage->id);
        free(stage->trigger);
    }
    vec_release(&workload->stages);
    free(workload->name);
    free(workload->description);
    free(workload->trigger);
    free(workload);
}

int64_t stage_expected_ns(const struct stage *stage)
{
    int64_t longest_s = 0;
    VEC_EACH (work, &stage->works) {
        if (stage->is_delay || work->type == WORK_DELAY)
            continue;
        if (work->runtime_s == 0)
            return -1;
        longest_s = MAX(longest_s, work->rampup_s + work->runtime_s + work->rampdown_s);
    }
    return (longest_s + stage->closure_delay_s) * SEC;
}
