/* messages.c -- see messages.h. */
#include "common/wire/messages.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/stats/hist_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX 100000 /* in one message */
#define COUNT_MAX   (INT64_C(1) << 60)
#define TIME_MAX_NS (INT64_C(1) << 62)

static void set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, json_text_new(text));
}

static void set_int(json_t *object, const char *key, int64_t value)
{
    json_object_set_new(object, key, json_integer(value));
}

/* Copies a text member into a fixed array, cut to fit. */
static int get_text(const json_t *object, const char *key, char *out, size_t out_len,
                    struct err *err)
{
    const char *text;
    int rc = json_get_text(object, key, &text, err);
    if (rc == 0)
        snprintf(out, out_len, "%s", text);
    return rc;
}

static int get_owned(const json_t *object, const char *key, char **ret_text, struct err *err)
{
    const char *text;
    int rc = json_get_text(object, key, &text, err);
    if (rc == 0)
        *ret_text = xstrdup(text);
    return rc;
}

/* A table of whole numbers in a struct, so that both directions read the same rows. */
struct int_field {
    const char *key;
    size_t off;
    int64_t min, max;
};

static void write_ints(json_t *object, const struct int_field *fields, const void *from)
{
    for (; fields->key; fields++)
        set_int(object, fields->key, *(const int64_t *)((const char *)from + fields->off));
}

static int read_ints(const json_t *object, const struct int_field *fields, void *into,
                     struct err *err)
{
    for (; fields->key; fields++) {
        int rc = json_get_int(object, fields->key, fields->min, fields->max,
                              (int64_t *)((char *)into + fields->off), err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int wire_check_protocol(const json_t *object, struct err *err)
{
    int64_t protocol;
    int rc = json_get_int(object, "protocol", 0, INT32_MAX, &protocol, err);
    if (rc < 0)
        return rc;
    if (protocol != WIRE_PROTOCOL)
        return err_set(err, ERR_CONFLICT, "protocol %lld is spoken there, this is version %d",
                       (long long)protocol, WIRE_PROTOCOL);
    return 0;
}

static json_t *new_message(void)
{
    json_t *object = json_object();
    set_int(object, "protocol", WIRE_PROTOCOL);
    return object;
}

/* ---- mission */

static const struct int_field mission_ints[] = {
    {"work_index", offsetof(struct mission, work_index), 1, WORKLOAD_MAX_WORKS},
    {"workers_total", offsetof(struct mission, workers_total), 1, WORK_MAX_WORKERS},
    {"worker_first", offsetof(struct mission, worker_first), 0, WORK_MAX_WORKERS},
    {"workers", offsetof(struct mission, workers), 1, WORK_MAX_WORKERS},
    {"runtime_ns", offsetof(struct mission, runtime_ns), 0, TIME_MAX_NS},
    {"rampup_ns", offsetof(struct mission, rampup_ns), 0, TIME_MAX_NS},
    {"rampdown_ns", offsetof(struct mission, rampdown_ns), 0, TIME_MAX_NS},
    {"total_ops", offsetof(struct mission, total_ops), 0, INT64_MAX},
    {"total_bytes", offsetof(struct mission, total_bytes), 0, INT64_MAX},
    {"interval_ns", offsetof(struct mission, interval_ns), 10000000, TIME_MAX_NS},
    {NULL, 0, 0, 0},
};

static json_t *service_to_json(const struct service *service)
{
    json_t *object = json_object();
    set_text(object, "type", service->type ? service->type : "none");
    set_text(object, "config", service->config ? service->config : "");
    return object;
}

static int service_from_json(const json_t *json, const char *key, struct service *service,
                             struct err *err)
{
    json_t *object;
    int rc = json_get_object(json, key, &object, err);
    if (rc == 0)
        rc = get_owned(object, "type", &service->type, err);
    if (rc == 0)
        rc = get_owned(object, "config", &service->config, err);
    return rc;
}

json_t *mission_to_json(const struct mission *mission)
{
    json_t *object = new_message();
    json_t *operations = json_array();
    set_text(object, "id", mission->id);
    set_text(object, "workload", mission->workload);
    set_text(object, "stage", mission->stage);
    set_text(object, "work", mission->work);
    set_text(object, "work_type", work_type_name(mission->work_type));
    set_text(object, "driver", mission->driver);
    json_object_set_new(object, "storage", service_to_json(&mission->storage));
    json_object_set_new(object, "auth", service_to_json(&mission->auth));
    write_ints(object, mission_ints, mission);
    set_int(object, "seed", (int64_t)(mission->seed & INT64_MAX));
    VEC_EACH (operation, &mission->operations) {
        json_t *item = json_object();
        set_text(item, "id", operation->id);
        set_text(item, "type", op_info_of(operation->type)->name);
        set_text(item, "name", operation->name);
        set_int(item, "ratio", operation->ratio);
        set_text(item, "division", division_name(operation->division));
        set_text(item, "config", operation->config);
        json_array_append_new(operations, item);
    }
    json_object_set_new(object, "operations", operations);
    return object;
}

static int operation_from_json(const json_t *json, struct mission_operation *operation,
                               struct err *err)
{
    const char *type, *division;
    int64_t ratio;
    int rc = get_owned(json, "id", &operation->id, err);
    if (rc == 0)
        rc = get_owned(json, "name", &operation->name, err);
    if (rc == 0)
        rc = get_owned(json, "config", &operation->config, err);
    if (rc == 0)
        rc = json_get_int(json, "ratio", 1, 100, &ratio, err);
    if (rc == 0)
        rc = json_get_text(json, "type", &type, err);
    if (rc == 0)
        rc = json_get_text(json, "division", &division, err);
    if (rc < 0)
        return rc;
    operation->ratio = (int)ratio;
    const struct op_info *info = op_info_find(type);
    if (!info)
        return err_set(err, ERR_PROTOCOL, "type: operation %s is not known", type);
    operation->type = info->type;
    if (division_parse(division, &operation->division) < 0)
        return err_set(err, ERR_PROTOCOL, "division: %s is not known", division);
    return 0;
}

static int operations_from_json(const json_t *json, struct mission *mission, struct err *err)
{
    json_t *array;
    size_t i;
    json_t *item;
    int rc = json_get_array(json, "operations", WORK_MAX_OPERATIONS, &array, err);
    if (rc < 0)
        return rc;
    json_array_foreach(array, i, item)
    {
        struct mission_operation empty = {.id = NULL};
        vec_push(&mission->operations, empty);
        rc = operation_from_json(item, &mission->operations.items[i], err);
        if (rc < 0)
            return err_prefix(err, "operations[%zu].", i);
    }
    return 0;
}

int mission_from_json(const json_t *json, struct mission **ret_mission, struct err *err)
{
    AUTO(mission_freep) struct mission *mission = xcalloc(1, sizeof(*mission));
    const char *type;
    int64_t seed;
    struct {
        const char *key;
        char **text;
    } texts[] = {{"id", &mission->id},
                 {"workload", &mission->workload},
                 {"stage", &mission->stage},
                 {"work", &mission->work},
                 {"driver", &mission->driver}};
    int rc = wire_check_protocol(json, err);
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(texts); i++)
        rc = get_owned(json, texts[i].key, texts[i].text, err);
    if (rc == 0)
        rc = json_get_text(json, "work_type", &type, err);
    if (rc == 0 && work_type_parse(type, &mission->work_type) < 0)
        rc = err_set(err, ERR_PROTOCOL, "work_type: %s is not known", type);
    if (rc == 0)
        rc = service_from_json(json, "storage", &mission->storage, err);
    if (rc == 0)
        rc = service_from_json(json, "auth", &mission->auth, err);
    if (rc == 0)
        rc = read_ints(json, mission_ints, mission, err);
    if (rc == 0)
        rc = json_get_int(json, "seed", 0, INT64_MAX, &seed, err);
    if (rc == 0)
        rc = operations_from_json(json, mission, err);
    if (rc < 0)
        return rc;
    mission->seed = (uint64_t)seed;
    if (mission->worker_first + mission->workers > mission->workers_total)
        return err_set(err, ERR_PROTOCOL, "workers: more than workers_total");
    if (strlen(mission->id) >= NAME_MAX_BYTES)
        return err_set(err, ERR_PROTOCOL, "id: longer than %d bytes", NAME_MAX_BYTES - 1);
    *ret_mission = TAKE(mission);
    return 0;
}

/* ---- mission state */

static const struct int_field status_ints[] = {
    {"wall_ns", offsetof(struct mission_status, wall_ns), 0, INT64_MAX},
    {"started_wall_ns", offsetof(struct mission_status, started_wall_ns), 0, INT64_MAX},
    {"workers", offsetof(struct mission_status, workers), 0, WORK_MAX_WORKERS},
    {"workers_running", offsetof(struct mission_status, workers_running), 0, WORK_MAX_WORKERS},
    {NULL, 0, 0, 0},
};

json_t *mission_status_to_json(const struct mission_status *status)
{
    json_t *object = new_message();
    set_text(object, "id", status->id);
    set_text(object, "state", mission_state_name(status->state));
    set_text(object, "error", status->error);
    write_ints(object, status_ints, status);
    return object;
}

int mission_status_from_json(const json_t *json, struct mission_status *ret_status, struct err *err)
{
    struct mission_status status = {.state = MISSION_SUBMITTED};
    const char *state;
    int rc = wire_check_protocol(json, err);
    if (rc == 0)
        rc = get_text(json, "id", status.id, sizeof(status.id), err);
    if (rc == 0)
        rc = get_text(json, "error", status.error, sizeof(status.error), err);
    if (rc == 0)
        rc = json_get_text(json, "state", &state, err);
    if (rc == 0 && mission_state_parse(state, &status.state) < 0)
        rc = err_set(err, ERR_PROTOCOL, "state: %s is not known", state);
    if (rc == 0)
        rc = read_ints(json, status_ints, &status, err);
    if (rc == 0)
        *ret_status = status;
    return rc;
}

/* ---- tallies */

static const struct int_field tally_ints[] = {
    {"good", offsetof(struct tally, good), 0, COUNT_MAX},
    {"failed", offsetof(struct tally, failed), 0, COUNT_MAX},
    {"bytes", offsetof(struct tally, bytes), 0, INT64_MAX},
    {"response_sum_ns", offsetof(struct tally, response_sum_ns), 0, INT64_MAX},
    {"proc_sum_ns", offsetof(struct tally, proc_sum_ns), 0, INT64_MAX},
    {NULL, 0, 0, 0},
};

static void write_hist(json_t *object, const char *key, const struct hist *hist)
{
    AUTO(freep) char *text = hist ? hist_encode(hist) : xstrdup("");
    json_object_set_new(object, key, json_string(text));
}

static int read_hist(const json_t *json, const char *key, uint64_t good, struct hist **ret_hist,
                     struct err *err)
{
    const char *text;
    int rc = json_get_text(json, key, &text, err);
    if (rc < 0 || !*text)
        return rc;
    AUTO(hist_freep) struct hist *hist = hist_new();
    rc = hist_decode(text, hist, err);
    if (rc < 0)
        return err_prefix(err, "%s: ", key);
    if (hist->count > good)
        return err_set(err, ERR_PROTOCOL, "%s: more values than good completions", key);
    *ret_hist = TAKE(hist);
    return 0;
}

static json_t *tally_to_json(const struct mission_operation *operation, const struct tally *tally)
{
    json_t *object = json_object();
    json_t *errors = json_array();
    set_text(object, "id", operation->id);
    set_text(object, "sample_type", op_info_of(operation->type)->sample_type);
    write_ints(object, tally_ints, tally);
    write_hist(object, "response", tally->response);
    write_hist(object, "first_byte", tally->first_byte);
    write_hist(object, "service", tally->service);
    VEC_EACH (cause, &tally->causes) {
        json_t *item = json_object();
        set_text(item, "cause", cause->key);
        set_text(item, "message", cause->message);
        set_text(item, "example", cause->example);
        set_int(item, "count", (int64_t)cause->count);
        json_array_append_new(errors, item);
    }
    json_object_set_new(object, "errors", errors);
    return object;
}

static int causes_from_json(const json_t *json, struct tally *tally, struct err *err)
{
    json_t *array, *item;
    size_t i;
    uint64_t failed = tally->failed;
    int rc = json_get_array(json, "errors", ERROR_CAUSES_MAX, &array, err);
    if (rc < 0)
        return rc;
    tally->failed = 0;
    json_array_foreach(array, i, item)
    {
        const char *cause, *message, *example;
        int64_t count;
        rc = json_get_text(item, "cause", &cause, err);
        if (rc == 0)
            rc = json_get_text(item, "message", &message, err);
        if (rc == 0)
            rc = json_get_text(item, "example", &example, err);
        if (rc == 0)
            rc = json_get_int(item, "count", 0, COUNT_MAX, &count, err);
        if (rc < 0)
            return err_prefix(err, "errors[%zu].", i);
        tally_fail(tally, cause, message, example, (uint64_t)count);
    }
    if (tally->failed != failed)
        return err_set(err, ERR_PROTOCOL, "errors: their counts are not what failed says");
    return 0;
}

static int tally_from_json(const json_t *json, struct tally *tally, struct err *err)
{
    int rc = read_ints(json, tally_ints, tally, err);
    if (rc == 0)
        rc = read_hist(json, "response", tally->good, &tally->response, err);
    if (rc == 0)
        rc = read_hist(json, "first_byte", tally->good, &tally->first_byte, err);
    if (rc == 0)
        rc = read_hist(json, "service", tally->good, &tally->service, err);
    if (rc == 0)
        rc = causes_from_json(json, tally, err);
    return rc;
}

/* "operations" of a sample or report; with_window: first_ns, last_ns and workers, too. */
static json_t *tallies_to_json(const struct mission *mission, const struct tally *tallies,
                               size_t count, bool with_window)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *item = tally_to_json(&mission->operations.items[i], &tallies[i]);
        if (with_window) {
            bool any = tallies[i].last_ns >= 0;
            set_int(item, "workers", (int64_t)tallies[i].workers);
            set_int(item, "first_ns", any ? tallies[i].first_ns : -1);
            set_int(item, "last_ns", tallies[i].last_ns);
        }
        json_array_append_new(array, item);
    }
    return array;
}

static int window_from_json(const json_t *json, struct tally *tally, struct err *err)
{
    int64_t workers, first_ns;
    int rc = json_get_int(json, "workers", 0, WORK_MAX_WORKERS, &workers, err);
    if (rc == 0)
        rc = json_get_int(json, "first_ns", -1, TIME_MAX_NS, &first_ns, err);
    if (rc == 0)
        rc = json_get_int(json, "last_ns", -1, TIME_MAX_NS, &tally->last_ns, err);
    if (rc < 0)
        return rc;
    tally->workers = (uint64_t)workers;
    tally->first_ns = first_ns < 0 ? INT64_MAX : first_ns;
    return 0;
}

static int tallies_from_json(const json_t *json, struct tally *tallies, size_t count,
                             bool with_window, struct err *err)
{
    json_t *array, *item;
    size_t i;
    int rc = json_get_array(json, "operations", WORK_MAX_OPERATIONS, &array, err);
    if (rc < 0)
        return rc;
    if (json_array_size(array) != count)
        return err_set(err, ERR_PROTOCOL, "operations: expected %zu, found %zu", count,
                       json_array_size(array));
    json_array_foreach(array, i, item)
    {
        rc = tally_from_json(item, &tallies[i], err);
        if (rc == 0 && with_window)
            rc = window_from_json(item, &tallies[i], err);
        if (rc < 0)
            return err_prefix(err, "operations[%zu].", i);
    }
    return 0;
}

/* ---- samples */

static const struct int_field sample_ints[] = {
    {"seq", offsetof(struct sample, seq), 1, INT64_MAX},
    {"from_ns", offsetof(struct sample, from_ns), 0, TIME_MAX_NS},
    {"to_ns", offsetof(struct sample, to_ns), 0, TIME_MAX_NS},
    {"workers_running", offsetof(struct sample, workers_running), 0, WORK_MAX_WORKERS},
    {NULL, 0, 0, 0},
};

json_t *samples_to_json(const struct mission_status *status, const struct mission *mission,
                        const struct sample *samples, size_t count)
{
    json_t *object = mission_status_to_json(status);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *item = json_object();
        write_ints(item, sample_ints, &samples[i]);
        json_object_set_new(
            item, "operations",
            tallies_to_json(mission, samples[i].tallies, samples[i].tally_count, false));
        json_array_append_new(array, item);
    }
    json_object_set_new(object, "samples", array);
    return object;
}

int samples_from_json(const json_t *json, size_t tally_count, struct mission_status *ret_status,
                      struct sample **ret_samples, size_t *ret_count, struct err *err)
{
    struct mission_status status;
    json_t *array, *item;
    size_t i;
    int rc = mission_status_from_json(json, &status, err);
    if (rc == 0)
        rc = json_get_array(json, "samples", SAMPLES_MAX, &array, err);
    if (rc < 0)
        return rc;
    size_t count = json_array_size(array);
    struct sample *samples = xcalloc(count, sizeof(*samples));
    json_array_foreach(array, i, item)
    {
        sample_init(&samples[i], 0, tally_count);
        rc = read_ints(item, sample_ints, &samples[i], err);
        if (rc == 0)
            rc = tallies_from_json(item, samples[i].tallies, tally_count, false, err);
        if (rc < 0) {
            err_prefix(err, "samples[%zu].", i);
            for (size_t k = 0; k <= i; k++)
                sample_release(&samples[k]);
            free(samples);
            return rc;
        }
    }
    *ret_status = status;
    *ret_samples = samples;
    *ret_count = count;
    return 0;
}

/* ---- report */

static const struct int_field report_ints[] = {
    {"ended_ns", offsetof(struct report, ended_ns), 0, TIME_MAX_NS},
    {"workers_idle", offsetof(struct report, workers_idle), 0, WORK_MAX_WORKERS},
    {"window_from_ns", offsetof(struct report, window_from_ns), 0, TIME_MAX_NS},
    {"window_to_ns", offsetof(struct report, window_to_ns), 0, TIME_MAX_NS},
    {"in_flight_ops", offsetof(struct report, in_flight_ops), 0, COUNT_MAX},
    {"in_flight_bytes", offsetof(struct report, in_flight_bytes), 0, INT64_MAX},
    {NULL, 0, 0, 0},
};

static const struct int_field connection_ints[] = {
    {"opened", offsetof(struct report, connections), 0, COUNT_MAX},
    {"tls_handshakes", offsetof(struct report, tls_handshakes), 0, COUNT_MAX},
    {"retries", offsetof(struct report, retries), 0, COUNT_MAX},
    {"connect_sum_ns", offsetof(struct report, connect_sum_ns), 0, INT64_MAX},
    {NULL, 0, 0, 0},
};

json_t *report_to_json(const struct mission_status *status, const struct mission *mission,
                       const struct report *report)
{
    json_t *object = mission_status_to_json(status);
    json_t *effort = json_object();
    json_t *connections = json_object();
    write_ints(object, report_ints, report);
    json_object_set_new(object, "operations",
                        tallies_to_json(mission, report->tallies, report->tally_count, true));
    set_int(effort, "threads", report->effort.threads);
    json_object_set_new(effort, "cpu_share_max", json_real(report->effort.cpu_share_max));
    json_object_set_new(effort, "cpu_share_mean", json_real(report->effort.cpu_share_mean));
    set_int(effort, "loop_lag_p99_ns", report->effort.loop_lag_p99_ns);
    json_object_set_new(effort, "client_bound", json_boolean(report->effort.client_bound));
    set_text(effort, "reason", report->effort.reason);
    json_object_set_new(object, "effort", effort);
    write_ints(connections, connection_ints, report);
    json_object_set_new(object, "connections", connections);
    return object;
}

static int effort_from_json(const json_t *json, struct effort *effort, struct err *err)
{
    json_t *object;
    int rc = json_get_object(json, "effort", &object, err);
    if (rc == 0)
        rc = json_get_int(object, "threads", 0, 1 << 16, &effort->threads, err);
    if (rc == 0)
        rc = json_get_real(object, "cpu_share_max", &effort->cpu_share_max, err);
    if (rc == 0)
        rc = json_get_real(object, "cpu_share_mean", &effort->cpu_share_mean, err);
    if (rc == 0)
        rc = json_get_int(object, "loop_lag_p99_ns", 0, TIME_MAX_NS, &effort->loop_lag_p99_ns, err);
    if (rc == 0)
        rc = json_get_bool(object, "client_bound", &effort->client_bound, err);
    if (rc == 0)
        rc = get_text(object, "reason", effort->reason, sizeof(effort->reason), err);
    return rc < 0 ? err_prefix(err, "effort.") : 0;
}

int report_from_json(const json_t *json, size_t tally_count, struct mission_status *ret_status,
                     struct report *ret_report, struct err *err)
{
    struct mission_status status;
    struct report report;
    json_t *connections;
    report_init(&report, tally_count);
    int rc = mission_status_from_json(json, &status, err);
    if (rc == 0)
        rc = read_ints(json, report_ints, &report, err);
    if (rc == 0)
        rc = json_get_object(json, "connections", &connections, err);
    if (rc == 0)
        rc = read_ints(connections, connection_ints, &report, err);
    if (rc == 0)
        rc = effort_from_json(json, &report.effort, err);
    if (rc == 0)
        rc = tallies_from_json(json, report.tallies, tally_count, true, err);
    if (rc < 0) {
        report_release(&report);
        return rc;
    }
    report.workers = status.workers;
    *ret_status = status;
    *ret_report = report;
    return 0;
}

/* ---- ping */

json_t *ping_to_json(const struct ping *ping, const json_t *missions)
{
    json_t *object = new_message();
    set_text(object, "name", ping->name);
    set_text(object, "version", ping->version);
    set_int(object, "threads", ping->threads);
    set_int(object, "wall_ns", ping->wall_ns);
    json_object_set_new(object, "missions", missions ? json_deep_copy(missions) : json_array());
    return object;
}

int ping_from_json(const json_t *json, struct ping *ret_ping, struct err *err)
{
    struct ping ping = {.threads = 0};
    int rc = wire_check_protocol(json, err);
    if (rc == 0)
        rc = get_text(json, "name", ping.name, sizeof(ping.name), err);
    if (rc == 0)
        rc = get_text(json, "version", ping.version, sizeof(ping.version), err);
    if (rc == 0)
        rc = json_get_int(json, "threads", 0, 1 << 16, &ping.threads, err);
    if (rc == 0)
        rc = json_get_int(json, "wall_ns", 0, INT64_MAX, &ping.wall_ns, err);
    if (rc == 0)
        *ret_ping = ping;
    return rc;
}
