/* to_json.h -- rows of the store as JSON documents of docs/protocol.md. New references. */
#ifndef LOADSTONE_CONTROLLER_API_TO_JSON_H
#define LOADSTONE_CONTROLLER_API_TO_JSON_H

#include "common/wire/json.h"
#include "controller/controller.h"
#include "controller/report/results.h"

/* RFC 3339 text, null for 0. */
json_t *time_to_json(int64_t wall_ns);
json_t *diags_to_json(const struct diags *diags);
json_t *workload_to_json(const struct workload_row *row);
/* now_ns (wall clock) is what elapsed times of open stages count to. */
json_t *stage_to_json(const struct stage_row *row, int64_t now_ns);
json_t *live_to_json(const struct live_row *live);
json_t *driver_to_json(const struct driver_row *row);
json_t *result_to_json(const struct result *result);
/* Appends the result's errors to the array. */
void result_errors_to_json(const struct result *result, json_t *array);
json_t *sample_to_json(const struct sample_row *row);

#endif
