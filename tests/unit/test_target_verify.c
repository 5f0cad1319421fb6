/* test_target_verify.c -- the target's signature checks against the examples that the Amazon S3 API
 * Reference and user guide publish ("Signature calculations for the Authorization header", for a
 * single chunk and for multiple chunks; "Authenticating requests: using query parameters";
 * "Signing and authenticating REST requests"). */
#include "tests/unit/unit.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "driver/target/aws_chunks.h"
#include "driver/target/time_text.h"

#include <stdlib.h>
#include <string.h>

#define ACCESS "AKIAIOSFODNN7EXAMPLE"
#define SECRET "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
#define EMPTY  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define V4                                                                                         \
    "Authorization: AWS4-HMAC-SHA256 Credential=" ACCESS "/20130524/us-east-1/s3/aws4_request"
#define HOST "Host: examplebucket.s3.amazonaws.com\r\n"
#define DATE "x-amz-date: 20130524T000000Z\r\n"
#define NOON INT64_C(1369353600) /* 20130524T000000Z */

static const struct user users[] = {{SLICE(ACCESS), SLICE(SECRET)}};

/* Everything one check needs; the verdict points into it. */
struct check {
    struct verify_policy policy;
    struct verifier verifier;
    struct http_request req;
    struct query query;
    char query_text[2048];
    struct verdict verdict;
};

static struct check *check_new(void)
{
    struct check *check = xcalloc(1, sizeof(*check));
    check->policy = (struct verify_policy){.users = users, .user_count = 1};
    verifier_init(&check->verifier, &check->policy);
    return check;
}

static void check_free(struct check *check)
{
    verifier_release(&check->verifier);
    free(check);
}

static enum s3_error check_at(struct check *check, const char *head, const char *bucket,
                              int64_t now_s)
{
    check->query.count = 0;
    assert_int_equal(http_request_parse(head, strlen(head), &check->req), 0);
    assert_int_equal(query_parse(check->req.query, check->query_text, &check->query), 0);
    return verify_request(&check->verifier, &check->req, &check->query, slice_of(bucket), now_s,
                          &check->verdict);
}

static const char get_object[] =
    "GET /test.txt HTTP/1.1\r\n" HOST "Range: bytes=0-9\r\nx-amz-content-sha256: " EMPTY
    "\r\n" DATE V4 ",SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
    "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41\r\n\r\n";

static void published_v4_examples_are_accepted(void **state)
{
    static const char *const heads[] = {
        get_object,
        "PUT /test$file.text HTTP/1.1\r\n" HOST "Date: Fri, 24 May 2013 00:00:00 GMT\r\n" DATE
        "x-amz-storage-class: REDUCED_REDUNDANCY\r\nx-amz-content-sha256: "
        "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072\r\n" V4
        ",SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,"
        "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd\r\n\r\n",
        "GET /?lifecycle HTTP/1.1\r\n" HOST DATE "x-amz-content-sha256: " EMPTY "\r\n" V4
        ",SignedHeaders=host;x-amz-content-sha256;x-amz-date,"
        "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543\r\n\r\n",
        "GET /?max-keys=2&prefix=J HTTP/1.1\r\n" HOST DATE "x-amz-content-sha256: " EMPTY "\r\n" V4
        ",SignedHeaders=host;x-amz-content-sha256;x-amz-date,"
        "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7\r\n\r\n",
        "GET /test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" ACCESS
        "%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&"
        "X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature="
        "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404 HTTP/1.1\r\n" HOST "\r\n",
    };
    struct check *check = check_new();
    (void)state;
    for (int round = 0; round < 2; round++) { /* the second with a cached key */
        for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
            assert_int_equal(check_at(check, heads[i], "", NOON), S3_OK);
            assert_ptr_equal(check->verdict.user, &users[0]);
        }
    }
    check_free(check);
}

/* get_object with the first `from` replaced. */
static char *altered(const char *from, const char *to)
{
    const char *at = strstr(get_object, from);
    assert_non_null(at);
    return xasprintf("%.*s%s%s", (int)(at - get_object), get_object, to, at + strlen(from));
}

static void any_change_of_what_is_signed_is_noticed(void **state)
{
    static const struct {
        const char *from, *to;
        enum s3_error error;
    } cases[] = {
        {"GET", "HEAD", S3_SIGNATURE_MISMATCH},
        {"/test.txt", "/test.tx", S3_SIGNATURE_MISMATCH},
        {"/test.txt", "/test.txt?a", S3_SIGNATURE_MISMATCH},
        {"bytes=0-9", "bytes=0-8", S3_SIGNATURE_MISMATCH},
        {"examplebucket.s3", "otherbucket.s3", S3_SIGNATURE_MISMATCH},
        {"e3b0c442", "e3b0c443", S3_SIGNATURE_MISMATCH},
        {"e3b0c442", "xxxxxxxx", S3_INVALID_ARGUMENT},
        {"20130524T000000Z", "20130524T000001Z", S3_SIGNATURE_MISMATCH},
        {"20130524T000000Z", "20130523T235900Z", S3_AUTHORIZATION_MALFORMED},
        {"20130524T000000Z", "yesterday", S3_ACCESS_DENIED},
        {"us-east-1", "us-east-2", S3_SIGNATURE_MISMATCH},
        {"/s3/", "/ec2/", S3_AUTHORIZATION_MALFORMED},
        {"Credential=" ACCESS, "Credential=nobody", S3_INVALID_ACCESS_KEY},
        {"f0e8bdb8", "f0e8bdb9", S3_SIGNATURE_MISMATCH},
        {"f0e8bdb8", "", S3_SIGNATURE_MISMATCH},
        {"SignedHeaders=host;range", "SignedHeaders=range", S3_SIGNATURE_MISMATCH},
        {"SignedHeaders=host;", "SignedHeaders=host;absent;", S3_SIGNATURE_MISMATCH},
        {",Signature", ",Signatura", S3_AUTHORIZATION_MALFORMED},
        {"AWS4-HMAC-SHA256", "Basic", S3_AUTHORIZATION_MALFORMED},
        {"Authorization", "X-Other", S3_ACCESS_DENIED},
        {"x-amz-content-sha256: ", "x-amz-other: ", S3_MISSING_SHA256},
    };
    struct check *check = check_new();
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(freep) char *head = altered(cases[i].from, cases[i].to);
        enum s3_error error = check_at(check, head, "", NOON);
        if (error != cases[i].error)
            fail_msg("case %zu: %s", i, s3_error_info(error)->code);
        assert_null(check->verdict.user);
    }
    check_free(check);
}

static void clocks_may_differ_by_a_quarter_of_an_hour(void **state)
{
    struct check *check = check_new();
    (void)state;
    assert_int_equal(check_at(check, get_object, "", NOON + 900), S3_OK);
    assert_int_equal(check_at(check, get_object, "", NOON - 900), S3_OK);
    assert_int_equal(check_at(check, get_object, "", NOON + 901), S3_TIME_SKEWED);
    assert_int_equal(check_at(check, get_object, "", NOON - 901), S3_TIME_SKEWED);
    check_free(check);
}

static void a_region_can_be_demanded(void **state)
{
    struct check *check = check_new();
    (void)state;
    check->policy.region = SLICE("us-east-1");
    assert_int_equal(check_at(check, get_object, "", NOON), S3_OK);
    check->policy.region = SLICE("eu-west-1");
    assert_int_equal(check_at(check, get_object, "", NOON), S3_AUTHORIZATION_MALFORMED);
    check_free(check);
}

static void the_published_v2_example_is_accepted(void **state)
{
    static const char head[] = "GET /photos/puppy.jpg HTTP/1.1\r\n"
                               "Host: awsexamplebucket1.us-west-1.s3.amazonaws.com\r\n"
                               "Date: Tue, 27 Mar 2007 19:36:42 +0000\r\n"
                               "Authorization: AWS " ACCESS ":qgk2+6Sv9/oM7G3qLEjTH1a1l1g=\r\n\r\n";
    int64_t now_s = time_parse_http(SLICE("Tue, 27 Mar 2007 19:36:42 GMT"));
    struct check *check = check_new();
    (void)state;
    assert_int_equal(check_at(check, head, "awsexamplebucket1", now_s), S3_OK);
    assert_int_equal(check_at(check, head, "awsexamplebucket2", now_s), S3_SIGNATURE_MISMATCH);
    assert_int_equal(check_at(check, head, "awsexamplebucket1", now_s + 1000), S3_TIME_SKEWED);
    check_free(check);
}

static const char chunked_head[] =
    "PUT /examplebucket/chunkObject.txt HTTP/1.1\r\nHost: s3.amazonaws.com\r\n" DATE
    "x-amz-storage-class: REDUCED_REDUNDANCY\r\nContent-Encoding: aws-chunked\r\n"
    "x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\r\n"
    "x-amz-decoded-content-length: 66560\r\nContent-Length: 66824\r\n" V4
    ",SignedHeaders=content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;"
    "x-amz-decoded-content-length;x-amz-storage-class,"
    "Signature=4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9\r\n\r\n";

/* The example's body: 65,536 and 1,024 letters a, each chunk signed. */
static char *chunked_body(size_t *ret_len)
{
    static const struct {
        size_t size;
        const char *head;
    } chunks[] = {
        {65536, "10000;chunk-signature="
                "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n"},
        {1024, "400;chunk-signature="
               "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n"},
        {0, "0;chunk-signature="
            "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n"},
    };
    char *body = xmalloc(66824);
    size_t len = 0;
    for (size_t i = 0; i < ARRAY_LEN(chunks); i++) {
        memcpy(body + len, chunks[i].head, strlen(chunks[i].head));
        len += strlen(chunks[i].head);
        memset(body + len, 'a', chunks[i].size);
        len += chunks[i].size;
        memcpy(body + len, "\r\n", 2);
        len += 2;
    }
    *ret_len = len;
    return body;
}

/* Feeds the body in steps; counts content bytes. */
static enum s3_error feed(struct aws_chunks *chunks, const char *body, size_t len, size_t step,
                          size_t *ret_content)
{
    enum s3_error error = S3_OK;
    *ret_content = 0;
    for (size_t at = 0; at < len && !error; at += step) {
        struct slice input = {body + at, MIN(step, len - at)};
        struct slice content;
        while (input.len && !error) {
            error = aws_chunks_next(chunks, &input, &content);
            *ret_content += content.len;
        }
    }
    return error;
}

static void the_published_chunks_are_accepted_however_they_arrive(void **state)
{
    static const size_t steps[] = {1, 2, 7, 85, 1000, 65536, 66824};
    struct check *check = check_new();
    struct aws_chunks *chunks = xmalloc(sizeof(*chunks));
    size_t len, content;
    AUTO(freep) char *body = chunked_body(&len);
    (void)state;
    assert_int_equal(len, 66824);
    assert_int_equal(check_at(check, chunked_head, "", NOON), S3_OK);
    assert_int_equal(check->verdict.payload, PAYLOAD_CHUNKS_SIGNED);
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        aws_chunks_init(chunks, &check->verdict);
        assert_int_equal(feed(chunks, body, len, steps[i], &content), S3_OK);
        assert_int_equal(content, 66560);
        assert_true(aws_chunks_done(chunks));
    }
    free(chunks);
    check_free(check);
}

static void a_changed_chunk_is_noticed(void **state)
{
    static const struct {
        size_t at;
        char to;
        enum s3_error error;
    } cases[] = {
        {1000, 'b', S3_SIGNATURE_MISMATCH},  /* content of the first */
        {66500, 'b', S3_SIGNATURE_MISMATCH}, /* content of the second */
        {30, '0', S3_SIGNATURE_MISMATCH},    /* a signature */
        {0, 'g', S3_INCOMPLETE_BODY},        /* a size */
        {65625, 'x', S3_INCOMPLETE_BODY},    /* the CRLF after the first */
    };
    struct check *check = check_new();
    struct aws_chunks *chunks = xmalloc(sizeof(*chunks));
    size_t len, content;
    (void)state;
    assert_int_equal(check_at(check, chunked_head, "", NOON), S3_OK);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(freep) char *body = chunked_body(&len);
        body[cases[i].at] = cases[i].to;
        aws_chunks_init(chunks, &check->verdict);
        enum s3_error error = feed(chunks, body, len, 1000, &content);
        if (error != cases[i].error)
            fail_msg("case %zu: %s", i, s3_error_info(error)->code);
    }
    free(chunks);
    check_free(check);
}

static void trailers_are_read_and_only_where_announced(void **state)
{
    static const char body[] = "3\r\nabc\r\n0\r\nX-Amz-Checksum-CRC32: NSRBwg==\r\n\r\n";
    struct verdict verdict = {.payload = PAYLOAD_CHUNKS, .payload_trailer = true};
    struct aws_chunks *chunks = xmalloc(sizeof(*chunks));
    size_t content;
    (void)state;
    for (size_t step = 1; step < sizeof(body); step++) {
        aws_chunks_init(chunks, &verdict);
        assert_int_equal(feed(chunks, body, sizeof(body) - 1, step, &content), S3_OK);
        assert_true(aws_chunks_done(chunks));
        assert_true(
            slice_is(aws_chunks_trailer(chunks, SLICE("x-amz-checksum-crc32")), SLICE("NSRBwg==")));
    }
    verdict.payload_trailer = false;
    aws_chunks_init(chunks, &verdict);
    assert_int_equal(feed(chunks, body, sizeof(body) - 1, 9, &content), S3_INCOMPLETE_BODY);
    free(chunks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_v4_examples_are_accepted),
        cmocka_unit_test(any_change_of_what_is_signed_is_noticed),
        cmocka_unit_test(clocks_may_differ_by_a_quarter_of_an_hour),
        cmocka_unit_test(a_region_can_be_demanded),
        cmocka_unit_test(the_published_v2_example_is_accepted),
        cmocka_unit_test(the_published_chunks_are_accepted_however_they_arrive),
        cmocka_unit_test(a_changed_chunk_is_noticed),
        cmocka_unit_test(trailers_are_read_and_only_where_announced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
