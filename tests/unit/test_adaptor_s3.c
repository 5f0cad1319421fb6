/* test_adaptor_s3.c -- keys of the s3 storage and the rules between them. */
#include "tests/unit/unit.h"

#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/catalog/adaptors.h"

#include <string.h>

static void names_of_other_s3_clients_are_s3(void **state)
{
    static const char *const names[] = {"s3",  "S3",    "sio",  "siov1",  "gdas",
                                        "ess", "essv2", "s3v2", "abcstor"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        assert_string_equal(adaptor_info_find(names[i])->name, "s3");
    assert_null(adaptor_info_find("manta"));
    assert_null(adaptor_info_find("swift"));
    assert_string_equal(auth_info_find("none")->name, "none");
    assert_null(auth_info_find("keystone"));
}

static void settings_of_living_files_are_read(void **state)
{
    AUTO(config_release) struct config config = {{0}};
    struct s3_conf conf = {0};
    (void)state;
    assert_int_equal(
        config_parse("accesskey=AK;secretkey=s/w+o==;endpoint=http://h:7480; "
                     "path_style_access=true;timeout=999999;signer_version=V4;aws_region=eu-1;"
                     "no_verify_ssl=true;storage_class=STANDARD;part_size=5242880;"
                     "max_connections=50;proxyhost=;proxyport=;logging=false",
                     &config, NULL, NULL, 0, NULL),
        0);
    assert_int_equal(keys_load(s3_keys, &config, &conf, NULL), 0);
    assert_string_equal(conf.secretkey, "s/w+o==");
    assert_true(conf.path_style);
    assert_int_equal(conf.timeout_ns, 999999 * MS);
    assert_int_equal(conf.signature, S3_SIGNATURE_V4);
    assert_string_equal(conf.region, "eu-1");
    assert_true(conf.no_verify_ssl && conf.ssl_verify);
    assert_string_equal(conf.storage_class, "STANDARD");
    assert_int_equal(conf.proxyport, 0);
    assert_int_equal(conf.max_keys, 1000);
    keys_release(s3_keys, &conf);
}

static void endpoints_are_http_or_https_with_a_host(void **state)
{
    static const char *const good[] = {
        "http://127.0.0.1:9000", "http://127.0.0.1:9000/", "https://s3.example.com",
        "HTTP://Host_1.local:1", "http://[::1]:8080/",     "https://s3.amazonaws.com/",
    };
    static const char *const bad[] = {
        "",
        "127.0.0.1:9000",
        "ftp://host",
        "http://",
        "http:///",
        "http://:80",
        "http://host:0",
        "http://host:65536",
        "http://host:99999999999",
        "http://host:",
        "http://host:8o",
        "http://host/path",
        "http://host?x=1",
        "http://ho st",
        "http://[::1",
        "http://[]:1",
        "http://<host>:80",
        "http:/host",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        assert_int_equal(s3_endpoint_check(good[i], NULL), 0);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err err = {0};
        assert_int_equal(s3_endpoint_check(bad[i], &err), ERR_CONFIG);
        assert_non_null(strstr(err.text, "expected"));
    }
}

static void a_password_in_an_endpoint_is_not_shown(void **state)
{
    struct err err = {0};
    (void)state;
    assert_int_equal(s3_endpoint_check("http://user:hunter2@host:80", &err), ERR_CONFIG);
    assert_null(strstr(err.text, "hunter2"));
}

/* The findings of s3_config_check() as text. */
static char *check(const char *text)
{
    AUTO(config_release) struct config config = {{0}};
    AUTO(diags_release) struct diags diags = {0};
    struct strbuf sb = STRBUF_INIT(1 << 16);
    assert_int_equal(config_parse(text, &config, NULL, NULL, 0, NULL), 0);
    s3_config_check(&config, 2, "storage", &diags);
    diags_format(&diags, NULL, &sb);
    return strbuf_take(&sb);
}

static void a_signature_needs_both_keys(void **state)
{
    AUTO(freep) char *none = check("endpoint=http://h");
    AUTO(freep) char *anonymous = check("signature=anonymous");
    AUTO(freep) char *both = check("accesskey=a;secretkey=b");
    (void)state;
    assert_non_null(strstr(none, "2: error: storage: config: no such key defined: accesskey"));
    assert_non_null(strstr(none, "2: error: storage: config: no such key defined: secretkey"));
    assert_string_equal(anonymous, "");
    assert_string_equal(both, "");
}

static void a_proxy_needs_a_port_and_plain_http(void **state)
{
    AUTO(freep) char *portless = check("accesskey=a;secretkey=b;proxyhost=p");
    AUTO(freep)
    char *tls = check("accesskey=a;secretkey=b;proxyhost=p;proxyport=1;endpoint=https://h");
    (void)state;
    assert_non_null(strstr(portless, "proxyport: is missing"));
    assert_non_null(strstr(tls, "proxyhost: a proxy for an https endpoint"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_other_s3_clients_are_s3),
        cmocka_unit_test(settings_of_living_files_are_read),
        cmocka_unit_test(endpoints_are_http_or_https_with_a_host),
        cmocka_unit_test(a_password_in_an_endpoint_is_not_shown),
        cmocka_unit_test(a_signature_needs_both_keys),
        cmocka_unit_test(a_proxy_needs_a_port_and_plain_http),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
