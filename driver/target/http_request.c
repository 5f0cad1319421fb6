/* http_request.c -- see http_request.h. */
#include "driver/target/http_request.h"

#include "common/base/scope.h"

static const struct slice known_names[KNOWN_FIELDS] = {
    [KNOWN_HOST] = SLICE("host"),
    [KNOWN_AUTHORIZATION] = SLICE("authorization"),
    [KNOWN_CONTENT_LENGTH] = SLICE("content-length"),
    [KNOWN_TRANSFER_ENCODING] = SLICE("transfer-encoding"),
    [KNOWN_CONNECTION] = SLICE("connection"),
    [KNOWN_EXPECT] = SLICE("expect"),
    [KNOWN_DATE] = SLICE("date"),
    [KNOWN_RANGE] = SLICE("range"),
    [KNOWN_CONTENT_TYPE] = SLICE("content-type"),
    [KNOWN_CONTENT_MD5] = SLICE("content-md5"),
    [KNOWN_CONTENT_ENCODING] = SLICE("content-encoding"),
    [KNOWN_IF_MATCH] = SLICE("if-match"),
    [KNOWN_IF_NONE_MATCH] = SLICE("if-none-match"),
    [KNOWN_IF_MODIFIED_SINCE] = SLICE("if-modified-since"),
    [KNOWN_IF_UNMODIFIED_SINCE] = SLICE("if-unmodified-since"),
    [KNOWN_AMZ_DATE] = SLICE("x-amz-date"),
    [KNOWN_AMZ_CONTENT_SHA256] = SLICE("x-amz-content-sha256"),
    [KNOWN_AMZ_DECODED_LENGTH] = SLICE("x-amz-decoded-content-length"),
    [KNOWN_AMZ_COPY_SOURCE] = SLICE("x-amz-copy-source"),
    [KNOWN_AMZ_COPY_SOURCE_RANGE] = SLICE("x-amz-copy-source-range"),
    [KNOWN_AMZ_METADATA_DIRECTIVE] = SLICE("x-amz-metadata-directive"),
    [KNOWN_AMZ_TRAILER] = SLICE("x-amz-trailer"),
};

static const struct slice method_names[HTTP_METHODS] = {
    [HTTP_GET] = SLICE("GET"),       [HTTP_HEAD] = SLICE("HEAD"),
    [HTTP_PUT] = SLICE("PUT"),       [HTTP_POST] = SLICE("POST"),
    [HTTP_DELETE] = SLICE("DELETE"), [HTTP_OPTIONS] = SLICE("OPTIONS"),
    [HTTP_OTHER] = SLICE("OTHER"),
};

enum { CHAR_TOKEN = 1, CHAR_VALUE = 2, CHAR_TARGET = 4 };

#define T (CHAR_TOKEN | CHAR_VALUE | CHAR_TARGET)
#define P (CHAR_VALUE | CHAR_TARGET)
#define V (CHAR_VALUE)
/* What each byte may be part of: a token (RFC 9110 5.6.2), a value, a request target. */
static const uint8_t char_class[256] = {
    [0x01 ... 0x08] = 0, ['\t'] = V,        [' '] = V,         ['!'] = T,         ['"'] = P,
    ['#' ... '\''] = T,  ['(' ... ')'] = P, ['*' ... '+'] = T, [','] = P,         ['-' ... '.'] = T,
    ['/'] = P,           ['0' ... '9'] = T, [':' ... '@'] = P, ['A' ... 'Z'] = T, ['[' ... ']'] = P,
    ['^' ... 'z'] = T,   ['{'] = P,         ['|'] = T,         ['}'] = P,         ['~'] = T,
    [0x80 ... 0xff] = P,
};
#undef T
#undef P
#undef V

size_t http_request_head_length(const char *buf, size_t len, size_t *scanned)
{
    size_t from = *scanned > 3 ? *scanned - 3 : 0;
    const char *end = len > from ? memmem(buf + from, len - from, "\r\n\r\n", 4) : NULL;
    *scanned = len;
    return end ? (size_t)(end - buf) + 4 : 0;
}

int64_t http_parse_number(struct slice text)
{
    int64_t value = 0;
    if (text.len == 0 || text.len > 18)
        return -1;
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return -1;
        value = value * 10 + (text.p[i] - '0');
    }
    return value;
}

const char *http_method_name(enum http_method method)
{
    return method_names[method].p;
}

struct slice http_request_field(const struct http_request *req, struct slice name)
{
    for (size_t i = 0; i < req->field_count; i++)
        if (slice_is_nocase(req->fields[i].name, name))
            return req->fields[i].value;
    return (struct slice){NULL, 0};
}

/* Splits the request target; the absolute form (RFC 9112 3.2.2) loses its scheme and host. */
static int parse_target(struct slice target, struct http_request *req)
{
    if (slice_starts(target, SLICE("http://")) || slice_starts(target, SLICE("https://"))) {
        const char *host = memchr(target.p, '/', target.len) + 2;
        size_t left = target.len - (size_t)(host - target.p);
        const char *path = memchr(host, '/', left);
        if (!path)
            return 400;
        target = (struct slice){path, left - (size_t)(path - host)};
    }
    if (target.len == 0 || (target.p[0] != '/' && !slice_is(target, SLICE("*"))))
        return 400;
    req->query = target;
    req->path = slice_cut(&req->query, '?');
    return 0;
}

/* Returns the byte after the request line, or NULL with *ret_status set. */
static const char *parse_request_line(const char *p, const char *end, struct http_request *req,
                                      int *ret_status)
{
    const char *start = p;
    *ret_status = 400;
    while (p < end && char_class[(uint8_t)*p] & CHAR_TOKEN)
        p++;
    req->method_text = (struct slice){start, (size_t)(p - start)};
    if (p == start || p - start > 32 || p == end || *p++ != ' ')
        return NULL;
    req->method = HTTP_OTHER;
    for (int i = 0; i < HTTP_OTHER; i++)
        if (slice_is(req->method_text, method_names[i]))
            req->method = (enum http_method)i;
    start = p;
    while (p < end && char_class[(uint8_t)*p] & CHAR_TARGET)
        p++;
    if (parse_target((struct slice){start, (size_t)(p - start)}, req))
        return NULL;
    if (end - p < 11 || memcmp(p, " HTTP/", 6) != 0)
        return NULL;
    if (memcmp(p + 6, "1.", 2) != 0 || (p[8] != '0' && p[8] != '1')) {
        *ret_status = 505;
        return NULL;
    }
    req->minor = p[8] - '0';
    if (p[9] != '\r' || p[10] != '\n')
        return NULL;
    return p + 11;
}

static void remember_known(struct http_request *req, const struct http_field *field)
{
    for (int i = 0; i < KNOWN_FIELDS; i++) {
        if (field->name.len != known_names[i].len)
            continue;
        if (!req->known[i].p && slice_is_nocase(field->name, known_names[i])) {
            req->known[i] = field->value;
            return;
        }
    }
}

/* One "name: value\r\n"; returns the byte after it, or NULL when it is malformed. */
static const char *parse_field(const char *p, const char *end, struct http_field *field)
{
    const char *start = p;
    while (p < end && char_class[(uint8_t)*p] & CHAR_TOKEN)
        p++;
    field->name = (struct slice){start, (size_t)(p - start)};
    if (p == start || p == end || *p++ != ':')
        return NULL;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    start = p;
    while (p < end && char_class[(uint8_t)*p] & CHAR_VALUE)
        p++;
    field->value = slice_trim((struct slice){start, (size_t)(p - start)});
    if (end - p < 2 || p[0] != '\r' || p[1] != '\n')
        return NULL;
    return p + 2;
}

/* True when the comma-separated list holds the token, in any case. */
static bool list_has(struct slice list, struct slice token)
{
    while (list.len) {
        struct slice item = slice_trim(slice_cut(&list, ','));
        if (slice_is_nocase(item, token))
            return true;
    }
    return false;
}

/* Content-Length and Transfer-Encoding over all fields: what frames the body (RFC 9112 6.3). */
static int parse_framing(struct http_request *req)
{
    req->content_length = REQUEST_LENGTH_NONE;
    if (req->known[KNOWN_CONTENT_LENGTH].p) {
        for (size_t i = 0; i < req->field_count; i++) {
            const struct http_field *field = &req->fields[i];
            if (!slice_is_nocase(field->name, SLICE("content-length")))
                continue;
            int64_t length = http_parse_number(field->value);
            if (length < 0)
                return 400;
            if (req->content_length != REQUEST_LENGTH_NONE && req->content_length != length)
                return 400;
            req->content_length = length;
        }
    }
    struct slice coding = req->known[KNOWN_TRANSFER_ENCODING];
    if (!coding.p || slice_is_nocase(coding, SLICE("identity")))
        return 0;
    if (!slice_is_nocase(coding, SLICE("chunked")))
        return 501;
    if (req->content_length != REQUEST_LENGTH_NONE || req->minor == 0)
        return 400;
    req->chunked = true;
    return 0;
}

static void parse_connection(struct http_request *req)
{
    struct slice connection = req->known[KNOWN_CONNECTION];
    req->keep_alive = req->minor == 1;
    if (connection.p) {
        if (list_has(connection, SLICE("close")))
            req->keep_alive = false;
        else if (list_has(connection, SLICE("keep-alive")))
            req->keep_alive = true;
    }
    req->expect_continue =
        req->minor == 1 && slice_is_nocase(req->known[KNOWN_EXPECT], SLICE("100-continue"));
}

int http_request_parse(const char *buf, size_t head_len, struct http_request *req)
{
    const char *p = buf;
    const char *end = buf + head_len - 2; /* the empty line's CRLF stays out */
    int status = 0;

    if (head_len < 4)
        return 400;
    req->field_count = 0;
    req->chunked = false;
    memset(req->known, 0, sizeof(req->known));
    p = parse_request_line(p, end, req, &status);
    if (!p)
        return status;
    while (p < end) {
        if (req->field_count == REQUEST_FIELDS_MAX)
            return 431;
        struct http_field *field = &req->fields[req->field_count];
        p = parse_field(p, end, field);
        if (!p)
            return 400;
        req->field_count++;
        remember_known(req, field);
    }
    if (req->minor == 1 && !req->known[KNOWN_HOST].p)
        return 400; /* RFC 9112 3.2 */
    parse_connection(req);
    return parse_framing(req);
}
