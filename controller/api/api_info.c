/* api_info.c -- who this controller is and how much it has to do, for people and for Prometheus. */
#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/wire/messages.h"
#include "common/wire/prometheus.h"
#include "controller/api/routes.h"

#include <sys/resource.h>

#include "common/base/banned.h"

#define DRIVER_STATES (DRIVER_MISMATCH + 1)

struct counts {
    int64_t drivers[DRIVER_STATES];
    int64_t active, ended;
    int64_t running; /* number of the workload that runs, or 0 */
};

static int count(struct api *api, struct counts *counts, struct err *err)
{
    struct db *db = controller_db(api->controller);
    struct driver_rows drivers = {0};
    struct workload_rows active = {0}, ended = {0};

    *counts = (struct counts){0};
    controller_list_drivers(api->controller, &drivers);
    VEC_EACH (driver, &drivers.list) {
        counts->drivers[driver->state]++;
    }
    driver_rows_release(&drivers);
    int rc = store_list_workloads(db, STORE_ACTIVE, 0, 1000, &active, err);
    if (rc == 0)
        rc = store_list_workloads(db, STORE_ENDED, 0, 1, &ended, err);
    counts->active = active.total;
    counts->ended = ended.total;
    VEC_EACH (row, &active.list) {
        if (row->state == WORKLOAD_PROCESSING)
            counts->running = row->number;
    }
    workload_rows_release(&active);
    workload_rows_release(&ended);
    return rc;
}

void api_info(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    const struct controller_conf *conf = controller_conf_of(api->controller);
    struct counts counts;
    struct err err = {0};
    (void)request;

    if (count(api, &counts, &err) < 0) {
        api_reply_err(reply, &err);
        return;
    }
    json_t *drivers = json_object();
    for (int state = 0; state < DRIVER_STATES; state++)
        json_object_set_new(drivers, driver_state_name((enum driver_state)state),
                            json_integer(counts.drivers[state]));
    api_reply_json(reply,
                   json_pack("{s:i,s:o,s:s,s:I,s:o,s:{s:I,s:I}}", "protocol", WIRE_PROTOCOL, "name",
                             json_text_new(conf->name), "version", LOADSTONE_VERSION, "wall_ns",
                             (json_int_t)clock_wall_ns(), "drivers", drivers, "workloads", "active",
                             (json_int_t)counts.active, "ended", (json_int_t)counts.ended));
}

static void add_live(const struct api *api, int64_t number, struct strbuf *out)
{
    struct live_row live = {0};
    if (number > 0)
        controller_live(api->controller, number, &live);
    const struct {
        const char *name, *help;
        double value;
    } gauges[] = {
        {"loadstone_stage_ops_per_second", "Good operations of the last second.", live.ops_per_s},
        {"loadstone_stage_bytes_per_second", "Bytes of the last second.", live.bytes_per_s},
        {"loadstone_stage_p99_seconds", "99th percentile of response times of the last second.",
         (double)live.p99_ns / SEC},
        {"loadstone_stage_errors", "Failed operations since the stage's start.",
         (double)live.errors},
    };
    for (size_t i = 0; i < ARRAY_LEN(gauges); i++) {
        prometheus_family(out, gauges[i].name, "gauge", gauges[i].help);
        if (live.is_running)
            prometheus_value(out, gauges[i].name, "stage", live.stage, gauges[i].value);
    }
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

void api_metrics(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    struct strbuf *out = &reply->body;
    struct counts counts;
    struct err err = {0};
    (void)request;

    if (count(api, &counts, &err) < 0) {
        api_reply_err(reply, &err);
        return;
    }
    reply->content_type = PROMETHEUS_CONTENT_TYPE;
    prometheus_family(out, "loadstone_build_info", "gauge", "Version of this controller.");
    prometheus_value(out, "loadstone_build_info", "version", LOADSTONE_VERSION, 1);
    prometheus_family(out, "loadstone_drivers", "gauge", "Drivers by state.");
    for (int state = 0; state < DRIVER_STATES; state++)
        prometheus_value(out, "loadstone_drivers", "state",
                         driver_state_name((enum driver_state)state),
                         (double)counts.drivers[state]);
    prometheus_family(out, "loadstone_workloads", "gauge", "Workloads by what they do.");
    prometheus_value(out, "loadstone_workloads", "state", "active", (double)counts.active);
    prometheus_value(out, "loadstone_workloads", "state", "ended", (double)counts.ended);
    add_live(api, counts.running, out);
    prometheus_family(out, "process_cpu_seconds_total", "counter", "CPU time of this process.");
    prometheus_value(out, "process_cpu_seconds_total", NULL, NULL, cpu_seconds());
}
