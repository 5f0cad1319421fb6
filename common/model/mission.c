/* mission.c -- see mission.h. */
#include "common/model/mission.h"

#include <stdlib.h>

static void service_release(struct service *service)
{
    free(service->type);
    free(service->config);
}

void mission_free(struct mission *mission)
{
    if (!mission)
        return;
    free(mission->id);
    free(mission->workload);
    free(mission->stage);
    free(mission->work);
    free(mission->driver);
    service_release(&mission->storage);
    service_release(&mission->auth);
    VEC_EACH (operation, &mission->operations) {
        free(operation->id);
        free(operation->name);
        free(operation->config);
    }
    vec_release(&mission->operations);
    free(mission);
}

int64_t mission_worker_share(int64_t total, int64_t index, int64_t all)
{
    return total / all + (index <= total % all ? 1 : 0);
}
