/* http_request.h -- the head of an HTTP/1.1 request, parsed where it lies.
 *
 * Pure: takes bytes, gives slices into them; no allocation, no I/O. Strict where
 * leniency lets requests be smuggled: no bare LF, no folded lines, no blank before
 * a colon, one Content-Length, never both lengths. Source: RFC 9112. */
#ifndef LOADSTONE_DRIVER_TARGET_HTTP_REQUEST_H
#define LOADSTONE_DRIVER_TARGET_HTTP_REQUEST_H

#include "driver/target/slice.h"

#include <stdint.h>

#define REQUEST_HEAD_MAX    (32 << 10) /* bytes of a head */
#define REQUEST_FIELDS_MAX  100
#define REQUEST_LENGTH_NONE INT64_C(-1)

enum http_method {
    HTTP_GET,
    HTTP_HEAD,
    HTTP_PUT,
    HTTP_POST,
    HTTP_DELETE,
    HTTP_OPTIONS,
    HTTP_OTHER,
    HTTP_METHODS
};

/* Fields the server reads often: found while parsing, then an index away. */
enum http_known {
    KNOWN_HOST,
    KNOWN_AUTHORIZATION,
    KNOWN_CONTENT_LENGTH,
    KNOWN_TRANSFER_ENCODING,
    KNOWN_CONNECTION,
    KNOWN_EXPECT,
    KNOWN_DATE,
    KNOWN_RANGE,
    KNOWN_CONTENT_TYPE,
    KNOWN_CONTENT_MD5,
    KNOWN_CONTENT_ENCODING,
    KNOWN_IF_MATCH,
    KNOWN_IF_NONE_MATCH,
    KNOWN_IF_MODIFIED_SINCE,
    KNOWN_IF_UNMODIFIED_SINCE,
    KNOWN_AMZ_DATE,
    KNOWN_AMZ_CONTENT_SHA256,
    KNOWN_AMZ_DECODED_LENGTH,
    KNOWN_AMZ_COPY_SOURCE,
    KNOWN_AMZ_COPY_SOURCE_RANGE,
    KNOWN_AMZ_METADATA_DIRECTIVE,
    KNOWN_AMZ_TRAILER,
    KNOWN_FIELDS
};

struct http_field {
    struct slice name;
    struct slice value; /* without white space at its ends */
};

/* All slices point into the parsed bytes and live as long as they do. */
struct http_request {
    enum http_method method;
    struct slice method_text;
    struct slice path;  /* as sent, percent-encoded; starts with '/' ("*" for OPTIONS) */
    struct slice query; /* after '?', may be empty */
    int minor;          /* 0 or 1: HTTP/1.minor */
    int64_t content_length;
    bool chunked;    /* Transfer-Encoding: chunked */
    bool keep_alive; /* the peer wants the connection kept */
    bool expect_continue;
    size_t field_count;
    struct http_field fields[REQUEST_FIELDS_MAX];
    struct slice known[KNOWN_FIELDS]; /* p is NULL when absent; the first one counts */
};

/* Length of the head that buf starts with, its empty line included, or 0 when that has not
 * arrived. *scanned remembers how far was looked (start it at 0). */
size_t http_request_head_length(const char *buf, size_t len, size_t *scanned);

/* Parses a whole head of head_len bytes. Returns 0, or the status to refuse it with:
 * 400, 431 (too many fields), 501 (a transfer coding other than chunked), 505. HTTP/1.1 needs a
 * Host. */
int http_request_parse(const char *buf, size_t head_len, struct http_request *req);

/* The value of any field (name in any case); p is NULL when absent. */
struct slice http_request_field(const struct http_request *req, struct slice name);

/* "GET", ...; "OTHER" for what the server does not know. */
const char *http_method_name(enum http_method method);

/* A whole decimal number of at most 18 digits, or -1. */
int64_t http_parse_number(struct slice text);

#endif
