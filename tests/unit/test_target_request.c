/* test_target_request.c -- the target's parser of request heads, and of what stands in a target. */
#include "tests/unit/unit.h"

#include "common/base/scope.h"
#include "driver/target/http_request.h"
#include "driver/target/query.h"
#include "driver/target/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parses from a heap copy of exactly that length, so that a read beyond it is seen. */
static int parse(const char *text, struct http_request *req, char **ret_copy)
{
    size_t len = strlen(text);
    char *copy = malloc(len);
    memcpy(copy, text, len);
    *ret_copy = copy;
    return http_request_parse(copy, len, req);
}

static void a_whole_head_is_understood(void **state)
{
    struct http_request req;
    char *copy = NULL;
    (void)state;
    assert_int_equal(parse("PUT /b/a%20b?x=1&y HTTP/1.1\r\nHOST: h:80\r\nContent-Length:  12 \r\n"
                           "x-amz-meta-a:\r\nExpect: 100-Continue\r\n\r\n",
                           &req, &copy),
                     0);
    assert_int_equal(req.method, HTTP_PUT);
    assert_true(slice_is(req.path, SLICE("/b/a%20b")));
    assert_true(slice_is(req.query, SLICE("x=1&y")));
    assert_int_equal(req.content_length, 12);
    assert_true(req.keep_alive);
    assert_true(req.expect_continue);
    assert_true(slice_is(req.known[KNOWN_HOST], SLICE("h:80")));
    struct slice empty = http_request_field(&req, SLICE("X-Amz-Meta-A"));
    assert_non_null(empty.p);
    assert_int_equal(empty.len, 0);
    assert_null(http_request_field(&req, SLICE("x-amz-meta-b")).p);
    free(copy);
}

static void the_peer_decides_about_the_connection(void **state)
{
    static const struct {
        const char *text;
        bool keep;
    } cases[] = {
        {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", true},
        {"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", false},
        {"GET / HTTP/1.1\r\nHost: h\r\nConnection: te, Close\r\n\r\n", false},
        {"GET / HTTP/1.0\r\n\r\n", false},
        {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct http_request req;
        char *copy = NULL;
        assert_int_equal(parse(cases[i].text, &req, &copy), 0);
        assert_int_equal(req.keep_alive, cases[i].keep);
        free(copy);
    }
}

static void malformed_heads_are_refused_with_a_status(void **state)
{
    static const struct {
        const char *text;
        int status;
    } cases[] = {
        {"\r\n\r\n", 400},
        {"GET\r\n\r\n", 400},
        {"GET /\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n\r\n", 400}, /* no Host */
        {"GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"GET / HTTP/1.1 \r\nHost: h\r\n\r\n", 400},
        {"GET nowhere HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"GET http://h HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505},
        {"GET / HTTP/1.2\r\nHost: h\r\n\r\n", 505},
        {"G(T / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"GET / HTTP/1.1\nHost: h\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost h\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n: h\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost: h\x01\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost: h\ri\r\n\r\n", 400},
        {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400},
        {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1x\r\n\r\n", 400},
        {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999999999999999\r\n\r\n", 400},
        {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
        {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
         400},
        {"PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {"PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct http_request req;
        char *copy = NULL;
        int status = parse(cases[i].text, &req, &copy);
        if (status != cases[i].status)
            fail_msg("case %zu: %d instead of %d", i, status, cases[i].status);
        free(copy);
    }
}

static void too_many_fields_are_431(void **state)
{
    char text[32 + 6 * (REQUEST_FIELDS_MAX + 1)];
    struct http_request req;
    char *copy = NULL;
    (void)state;
    size_t len = (size_t)snprintf(text, sizeof(text), "GET / HTTP/1.0\r\n");
    for (int i = 0; i <= REQUEST_FIELDS_MAX; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "a: b\r\n");
    snprintf(text + len, sizeof(text) - len, "\r\n");
    assert_int_equal(parse(text, &req, &copy), 431);
    free(copy);
}

static void the_end_of_a_head_is_found_wherever_it_is_cut(void **state)
{
    static const char text[] = "GET / HTTP/1.1\r\nHost: h\r\n\r\nGET";
    size_t head_len = sizeof(text) - 4;
    (void)state;
    for (size_t cut = 0; cut <= head_len; cut++) {
        size_t scanned = 0;
        size_t first = http_request_head_length(text, cut, &scanned);
        assert_int_equal(first, cut == head_len ? head_len : 0);
        if (!first)
            first = http_request_head_length(text, sizeof(text) - 1, &scanned);
        assert_int_equal(first, head_len);
    }
}

static void absolute_targets_lose_scheme_and_host(void **state)
{
    struct http_request req;
    char *copy = NULL;
    (void)state;
    assert_int_equal(parse("GET http://h:1/b/k?q HTTP/1.1\r\nHost: h\r\n\r\n", &req, &copy), 0);
    assert_true(slice_is(req.path, SLICE("/b/k")));
    assert_true(slice_is(req.query, SLICE("q")));
    free(copy);
}

static void query_parameters_are_decoded(void **state)
{
    static const char text[] = "a=1&b%20c=%2F%c3%bc&uploads&=x&&d=e=f+g";
    char buf[sizeof(text)];
    struct query query;
    (void)state;
    assert_int_equal(query_parse(slice_of(text), buf, &query), 0);
    assert_int_equal(query.count, 5);
    assert_true(slice_is(query_get(&query, SLICE("b c")), SLICE("/\xc3\xbc")));
    assert_true(query_has(&query, SLICE("uploads")));
    assert_int_equal(query_get(&query, SLICE("uploads")).len, 0);
    assert_true(slice_is(query_get(&query, SLICE("d")), SLICE("e=f g")));
    assert_false(query_has(&query, SLICE("e")));
    assert_int_equal(query_parse(SLICE("a=%4"), buf, &query), -1);
    assert_int_equal(query_parse(SLICE("a=%zz"), buf, &query), -1);
}

static void encoding_keeps_the_unreserved_only(void **state)
{
    char out[64];
    (void)state;
    struct slice text = SLICE("aZ09-._~/ +%\xff");
    char *end = percent_encode(text, true, out);
    assert_true(slice_is((struct slice){out, (size_t)(end - out)}, SLICE("aZ09-._~/%20%2B%25%FF")));
    end = percent_encode(SLICE("/"), false, out);
    assert_true(slice_is((struct slice){out, (size_t)(end - out)}, SLICE("%2F")));
}

static void utf8_is_told_from_other_bytes(void **state)
{
    static const struct slice good[] = {SLICE(""), SLICE("a"), SLICE("\xc3\xbc\xe2\x82\xac"),
                                        SLICE("\xf0\x9f\x98\x80"), SLICE("\xf4\x8f\xbf\xbf")};
    static const struct slice bad[] = {SLICE("\x80"),         SLICE("\xc3"),
                                       SLICE("\xc0\xaf"),     SLICE("\xe0\x80\x80"),
                                       SLICE("\xed\xa0\x80"), SLICE("\xf4\x90\x80\x80"),
                                       SLICE("\xff"),         SLICE("a\xe2\x82")};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        assert_true(utf8_is_valid(good[i]));
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(utf8_is_valid(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_head_is_understood),
        cmocka_unit_test(the_peer_decides_about_the_connection),
        cmocka_unit_test(malformed_heads_are_refused_with_a_status),
        cmocka_unit_test(too_many_fields_are_431),
        cmocka_unit_test(the_end_of_a_head_is_found_wherever_it_is_cut),
        cmocka_unit_test(absolute_targets_lose_scheme_and_host),
        cmocka_unit_test(query_parameters_are_decoded),
        cmocka_unit_test(encoding_keeps_the_unreserved_only),
        cmocka_unit_test(utf8_is_told_from_other_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
