/* api_cosbench.c -- COSBench's addresses, as its cli.sh and people's scripts call them.
 *
 * All answers are plain text; unlike the original, errors have a status of their own. */
#include "common/base/clock.h"
#include "common/base/scope.h"
#include "controller/api/routes.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "common/base/banned.h"

#define PLAIN_TEXT    "text/plain; charset=utf-8"
#define ACTIVE_LISTED 1000

static void reply_text(struct http_reply *reply, int status, const char *text)
{
    reply->status = status;
    reply->content_type = PLAIN_TEXT;
    strbuf_reset(&reply->body);
    strbuf_adds(&reply->body, text);
}

static void reply_err_text(struct http_reply *reply, const struct err *err)
{
    api_reply_err(reply, err); /* for the status */
    reply_text(reply, reply->status, err->text);
}

/* As api_may_change(); the token may also come as the password, which is what cli.sh can send. */
static bool may_change(const struct api *api, struct http_request *request,
                       struct http_reply *reply)
{
    const char *password = http_request_query(request, "password");
    if (api->token && password && http_token_is(password, api->token))
        return true;
    if (api_may_change(api, request, reply))
        return true;
    reply_text(reply, reply->status,
               reply->status == 401 ? "User info [username:password] incorrect !" : "Forbidden");
    return false;
}

/* "Thu Jul 12 04:37:21 UTC 2018", as Java prints a date: local time, English names. */
static const char *java_date(int64_t wall_ns, char *out, size_t out_len)
{
    time_t seconds = (time_t)(wall_ns / SEC);
    struct tm local;
    localtime_r(&seconds, &local);
    strftime(out, out_len, "%a %b %d %H:%M:%S %Z %Y", &local);
    return out;
}

/* "w12<TAB>date<TAB>STATE" */
static void add_line(struct strbuf *sb, const struct workload_row *row)
{
    char date[64];
    strbuf_addf(sb, "w%lld\t%s\t", (long long)row->number,
                java_date(row->submitted_ns, date, sizeof(date)));
    for (const char *c = workload_state_name(row->state); *c; c++)
        strbuf_addc(sb, (char)toupper((unsigned char)*c));
}

void api_cosbench_submit(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    AUTO(diags_release) struct diags diags = {0};
    struct err err = {0};
    size_t len = 0;
    int64_t number = 0;

    if (!may_change(api, request, reply))
        return;
    const char *xml = http_request_field(request, "config", &len);
    if (!xml || len == 0) {
        reply_text(reply, 400, "Bad Request: no workload in form field config");
        return;
    }
    if (controller_submit(api->controller, xml, len, &number, &diags, &err) == 0) {
        reply_text(reply, 200, "Accepted with ID: ");
        strbuf_addf(&reply->body, "w%lld\n", (long long)number);
        return;
    }
    reply_err_text(reply, &err);
    if (diags.errors > 0) {
        reply_text(reply, 400, "");
        diags_format(&diags, "workload", &reply->body);
    }
}

void api_cosbench_index(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    struct driver_rows drivers = {0};
    struct workload_rows workloads = {0};
    struct err err = {0};
    (void)request;

    if (store_list_workloads(controller_db(api->controller), STORE_ACTIVE, 0, ACTIVE_LISTED,
                             &workloads, &err) < 0) {
        reply_err_text(reply, &err);
        return;
    }
    reply_text(reply, 200, "Drivers:\n");
    controller_list_drivers(api->controller, &drivers);
    VEC_EACH (driver, &drivers.list) {
        strbuf_addf(&reply->body, "%s\t%s\n", driver->name, driver->url);
    }
    strbuf_addf(&reply->body, "Total: %zu drivers\n\nActive Workloads:\n", drivers.list.len);
    for (size_t i = workloads.list.len; i > 0; i--) { /* oldest first: the order they run in */
        const struct workload_row *row = &workloads.list.items[i - 1];
        add_line(&reply->body, row);
        strbuf_addf(&reply->body, "\t%s\n", *row->current_stage ? row->current_stage : "None");
    }
    strbuf_addf(&reply->body, "Total: %lld active workloads\n", (long long)workloads.total);
    driver_rows_release(&drivers);
    workload_rows_release(&workloads);
}

/* The workload that the form or the query names; 0 and the request is answered when none is. */
static int64_t asked_number(struct http_request *request, struct http_reply *reply)
{
    const char *id = http_request_field(request, "id", NULL);
    if (!id)
        id = http_request_query(request, "id");
    if (!id || !*id) {
        reply_text(reply, 400, "Bad Request: no id");
        return 0;
    }
    int64_t number = workload_number(id);
    if (number == 0)
        reply_text(reply, 404, "Not Found");
    return number;
}

static void reply_line(const struct api *api, int64_t number, struct http_reply *reply)
{
    struct workload_row row;
    struct err err = {0};
    int rc = store_get_workload(controller_db(api->controller), number, &row, &err);
    if (rc == ERR_NOT_FOUND) {
        reply_text(reply, 404, "Not Found");
    } else if (rc < 0) {
        reply_err_text(reply, &err);
    } else {
        reply_text(reply, 200, "");
        add_line(&reply->body, &row);
        strbuf_addc(&reply->body, '\n');
        workload_row_release(&row);
    }
}

void api_cosbench_workload(struct http_request *request, struct http_reply *reply, void *context)
{
    int64_t number = asked_number(request, reply);
    if (number > 0)
        reply_line(context, number, reply);
}

void api_cosbench_cancel(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    struct err err = {0};
    int64_t number = may_change(api, request, reply) ? asked_number(request, reply) : 0;
    if (number == 0)
        return;
    int rc = controller_cancel(api->controller, number, &err);
    /* One that has ended shows its state, as in the original; so does an unknown one its lack. */
    if (rc < 0 && rc != ERR_CONFLICT && rc != ERR_NOT_FOUND)
        reply_err_text(reply, &err);
    else
        reply_line(api, number, reply);
}
