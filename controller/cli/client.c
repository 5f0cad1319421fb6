/* client.c -- see client.h. */
#include "controller/cli/client.h"

#include "common/base/clock.h"
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/wire/http_call.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/banned.h"

#define DEFAULT_PORT 19088
#define CALL_NS      (30 * SEC)
#define ANSWER_BYTES (256 << 20)

void client_init(struct client *client, const struct cli_options *options)
{
    const char *where = options->controller;
    const char *scheme_end = strstr(where, "://");
    const char *host = scheme_end ? scheme_end + 3 : where;
    const char *port = strrchr(host, ':');
    size_t len = strcspn(host, "/?#"); /* a path, as of the page, is not needed */
    bool has_port = port && port < host + len && !strchr(port, ']');

    *client = (struct client){
        .token = options->token, .user = options->user, .ca_file = options->ca_file};
    if (has_port || scheme_end)
        client->base = xasprintf("%.*s%.*s", scheme_end ? (int)(host - where) : 7,
                                 scheme_end ? where : "http://", (int)len, host);
    else
        client->base = xasprintf("http://%.*s:%d", (int)len, host, DEFAULT_PORT);
}

void client_release(struct client *client)
{
    free(client->base);
    client->base = NULL;
}

static int run_call(const struct client *client, struct http_call *call, const char *path)
{
    AUTO(freep) char *url = xasprintf("%s%s", client->base, path);
    call->url = url;
    call->bearer = client->token;
    call->userpwd = client->token ? NULL : client->user;
    call->ca_file = client->ca_file;
    call->timeout_ns = CALL_NS;
    return http_call_run(call);
}

void client_print_diagnostics(const json_t *diagnostics, const char *file)
{
    size_t i;
    json_t *row;
    json_array_foreach(diagnostics, i, row)
    {
        const char *element = json_text_or(row, "element", "");
        const char *attribute = json_text_or(row, "attribute", "");
        int64_t line = json_int_or(row, "line", 0);
        fputs(file ? file : "workload", stderr);
        if (line > 0)
            fprintf(stderr, ":%lld", (long long)line);
        fprintf(stderr, ": %s: %s%s%s%s%s\n", json_text_or(row, "severity", "error"), element,
                *element ? ": " : "", attribute, *attribute ? ": " : "",
                json_text_or(row, "message", ""));
    }
}

/* The answer's document, and the sentence of an error status. */
static int judge(const struct http_call *call, json_t **ret_json, char *text, size_t text_len)
{
    json_t *json = NULL;
    struct err err = {0};
    if (call->reply.len > 0 && json_read(call->reply.buf, call->reply.len, &json, &err) < 0)
        json = NULL;
    if (call->status < 400) {
        if (!json && call->reply.len > 0) {
            snprintf(text, text_len, "the answer is %s (is a Loadstone controller there?)",
                     err.text);
            return CLI_ANSWER;
        }
        *ret_json = json;
        return CLI_OK;
    }
    const json_t *error = json_object_get(json, "error");
    const char *message = json_text_or(error, "message", NULL);
    if (message)
        snprintf(text, text_len, "%s", message);
    else
        snprintf(text, text_len, "status %d", call->status);
    *ret_json = json;
    bool bad = call->status < 500 && json_array_size(json_object_get(error, "diagnostics")) > 0;
    return bad ? CLI_REFUSED : CLI_ANSWER;
}

int client_call(const struct client *client, const char *method, const char *path, const char *body,
                size_t body_len, const char *file, json_t **ret_json)
{
    char text[ERR_TEXT_BYTES];
    json_t *json = NULL;
    AUTO(strbuf_release) struct strbuf reply = STRBUF_INIT(ANSWER_BYTES);
    struct http_call call = {.method = method,
                             .body = body,
                             .body_len = body_len,
                             .content_type = file ? "application/xml" : NULL,
                             .reply = reply};
    int rc = run_call(client, &call, path);
    reply = call.reply;
    if (rc < 0) {
        fprintf(stderr, "loadstone: the controller does not answer: %s\n", call.err.text);
        return CLI_UNREACHABLE;
    }
    int code = judge(&call, &json, text, sizeof(text));
    if (code == CLI_OK) {
        *ret_json = json;
        return CLI_OK;
    }
    const json_t *diagnostics = json_object_get(json_object_get(json, "error"), "diagnostics");
    if (json_array_size(diagnostics) > 0)
        client_print_diagnostics(diagnostics, file);
    else if (file && (call.status == 400 || call.status == 413)) {
        fprintf(stderr, "%s: error: %s\n", file, text);
        code = CLI_REFUSED;
    } else
        fprintf(stderr, "loadstone: %s\n", text);
    json_decref(json);
    return code;
}

int client_try(const struct client *client, const char *method, const char *path, char *text,
               size_t text_len, json_t **ret_json)
{
    json_t *json = NULL;
    AUTO(strbuf_release) struct strbuf reply = STRBUF_INIT(ANSWER_BYTES);
    struct http_call call = {.method = method, .reply = reply};
    int rc = run_call(client, &call, path);
    reply = call.reply;
    if (rc < 0) {
        snprintf(text, text_len, "%s", call.err.text);
        return CLI_UNREACHABLE;
    }
    int code = judge(&call, &json, text, text_len);
    if (code == CLI_OK)
        *ret_json = json;
    else
        json_decref(json);
    return code;
}

int client_text(const struct client *client, const char *path, const char *form,
                struct strbuf *ret_text)
{
    struct http_call call = {.method = form ? "POST" : "GET",
                             .body = form,
                             .body_len = form ? strlen(form) : 0,
                             .content_type = "application/x-www-form-urlencoded",
                             .reply = *ret_text};
    int rc = run_call(client, &call, path);
    *ret_text = call.reply;
    if (rc < 0) {
        fprintf(stderr, "loadstone: the controller does not answer: %s\n", call.err.text);
        return CLI_UNREACHABLE;
    }
    if (call.status < 400)
        return CLI_OK;
    fprintf(stderr, "%s\n", ret_text->buf);
    return CLI_ANSWER;
}

void client_print_json(const json_t *json)
{
    json_dumpf(json, stdout, JSON_COMPACT | JSON_ENCODE_ANY);
    putchar('\n');
    fflush(stdout);
}

char *client_workload_path(const char *id, const char *rest)
{
    AUTO(strbuf_release) struct strbuf sb = STRBUF_INIT(1 << 20);
    strbuf_adds(&sb, "/api/v1/workloads/");
    for (; *id; id++) {
        if (isalnum((unsigned char)*id) || strchr("-_.~", *id))
            strbuf_addc(&sb, *id);
        else
            strbuf_addf(&sb, "%%%02X", (unsigned char)*id);
    }
    strbuf_adds(&sb, rest);
    return strbuf_take(&sb);
}
