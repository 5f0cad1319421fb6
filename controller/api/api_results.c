/* api_results.c -- what was measured: result rows, and the samples of a stage. */
#include "common/base/scope.h"
#include "common/base/units.h"
#include "controller/api/routes.h"
#include "controller/api/to_json.h"

#include <string.h>

#include "common/base/banned.h"

static json_t *results_to_json(const struct workload_row *row, const struct results *results)
{
    char id[32];
    json_t *list = json_array(), *errors = json_array();
    snprintf(id, sizeof(id), "w%lld", (long long)row->number);
    VEC_EACH (result, &results->list) {
        json_array_append_new(list, result_to_json(result));
        result_errors_to_json(result, errors);
    }
    return json_pack("{s:s,s:o,s:s,s:o,s:o}", "id", id, "name", json_text_new(row->name), "state",
                     workload_state_name(row->state), "results", list, "errors", errors);
}

void api_result_list(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    struct db *db = controller_db(api->controller);
    struct workload_row row;
    struct results results = {0};
    struct err err = {0};
    int64_t number = api_workload_number(request, reply);
    if (number == 0)
        return;
    if (store_get_workload(db, number, &row, &err) < 0) {
        api_reply_err(reply, &err);
        return;
    }
    if (results_load(db, number, 0, &results, &err) < 0) {
        api_reply_err(reply, &err);
    } else {
        api_reply_json(reply, results_to_json(&row, &results));
        results_release(&results);
    }
    workload_row_release(&row);
}

/* The stage of that id; without one the stage that runs, or the last that ran. NULL: none. */
static const struct stage_row *choose_stage(const struct workload_detail *detail, const char *id)
{
    const struct stage_row *last = NULL;
    const char *wanted = id ? id : detail->row.current_stage;
    VEC_EACH (stage, &detail->stages) {
        if (strcmp(stage->id, wanted) == 0)
            return stage;
        if (!id && stage->started_ns > 0)
            last = stage;
    }
    return last;
}

static void reply_samples(const struct api *api, int64_t number, const struct stage_row *stage,
                          int64_t after_ns, struct http_reply *reply)
{
    struct sample_rows rows = {0};
    struct err err = {0};
    json_t *list = json_array();
    if (stage && store_get_samples(controller_db(api->controller), number, stage->index, after_ns,
                                   &rows, &err) < 0) {
        json_decref(list);
        api_reply_err(reply, &err);
        return;
    }
    VEC_EACH (row, &rows.list) {
        json_array_append_new(list, sample_to_json(row));
    }
    sample_rows_release(&rows);
    api_reply_json(reply, json_pack("{s:o,s:o}", "stage", json_text_new(stage ? stage->id : NULL),
                                    "samples", list));
}

void api_sample_list(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    const char *after = http_request_query(request, "after_ns");
    const char *id = http_request_query(request, "stage");
    struct workload_detail detail;
    struct err err = {0};
    int64_t after_ns = 0;
    int64_t number = api_workload_number(request, reply);
    if (number == 0)
        return;
    if (after && (units_parse_int(after, &after_ns) < 0 || after_ns < 0)) {
        http_reply_error(reply, ERR_CONFIG, "after_ns: expected a number of 0 or more");
        return;
    }
    if (store_get_detail(controller_db(api->controller), number, &detail, &err) < 0) {
        api_reply_err(reply, &err);
        return;
    }
    const struct stage_row *stage = choose_stage(&detail, id);
    if (id && !stage)
        http_reply_error(reply, ERR_NOT_FOUND, "no stage %.200s", id);
    else
        reply_samples(api, number, stage, after_ns, reply);
    workload_detail_release(&detail);
}
