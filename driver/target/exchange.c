/* exchange.c -- see exchange.h. */
#include "driver/target/exchange.h"

#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "driver/target/request_log.h"
#include "driver/target/routes.h"
#include "driver/target/utf8.h"
#include "driver/target/xml_out.h"

#include <stdlib.h>

#define DRAIN_MAX (INT64_C(64) << 20) /* a refused body beyond this is not worth reading */

static const struct slice control_bucket = SLICE("_loadstone");

void exchange_init(struct exchange *ex, struct target_thread *thread)
{
    memset(ex, 0, sizeof(*ex));
    ex->thread = thread;
    body_init(&ex->body);
    answer_init(&ex->answer);
}

void exchange_release(struct exchange *ex)
{
    body_release(&ex->body);
    answer_release(&ex->answer);
    free(ex->text);
    ex->text = NULL;
}

/* Forgets the last request. */
static void start_request(struct exchange *ex)
{
    ex->thread->requests++;
    ex->started_ns = ex->thread->now_ns;
    ex->query.count = 0;
    ex->bucket = ex->key = ex->host_bucket = (struct slice){NULL, 0};
    ex->found = NULL;
    ex->route = NULL;
    ex->error = S3_OK;
    ex->control = false;
    ex->part_number = 0;
    ex->sent = 0;
    ex->plan = (struct fault_plan){0};
    body_drop(&ex->body, 0);
    answer_reset(&ex->answer);
}

/* ---- answers that say no ---- */

static void write_error(struct exchange *ex, const struct s3_error_info *info, int status)
{
    struct strbuf *text = &ex->answer.text;
    strbuf_reset(text);
    answer_start(&ex->answer, ex->thread, status);
    if (status == 304) {
        answer_end_empty(&ex->answer);
        return;
    }
    strbuf_adds(text, XML_DECLARATION "<Error>");
    xml_put_element(text, "Code", slice_of(info->code));
    xml_put_element(text, "Message", slice_of(info->message));
    if (ex->bucket.len)
        xml_put_element(text, "BucketName", ex->bucket);
    strbuf_adds(text, "<Resource>");
    xml_put_text(text, ex->req.path);
    strbuf_adds(text, "</Resource>");
    strbuf_addf(text, "<RequestId>tx%08x%04zx%012llx</RequestId><HostId>loadstone-target</HostId>",
                ex->thread->target->instance, ex->thread->index,
                (unsigned long long)ex->thread->requests);
    strbuf_adds(text, "</Error>");
    answer_end_text(&ex->answer, SLICE("application/xml"));
}

static void answer_error(struct exchange *ex, enum s3_error error)
{
    const struct s3_error_info *info = s3_error_info(error);
    object_unref(ex->answer.object);
    ex->answer.object = NULL;
    write_error(ex, info, info->status);
}

void exchange_refuse(struct exchange *ex, int status)
{
    static const struct s3_error_info bad = {"BadRequest", 400, "This is no valid HTTP request."};
    static const struct s3_error_info large = {"RequestHeaderSectionTooLarge", 431,
                                               "The request head is too large."};
    static const struct s3_error_info slow = {"RequestTimeout", 408,
                                              "The request did not arrive in time."};
    start_request(ex);
    ex->req.path = (struct slice){NULL, 0};
    ex->req.method = HTTP_OTHER;
    ex->req.query = ex->req.method_text = (struct slice){NULL, 0};
    ex->answer.close = true;
    stats_add(&ex->thread->stats.bad_requests, 1);
    write_error(ex, status == 431 ? &large : status == 408 ? &slow : &bad, status);
}

/* ---- names ---- */

/* BUCKET of "BUCKET.domain[:port]", or nothing. */
static struct slice bucket_of_host(const struct exchange *ex)
{
    struct slice host = ex->req.known[KNOWN_HOST];
    struct slice domain = slice_of(ex->thread->target->options->domain);
    const char *colon = host.len ? memchr(host.p, ':', host.len) : NULL;
    if (colon)
        host.len = (size_t)(colon - host.p);
    if (host.len < domain.len + 2 || host.p[host.len - domain.len - 1] != '.')
        return (struct slice){NULL, 0};
    struct slice end = {host.p + host.len - domain.len, domain.len};
    if (!slice_is_nocase(end, domain))
        return (struct slice){NULL, 0};
    return (struct slice){host.p, host.len - domain.len - 1};
}

/* Decodes path and query into ex->text, and cuts the path into bucket and key. */
static enum s3_error read_names(struct exchange *ex)
{
    struct http_request *req = &ex->req;
    struct slice path = req->path;
    size_t need = req->path.len + req->query.len;
    if (need > ex->text_cap) {
        ex->text_cap = MAX(need, 256);
        ex->text = xrealloc(ex->text, ex->text_cap);
    }
    if (memchr(path.p, '%', path.len)) {
        long len = percent_decode(path, false, ex->text);
        if (len < 0)
            return S3_INVALID_URI;
        path = (struct slice){ex->text, (size_t)len};
    }
    if (req->query.len && query_parse(req->query, ex->text + req->path.len, &ex->query) < 0)
        return S3_INVALID_URI;
    if (path.p[0] != '/')
        return S3_INVALID_URI;
    path.p++;
    path.len--;
    ex->host_bucket = bucket_of_host(ex);
    if (ex->host_bucket.len) {
        ex->bucket = ex->host_bucket;
        ex->key = path;
    } else {
        ex->key = path;
        ex->bucket = slice_cut(&ex->key, '/');
    }
    ex->control = !ex->host_bucket.len && slice_is(ex->bucket, control_bucket);
    if (ex->key.len > OBJECT_KEY_MAX)
        return S3_KEY_TOO_LONG;
    return utf8_is_valid(ex->key) ? S3_OK : S3_INVALID_URI;
}

/* ---- the flow ---- */

static enum s3_error admit(struct exchange *ex)
{
    struct target_thread *thread = ex->thread;
    enum s3_error error = read_names(ex);
    if (error)
        return error;
    ex->route = route_find(ex);
    if (ex->control)
        return ex->loopback ? S3_OK : S3_UNAUTHORIZED_TARGET;
    return verify_request(&thread->verifier, &ex->req, &ex->query, ex->host_bucket,
                          thread->wall_ms / 1000, &ex->verdict);
}

/* A body that will not be used: read if short, else the connection is closed. */
static void give_up_body(struct exchange *ex)
{
    int64_t length = MAX(ex->req.content_length, 0);
    bool waiting = ex->req.expect_continue && length;
    if (ex->req.chunked || length > DRAIN_MAX || waiting) {
        ex->answer.close = true;
        length = 0;
    }
    body_drop(&ex->body, length);
}

bool exchange_start(struct exchange *ex, const char *head, size_t head_len)
{
    start_request(ex);
    int status = http_request_parse(head, head_len, &ex->req);
    if (status) {
        exchange_refuse(ex, status);
        return false;
    }
    ex->answer.head_only = ex->req.method == HTTP_HEAD;
    ex->answer.minor_0 = ex->req.minor == 0;
    ex->answer.close = !ex->req.keep_alive;
    ex->error = admit(ex);
    if (ex->thread->faults.any && !ex->control) {
        ex->plan = fault_draw(&ex->thread->faults, &ex->thread->rng, ex->req.method);
        if (!ex->error && ex->plan.status)
            ex->error = S3_SLOW_DOWN;
    }
    if (ex->error)
        give_up_body(ex);
    else if (ex->route->begin)
        ex->error = ex->route->begin(ex);
    else if (ex->req.content_length > 0 || ex->req.chunked)
        give_up_body(ex); /* nothing asked for one: read past it */
    if (ex->error && ex->route && ex->route->begin)
        give_up_body(ex);
    return true;
}

bool exchange_wants_continue(const struct exchange *ex)
{
    return ex->req.expect_continue && !ex->error && ex->body.wire_left > 0;
}

void exchange_finish(struct exchange *ex)
{
    if (!ex->error)
        ex->error = body_finish(&ex->body, &ex->req, &ex->verdict);
    if (!ex->error)
        ex->error = ex->route->finish(ex);
    if (ex->error && ex->plan.status)
        write_error(ex, s3_error_info(ex->plan.status == 503 ? S3_SLOW_DOWN : S3_INTERNAL),
                    ex->plan.status);
    else if (ex->error)
        answer_error(ex, ex->error);
    if (ex->answer.head.overflow || ex->answer.text.overflow)
        answer_error(ex, S3_INTERNAL);
}

void exchange_end(struct exchange *ex)
{
    struct target_thread *thread = ex->thread;
    if (!ex->control && ex->answer.status) {
        int64_t in = ex->body.wire_size - ex->body.wire_left;
        stats_request(&thread->stats, ex->req.method, ex->answer.status);
        if (in)
            stats_add(&thread->stats.bytes_in, in);
        stats_add(&thread->stats.bytes_out, ex->sent);
        if (thread->target->log_fd >= 0)
            request_log_add(&thread->log, ex, in);
    }
    ex->answer.status = 0;
    if (ex->answer.object) {
        object_unref(ex->answer.object);
        ex->answer.object = NULL;
    }
    if (ex->body.blob)
        body_drop(&ex->body, 0);
}

/* ---- for handlers ---- */

enum s3_error exchange_find_bucket(struct exchange *ex)
{
    ex->found = store_bucket(ex->thread->target->store, ex->bucket);
    return ex->found ? S3_OK : S3_NO_SUCH_BUCKET;
}

enum s3_error exchange_begin_text(struct exchange *ex)
{
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    return body_start(&ex->body, BODY_TEXT, NULL, &ex->req, &ex->verdict, BODY_TEXT_MAX);
}

struct strbuf *exchange_start_xml(struct exchange *ex)
{
    answer_start(&ex->answer, ex->thread, 200);
    strbuf_adds(&ex->answer.text, XML_DECLARATION);
    return &ex->answer.text;
}

enum s3_error exchange_end_xml(struct exchange *ex)
{
    answer_end_text(&ex->answer, SLICE("application/xml"));
    return S3_OK;
}

enum s3_error exchange_answer_empty(struct exchange *ex, int status)
{
    answer_start(&ex->answer, ex->thread, status);
    answer_end_empty(&ex->answer);
    return S3_OK;
}
