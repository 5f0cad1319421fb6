/* http_server.c -- see http_server.h.
 *
 * One libmicrohttpd daemon with a pool of threads, each an event loop over its connections. A
 * request goes
 *
 *   on_uri (raw target) -> on_access, first: route, token, ceiling -> on_access, per piece of body
 *   -> on_access, last: handler -> on_completed
 *
 * A request that is refused before its body (401, 404, 405, 413) is answered at once when its body
 * is not on its way yet (Expect: 100-continue) or is huge; otherwise the body is read and thrown
 * away first, since a client that is still sending would see a reset instead of the answer.
 *
 * libmicrohttpd only drops connections that are silent. A client that sends a byte now and then
 * is ended by our own watch: every connection has a deadline, moved on when a request's head is
 * there and when a request is done. */
#include "common/wire/http_server.h"

#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/wire/form.h"
#include "common/wire/json.h"

#include <microhttpd.h>
#include <netdb.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/banned.h"

#define CONNECTIONS_MAX  4096
#define CONNECTION_BYTES (64 << 10)    /* head and pieces of body: a larger head is answered 431 */
#define TARGET_BYTES     8192          /* a longer request target: 414 */
#define SILENCE_S        30            /* a connection without a byte in either direction */
#define REQUEST_NS       (10 * MINUTE) /* from a whole head to the answer's last byte */
#define DISCARD_BYTES    (64 << 20)    /* of a refused body */
#define REPLY_BYTES      (256 << 20)
#define SEGMENTS_MAX     4

struct segment {
    const char *name; /* in the route's path */
    size_t name_len;
    char *value;
};

struct watch { /* one connection */
    struct watch *previous, *next;
    int fd;
    int64_t deadline_ns;
};

struct http_server {
    struct MHD_Daemon *daemon;
    const struct http_route *routes;
    void *context;
    int64_t head_timeout_ns;
    char *token, *token_prefix;
    struct strbuf tls_cert, tls_key;
    int port;
    pthread_t watcher;
    bool watcher_runs;
    pthread_mutex_t lock; /* of the rest */
    pthread_cond_t wake;
    bool stops;
    struct watch watches; /* list head */
};

struct http_request {
    struct MHD_Connection *connection;
    const char *method;
    char *target; /* as sent */
    char *path;   /* decoded */
    const char *raw_path, *raw_query;
    size_t raw_path_len;
    const struct http_route *route;
    struct segment segments[SEGMENTS_MAX];
    size_t segment_count;
    struct strbuf body;
    size_t discarded;
    bool began;
    struct http_reply refusal; /* its status is 0 unless the request was refused */
    struct form query, fields;
    bool query_read, fields_read;
};

/* ---- replies */

static const struct {
    int code, status;
} code_statuses[] = {
    {ERR_CONFIG, 400}, {ERR_PROTOCOL, 400}, {ERR_NOT_FOUND, 404}, {ERR_CONFLICT, 409},
    {ERR_LIMIT, 413},  {ERR_DENIED, 403},   {ERR_NETWORK, 503},   {ERR_TIMEOUT, 503},
    {ERR_SYSTEM, 500}, {ERR_STORE, 500},
};

static void reply_init(struct http_reply *reply, int status)
{
    *reply = (struct http_reply){
        .status = status, .content_type = "application/json", .body = STRBUF_INIT(REPLY_BYTES)};
}

static void reply_release(struct http_reply *reply)
{
    strbuf_release(&reply->body);
    free(reply->extra_headers);
    reply->extra_headers = NULL;
}

void http_reply_error(struct http_reply *reply, int code, const char *format, ...)
{
    char text[ERR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);

    reply->status = 500;
    for (size_t i = 0; i < ARRAY_LEN(code_statuses); i++) {
        if (code_statuses[i].code == code)
            reply->status = code_statuses[i].status;
    }
    reply->content_type = "application/json";
    strbuf_reset(&reply->body);
    AUTO(json_freep)
    json_t *json = json_pack("{s:{s:s,s:o,s:[]}}", "error", "code", err_code_name(code), "message",
                             json_text_new(text), "diagnostics");
    json_write(json, &reply->body);
}

void http_reply_header(struct http_reply *reply, const char *name, const char *value)
{
    char *old = reply->extra_headers;
    reply->extra_headers = xasprintf("%s%s: %s\n", old ? old : "", name, value);
    free(old);
}

/* "Name: value\n..." one by one. */
static void add_headers(struct MHD_Response *response, char *lines)
{
    char *rest = NULL;
    for (char *line = lines ? strtok_r(lines, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *colon = strchr(line, ':');
        if (!colon)
            continue;
        *colon = '\0';
        MHD_add_response_header(response, line, colon + 1 + strspn(colon + 1, " "));
    }
}

static enum MHD_Result send_reply(struct http_request *request, struct http_reply *reply)
{
    if (reply->body.overflow)
        http_reply_error(reply, ERR_SYSTEM, "the answer is larger than %d bytes", REPLY_BYTES);
    size_t len = reply->body.len;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(len, strbuf_take(&reply->body), MHD_RESPMEM_MUST_FREE);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type", reply->content_type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (!reply->extra_headers || !strcasestr(reply->extra_headers, "Cache-Control:"))
        MHD_add_response_header(response, "Cache-Control", "no-store");
    add_headers(response, reply->extra_headers);
    enum MHD_Result result =
        MHD_queue_response(request->connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

/* ---- routes */

/* The end of the segment that starts at text. */
static const char *segment_end(const char *text, const char *end)
{
    const char *slash = memchr(text, '/', (size_t)(end - text));
    return slash ? slash : end;
}

static void drop_segments(struct http_request *request)
{
    for (size_t i = 0; i < request->segment_count; i++)
        free(request->segments[i].value);
    request->segment_count = 0;
}

static void keep_segment(struct http_request *request, const char *name, size_t name_len,
                         const char *raw, size_t raw_len)
{
    if (request->segment_count == SEGMENTS_MAX)
        return;
    char *value = xmalloc(raw_len + 1);
    form_percent_decode(raw, raw_len, 0, value);
    request->segments[request->segment_count++] = (struct segment){name, name_len, value};
}

static bool literal_matches(const char *raw, size_t raw_len, const char *literal, size_t len)
{
    char decoded[256];
    if (raw_len >= sizeof(decoded))
        return false;
    return form_percent_decode(raw, raw_len, 0, decoded) == len &&
           memcmp(decoded, literal, len) == 0;
}

/* True when the request's path fits the route's; its segments are then kept. */
static bool route_matches(const char *pattern, struct http_request *request)
{
    const char *pattern_end = pattern + strlen(pattern);
    const char *raw = request->raw_path;
    const char *raw_end = raw + request->raw_path_len;

    drop_segments(request);
    while (pattern < pattern_end && raw < raw_end && *raw == '/') {
        const char *want = ++pattern;
        const char *have = ++raw;
        if (strcmp(want, "*") == 0) {
            keep_segment(request, want, 1, have, (size_t)(raw_end - have));
            return true;
        }
        pattern = segment_end(want, pattern_end);
        raw = segment_end(have, raw_end);
        size_t want_len = (size_t)(pattern - want);
        size_t have_len = (size_t)(raw - have);
        if (want_len > 2 && *want == '{' && have_len > 0)
            keep_segment(request, want + 1, want_len - 2, have, have_len);
        else if (!literal_matches(have, have_len, want, want_len))
            return false;
    }
    return pattern == pattern_end && raw == raw_end;
}

/* Sets request->route, or refuses. */
static void find_route(const struct http_server *server, struct http_request *request)
{
    char *allow = NULL;
    for (const struct http_route *route = server->routes; route->method; route++) {
        if (!route_matches(route->path, request))
            continue;
        bool head = strcmp(request->method, "HEAD") == 0 && strcmp(route->method, "GET") == 0;
        if (head || strcmp(request->method, route->method) == 0) {
            request->route = route;
            free(allow);
            return;
        }
        char *longer = xasprintf("%s%s%s", allow ? allow : "", allow ? ", " : "", route->method);
        free(allow);
        allow = longer;
    }
    if (allow) {
        http_reply_error(&request->refusal, ERR_NOT_FOUND,
                         "%.200s is not a method of %.500s, try %s", request->method, request->path,
                         allow);
        request->refusal.status = 405;
        http_reply_header(&request->refusal, "Allow", allow);
    } else {
        http_reply_error(&request->refusal, ERR_NOT_FOUND, "nothing is at %.500s", request->path);
    }
    free(allow);
}

/* ---- a request, step by step */

bool http_token_is(const char *given, const char *token)
{
    size_t len = strlen(token);
    return strlen(given) == len && CRYPTO_memcmp(given, token, len) == 0;
}

bool http_request_has_token(struct http_request *request, const char *token)
{
    const char *given = http_request_header(request, "Authorization");
    if (!given || strncasecmp(given, "Bearer ", 7) != 0)
        return false;
    given += 7;
    return http_token_is(given + strspn(given, " "), token);
}

static bool token_is_good(const struct http_server *server, struct http_request *request)
{
    if (!server->token)
        return true;
    if (server->token_prefix &&
        strncmp(request->path, server->token_prefix, strlen(server->token_prefix)) != 0)
        return true;
    return http_request_has_token(request, server->token);
}

/* Called with the raw request target, before all else. */
static void *on_uri(void *cls, const char *uri, struct MHD_Connection *connection)
{
    struct http_request *request = xcalloc(1, sizeof(*request));
    (void)cls;
    request->connection = connection;
    request->target = xstrdup(uri);
    request->body = (struct strbuf)STRBUF_INIT(0);
    reply_init(&request->refusal, 0);

    const char *path = request->target;
    if (strncasecmp(path, "http://", 7) == 0 || strncasecmp(path, "https://", 8) == 0) {
        path = strchr(strchr(path, ':') + 3, '/'); /* the absolute form: RFC 9112, section 3.2.2 */
        if (!path)
            path = "/";
    }
    request->raw_path = path;
    request->raw_path_len = strcspn(path, "?#");
    request->raw_query = path[request->raw_path_len] == '?' ? path + request->raw_path_len + 1 : "";
    request->path = xmalloc(request->raw_path_len + 1);
    size_t len = form_percent_decode(path, request->raw_path_len, 0, request->path);
    if (strlen(uri) > TARGET_BYTES) {
        http_reply_error(&request->refusal, ERR_LIMIT, "the address is longer than %d bytes",
                         TARGET_BYTES);
        request->refusal.status = 414;
    } else if (memchr(request->path, '\0', len) || request->path[0] != '/') {
        http_reply_error(&request->refusal, ERR_PROTOCOL, "the address is not a path");
    }
    return request;
}

/* The head is there: who may, what, how much. */
static void check_head(const struct http_server *server, struct http_request *request)
{
    if (request->refusal.status)
        return;
    if (!token_is_good(server, request)) {
        http_reply_error(&request->refusal, ERR_DENIED, "a token is needed, or it is wrong");
        request->refusal.status = 401;
        http_reply_header(&request->refusal, "WWW-Authenticate", "Bearer");
        return;
    }
    find_route(server, request);
    if (!request->route)
        return;
    request->body.max = request->route->max_body;
    const char *length = http_request_header(request, "Content-Length");
    if (length && strtoull(length, NULL, 10) > request->route->max_body)
        http_reply_error(&request->refusal, ERR_LIMIT,
                         "the body has %.20s bytes, more than the %zu taken here", length,
                         request->route->max_body);
}

/* True when the refusal can be sent before the body is read. */
static bool refuse_at_once(struct http_request *request)
{
    const char *length = http_request_header(request, "Content-Length");
    const char *expect = http_request_header(request, "Expect");
    return expect || (length && strtoull(length, NULL, 10) > DISCARD_BYTES);
}

static enum MHD_Result take_body(struct http_request *request, const char *data, size_t len)
{
    if (!request->refusal.status && strbuf_add(&request->body, data, len) < 0) {
        http_reply_error(&request->refusal, ERR_LIMIT, "the body is larger than the %zu taken here",
                         request->route->max_body);
        strbuf_release(&request->body);
    }
    if (request->refusal.status)
        request->discarded += len;
    return request->discarded > DISCARD_BYTES ? MHD_NO : MHD_YES;
}

static enum MHD_Result answer(struct http_server *server, struct http_request *request)
{
    if (request->refusal.status)
        return send_reply(request, &request->refusal);
    struct http_reply reply;
    reply_init(&reply, 200);
    request->route->handler(request, &reply, server->context);
    enum MHD_Result result = send_reply(request, &reply);
    reply_release(&reply);
    return result;
}

static void move_deadline(struct http_server *server, struct MHD_Connection *connection,
                          int64_t duration_ns)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct watch *watch = info ? info->socket_context : NULL;
    if (!watch)
        return;
    pthread_mutex_lock(&server->lock);
    watch->deadline_ns = clock_mono_ns() + duration_ns;
    pthread_mutex_unlock(&server->lock);
}

static enum MHD_Result on_access(void *cls, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *upload,
                                 size_t *upload_len, void **con_cls)
{
    struct http_server *server = cls;
    struct http_request *request = *con_cls;
    (void)url;
    (void)version;

    if (!request->began) {
        request->began = true;
        request->method = method;
        move_deadline(server, connection, REQUEST_NS);
        check_head(server, request);
        if (request->refusal.status && refuse_at_once(request))
            return send_reply(request, &request->refusal);
        return MHD_YES;
    }
    if (*upload_len > 0) {
        size_t len = *upload_len;
        *upload_len = 0;
        return take_body(request, upload, len);
    }
    return answer(server, request);
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **con_cls,
                         enum MHD_RequestTerminationCode how)
{
    struct http_server *server = cls;
    struct http_request *request = *con_cls;
    (void)how;
    if (!request)
        return;
    *con_cls = NULL;
    move_deadline(server, connection, server->head_timeout_ns);
    drop_segments(request);
    form_release(&request->query);
    form_release(&request->fields);
    strbuf_release(&request->body);
    reply_release(&request->refusal);
    free(request->path);
    free(request->target);
    free(request);
}

/* ---- what a handler asks */

const char *http_request_method(const struct http_request *request)
{
    return request->method;
}

const char *http_request_path(const struct http_request *request)
{
    return request->path;
}

const char *http_request_segment(const struct http_request *request, const char *name)
{
    for (size_t i = 0; i < request->segment_count; i++) {
        const struct segment *segment = &request->segments[i];
        if (segment->name_len == strlen(name) &&
            memcmp(segment->name, name, segment->name_len) == 0)
            return segment->value;
    }
    return NULL;
}

const char *http_request_query(struct http_request *request, const char *name)
{
    if (!request->query_read) {
        request->query_read = true;
        form_parse_urlencoded(request->raw_query, strcspn(request->raw_query, "#"), &request->query,
                              NULL);
    }
    const struct form_field *field = form_find(&request->query, name);
    return field ? field->value : NULL;
}

const char *http_request_header(struct http_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

const char *http_request_body(const struct http_request *request, size_t *ret_len)
{
    *ret_len = request->body.len;
    return request->body.buf;
}

const char *http_request_field(struct http_request *request, const char *name, size_t *ret_len)
{
    if (!request->fields_read) {
        request->fields_read = true;
        const char *type = http_request_header(request, "Content-Type");
        if (type && strncasecmp(type, "multipart/form-data", 19) == 0)
            form_parse_multipart(type, request->body.buf, request->body.len, &request->fields,
                                 NULL);
        else if (type && strncasecmp(type, "application/x-www-form-urlencoded", 33) == 0)
            form_parse_urlencoded(request->body.buf, request->body.len, &request->fields, NULL);
    }
    const struct form_field *field = form_find(&request->fields, name);
    if (field && ret_len)
        *ret_len = field->len;
    return field ? field->value : NULL;
}

/* ---- the watch over slow connections */

static void on_connection(void *cls, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct http_server *server = cls;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        struct watch *watch = xcalloc(1, sizeof(*watch));
        watch->fd =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        watch->deadline_ns = clock_mono_ns() + server->head_timeout_ns;
        pthread_mutex_lock(&server->lock);
        watch->next = server->watches.next;
        watch->previous = &server->watches;
        watch->next->previous = watch;
        server->watches.next = watch;
        pthread_mutex_unlock(&server->lock);
        *socket_context = watch;
        return;
    }
    struct watch *watch = *socket_context;
    if (!watch)
        return;
    pthread_mutex_lock(&server->lock);
    watch->previous->next = watch->next;
    watch->next->previous = watch->previous;
    pthread_mutex_unlock(&server->lock);
    *socket_context = NULL;
    free(watch);
}

/* Shuts down what is past its deadline; its loop then sees the end and closes it. */
static void *watch_connections(void *context)
{
    struct http_server *server = context;
    pthread_mutex_lock(&server->lock);
    while (!server->stops) {
        int64_t now_ns = clock_mono_ns();
        for (struct watch *watch = server->watches.next; watch != &server->watches;
             watch = watch->next) {
            if (watch->deadline_ns <= now_ns)
                shutdown(watch->fd, SHUT_RDWR);
        }
        int64_t until_ns = now_ns + MIN(1 * SEC, server->head_timeout_ns);
        struct timespec until = {.tv_sec = until_ns / SEC, .tv_nsec = until_ns % SEC};
        pthread_cond_timedwait(&server->wake, &server->lock, &until);
    }
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

/* ---- open and close */

static int listen_on(const char *bind_to, int port, int *ret_port, struct err *err)
{
    char service[16];
    struct addrinfo *list = NULL;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    snprintf(service, sizeof(service), "%d", port);
    int rc = getaddrinfo(bind_to, service, &hints, &list);
    if (rc != 0)
        return err_set(err, ERR_CONFIG, "cannot listen on %s: %s", bind_to, gai_strerror(rc));

    int fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int on = 1;
    struct sockaddr_storage address;
    socklen_t address_len = sizeof(address);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
        bind(fd, list->ai_addr, list->ai_addrlen) < 0 || listen(fd, 1024) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &address_len) < 0) {
        err_errno(err, "cannot listen on %s port %d", bind_to, port);
        freeaddrinfo(list);
        if (fd >= 0)
            close(fd);
        return ERR_SYSTEM;
    }
    freeaddrinfo(list);
    char text[16] = "0";
    getnameinfo((struct sockaddr *)&address, address_len, NULL, 0, text, sizeof(text),
                NI_NUMERICSERV);
    *ret_port = (int)strtol(text, NULL, 10);
    return fd;
}

static void on_log(void *cls, const char *format, va_list args)
{
    char text[512];
    (void)cls;
    /* The format is libmicrohttpd's own. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    vsnprintf(text, sizeof(text), format, args);
#pragma GCC diagnostic pop
    text[strcspn(text, "\n")] = '\0';
    log_debug("http server: %s", text);
}

static int start_daemon(struct http_server *server, const struct http_server_options *options,
                        struct err *err)
{
    const char *bind_to = options->bind && *options->bind ? options->bind : "127.0.0.1";
    int threads = options->threads > 0 ? options->threads : 2;
    unsigned flags = MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem extra[5];
    size_t n = 0;

    if (options->tls_cert) {
        int rc = file_read(options->tls_cert, &server->tls_cert, err);
        if (rc == 0)
            rc = file_read(options->tls_key, &server->tls_key, err);
        if (rc < 0)
            return rc;
        flags |= MHD_USE_TLS;
        extra[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, server->tls_cert.buf};
        extra[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, server->tls_key.buf};
    }
    if (threads > 1)
        extra[n++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, threads, NULL};
    extra[n] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};

    int fd = listen_on(bind_to, options->port, &server->port, err);
    if (fd < 0)
        return fd;
    server->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, on_access, server, /* its logger comes first: it serves the others */
        MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_URI_LOG_CALLBACK, on_uri, server, MHD_OPTION_NOTIFY_COMPLETED, on_completed,
        server, MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_S, MHD_OPTION_ARRAY, extra,
        MHD_OPTION_END);
    /* libmicrohttpd closes the socket from here on. */
    if (!server->daemon)
        return err_set(err, ERR_SYSTEM, "cannot start the HTTP server%s",
                       options->tls_cert ? " (are the certificate and its key good?)" : "");
    return 0;
}

int http_server_open(const struct http_server_options *options, const struct http_route *routes,
                     void *context, struct http_server **ret_server, struct err *err)
{
    if (!options->tls_cert != !options->tls_key)
        return err_set(err, ERR_CONFIG, "a certificate and a key are needed together");
    signal(SIGPIPE, SIG_IGN); /* a peer that goes away is an error of its connection */

    struct http_server *server = xcalloc(1, sizeof(*server));
    server->routes = routes;
    server->context = context;
    server->head_timeout_ns = options->head_timeout_ns > 0 ? options->head_timeout_ns : 60 * SEC;
    server->token = xstrdup(options->token);
    server->token_prefix = xstrdup(options->token_prefix);
    server->tls_cert = (struct strbuf)STRBUF_INIT(1 << 20);
    server->tls_key = (struct strbuf)STRBUF_INIT(1 << 20);
    server->watches.next = server->watches.previous = &server->watches;
    pthread_mutex_init(&server->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&server->wake, &attributes);
    pthread_condattr_destroy(&attributes);

    int rc = start_daemon(server, options, err);
    if (rc == 0 && pthread_create(&server->watcher, NULL, watch_connections, server) != 0)
        rc = err_set(err, ERR_SYSTEM, "cannot start a thread");
    else if (rc == 0)
        server->watcher_runs = true;
    if (rc < 0) {
        http_server_close(server);
        return rc;
    }
    *ret_server = server;
    return 0;
}

int http_server_port(const struct http_server *server)
{
    return server->port;
}

void http_server_close(struct http_server *server)
{
    if (!server)
        return;
    if (server->daemon)
        MHD_stop_daemon(server->daemon);
    if (server->watcher_runs) {
        pthread_mutex_lock(&server->lock);
        server->stops = true;
        pthread_cond_signal(&server->wake);
        pthread_mutex_unlock(&server->lock);
        pthread_join(server->watcher, NULL);
    }
    pthread_cond_destroy(&server->wake);
    pthread_mutex_destroy(&server->lock);
    OPENSSL_cleanse(server->tls_key.buf, server->tls_key.len);
    strbuf_release(&server->tls_cert);
    strbuf_release(&server->tls_key);
    free(server->token);
    free(server->token_prefix);
    free(server);
}
