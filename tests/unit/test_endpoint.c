/* test_endpoint.c -- endpoint URLs, percent-encoding, addresses. */
#include "tests/unit/unit.h"

#include "common/base/scope.h"
#include "driver/http1/request.h"
#include "driver/http1/resolve.h"

#include <string.h>

static void endpoints_are_read_with_their_default_ports(void **state)
{
    static const struct {
        const char *url, *host, *header;
        int port;
        bool tls;
    } cases[] = {
        {"http://localhost:9000", "localhost", "localhost:9000", 9000, false},
        {"http://s3.example.com/", "s3.example.com", "s3.example.com", 80, false},
        {"HTTPS://s3.example.com", "s3.example.com", "s3.example.com", 443, true},
        {"https://10.1.2.3:443/", "10.1.2.3", "10.1.2.3", 443, true},
        {"http://[::1]:7480", "::1", "[::1]:7480", 7480, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct endpoint endpoint;
        struct err err = {0};
        char header[300];
        assert_int_equal(endpoint_parse(cases[i].url, &endpoint, &err), 0);
        assert_string_equal(endpoint.host, cases[i].host);
        assert_int_equal(endpoint.port, cases[i].port);
        assert_int_equal(endpoint.tls, cases[i].tls);
        endpoint_format_host(&endpoint, header, sizeof(header));
        assert_string_equal(header, cases[i].header);
    }
}

static void what_is_no_endpoint_is_refused_by_name(void **state)
{
    static const char *const urls[] = {
        "",
        "localhost:9000",
        "ftp://x",
        "http://",
        "http://:80",
        "http://x:0",
        "http://x:70000",
        "http://x:",
        "http://x:80/path",
        "http://x?y",
        "http://[::1",
        "http://[::1]80",
        "http://u@h/",
        "http://x:8 0",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
        struct endpoint endpoint;
        struct err err = {0};
        assert_int_equal(endpoint_parse(urls[i], &endpoint, &err), ERR_CONFIG);
        assert_non_null(strstr(err.text, "expected http://HOST"));
    }
}

static void names_are_encoded_as_aws_signs_them(void **state)
{
    char out[64];
    struct writer writer = {.at = out, .end = out + sizeof(out)};
    (void)state;
    write_encoded(&writer, "a b/c+d~\xc3\xbc", 10, true);
    assert_int_equal(writer.at - out, 18);
    assert_memory_equal(out, "a%20b/c%2Bd~%C3%BC", 18);
    writer.at = out;
    write_encoded(&writer, "a/b", 3, false);
    assert_memory_equal(out, "a%2Fb", 5);
}

static void a_full_buffer_is_told_not_overrun(void **state)
{
    char out[8];
    struct writer writer = {.at = out, .end = out + sizeof(out)};
    (void)state;
    write_number(&writer, 1234567);
    assert_false(writer.full);
    write_literal(&writer, "xy");
    assert_true(writer.full);
    assert_int_equal(writer.at - out, 7);
}

static void an_unknown_host_is_an_error_that_names_it(void **state)
{
    struct addresses addresses = {0};
    struct err err = {0};
    (void)state;
    assert_int_equal(resolve("127.0.0.1", 80, &addresses, &err), 0);
    assert_int_equal(addresses.list.len, 1);
    vec_release(&addresses.list);
    assert_int_equal(resolve("no-such-host.invalid", 80, &addresses, &err), ERR_NETWORK);
    assert_non_null(strstr(err.text, "no-such-host.invalid"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endpoints_are_read_with_their_default_ports),
        cmocka_unit_test(what_is_no_endpoint_is_refused_by_name),
        cmocka_unit_test(names_are_encoded_as_aws_signs_them),
        cmocka_unit_test(a_full_buffer_is_told_not_overrun),
        cmocka_unit_test(an_unknown_host_is_an_error_that_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
