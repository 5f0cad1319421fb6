/* api_workloads.c -- submit, validate, list, inspect, cancel. */
#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/base/units.h"
#include "common/base/xalloc.h"
#include "controller/api/routes.h"
#include "controller/api/to_json.h"

#include <string.h>

#include "common/base/banned.h"

/* ---- submit and validate */

/* The error of a refused workload, with all its places. */
static void reply_refused(struct http_reply *reply, const struct err *err,
                          const struct diags *diags)
{
    api_reply_err(reply, err);
    if (diags->errors == 0)
        return;
    reply->status = 400;
    strbuf_reset(&reply->body);
    api_reply_json(reply, json_pack("{s:{s:s,s:o,s:o}}", "error", "code", err_code_name(err->code),
                                    "message", json_text_new(err->text), "diagnostics",
                                    diags_to_json(diags)));
}

/* The XML of the request, or NULL and the request is answered. */
static const char *xml_of(struct http_request *request, size_t *ret_len, struct http_reply *reply)
{
    const char *xml = api_workload_xml(request, ret_len);
    if (!xml)
        http_reply_error(reply, ERR_CONFIG,
                         "no workload was sent: expected XML as the body, or as form field config");
    return xml;
}

void api_workload_submit(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    AUTO(diags_release) struct diags diags = {0};
    struct err err = {0};
    size_t len = 0;
    int64_t number = 0;

    const char *xml = api_may_change(api, request, reply) ? xml_of(request, &len, reply) : NULL;
    if (!xml)
        return;
    if (controller_submit(api->controller, xml, len, &number, &diags, &err) < 0) {
        reply_refused(reply, &err, &diags);
        return;
    }
    struct workload_row row;
    char id[32];
    snprintf(id, sizeof(id), "w%lld", (long long)number);
    if (store_get_workload(controller_db(api->controller), number, &row, &err) < 0) {
        api_reply_err(reply, &err);
        return;
    }
    AUTO(freep) char *location = xasprintf("/api/v1/workloads/%s", id);
    reply->status = 201;
    http_reply_header(reply, "Location", location);
    api_reply_json(reply, json_pack("{s:s,s:o,s:o}", "id", id, "name", json_text_new(row.name),
                                    "diagnostics", diags_to_json(&diags)));
    workload_row_release(&row);
}

void api_workload_validate(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    AUTO(diags_release) struct diags diags = {0};
    struct err err = {0};
    size_t len = 0;

    const char *xml = xml_of(request, &len, reply);
    if (!xml)
        return;
    int rc = controller_validate(api->controller, xml, len, &diags, &err);
    if (rc < 0 && diags.errors == 0)
        diags_add(&diags, DIAG_ERROR, 0, "", "", "%s", err.text);
    api_reply_json(reply, json_pack("{s:b,s:o}", "ok", (int)(diags.errors == 0), "diagnostics",
                                    diags_to_json(&diags)));
}

/* ---- list and inspect */

static bool parse_filter(const char *text, enum store_filter *ret_filter)
{
    static const struct {
        const char *name;
        enum store_filter filter;
    } names[] = {{"", STORE_ALL}, {"active", STORE_ACTIVE}, {"ended", STORE_ENDED}};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(text ? text : "", names[i].name) == 0) {
            *ret_filter = names[i].filter;
            return true;
        }
    }
    return false;
}

static json_t *list_to_json(const struct workload_rows *rows)
{
    json_t *list = json_array();
    VEC_EACH (row, &rows->list) {
        json_array_append_new(list, workload_to_json(row));
    }
    json_t *next = json_null();
    if (rows->next_before > 0) {
        AUTO(freep) char *id = xasprintf("w%lld", (long long)rows->next_before);
        next = json_string(id);
    }
    return json_pack("{s:o,s:o,s:I}", "workloads", list, "next_before", next, "total",
                     (json_int_t)rows->total);
}

void api_workload_list(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    const char *limit_text = http_request_query(request, "limit");
    const char *before_text = http_request_query(request, "before");
    enum store_filter filter = STORE_ALL;
    int64_t limit = 50;
    int64_t before = 0;
    struct workload_rows rows = {0};
    struct err err = {0};

    if (limit_text && (units_parse_int(limit_text, &limit) < 0 || limit < 1 || limit > 1000)) {
        http_reply_error(reply, ERR_CONFIG, "limit: expected a number from 1 to 1000");
        return;
    }
    if (before_text && (before = workload_number(before_text)) == 0) {
        http_reply_error(reply, ERR_CONFIG, "before: expected an id like w12");
        return;
    }
    if (!parse_filter(http_request_query(request, "state"), &filter)) {
        http_reply_error(reply, ERR_CONFIG, "state: expected active or ended");
        return;
    }
    if (store_list_workloads(controller_db(api->controller), filter, before, limit, &rows, &err) <
        0)
        api_reply_err(reply, &err);
    else
        api_reply_json(reply, list_to_json(&rows));
    workload_rows_release(&rows);
}

static json_t *detail_to_json(const struct api *api, const struct workload_detail *detail)
{
    json_t *json = workload_to_json(&detail->row);
    json_t *stages = json_array();
    struct live_row live = {0};
    int64_t now_ns = clock_wall_ns();

    VEC_EACH (stage, &detail->stages) {
        json_array_append_new(stages, stage_to_json(stage, now_ns));
    }
    controller_live(api->controller, detail->row.number, &live);
    json_object_set_new(json, "stages", stages);
    json_object_set_new(json, "live", live_to_json(&live));
    json_object_set_new(json, "diagnostics", diags_to_json(&detail->diags));
    return json;
}

void api_workload_show(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    struct workload_detail detail;
    struct err err = {0};
    int64_t number = api_workload_number(request, reply);
    if (number == 0)
        return;
    if (store_get_detail(controller_db(api->controller), number, &detail, &err) < 0) {
        api_reply_err(reply, &err);
        return;
    }
    api_reply_json(reply, detail_to_json(api, &detail));
    workload_detail_release(&detail);
}

void api_workload_config(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    AUTO(freep) char *xml = NULL;
    struct err err = {0};
    int64_t number = api_workload_number(request, reply);
    if (number == 0)
        return;
    if (store_get_masked(controller_db(api->controller), number, &xml, &err) < 0) {
        api_reply_err(reply, &err);
        return;
    }
    reply->content_type = "application/xml";
    strbuf_adds(&reply->body, xml);
}

void api_workload_cancel(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    struct workload_row row;
    struct err err = {0};
    int64_t number = api_may_change(api, request, reply) ? api_workload_number(request, reply) : 0;
    if (number == 0)
        return;
    if (controller_cancel(api->controller, number, &err) < 0 ||
        store_get_workload(controller_db(api->controller), number, &row, &err) < 0) {
        api_reply_err(reply, &err);
        return;
    }
    api_reply_json(reply, workload_to_json(&row));
    workload_row_release(&row);
}
