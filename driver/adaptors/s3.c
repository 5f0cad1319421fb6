/* s3.c -- Amazon S3 and what speaks like it (Amazon S3 API Reference; spec: storages-and-auth.md,
 * s3).
 *
 *   read    GET object                       write   PUT object
 *   delete  DELETE object                    list    GET bucket?list-type=2, page after page
 *   create  PUT bucket; 409 and ours, or there for us to use: good
 *   remove  DELETE bucket --409 not empty--> list, DELETE each object of ours, ... --> DELETE
 * bucket
 *
 * Requests are signed by Signature Version 4 (UNSIGNED-PAYLOAD unless signed_payload), 2, or not at
 * all. */
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/vec.h"
#include "common/base/xalloc.h"
#include "common/catalog/adaptors.h"
#include "driver/adaptors/adaptor.h"
#include "driver/adaptors/s3_list.h"
#include "driver/auth/sigv2.h"
#include "driver/auth/sigv4.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define TOKEN_MAX_BYTES  1024
#define HEAD_FIXED_BYTES 2048 /* all of a head but names, host and access key */
#define SCRATCH_BYTES    12288

struct client {
    struct s3_conf conf;
    struct transport transport;
    struct endpoint store;
    char host[280]; /* Host header of the endpoint itself */
    bool path_style;
    char target_prefix[300]; /* "http://HOST" in front of request targets when a proxy is used */
    char storage_class_line[160]; /* "x-amz-storage-class:X\n", or "" */
};

struct lane {
    struct sigv4 signer;
    char scratch[SCRATCH_BYTES];
    char host[CONTAINER_NAME_BYTES + 280]; /* of a virtual-hosted bucket */
};

enum remove_phase { REMOVE_TRY, REMOVE_LIST, REMOVE_OBJECT, REMOVE_LAST };

struct session {
    char token[TOKEN_MAX_BYTES]; /* continuation token of a list, not encoded */
    size_t token_len;
    int64_t list_bytes;
    enum remove_phase phase;
    VEC(char *) doomed; /* names that remove still has to delete */
    int64_t foreign;    /* names it must not */
};

/* ---- opening */

static int check_conf(struct client *client, struct err *err)
{
    struct s3_conf *conf = &client->conf;
    int rc = endpoint_parse(conf->endpoint, &client->store, err);
    if (rc < 0)
        return rc;
    client->transport.endpoint = client->store;
    if (*conf->proxyhost) {
        if (client->store.tls)
            return err_set(err, ERR_CONFIG,
                           "proxyhost: a proxy for an https endpoint is not supported");
        if (strlen(conf->proxyhost) >= sizeof(client->transport.endpoint.host) ||
            conf->proxyport < 1 || conf->proxyport > 65535)
            return err_set(err, ERR_CONFIG, "proxyhost, proxyport: expected a host and a port");
        snprintf(client->transport.endpoint.host, sizeof(client->transport.endpoint.host), "%s",
                 conf->proxyhost);
        client->transport.endpoint.port = (int)conf->proxyport;
    }
    if (conf->signature != S3_SIGNATURE_ANONYMOUS && (!*conf->accesskey || !*conf->secretkey))
        return err_set(
            err, ERR_CONFIG,
            "no such key defined: %s (or set signature=anonymous to send unsigned requests)",
            *conf->accesskey ? "secretkey" : "accesskey");
    return 0;
}

static void s3_close(struct client *client)
{
    if (client)
        keys_release(s3_keys, &client->conf);
    free(client);
}

static void s3_closep(struct client **client)
{
    s3_close(*client);
}

static int s3_open(const char *config_text, struct client **ret_client, struct err *err)
{
    AUTO(config_release) struct config config = {0};
    AUTO(s3_closep) struct client *client = xcalloc(1, sizeof(*client));
    unsigned char address[16];
    int rc = config_parse(config_text, &config, NULL, NULL, 0, err);
    if (rc == 0)
        rc = keys_load(s3_keys, &config, &client->conf, err);
    if (rc == 0)
        rc = check_conf(client, err);
    if (rc < 0)
        return rc;
    endpoint_format_host(&client->store, client->host, sizeof(client->host));
    if (*client->conf.proxyhost)
        snprintf(client->target_prefix, sizeof(client->target_prefix), "http://%s", client->host);
    if (*client->conf.storage_class)
        snprintf(client->storage_class_line, sizeof(client->storage_class_line),
                 "x-amz-storage-class:%.100s\n", client->conf.storage_class);
    /* A bucket cannot stand in front of an address. */
    client->path_style = client->conf.path_style || client->store.host_is_ipv6 ||
                         inet_pton(AF_INET, client->store.host, address) == 1;
    client->transport.verify = client->conf.ssl_verify && !client->conf.no_verify_ssl;
    client->transport.ca_file = client->conf.ca_file;
    client->transport.timeout_ns = client->conf.timeout_ns;
    client->transport.wants_payload_hash =
        client->conf.signed_payload && client->conf.signature == S3_SIGNATURE_V4;
    *ret_client = TAKE(client);
    return 0;
}

static const struct transport *s3_transport(const struct client *client)
{
    return &client->transport;
}

static void s3_lane_init(void *lane_memory, const struct client *client)
{
    struct lane *lane = lane_memory;
    sigv4_init(&lane->signer, client->conf.accesskey, client->conf.secretkey, client->conf.region,
               "s3");
}

static void forget_doomed(struct session *session)
{
    VEC_EACH (name, &session->doomed) {
        free(*name);
    }
    session->doomed.len = 0;
}

static void s3_session_release(void *session_memory)
{
    struct session *session = session_memory;
    forget_doomed(session);
    vec_release(&session->doomed);
}

static size_t s3_head_bytes(const struct client *client, size_t container_len, size_t object_len)
{
    return HEAD_FIXED_BYTES + 3 * (container_len + object_len) + container_len +
           2 * strlen(client->host) + strlen(client->conf.accesskey) + strlen(client->conf.region);
}

/* ---- building */

/* What one request is, before it is written. */
struct plan {
    const char *method;
    const char *container, *object;
    size_t container_len, object_len;
    bool list;        /* a page of a list of the container */
    bool list_prefix; /* ... with the task's object as prefix */
    bool body;
};

/* A bucket that can stand in front of the host: DNS letters only (no dots where TLS must match a
 * wildcard). */
static bool fits_host_name(const struct client *client, const char *name, size_t len)
{
    if (len < 3 || len > 63)
        return false;
    for (size_t i = 0; i < len; i++) {
        char c = name[i];
        if (!(islower((unsigned char)c) || isdigit((unsigned char)c) || c == '-' ||
              (c == '.' && !client->store.tls)))
            return false;
    }
    return true;
}

static void write_query(const struct client *client, const struct session *session,
                        const struct task *task, const struct plan *plan, struct writer *writer)
{
    if (session->token_len) {
        write_literal(writer, "continuation-token=");
        write_encoded(writer, session->token, session->token_len, false);
        write_literal(writer, "&");
    }
    write_literal(writer, "encoding-type=url&list-type=2&max-keys=");
    write_number(writer, client->conf.max_keys);
    if (plan->list_prefix) {
        write_literal(writer, "&prefix=");
        write_encoded(writer, task->object, task->object_len, false);
    }
}

static void write_signature(const struct site *site, const struct task *task,
                            const struct plan *plan, const char *host, struct span path,
                            struct span query, struct writer *writer)
{
    const struct client *client = site->client;
    struct lane *lane = site->lane;
    const char *storage_class = plan->body ? client->storage_class_line : "";

    switch (client->conf.signature) {
    case S3_SIGNATURE_V4: {
        const char *hash = plan->body && task->payload_hash       ? task->payload_hash
                           : client->transport.wants_payload_hash ? SIGV4_EMPTY_HASH
                                                                  : SIGV4_UNSIGNED;
        struct sigv4_request request = {
            .method = plan->method,
            .path = {path.data, path.len},
            .query = {query.data, query.len},
            .host = host,
            .payload_hash = hash,
            .extra_headers = *storage_class ? storage_class : NULL,
            .extra_names = *storage_class ? ";x-amz-storage-class" : NULL,
        };
        sigv4_set_time(&lane->signer, site->wall_s);
        if (!sigv4_write_headers(&lane->signer, &request, lane->scratch, sizeof(lane->scratch),
                                 writer))
            writer->full = true;
        break;
    }
    case S3_SIGNATURE_V2: {
        /* The resource always names the bucket, also where the host does. */
        struct writer resource = {.at = lane->scratch, .end = lane->scratch + SCRATCH_BYTES};
        if (host != client->host) {
            write_literal(&resource, "/");
            write_bytes(&resource, plan->container, plan->container_len);
        }
        write_bytes(&resource, path.data, path.len);
        sigv2_write_headers(client->conf.accesskey, client->conf.secretkey, site->wall_s,
                            plan->method, plan->body ? "application/octet-stream" : "",
                            storage_class, lane->scratch, (size_t)(resource.at - lane->scratch),
                            writer);
        break;
    }
    default:
        break;
    }
    if (*storage_class) {
        write_literal(writer, "x-amz-storage-class: ");
        write_text(writer, client->conf.storage_class);
        write_literal(writer, "\r\n");
    }
}

static bool write_request(const struct site *site, const struct task *task, const struct plan *plan,
                          struct exchange *exchange)
{
    const struct client *client = site->client;
    struct lane *lane = site->lane;
    struct writer writer = {.at = exchange->head, .end = exchange->head + exchange->head_cap};
    const char *host = client->host;
    bool in_host = !client->path_style && plan->container_len &&
                   fits_host_name(client, plan->container, plan->container_len);
    if (in_host) {
        snprintf(lane->host, sizeof(lane->host), "%.*s.%s", (int)plan->container_len,
                 plan->container, client->host);
        host = lane->host;
    }

    write_text(&writer, plan->method);
    write_literal(&writer, " ");
    write_text(&writer, client->target_prefix);
    struct span path = {.data = writer.at};
    write_literal(&writer, "/");
    if (!in_host && plan->container_len)
        write_encoded(&writer, plan->container, plan->container_len, false);
    if (plan->object_len) {
        if (!in_host)
            write_literal(&writer, "/");
        write_encoded(&writer, plan->object, plan->object_len, true);
    }
    path.len = (size_t)(writer.at - path.data);
    struct span query = {.data = writer.at};
    if (plan->list) {
        write_literal(&writer, "?");
        query.data = writer.at;
        write_query(client, site->session, task, plan, &writer);
        query.len = (size_t)(writer.at - query.data);
    }
    write_literal(&writer, " HTTP/1.1\r\nHost: ");
    write_text(&writer, host);
    write_literal(&writer, "\r\n");
    write_signature(site, task, plan, host, path, query, &writer);
    if (plan->body) {
        write_literal(&writer, "Content-Type: application/octet-stream\r\nContent-Length: ");
        write_number(&writer, task->size_bytes);
        write_literal(&writer, "\r\n");
    } else if (plan->method[0] == 'P') {
        write_literal(&writer, "Content-Length: 0\r\n");
    }
    write_literal(&writer, "\r\n");
    exchange->head_len = (size_t)(writer.at - exchange->head);
    return !writer.full;
}

/* The request of step of an ACTION_REMOVE, by the phase the session is in. */
static void plan_remove(struct session *session, struct plan *plan)
{
    switch (session->phase) {
    case REMOVE_LIST:
        plan->method = "GET";
        plan->list = true;
        break;
    case REMOVE_OBJECT:
        plan->object = session->doomed.items[session->doomed.len - 1];
        plan->object_len = strlen(plan->object);
        break;
    default:
        break;
    }
}

static void plan_list(struct session *session, const struct task *task, int step, struct plan *plan)
{
    if (step == 0) {
        session->token_len = 0;
        session->list_bytes = 0;
    }
    plan->list = task->container_len > 0;
    plan->list_prefix = task->object_len > 0;
}

static bool s3_build(const struct site *site, const struct task *task, int step,
                     struct exchange *exchange)
{
    static const char *const methods[] = {
        [ACTION_READ] = "GET", [ACTION_WRITE] = "PUT",  [ACTION_DELETE] = "DELETE",
        [ACTION_LIST] = "GET", [ACTION_CREATE] = "PUT", [ACTION_REMOVE] = "DELETE",
    };
    struct session *session = site->session;
    struct plan plan = {
        .method = methods[task->action],
        .container = task->container,
        .container_len = task->container_len,
        .body = task->action == ACTION_WRITE,
    };
    exchange->kind = EXCHANGE_HTTP;
    exchange->body = plan.body ? EXCHANGE_OBJECT : EXCHANGE_NO_BODY;
    switch (task->action) {
    case ACTION_LIST:
        plan_list(session, task, step, &plan);
        exchange->keep_answer = true;
        break;
    case ACTION_CREATE:
        if (step > 0)
            plan.method = "HEAD";
        exchange->is_head = step > 0;
        break;
    case ACTION_REMOVE:
        if (step == 0) {
            session->phase = REMOVE_TRY;
            session->foreign = 0;
            session->token_len = 0;
            forget_doomed(session);
        }
        plan_remove(session, &plan);
        exchange->keep_answer = plan.list;
        break;
    default:
        plan.object = task->object;
        plan.object_len = task->object_len;
        break;
    }
    return write_request(site, task, &plan, exchange);
}

/* ---- judging */

static enum verdict fail_status(const struct answer *answer, struct failure *failure)
{
    size_t position = 0;
    struct span code = {"", 0};
    struct span text = {"", 0};
    s3_xml_text(answer->body, "Code", &position, &code);
    position = 0;
    s3_xml_text(answer->body, "Message", &position, &text);
    snprintf(failure->cause, sizeof(failure->cause), "http_%d", answer->status);
    snprintf(failure->message, sizeof(failure->message), "%d%s%.*s", answer->status,
             code.len ? " " : "", (int)MIN(code.len, (size_t)48), code.data);
    snprintf(failure->detail, sizeof(failure->detail), "%.*s", (int)MIN(text.len, (size_t)180),
             text.data);
    failure->is_auth = answer->status == 401;
    return VERDICT_FAILED;
}

static bool code_is(const struct answer *answer, const char *code)
{
    size_t position = 0;
    struct span found;
    return s3_xml_text(answer->body, "Code", &position, &found) && found.len == strlen(code) &&
           memcmp(found.data, code, found.len) == 0;
}

/* Takes the continuation token of a page into the session. True when another page follows. */
static bool next_page(struct session *session, struct span body)
{
    size_t position = 0;
    struct span text;
    session->token_len = 0;
    if (!s3_xml_text(body, "IsTruncated", &position, &text) || text.len != 4 ||
        memcmp(text.data, "true", 4) != 0)
        return false;
    position = 0;
    return s3_xml_text(body, "NextContinuationToken", &position, &text) &&
           s3_xml_unescape(text, session->token, sizeof(session->token), &session->token_len) &&
           session->token_len > 0;
}

static enum verdict judge_list(const struct site *site, const struct task *task,
                               const struct answer *answer, int64_t *ret_bytes,
                               struct failure *failure)
{
    struct session *session = site->session;
    if (answer->status != 200)
        return fail_status(answer, failure);
    session->list_bytes += answer->body_bytes;
    if (task->container_len && site->client->conf.list_all_pages &&
        next_page(session, answer->body))
        return VERDICT_NEXT;
    *ret_bytes = session->list_bytes;
    return VERDICT_GOOD;
}

static enum verdict judge_create(const struct answer *answer, int step, struct failure *failure)
{
    if (answer->status == 200 || (step == 0 && answer->status == 201))
        return VERDICT_GOOD;
    if (step == 0 && answer->status == 409 && code_is(answer, "BucketAlreadyOwnedByYou"))
        return VERDICT_GOOD;
    if (step == 0 && answer->status == 409 && code_is(answer, "BucketAlreadyExists"))
        return VERDICT_NEXT; /* somebody's: good if we can use it */
    return fail_status(answer, failure);
}

/* Sorts the names of a page into ours, which will be deleted, and others. */
static void sort_page(const struct site *site, const struct task *task, struct span body)
{
    struct session *session = site->session;
    size_t position = 0;
    struct span text;
    char name[OBJECT_NAME_BYTES * 3];
    size_t len;
    while (s3_xml_text(body, "Key", &position, &text)) {
        if (s3_url_decode(text, name, sizeof(name), &len) &&
            (site->client->conf.force_empty ||
             s3_name_is_ours((struct span){name, len}, task->oprefix, task->osuffix)))
            vec_push(&session->doomed, xstrndup(name, len));
        else
            session->foreign++;
    }
}

static enum verdict after_page(struct session *session, struct failure *failure)
{
    if (session->doomed.len)
        session->phase = REMOVE_OBJECT;
    else if (session->token_len)
        session->phase = REMOVE_LIST;
    else if (session->foreign == 0)
        session->phase = REMOVE_LAST;
    else {
        snprintf(failure->cause, sizeof(failure->cause), "not_empty");
        snprintf(failure->message, sizeof(failure->message), "container not empty");
        snprintf(failure->detail, sizeof(failure->detail),
                 "%lld objects that this workload did not write (force_empty=true deletes them)",
                 (long long)session->foreign);
        return VERDICT_FAILED;
    }
    return VERDICT_NEXT;
}

static enum verdict judge_remove(const struct site *site, const struct task *task,
                                 const struct answer *answer, struct failure *failure)
{
    struct session *session = site->session;
    int status = answer->status;
    switch (session->phase) {
    case REMOVE_TRY:
        if (status == 409) {
            session->phase = REMOVE_LIST;
            return VERDICT_NEXT;
        }
        break;
    case REMOVE_LIST:
        if (status != 200)
            return fail_status(answer, failure);
        next_page(session, answer->body);
        sort_page(site, task, answer->body);
        return after_page(session, failure);
    case REMOVE_OBJECT:
        if (status != 204 && status != 200 && status != 404)
            return fail_status(answer, failure);
        free(session->doomed.items[--session->doomed.len]);
        return after_page(session, failure);
    case REMOVE_LAST:
        break;
    }
    return status == 204 || status == 200 || status == 404 ? VERDICT_GOOD
                                                           : fail_status(answer, failure);
}

static enum verdict s3_judge(const struct site *site, const struct task *task, int step,
                             const struct answer *answer, int64_t *ret_bytes,
                             struct failure *failure)
{
    int status = answer->status;
    *ret_bytes = 0;
    switch (task->action) {
    case ACTION_READ:
        *ret_bytes = answer->body_bytes;
        return status == 200 || status == 206 ? VERDICT_GOOD : fail_status(answer, failure);
    case ACTION_WRITE:
        *ret_bytes = task->size_bytes;
        return status == 200 || status == 201 ? VERDICT_GOOD : fail_status(answer, failure);
    case ACTION_DELETE:
        return status == 204 || status == 200 || status == 404 ? VERDICT_GOOD
                                                               : fail_status(answer, failure);
    case ACTION_LIST:
        return judge_list(site, task, answer, ret_bytes, failure);
    case ACTION_CREATE:
        return judge_create(answer, step, failure);
    case ACTION_REMOVE:
        return judge_remove(site, task, answer, failure);
    }
    return VERDICT_FAILED;
}

const struct adaptor adaptor_s3 = {
    .name = "s3",
    .actions = 1u << ACTION_READ | 1u << ACTION_WRITE | 1u << ACTION_DELETE | 1u << ACTION_LIST |
               1u << ACTION_CREATE | 1u << ACTION_REMOVE,
    .open = s3_open,
    .close = s3_close,
    .transport = s3_transport,
    .lane_bytes = sizeof(struct lane),
    .lane_init = s3_lane_init,
    .session_bytes = sizeof(struct session),
    .session_release = s3_session_release,
    .head_bytes = s3_head_bytes,
    .build = s3_build,
    .judge = s3_judge,
};
