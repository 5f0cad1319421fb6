/* test_sigv4.c -- the examples that the Amazon S3 API Reference publishes ("Signature Calculations
 * for the Authorization Header: Transferring Payload in a Single Chunk") and RFC-like cases of our
 * own. */
#include "tests/unit/unit.h"

#include "common/base/xalloc.h"
#include "driver/auth/sigv2.h"
#include "driver/auth/sigv4.h"

#include <string.h>

#define ACCESS_KEY  "AKIAIOSFODNN7EXAMPLE"
#define SECRET_KEY  "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
#define MAY_24_2013 INT64_C(1369353600) /* 20130524T000000Z */

static void signatures_are_those_of_the_s3_reference(void **state)
{
    static const char get_object[] =
        "GET\n/test.txt\n\nhost:examplebucket.s3.amazonaws.com\nrange:bytes=0-9\n"
        "x-amz-content-sha256:" SIGV4_EMPTY_HASH "\nx-amz-date:20130524T000000Z\n\n"
        "host;range;x-amz-content-sha256;x-amz-date\n" SIGV4_EMPTY_HASH;
    struct sigv4 signer;
    char signature[65] = {0};
    (void)state;
    sigv4_init(&signer, ACCESS_KEY, SECRET_KEY, "us-east-1", "s3");
    sigv4_set_time(&signer, MAY_24_2013);
    sigv4_sign(&signer, get_object, sizeof(get_object) - 1, signature);
    assert_string_equal(signature,
                        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

static void headers_of_the_list_example_are_whole(void **state)
{
    static const char expected[] =
        "x-amz-content-sha256: " SIGV4_EMPTY_HASH "\r\nx-amz-date: 20130524T000000Z\r\n"
        "Authorization: AWS4-HMAC-SHA256 Credential=" ACCESS_KEY
        "/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
        "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7\r\n";
    struct sigv4 signer;
    char out[1024];
    char scratch[1024];
    struct writer writer = {.at = out, .end = out + sizeof(out)};
    const struct sigv4_request request = {
        .method = "GET",
        .path = {"/", 1},
        .query = {"max-keys=2&prefix=J", 19},
        .host = "examplebucket.s3.amazonaws.com",
        .payload_hash = SIGV4_EMPTY_HASH,
    };
    (void)state;
    sigv4_init(&signer, ACCESS_KEY, SECRET_KEY, "us-east-1", "s3");
    sigv4_set_time(&signer, MAY_24_2013);
    assert_true(sigv4_write_headers(&signer, &request, scratch, sizeof(scratch), &writer));
    assert_int_equal(writer.at - out, sizeof(expected) - 1);
    assert_memory_equal(out, expected, sizeof(expected) - 1);
}

static void the_key_changes_with_the_day_and_dates_with_the_second(void **state)
{
    struct sigv4 signer;
    char first[64], second[64], next_day[64];
    (void)state;
    sigv4_init(&signer, "k", "s", "r", "s3");
    sigv4_set_time(&signer, MAY_24_2013);
    sigv4_sign(&signer, "x", 1, first);
    sigv4_set_time(&signer, MAY_24_2013 + 1);
    sigv4_sign(&signer, "x", 1, second);
    assert_memory_equal(signer.date, "20130524T000001Z", 16);
    sigv4_set_time(&signer, MAY_24_2013 + 86400);
    sigv4_sign(&signer, "x", 1, next_day);
    assert_memory_equal(signer.scope, "20130525/r/s3/aws4_request", 26);
    assert_memory_not_equal(first, second, 64);
    assert_memory_not_equal(second, next_day, 64);
}

static void a_short_buffer_is_refused(void **state)
{
    struct sigv4 signer;
    char out[64];
    char scratch[1024];
    struct writer writer = {.at = out, .end = out + sizeof(out)};
    const struct sigv4_request request = {
        .method = "GET", .path = {"/", 1}, .host = "h", .payload_hash = SIGV4_UNSIGNED};
    (void)state;
    sigv4_init(&signer, "k", "s", "r", "s3");
    sigv4_set_time(&signer, MAY_24_2013);
    assert_false(sigv4_write_headers(&signer, &request, scratch, sizeof(scratch), &writer));
    writer.full = false;
    assert_false(sigv4_write_headers(&signer, &request, scratch, 40, &writer));
}

/* The "Object GET" request of the Amazon S3 Developer Guide; the value (with GMT for +0000) from
 * another HMAC-SHA1. */
static void version_2_signs_as_the_developer_guide_shows(void **state)
{
    char out[512];
    struct writer writer = {.at = out, .end = out + sizeof(out)};
    (void)state;
    sigv2_write_headers(ACCESS_KEY, SECRET_KEY, 1175024202 /* Tue, 27 Mar 2007 19:36:42 */, "GET",
                        "", "", "/johnsmith/photos/puppy.jpg", 27, &writer);
    *writer.at = '\0';
    assert_string_equal(out, "Date: Tue, 27 Mar 2007 19:36:42 GMT\r\nAuthorization: AWS " ACCESS_KEY
                             ":l5OyHwmFwM1eA82pf/bAJD+zbsk=\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures_are_those_of_the_s3_reference),
        cmocka_unit_test(headers_of_the_list_example_are_whole),
        cmocka_unit_test(the_key_changes_with_the_day_and_dates_with_the_second),
        cmocka_unit_test(a_short_buffer_is_refused),
        cmocka_unit_test(version_2_signs_as_the_developer_guide_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
