/* driver_link.c -- see driver_link.h. */
#include "controller/run/driver_link.h"

#include "common/base/clock.h"
#include "common/base/xalloc.h"
#include "common/wire/http_call.h"

#include <stdlib.h>
#include <string.h>

#define PINGS           3
#define PING_TIMEOUT_NS (2 * SEC)

static void forget_answer(struct link_call *call)
{
    json_decref(call->json);
    call->json = NULL;
    call->rc = 0;
    call->status = 0;
    call->err = (struct err){0};
}

void link_call_release(struct link_call *call)
{
    forget_answer(call);
    free(call->url);
    free(call->body);
    call->url = call->body = NULL;
}

/* What a status other than 2xx means, in the driver's own words where it gave some. */
static int refused(struct link_call *call)
{
    const json_t *error = json_object_get(call->json, "error");
    const char *text = json_text_or(error, "message", "no reason given");
    int code = call->status == 404   ? ERR_NOT_FOUND
               : call->status == 409 ? ERR_CONFLICT
               : call->status == 401 ? ERR_DENIED
                                     : ERR_CONFIG;
    return err_set(&call->err, code, "%s", text);
}

static void take_answer(struct link_call *call, const struct http_call *http)
{
    call->status = http->status;
    call->rc = http->rc;
    if (http->rc < 0) {
        call->err = http->err;
        return;
    }
    int rc =
        http->reply.len ? json_read(http->reply.buf, http->reply.len, &call->json, &call->err) : 0;
    if (http->status / 100 != 2)
        call->rc = refused(call);
    else
        call->rc = rc;
}

void link_run(struct link_call *calls, size_t count, const char *token, int64_t timeout_ns)
{
    AUTO(freep) struct http_call *https = xcalloc(count, sizeof(*https));
    size_t sent = 0;
    for (size_t i = 0; i < count; i++) {
        if (calls[i].skip)
            continue;
        forget_answer(&calls[i]);
        https[sent++] = (struct http_call){
            .method = calls[i].method,
            .url = calls[i].url,
            .body = calls[i].body,
            .body_len = calls[i].body ? strlen(calls[i].body) : 0,
            .bearer = token && *token ? token : NULL,
            .timeout_ns = timeout_ns,
            .reply = STRBUF_INIT(REPORT_MAX_BYTES),
        };
    }
    http_call_run_all(https, sent);
    sent = 0;
    for (size_t i = 0; i < count; i++) {
        if (calls[i].skip)
            continue;
        take_answer(&calls[i], &https[sent]);
        strbuf_release(&https[sent++].reply);
    }
}

int link_measure_offset(const char *base_url, const char *token, int64_t *ret_offset_ns,
                        struct err *err)
{
    struct link_call call = {.method = "GET", .url = xasprintf("%s/api/v1/ping", base_url)};
    int64_t best_ns = INT64_MAX;
    int rc = 0;
    for (int i = 0; i < PINGS && rc == 0; i++) {
        struct ping ping;
        int64_t sent_wall_ns = clock_wall_ns();
        int64_t sent_ns = clock_mono_ns();
        link_run(&call, 1, token, PING_TIMEOUT_NS);
        int64_t round_ns = clock_mono_ns() - sent_ns;
        rc = call.rc < 0 ? err_set(err, call.rc, "%s", call.err.text)
                         : ping_from_json(call.json, &ping, err);
        if (rc == 0 && round_ns < best_ns) {
            best_ns = round_ns;
            *ret_offset_ns = ping.wall_ns - (sent_wall_ns + round_ns / 2);
        }
    }
    link_call_release(&call);
    return rc;
}
