/* to_json.c -- see to_json.h. */
#include "controller/api/to_json.h"

#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <math.h>

#include "common/base/banned.h"

/* json_pack: texts go through json_text_new() ("o"), which takes bytes of any kind. */
#define TEXT(text) json_text_new((text) ? (text) : "")
#define INT(value) ((json_int_t)(value))

json_t *time_to_json(int64_t wall_ns)
{
    char text[32];
    if (wall_ns == 0)
        return json_null();
    clock_format_iso(wall_ns, text, sizeof(text));
    return json_string(text);
}

static json_t *real_to_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Null where there is nothing to take the figure of. */
static json_t *real_if(bool has, double value)
{
    return has ? real_to_json(value) : json_null();
}

json_t *diags_to_json(const struct diags *diags)
{
    json_t *rows = json_array();
    VEC_EACH (diag, &diags->list) {
        json_array_append_new(rows,
                              json_pack("{s:s,s:i,s:o,s:o,s:o}", "severity",
                                        diag->severity == DIAG_ERROR ? "error" : "warning", "line",
                                        diag->line, "element", TEXT(diag->element), "attribute",
                                        TEXT(diag->attribute), "message", TEXT(diag->message)));
    }
    return rows;
}

static json_t *event_to_json(const struct event_row *event)
{
    return json_pack("{s:o,s:o}", "state", TEXT(event->state), "at", time_to_json(event->at_ns));
}

json_t *workload_to_json(const struct workload_row *row)
{
    char id[32];
    json_t *history = json_array();
    snprintf(id, sizeof(id), "w%lld", (long long)row->number);
    VEC_EACH (event, &row->history) {
        json_array_append_new(history, event_to_json(event));
    }
    return json_pack("{s:s,s:o,s:o,s:s,s:o,s:I,s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:o}", "id", id, "name",
                     TEXT(row->name), "description", TEXT(row->description), "state",
                     workload_state_name(row->state), "error", TEXT(row->error), "order",
                     INT(row->order), "submitted_at", time_to_json(row->submitted_ns), "started_at",
                     time_to_json(row->started_ns), "ended_at", time_to_json(row->ended_ns),
                     "op_info", TEXT(row->op_info), "current_stage", TEXT(row->current_stage),
                     "stages_total", INT(row->stages_total), "stages_done", INT(row->stages_done),
                     "history", history);
}

static json_t *operation_to_json(const struct operation_row *row)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:I,s:o}", "id", TEXT(row->id), "type", TEXT(row->type),
                     "name", TEXT(row->name), "label", TEXT(row->label), "ratio", INT(row->ratio),
                     "config", TEXT(row->config));
}

static json_t *work_to_json(const struct work_row *row)
{
    json_t *operations = json_array();
    VEC_EACH (operation, &row->operations) {
        json_array_append_new(operations, operation_to_json(operation));
    }
    return json_pack("{s:I,s:o,s:o,s:I,s:o,s:o,s:I,s:I,s:I,s:I,s:o}", "index", INT(row->index),
                     "name", TEXT(row->name), "type", TEXT(row->type), "workers", INT(row->workers),
                     "storage", TEXT(row->storage), "driver", TEXT(row->driver), "runtime_s",
                     INT(row->runtime_s), "total_ops", INT(row->total_ops), "total_bytes",
                     INT(row->total_bytes), "afr", INT(row->afr), "operations", operations);
}

static json_t *mission_row_to_json(const struct mission_row *row)
{
    return json_pack("{s:o,s:o,s:o,s:I,s:I,s:o,s:o}", "id", TEXT(row->id), "driver",
                     TEXT(row->driver), "work", TEXT(row->work), "work_index", INT(row->work_index),
                     "workers", INT(row->workers), "state", TEXT(row->state), "error",
                     TEXT(row->error));
}

json_t *stage_to_json(const struct stage_row *row, int64_t now_ns)
{
    json_t *works = json_array(), *missions = json_array(), *history = json_array();
    int64_t until_ns = row->ended_ns ? row->ended_ns : now_ns;
    int64_t elapsed_ns = row->started_ns ? MAX(until_ns - row->started_ns, INT64_C(0)) : 0;

    VEC_EACH (work, &row->works) {
        json_array_append_new(works, work_to_json(work));
    }
    VEC_EACH (mission, &row->missions) {
        json_array_append_new(missions, mission_row_to_json(mission));
    }
    VEC_EACH (event, &row->history) {
        json_array_append_new(history, event_to_json(event));
    }
    return json_pack(
        "{s:o,s:o,s:I,s:s,s:o,s:I,s:I,s:o,s:o,s:I,s:o,s:o,s:o,s:o,s:b,s:o,s:I,s:I}", "id",
        TEXT(row->id), "name", TEXT(row->name), "index", INT(row->index), "state",
        stage_state_name(row->state), "error", TEXT(row->error), "interval_s", INT(row->interval_s),
        "closure_delay_s", INT(row->closure_delay_s), "started_at", time_to_json(row->started_ns),
        "ended_at", time_to_json(row->ended_ns), "elapsed_ns", INT(elapsed_ns), "expected_ns",
        row->expected_ns < 0 ? json_null() : json_integer(row->expected_ns), "history", history,
        "works", works, "missions", missions, "client_bound", (int)row->client_bound,
        "client_bound_reason", TEXT(row->client_bound_reason), "in_flight_ops",
        INT(row->in_flight_ops), "in_flight_bytes", INT(row->in_flight_bytes));
}

json_t *live_to_json(const struct live_row *live)
{
    if (!live->is_running || !*live->stage) /* between two stages there is nothing to show */
        return json_null();
    return json_pack("{s:o,s:I,s:o,s:o,s:I,s:I}", "stage", TEXT(live->stage), "at_ns",
                     INT(live->at_ns), "ops_per_s", real_to_json(live->ops_per_s), "bytes_per_s",
                     real_to_json(live->bytes_per_s), "p99_ns", INT(live->p99_ns), "errors",
                     INT(live->errors));
}

json_t *driver_to_json(const struct driver_row *row)
{
    return json_pack("{s:o,s:o,s:s,s:o,s:I,s:o,s:I,s:o,s:I}", "name", TEXT(row->name), "url",
                     TEXT(row->url), "state", driver_state_name(row->state), "version",
                     TEXT(row->version), "threads", INT(row->threads), "source", TEXT(row->source),
                     "clock_offset_ns", INT(row->clock_offset_ns), "last_seen_at",
                     time_to_json(row->last_seen_ns), "missions", INT(row->missions));
}

/* ---- results */

static double percentile_of(const struct figures *figures, double percent)
{
    for (size_t i = 0; i < RESULT_PERCENTILES; i++) {
        if (result_percents[i] >= percent)
            return figures->percentiles_ms[i];
    }
    return NAN;
}

static json_t *percentiles_to_json(const struct figures *figures)
{
    json_t *object = json_object();
    for (size_t i = 0; i < RESULT_PERCENTILES; i++)
        json_object_set_new(object, result_percent_names[i],
                            real_if(figures->has_percentiles, figures->percentiles_ms[i]));
    return object;
}

static json_t *driver_result_to_json(const struct driver_result *row)
{
    const struct figures *figures = &row->figures;
    bool any = figures->op_count > 0;
    return json_pack(
        "{s:o,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o}", "driver", TEXT(row->driver), "op_count",
        INT(figures->op_count), "failed", INT(figures->failed), "byte_count",
        INT(figures->byte_count), "throughput", real_to_json(figures->throughput), "bandwidth",
        real_to_json(figures->bandwidth), "avg_restime_ms", real_if(any, figures->avg_restime_ms),
        "avg_proctime_ms", real_if(any, figures->avg_proctime_ms), "p99_ms",
        real_if(figures->has_percentiles, percentile_of(figures, 99)));
}

static json_t *names_to_json(const struct outcome_row *outcome)
{
    return json_pack("{s:o,s:I,s:o,s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:b}", "stage", TEXT(outcome->stage),
                     "stage_index", INT(outcome->stage_index), "work", TEXT(outcome->work),
                     "work_index", INT(outcome->work_index), "operation", TEXT(outcome->operation),
                     "op_name", TEXT(outcome->op_name), "op_type", TEXT(outcome->op_type),
                     "sample_type", TEXT(outcome->sample_type), "label", TEXT(outcome->label),
                     "status", TEXT(outcome->status), "client_bound", (int)outcome->client_bound);
}

json_t *result_to_json(const struct result *result)
{
    const struct figures *figures = &result->figures;
    bool any = figures->op_count > 0;
    json_t *drivers = json_array();
    VEC_EACH (driver, &result->drivers) {
        json_array_append_new(drivers, driver_result_to_json(driver));
    }
    json_t *json = names_to_json(result->outcome);
    AUTO(json_freep)
    json_t *more =
        json_pack("{s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:o,s:o}", "op_count",
                  INT(figures->op_count), "failed", INT(figures->failed), "byte_count",
                  INT(figures->byte_count), "avg_restime_ms", real_if(any, figures->avg_restime_ms),
                  "avg_proctime_ms", real_if(any, figures->avg_proctime_ms), "throughput",
                  real_to_json(figures->throughput), "bandwidth", real_to_json(figures->bandwidth),
                  "succ_ratio", real_if(figures->succ_ratio >= 0, figures->succ_ratio), "workers",
                  INT(figures->workers), "window_ns", INT(figures->window_ns), "percentiles_ms",
                  percentiles_to_json(figures), "drivers", drivers);
    json_object_update(json, more);
    return json;
}

void result_errors_to_json(const struct result *result, json_t *array)
{
    const struct outcome_row *outcome = result->outcome;
    VEC_EACH (error, &result->errors) {
        json_array_append_new(
            array, json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:I}", "stage", TEXT(outcome->stage),
                             "work", TEXT(outcome->work), "operation", TEXT(outcome->label),
                             "driver", TEXT(error->driver), "cause", TEXT(error->cause.key),
                             "message", TEXT(error->cause.message), "example",
                             TEXT(error->cause.example), "count", INT(error->cause.count)));
    }
}

static json_t *point_to_json(const struct point_row *row)
{
    bool any = row->good > 0;
    bool has = any && row->response;
    const struct hist *hist = row->response;
    return json_pack("{s:o,s:I,s:o,s:o,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o}", "work", TEXT(row->work),
                     "work_index", INT(row->work_index), "operation", TEXT(row->operation), "label",
                     TEXT(row->label), "good", INT(row->good), "failed", INT(row->failed), "bytes",
                     INT(row->bytes), "avg_restime_ms",
                     real_if(any, any ? (double)row->response_sum_ns / (double)row->good / MS : 0),
                     "p50_ms", real_if(has, has ? (double)hist_percentile(hist, 50) / MS : 0),
                     "p95_ms", real_if(has, has ? (double)hist_percentile(hist, 95) / MS : 0),
                     "p99_ms", real_if(has, has ? (double)hist_percentile(hist, 99) / MS : 0),
                     "max_ms", real_if(has, has ? (double)hist->max_ns / MS : 0));
}

json_t *sample_to_json(const struct sample_row *row)
{
    json_t *operations = json_array();
    VEC_EACH (point, &row->points) {
        json_array_append_new(operations, point_to_json(point));
    }
    return json_pack("{s:I,s:I,s:I,s:o}", "at_ns", INT(row->to_ns), "length_ns",
                     INT(row->to_ns - row->from_ns), "workers_running", INT(row->workers_running),
                     "operations", operations);
}
