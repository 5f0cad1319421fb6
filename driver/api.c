/* api.c -- see api.h. */
#include "driver/api.h"

#include "common/base/limits.h"
#include "common/base/units.h"
#include "common/wire/prometheus.h"

#include <stdlib.h>
#include <string.h>

static void answer(struct http_reply *reply, json_t *json)
{
    if (json_write(json, &reply->body) < 0)
        http_reply_error(reply, ERR_LIMIT, "the answer is too large");
    json_decref(json);
}

static void answer_status(struct http_reply *reply, struct mission_run *run)
{
    struct mission_status status;
    mission_run_status(run, &status);
    answer(reply, mission_status_to_json(&status));
}

/* The run that the address names; NULL after answering 404. */
static struct mission_run *run_of(struct http_request *request, struct http_reply *reply,
                                  struct driver *driver)
{
    const char *id = http_request_segment(request, "id");
    struct mission_run *run = driver_get(driver, id);
    if (!run)
        http_reply_error(reply, ERR_NOT_FOUND, "no mission %s on this driver", id);
    return run;
}

static void on_ping(struct http_request *request, struct http_reply *reply, void *driver)
{
    (void)request;
    answer(reply, driver_ping(driver));
}

static int read_mission(struct http_request *request, struct mission **ret_mission, struct err *err)
{
    size_t len;
    const char *body = http_request_body(request, &len);
    AUTO(json_freep) json_t *json = NULL;
    int rc = json_read(body, len, &json, err);
    if (rc == 0)
        rc = mission_from_json(json, ret_mission, err);
    if (rc == 0 && strcmp((*ret_mission)->id, http_request_segment(request, "id")) != 0) {
        mission_free(*ret_mission);
        rc = err_set(err, ERR_PROTOCOL, "id: not the one of the address");
    }
    return rc;
}

static void on_prepare(struct http_request *request, struct http_reply *reply, void *driver)
{
    struct err err = {0};
    struct mission *mission = NULL;
    struct mission_run *run = NULL;
    bool fresh = false;
    int rc = read_mission(request, &mission, &err);
    if (rc == 0)
        rc = driver_prepare(driver, mission, &run, &fresh, &err);
    if (rc < 0) {
        http_reply_error(reply, rc, "%s", err.text);
        return;
    }
    reply->status = fresh ? 201 : 200;
    answer_status(reply, run);
    driver_put(driver, run);
}

static void on_start(struct http_request *request, struct http_reply *reply, void *driver)
{
    struct err err = {0};
    size_t len;
    const char *body = http_request_body(request, &len);
    AUTO(json_freep) json_t *json = NULL;
    int64_t start_wall_ns = 0;
    int rc = len ? json_read(body, len, &json, &err) : 0;
    if (rc == 0 && json)
        rc = json_get_int(json, "start_wall_ns", 0, INT64_MAX, &start_wall_ns, &err);
    if (rc < 0) {
        http_reply_error(reply, rc, "%s", err.text);
        return;
    }
    struct mission_run *run = run_of(request, reply, driver);
    if (!run)
        return;
    rc = mission_run_start(run, start_wall_ns, &err);
    if (rc < 0)
        http_reply_error(reply, rc, "%s", err.text);
    else
        answer_status(reply, run);
    driver_put(driver, run);
}

static void on_samples(struct http_request *request, struct http_reply *reply, void *driver)
{
    const char *text = http_request_query(request, "after");
    int64_t after = 0;
    if (text && (units_parse_int(text, &after) < 0 || after < 0)) {
        http_reply_error(reply, ERR_CONFIG, "after: expected a number of 0 or more");
        return;
    }
    struct mission_run *run = run_of(request, reply, driver);
    if (!run)
        return;
    answer(reply, mission_run_samples(run, after));
    driver_put(driver, run);
}

static void on_stop(struct http_request *request, struct http_reply *reply, void *driver)
{
    struct mission_run *run = run_of(request, reply, driver);
    if (!run)
        return;
    mission_run_stop(run);
    answer_status(reply, run);
    driver_put(driver, run);
}

static void on_report(struct http_request *request, struct http_reply *reply, void *driver)
{
    struct mission_run *run = run_of(request, reply, driver);
    if (!run)
        return;
    json_t *report = mission_run_report(run);
    if (report)
        answer(reply, report);
    else
        http_reply_error(reply, ERR_CONFLICT, "mission %s has not ended yet",
                         mission_run_mission(run)->id);
    driver_put(driver, run);
}

static void on_forget(struct http_request *request, struct http_reply *reply, void *driver)
{
    driver_forget(driver, http_request_segment(request, "id"));
    strbuf_adds(&reply->body, "{}");
}

static void on_metrics(struct http_request *request, struct http_reply *reply, void *driver)
{
    struct driver_totals totals;
    (void)request;
    driver_totals(driver, &totals);
    struct strbuf *out = &reply->body;
    reply->content_type = PROMETHEUS_CONTENT_TYPE;
    prometheus_family(out, "loadstone_driver_missions", "gauge", "Missions known to the driver.");
    prometheus_value(out, "loadstone_driver_missions", NULL, NULL, (double)totals.missions);
    prometheus_family(out, "loadstone_driver_missions_running", "gauge", "Missions under way.");
    prometheus_value(out, "loadstone_driver_missions_running", NULL, NULL,
                     (double)totals.missions_running);
    prometheus_family(out, "loadstone_driver_workers_running", "gauge",
                      "Workers of the missions under way.");
    prometheus_value(out, "loadstone_driver_workers_running", NULL, NULL,
                     (double)totals.workers_running);
}

/* Text in HTML. */
static void add_escaped(struct strbuf *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<':
            strbuf_adds(out, "&lt;");
            break;
        case '>':
            strbuf_adds(out, "&gt;");
            break;
        case '&':
            strbuf_adds(out, "&amp;");
            break;
        case '"':
            strbuf_adds(out, "&quot;");
            break;
        default:
            strbuf_addc(out, *text);
        }
    }
}

static void on_page(struct http_request *request, struct http_reply *reply, void *driver)
{
    (void)request;
    AUTO(json_freep) json_t *ping = driver_ping(driver);
    struct strbuf *out = &reply->body;
    size_t i;
    json_t *item;
    reply->content_type = "text/html; charset=utf-8";
    strbuf_adds(out, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
                     "<title>Loadstone driver</title><h1>Loadstone driver ");
    add_escaped(out, json_text_or(ping, "name", ""));
    strbuf_addf(out,
                "</h1><p>Version %s, %lld threads.</p><h2>Missions</h2><table>"
                "<tr><th>Mission</th><th>State</th></tr>",
                LOADSTONE_VERSION, (long long)json_int_or(ping, "threads", 0));
    json_array_foreach(json_object_get(ping, "missions"), i, item)
    {
        strbuf_adds(out, "<tr><td>");
        add_escaped(out, json_text_or(item, "id", ""));
        strbuf_adds(out, "</td><td>");
        add_escaped(out, json_text_or(item, "state", ""));
        strbuf_adds(out, "</td></tr>");
    }
    strbuf_adds(out, "</table></html>\n");
}

static const struct http_route routes[] = {
    {"GET", "/api/v1/ping", on_ping, 0},
    {"PUT", "/api/v1/missions/{id}", on_prepare, MISSION_MAX_BYTES},
    {"DELETE", "/api/v1/missions/{id}", on_forget, 0},
    {"POST", "/api/v1/missions/{id}/start", on_start, 4096},
    {"GET", "/api/v1/missions/{id}/samples", on_samples, 0},
    {"POST", "/api/v1/missions/{id}/stop", on_stop, 4096},
    {"GET", "/api/v1/missions/{id}/report", on_report, 0},
    {"GET", "/metrics", on_metrics, 0},
    {"GET", "/driver/index.html", on_page, 0},
    {"GET", "/driver/", on_page, 0},
    {"GET", "/", on_page, 0},
    {NULL, NULL, NULL, 0},
};

int driver_api_open(struct driver *driver, const struct http_server_options *options,
                    struct http_server **ret_server, struct err *err)
{
    return http_server_open(options, routes, driver, ret_server, err);
}
