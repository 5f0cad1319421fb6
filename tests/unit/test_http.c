/* test_http.c -- our HTTP server and our HTTP calls, over real sockets. */
#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/wire/http_call.h"
#include "common/wire/http_server.h"
#include "common/wire/json.h"

#include <arpa/inet.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define CEILING 1000

static atomic_int handled;

static void say_echo(struct http_request *request, struct http_reply *reply, void *context)
{
    size_t len = 0, field_len = 0;
    const char *body = http_request_body(request, &len);
    const char *field = http_request_field(request, "config", &field_len);
    const char *query = http_request_query(request, "q");
    (void)context;
    handled++;
    reply->content_type = "text/plain";
    strbuf_addf(&reply->body, "%s %s q=%s len=%zu config=%s", http_request_method(request),
                http_request_path(request), query ? query : "-", len, field ? field : "-");
    http_reply_header(reply, "X-Body-End", body[len] == '\0' ? "nul" : "open");
}

static void say_segment(struct http_request *request, struct http_reply *reply, void *context)
{
    const char *id = http_request_segment(request, "id");
    const char *rest = http_request_segment(request, "*");
    (void)context;
    strbuf_addf(&reply->body, "id=%s rest=%s", id ? id : "-", rest ? rest : "-");
}

static void say_error(struct http_request *request, struct http_reply *reply, void *context)
{
    (void)request;
    (void)context;
    http_reply_error(reply, ERR_CONFLICT, "it is \"taken\": %s", "\xff");
}

static void say_much(struct http_request *request, struct http_reply *reply, void *context)
{
    (void)request;
    (void)context;
    for (int i = 0; i < 100000; i++)
        strbuf_adds(&reply->body, "0123456789");
}

static void say_late(struct http_request *request, struct http_reply *reply, void *context)
{
    (void)request;
    (void)reply;
    (void)context;
    clock_sleep_ns(300 * MS);
}

static const struct http_route routes[] = {
    {"GET", "/echo", say_echo, 0},
    {"POST", "/echo", say_echo, CEILING},
    {"GET", "/items/{id}", say_segment, 0},
    {"DELETE", "/items/{id}", say_segment, 0},
    {"GET", "/items/{id}/rest/*", say_segment, 0},
    {"GET", "/api/error", say_error, 0},
    {"GET", "/much", say_much, 0},
    {"GET", "/late", say_late, 0},
    {0},
};

static struct http_server *server;

static int open_server(void **state)
{
    struct http_server_options options = {.token = "secret", .token_prefix = "/api/"};
    (void)state;
    http_call_setup();
    return http_server_open(&options, routes, NULL, &server, NULL);
}

static int close_server(void **state)
{
    (void)state;
    http_server_close(server);
    return 0;
}

/* One call to the server; its reply is released by the caller. */
static struct http_call call_with(const char *method, const char *path, const char *body)
{
    struct http_call call = {.method = method, .body = body, .reply = STRBUF_INIT(2000000)};
    AUTO(freep) char *url = xasprintf("http://127.0.0.1:%d%s", http_server_port(server), path);
    call.url = url;
    call.body_len = body ? strlen(body) : 0;
    http_call_run(&call);
    return call;
}

static void expect(const char *method, const char *path, const char *body, int status,
                   const char *part)
{
    struct http_call call = call_with(method, path, body);
    assert_int_equal(call.rc, 0);
    assert_int_equal(call.status, status);
    if (!strstr(call.reply.buf, part))
        fail_msg("%s %s: %s is not in: %s", method, path, part, call.reply.buf);
    strbuf_release(&call.reply);
}

static void requests_reach_the_handler_of_their_route(void **state)
{
    (void)state;
    expect("GET", "/echo?q=a%20b&x=1", NULL, 200, "GET /echo q=a b len=0 config=-");
    expect("POST", "/echo", "hello", 200, "POST /echo q=- len=5");
    expect("GET", "/items/w%2F1", NULL, 200, "id=w/1 rest=-");
    expect("DELETE", "/items/w1", NULL, 200, "id=w1");
    expect("GET", "/items/w1/rest/a/b%20c", NULL, 200, "id=w1 rest=a/b c");
    expect("GET", "/items/w1/rest/", NULL, 200, "id=w1 rest=");
}

static void unknown_paths_and_methods_are_answered_as_json(void **state)
{
    (void)state;
    expect("GET", "/nothing", NULL, 404, "\"code\":\"not_found\"");
    expect("GET", "/items/", NULL, 404, "nothing is at /items/");
    expect("GET", "/items/a/b", NULL, 404, "error");
    expect("PUT", "/items/w1", "x", 405, "try GET, DELETE");
    expect("GET", "/a%00b", NULL, 400, "not a path");
    expect("GET", "/%zz%", NULL, 404, "error");
}

static void an_error_keeps_its_sentence_whatever_its_bytes(void **state)
{
    (void)state;
    struct http_call call = {.bearer = "secret", .reply = STRBUF_INIT(10000)};
    AUTO(freep) char *url = xasprintf("http://127.0.0.1:%d/api/error", http_server_port(server));
    AUTO(json_freep) json_t *json = NULL;
    json_t *error = NULL;
    const char *text = NULL;

    call.url = url;
    assert_int_equal(http_call_run(&call), 0);
    assert_int_equal(call.status, 409);
    assert_int_equal(json_read(call.reply.buf, call.reply.len, &json, NULL), 0);
    assert_int_equal(json_get_object(json, "error", &error, NULL), 0);
    assert_int_equal(json_get_text(error, "message", &text, NULL), 0);
    assert_string_equal(text, "it is \"taken\": ?");
    strbuf_release(&call.reply);
}

static void a_token_guards_its_prefix_only(void **state)
{
    (void)state;
    expect("GET", "/api/error", NULL, 401, "a token is needed");
    expect("GET", "/api/none", NULL, 401, "a token is needed");
    expect("GET", "/%61pi/error", NULL, 401, "a token is needed");
    expect("GET", "/echo", NULL, 200, "GET");
}

static void bodies_above_the_ceiling_are_refused_and_never_handled(void **state)
{
    AUTO(freep) char *large = xcalloc(1, 3000001);
    (void)state;
    memset(large, 'x', 3000000);
    int before = handled;
    expect("POST", "/echo", large, 413, "\"code\":\"limit\"");
    expect("POST", "/nothing", large, 404, "not_found");
    expect("GET", "/echo", "body", 413, "limit");
    assert_int_equal(handled, before);
    large[CEILING] = '\0';
    expect("POST", "/echo", large, 200, "len=1000");
}

static void form_fields_of_both_kinds_are_given(void **state)
{
    static const struct {
        const char *type, *body;
    } cases[] = {
        {"application/x-www-form-urlencoded; charset=utf-8", "a=b&config=%3Cx%3E"},
        {"multipart/form-data; boundary=B",
         "--B\r\nContent-Disposition: form-data; name=\"config\"\r\n\r\n<x>\r\n--B--\r\n"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(freep) char *url = xasprintf("http://127.0.0.1:%d/echo", http_server_port(server));
        struct http_call call = {.method = "POST",
                                 .url = url,
                                 .content_type = cases[i].type,
                                 .body = cases[i].body,
                                 .body_len = strlen(cases[i].body),
                                 .reply = STRBUF_INIT(10000)};
        assert_int_equal(http_call_run(&call), 0);
        assert_non_null(strstr(call.reply.buf, "config=<x>"));
        strbuf_release(&call.reply);
    }
}

static int connect_raw(const struct http_server *to, int64_t patience_ns)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)http_server_port(to)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval patience = {.tv_sec = patience_ns / SEC, .tv_usec = patience_ns % SEC / US};
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

/* Reads until the peer closes or patience ends. */
static void receive_all(int fd, char *out, size_t out_len)
{
    size_t have = 0;
    ssize_t n;
    while (have + 1 < out_len && (n = recv(fd, out + have, out_len - 1 - have, 0)) > 0)
        have += (size_t)n;
    out[have] = '\0';
}

/* Sends bytes as they are and reads what comes. */
static void send_raw(const char *bytes, size_t len, int64_t patience_ns, char *out, size_t out_len)
{
    int fd = connect_raw(server, patience_ns);
    ssize_t n;
    for (size_t sent = 0; sent < len; sent += (size_t)n) {
        n = send(fd, bytes + sent, len - sent, MSG_NOSIGNAL);
        if (n <= 0)
            break;
    }
    receive_all(fd, out, out_len);
    close(fd);
}

static void odd_input_does_not_disturb_the_server(void **state)
{
    static const char *const inputs[] = {
        "",
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET /echo\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        "GET http://elsewhere/echo HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET echo HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /echo HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; "
        "boundary=\"\r\nContent-Length: 0\r\n\r\n",
        "GET /echo?%%%&&&==&q HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /items/%2e%2e/rest/../../etc HTTP/1.1\r\nHost: x\r\n\r\n",
    };
    char out[4096];
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
        send_raw(inputs[i], strlen(inputs[i]), 50 * MS, out, sizeof(out));
        expect("GET", "/echo", NULL, 200, "GET /echo");
    }
}

static void long_heads_are_refused(void **state)
{
    AUTO(freep) char *request = xcalloc(1, 400001);
    char out[4096];
    (void)state;

    memset(request, 'a', 400000);
    memcpy(request, "GET /", 5);
    send_raw(request, 400000, 5 * SEC, out, sizeof(out));
    assert_null(strstr(out, " 200 "));
    static const char rest[] = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    memcpy(request + 9000, rest, sizeof(rest));
    send_raw(request, strlen(request), 5 * SEC, out, sizeof(out));
    assert_non_null(strstr(out, " 414 "));
    expect("GET", "/echo", NULL, 200, "GET /echo");
}

/* It may send a byte now and then for ever: only our own watch ends it. */
static void a_client_that_dribbles_its_head_is_ended(void **state)
{
    struct http_server *strict = NULL;
    struct http_server_options options = {.head_timeout_ns = 200 * MS};
    char out[256];
    (void)state;

    assert_int_equal(http_server_open(&options, routes, NULL, &strict, NULL), 0);
    int fd = connect_raw(strict, 10 * SEC);
    int64_t begin_ns = clock_mono_ns();
    bool ended = false;
    while (!ended && clock_mono_ns() - begin_ns < 10 * SEC) {
        struct pollfd wait = {.fd = fd, .events = POLLIN | POLLRDHUP};
        send(fd, "G", 1, MSG_NOSIGNAL);
        ended = poll(&wait, 1, 20) > 0;
    }
    assert_true(ended);
    receive_all(fd, out, sizeof(out));
    assert_null(strstr(out, " 200 "));
    close(fd);
    http_server_close(strict);
}

static void a_chunked_body_above_the_ceiling_is_refused(void **state)
{
    static char request[9000] = "POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                "Transfer-Encoding: chunked\r\n\r\n";
    char out[4096];
    size_t len = strlen(request);
    (void)state;
    for (int i = 0; i < 20; i++) {
        memcpy(request + len, "64\r\n", 4);
        memset(request + len + 4, 'x', 100);
        memcpy(request + len + 104, "\r\n", 2);
        len += 106;
    }
    memcpy(request + len, "0\r\n\r\n", 5);
    send_raw(request, len + 5, 5 * SEC, out, sizeof(out));
    assert_non_null(strstr(out, " 413 "));
}

static void head_gives_the_length_and_no_body(void **state)
{
    char out[4096];
    static const char request[] = "HEAD /much HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    (void)state;
    send_raw(request, sizeof(request) - 1, 5 * SEC, out, sizeof(out));
    assert_non_null(strstr(out, "Content-Length: 1000000"));
    assert_non_null(strstr(out, "\r\n\r\n"));
    assert_string_equal(strstr(out, "\r\n\r\n") + 4, "");
}

static void a_call_has_a_ceiling_and_a_deadline(void **state)
{
    AUTO(freep)
    char *much = xasprintf("http://127.0.0.1:%d/much?secret=1", http_server_port(server));
    AUTO(freep) char *late = xasprintf("http://127.0.0.1:%d/late", http_server_port(server));
    struct http_call call = {.url = much, .reply = STRBUF_INIT(999999)};
    (void)state;

    assert_int_equal(http_call_run(&call), ERR_LIMIT);
    assert_non_null(strstr(call.err.text, "/much: the answer is larger than 999999 bytes"));
    assert_null(strstr(call.err.text, "secret"));
    call.url = late;
    call.timeout_ns = 50 * MS;
    assert_int_equal(http_call_run(&call), ERR_TIMEOUT);
    assert_non_null(strstr(call.err.text, "/late: no whole answer within 50 ms"));
    call.url = much;
    call.timeout_ns = 0;
    call.reply.max = 1000000;
    assert_int_equal(http_call_run(&call), 0);
    assert_int_equal(call.reply.len, 1000000);
    strbuf_release(&call.reply);
}

static void calls_that_get_no_answer_say_why(void **state)
{
    static const char *const urls[] = {"http://127.0.0.1:1/x", "file:///etc/hostname",
                                       "ftp://127.0.0.1/",     "http://",
                                       "nonsense://x",         "http://[::::]/"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
        struct http_call call = {.url = urls[i], .reply = STRBUF_INIT(100)};
        assert_int_equal(http_call_run(&call), ERR_NETWORK);
        assert_int_equal(call.status, 0);
        assert_true(strlen(call.err.text) > 5);
        strbuf_release(&call.reply);
    }
    struct http_call call = {.url = "http://user:hidden@127.0.0.1:1/p?q",
                             .reply = STRBUF_INIT(100)};
    assert_int_equal(http_call_run(&call), ERR_NETWORK);
    assert_memory_equal(call.err.text, "http://127.0.0.1:1/p: ", 22);
    strbuf_release(&call.reply);
}

static void many_calls_run_at_the_same_time(void **state)
{
    enum { COUNT = 6 };
    struct http_call calls[COUNT];
    char urls[COUNT][64];
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        snprintf(urls[i], sizeof(urls[i]), "http://127.0.0.1:%d%s",
                 i == 2 ? 1 : http_server_port(server), i == 3 ? "/late" : "/echo");
        calls[i] = (struct http_call){.url = urls[i], .reply = STRBUF_INIT(1000)};
    }
    for (int round = 0; round < 3; round++) {
        http_call_run_all(calls, COUNT);
        for (int i = 0; i < COUNT; i++) {
            assert_int_equal(calls[i].rc, i == 2 ? ERR_NETWORK : 0);
            assert_int_equal(calls[i].status, i == 2 ? 0 : 200);
        }
    }
    for (int i = 0; i < COUNT; i++)
        strbuf_release(&calls[i].reply);
}

static void a_port_in_use_or_a_bad_address_is_said(void **state)
{
    struct http_server *second = NULL;
    struct err err = {0};
    struct http_server_options options = {.port = http_server_port(server)};
    (void)state;

    assert_int_equal(http_server_open(&options, routes, NULL, &second, &err), ERR_SYSTEM);
    assert_non_null(strstr(err.text, "Address already in use"));
    options.bind = "no.such.host.invalid";
    assert_int_equal(http_server_open(&options, routes, NULL, &second, &err), ERR_CONFIG);
    assert_non_null(strstr(err.text, "no.such.host.invalid"));
    options = (struct http_server_options){.tls_cert = "/nonexistent", .tls_key = "/nonexistent"};
    assert_int_equal(http_server_open(&options, routes, NULL, &second, &err), ERR_NOT_FOUND);
    assert_null(second);
    http_server_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_reach_the_handler_of_their_route),
        cmocka_unit_test(unknown_paths_and_methods_are_answered_as_json),
        cmocka_unit_test(an_error_keeps_its_sentence_whatever_its_bytes),
        cmocka_unit_test(a_token_guards_its_prefix_only),
        cmocka_unit_test(bodies_above_the_ceiling_are_refused_and_never_handled),
        cmocka_unit_test(form_fields_of_both_kinds_are_given),
        cmocka_unit_test(odd_input_does_not_disturb_the_server),
        cmocka_unit_test(long_heads_are_refused),
        cmocka_unit_test(a_client_that_dribbles_its_head_is_ended),
        cmocka_unit_test(a_chunked_body_above_the_ceiling_is_refused),
        cmocka_unit_test(head_gives_the_length_and_no_body),
        cmocka_unit_test(a_call_has_a_ceiling_and_a_deadline),
        cmocka_unit_test(calls_that_get_no_answer_say_why),
        cmocka_unit_test(many_calls_run_at_the_same_time),
        cmocka_unit_test(a_port_in_use_or_a_bad_address_is_said),
    };
    return cmocka_run_group_tests(tests, open_server, close_server);
}
