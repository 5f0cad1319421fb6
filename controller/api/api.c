/* api.c -- see api.h; and what the handlers share, see routes.h. */
#include "controller/api/api.h"

#include "common/base/log.h"
#include "common/base/xalloc.h"
#include "controller/api/routes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/banned.h"

#define THREADS 4

/* Settings of a file are "" where nothing was given. */
static const char *text_or_null(const char *text)
{
    return text && *text ? text : NULL;
}

int api_open(struct controller *controller, const struct api_options *options, struct api **ret_api,
             struct err *err)
{
    struct http_server_options server_options = {
        .bind = text_or_null(options->bind),
        .port = options->port,
        .threads = options->threads > 0 ? options->threads : THREADS,
        .tls_cert = text_or_null(options->tls_cert),
        .tls_key = text_or_null(options->tls_key),
    };
    struct api *api = xcalloc(1, sizeof(*api));
    api->controller = controller;
    api->token = xstrdup(text_or_null(options->token));
    api->web_root = xstrdup(text_or_null(options->web_root));
    int rc = http_server_open(&server_options, api_routes, api, &api->server, err);
    if (rc < 0) {
        api_close(api);
        return rc;
    }
    *ret_api = api;
    return 0;
}

int api_port(const struct api *api)
{
    return http_server_port(api->server);
}

void api_close(struct api *api)
{
    if (!api)
        return;
    http_server_close(api->server);
    free(api->token);
    free(api->web_root);
    free(api);
}

void api_reply_json(struct http_reply *reply, json_t *take_json)
{
    AUTO(json_freep) json_t *json = take_json;
    if (!json)
        http_reply_error(reply, ERR_SYSTEM, "the answer could not be made");
    else
        json_write(json, &reply->body);
}

void api_reply_err(struct http_reply *reply, const struct err *err)
{
    http_reply_error(reply, err->code, "%s", err->text);
    if (reply->status >= 500)
        log_error("request failed: %s", err->text);
}

/* A browser says where a request comes from; a program says nothing. */
static bool is_from_another_site(struct http_request *request)
{
    const char *origin = http_request_header(request, "Origin");
    const char *host = http_request_header(request, "Host");
    if (!origin)
        return false;
    const char *origin_host = strstr(origin, "://");
    return !origin_host || !host || strcasecmp(origin_host + 3, host) != 0;
}

bool api_may_change(const struct api *api, struct http_request *request, struct http_reply *reply)
{
    if (is_from_another_site(request)) {
        http_reply_error(reply, ERR_DENIED, "requests from pages of other sites are not taken");
        return false;
    }
    if (api->token && !http_request_has_token(request, api->token)) {
        http_reply_error(reply, ERR_DENIED, "a token is needed, or it is wrong");
        reply->status = 401;
        http_reply_header(reply, "WWW-Authenticate", "Bearer");
        return false;
    }
    return true;
}

int64_t api_workload_number(struct http_request *request, struct http_reply *reply)
{
    const char *id = http_request_segment(request, "id");
    int64_t number = workload_number(id);
    if (number == 0)
        http_reply_error(reply, ERR_NOT_FOUND, "no workload %.100s", id);
    return number;
}

const char *api_workload_xml(struct http_request *request, size_t *ret_len)
{
    const char *type = http_request_header(request, "Content-Type");
    const char *xml = http_request_field(request, "config", ret_len);
    if (!xml && !(type && strncasecmp(type, "multipart/", 10) == 0))
        xml = http_request_body(request, ret_len);
    return xml && *ret_len > 0 ? xml : NULL;
}
