/* http_server.h -- a small HTTP server for the daemons' own interfaces: the door to libmicrohttpd.
 *
 * A table of routes; each request is read whole (up to its route's ceiling) and
 * given to one handler, on one of the server's threads. Handlers may run at once. */
#ifndef LOADSTONE_COMMON_WIRE_HTTP_SERVER_H
#define LOADSTONE_COMMON_WIRE_HTTP_SERVER_H

#include "common/base/err.h"
#include "common/base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_server;
struct http_request; /* opaque; lives as long as the handler runs */

/* What a handler answers. It comes as status 200, application/json and empty. */
struct http_reply {
    int status;
    const char *content_type; /* borrowed until the server closes: best a literal */
    struct strbuf body;
    char *extra_headers; /* "Name: value\n..." or NULL; freed by the server */
};

typedef void http_handler(struct http_request *request, struct http_reply *reply, void *context);

struct http_route {
    const char *method; /* "GET" (also serves HEAD), "POST", ... */
    const char
        *path; /* "/api/v1/workloads/{id}/cancel": {x} is one segment; a final "*" takes the rest */
    http_handler *handler;
    size_t max_body; /* larger bodies: 413 before they are read; 0: no body expected */
};

struct http_server_options {
    const char *bind;         /* address; "127.0.0.1" when NULL */
    int port;                 /* 0: a free one, see http_server_port() */
    int threads;              /* 0: 2 */
    const char *token;        /* when not NULL: requests need "Authorization: Bearer TOKEN" ... */
    const char *token_prefix; /* ... if their path starts with this (NULL: all) */
    const char *tls_cert, *tls_key; /* PEM files; both or neither */
    int64_t head_timeout_ns; /* from connecting, or the last answer, to a whole head; 0: 60 s */
};

/* routes ends with a row whose method is NULL and must outlive the server. An
 * unknown path is answered 404, a known one with another method 405, both as the JSON error of
 * docs/protocol.md. */
int http_server_open(const struct http_server_options *options, const struct http_route *routes,
                     void *context, struct http_server **ret_server, struct err *err);
int http_server_port(const struct http_server *server);
/* Stops accepting, lets running handlers end, frees. NULL is fine. */
void http_server_close(struct http_server *server);

/* All strings are borrowed for the handler's run; NULL when there is none. */
const char *http_request_method(const struct http_request *request);
const char *http_request_path(const struct http_request *request);
/* The segment that {name} of the route took, percent-decoded ("*" for the rest). */
const char *http_request_segment(const struct http_request *request, const char *name);
const char *http_request_query(struct http_request *request, const char *name);
const char *http_request_header(struct http_request *request, const char *name);
/* The body as sent; *ret_len may be 0. NUL-terminated beyond its length. */
const char *http_request_body(const struct http_request *request, size_t *ret_len);
/* A field of a multipart/form-data or application/x-www-form-urlencoded body. */
const char *http_request_field(struct http_request *request, const char *name, size_t *ret_len);

/* True when the request has "Authorization: Bearer TOKEN". */
bool http_request_has_token(struct http_request *request, const char *token);
/* Compares a given secret with the right one in a time that does not tell how far they agree. */
bool http_token_is(const char *given, const char *token);

/* Answers {"error": {"code":..., "message":...}} with the status that fits the code. */
void http_reply_error(struct http_reply *reply, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a header line to the answer. */
void http_reply_header(struct http_reply *reply, const char *name, const char *value);

#endif
