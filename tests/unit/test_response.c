/* test_response.c -- the answer parser, whole and in every cut. */
#include "tests/unit/unit.h"

#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/strbuf.h"
#include "common/base/xalloc.h"
#include "driver/http1/response.h"

#include <stdlib.h>
#include <string.h>

struct outcome {
    enum response_event event;
    int status;
    bool keep_alive;
    char body[256];
    size_t body_len;
    size_t rest; /* input not used */
};

/* Feeds text in pieces of `step` bytes; ends with a close when `closes`. */
static struct outcome feed(const char *text, size_t len, size_t step, bool no_body, bool closes)
{
    struct outcome outcome = {.event = RESPONSE_EVENT_MORE};
    struct response response = {0};
    struct span piece;
    response_begin(&response, no_body);
    for (size_t at = 0;
         at < len && outcome.event != RESPONSE_EVENT_DONE && outcome.event != RESPONSE_EVENT_BAD;
         at += step) {
        size_t n = MIN(step, len - at);
        char *copy = xmalloc(n); /* so that a read beyond it is seen */
        memcpy(copy, text + at, n);
        struct span input = {copy, n};
        do {
            outcome.event = response_feed(&response, &input, &piece);
            if (outcome.event == RESPONSE_EVENT_BODY) {
                assert_true(outcome.body_len + piece.len <= sizeof(outcome.body));
                memcpy(outcome.body + outcome.body_len, piece.data, piece.len);
                outcome.body_len += piece.len;
            }
        } while (outcome.event == RESPONSE_EVENT_HEAD || outcome.event == RESPONSE_EVENT_BODY);
        outcome.rest = input.len + (len - at - n);
        free(copy);
    }
    if (closes && outcome.event == RESPONSE_EVENT_MORE)
        outcome.event = response_close(&response);
    outcome.status = response.status;
    outcome.keep_alive = response.keep_alive;
    response_release(&response);
    return outcome;
}

static void answers_are_the_same_in_every_cut(void **state)
{
    static const struct {
        const char *text;
        int status;
        const char *body;
        bool keep_alive, no_body, closes;
    } cases[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", true, false, false},
        {"HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n", 200, "", true, false, false},
        {"HTTP/1.1 204 No Content\r\nX: y\r\n\r\n", 204, "", true, false, false},
        {"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n", 304, "", true, false, false},
        {"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", 200, "", true, true, false},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok", 201,
         "ok", true, false, false},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: "
         "chunked\r\n\r\n5;a=b\r\nhello\r\nA\r\n0123456789\r\n"
         "0\r\nTrailer: x\r\n\r\n",
         200, "hello0123456789", true, false, false},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\nConnection: close\r\n\r\n0\r\n\r\n", 200,
         "", false, false, false},
        {"HTTP/1.0 200 OK\r\n\r\nall until close", 200, "all until close", false, false, true},
        {"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx", 200, "x", true,
         false, false},
        {"HTTP/1.1 503 Slow Down\r\nConnection: foo, close\r\nContent-Length: 3\r\n\r\nbad", 503,
         "bad", false, false, false},
        {"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", 200, "x", true, false, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t len = strlen(cases[i].text);
        for (size_t step = 1; step <= len; step++) {
            struct outcome outcome =
                feed(cases[i].text, len, step, cases[i].no_body, cases[i].closes);
            assert_int_equal(outcome.event, RESPONSE_EVENT_DONE);
            assert_int_equal(outcome.status, cases[i].status);
            assert_int_equal(outcome.keep_alive, cases[i].keep_alive);
            assert_int_equal(outcome.body_len, strlen(cases[i].body));
            assert_memory_equal(outcome.body, cases[i].body, outcome.body_len);
            assert_int_equal(outcome.rest, 0);
        }
    }
}

static void what_is_not_http_is_refused_in_every_cut(void **state)
{
    static const char *const texts[] = {
        "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloXX",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n;\r\n",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        size_t len = strlen(texts[i]);
        for (size_t step = 1; step <= len; step++)
            assert_int_equal(feed(texts[i], len, step, false, true).event, RESPONSE_EVENT_BAD);
    }
}

static void a_torn_body_is_not_a_complete_answer(void **state)
{
    static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel";
    (void)state;
    assert_int_equal(feed(text, sizeof(text) - 1, 7, false, true).event, RESPONSE_EVENT_BAD);
}

static void what_follows_an_answer_is_left_alone(void **state)
{
    static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 500";
    (void)state;
    struct outcome outcome = feed(text, sizeof(text) - 1, sizeof(text), false, false);
    assert_int_equal(outcome.event, RESPONSE_EVENT_DONE);
    assert_int_equal(outcome.rest, 12);
}

static void an_endless_head_is_refused_at_the_ceiling(void **state)
{
    AUTO(strbuf_release) struct strbuf text = STRBUF_INIT(1 << 20);
    (void)state;
    strbuf_adds(&text, "HTTP/1.1 200 OK\r\n");
    while (text.len < 2 * HTTP_HEAD_MAX_BYTES)
        strbuf_adds(&text, "X-Filler: 0123456789012345678901234567890123456789\r\n");
    assert_int_equal(feed(text.buf, text.len, 1000, false, false).event, RESPONSE_EVENT_BAD);
    assert_int_equal(feed(text.buf, text.len, text.len, false, false).event, RESPONSE_EVENT_BAD);
}

static void skipped_bytes_count_as_body(void **state)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
    struct response response = {0};
    struct span input = {head, sizeof(head) - 1};
    struct span piece;
    (void)state;
    response_begin(&response, false);
    assert_int_equal(response_skippable(&response), 0);
    assert_int_equal(response_feed(&response, &input, &piece), RESPONSE_EVENT_HEAD);
    assert_int_equal(response_skippable(&response), 1000);
    assert_int_equal(response_skip(&response, 400), RESPONSE_EVENT_MORE);
    assert_int_equal(response_skip(&response, 600), RESPONSE_EVENT_DONE);
    assert_int_equal(response.body_bytes, 1000);
    response_release(&response);
}

static void header_fields_are_found_whatever_their_case(void **state)
{
    static const char text[] =
        "HTTP/1.1 301 Moved\r\nX-Amz-Bucket-Region:  eu-west-1 \r\nA: b\r\n\r\n";
    struct span head = {text, sizeof(text) - 1};
    struct span value;
    (void)state;
    assert_true(response_header(head, "x-amz-bucket-region", &value));
    assert_int_equal(value.len, 9);
    assert_memory_equal(value.data, "eu-west-1", 9);
    assert_true(response_header(head, "a", &value));
    assert_false(response_header(head, "x-amz-bucket", &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_same_in_every_cut),
        cmocka_unit_test(what_is_not_http_is_refused_in_every_cut),
        cmocka_unit_test(a_torn_body_is_not_a_complete_answer),
        cmocka_unit_test(what_follows_an_answer_is_left_alone),
        cmocka_unit_test(an_endless_head_is_refused_at_the_ceiling),
        cmocka_unit_test(skipped_bytes_count_as_body),
        cmocka_unit_test(header_fields_are_found_whatever_their_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
