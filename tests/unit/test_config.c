/* test_config.c -- config strings: split, joined, masked. */
#include "tests/unit/unit.h"

#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/catalog/adaptors.h"
#include "common/catalog/config.h"

#include <string.h>

static void values_keep_equals_signs_and_lose_outer_space(void **state)
{
    AUTO(config_release) struct config config = {{0}};
    int bad = 7;
    (void)state;
    assert_int_equal(config_parse(" accesskey = AK ;; secretkey=a/b+c== ; path_style_access=true;\n"
                                  "\tendpoint=http://h:1/?x=1 ; ",
                                  &config, &bad, NULL, 0, NULL),
                     0);
    assert_int_equal(bad, 0);
    assert_int_equal(config.entries.len, 4);
    assert_string_equal(config_find(&config, "accesskey"), "AK");
    assert_string_equal(config_find(&config, "secretkey"), "a/b+c==");
    assert_string_equal(config_find(&config, "path_style_access"), "true");
    assert_string_equal(config_find(&config, "endpoint"), "http://h:1/?x=1");
    assert_null(config_find(&config, "region"));
}

static void the_last_of_a_repeated_key_wins_whatever_its_case(void **state)
{
    AUTO(config_release) struct config config = {{0}};
    (void)state;
    assert_int_equal(config_parse("a=1;b=2;A=3", &config, NULL, NULL, 0, NULL), 0);
    assert_string_equal(config_find(&config, "a"), "3");
}

static void entries_without_equals_sign_are_counted_and_left_out(void **state)
{
    AUTO(config_release) struct config config = {{0}};
    char first[8] = "";
    int bad = 0;
    (void)state;
    assert_int_equal(
        config_parse("one; a=1; two words ;three", &config, &bad, first, sizeof(first), NULL), 0);
    assert_int_equal(bad, 3);
    assert_string_equal(first, "one");
    assert_int_equal(config.entries.len, 1);
}

static void no_text_is_an_empty_config(void **state)
{
    AUTO(config_release) struct config config = {{0}};
    (void)state;
    assert_int_equal(config_parse(NULL, &config, NULL, NULL, 0, NULL), 0);
    assert_int_equal(config.entries.len, 0);
}

static void a_string_above_the_ceiling_is_refused(void **state)
{
    AUTO(config_release) struct config config = {{0}};
    AUTO(freep) char *text = xmalloc(CONFIG_MAX_BYTES + 2);
    struct err err;
    (void)state;
    memset(text, 'a', CONFIG_MAX_BYTES + 1);
    text[CONFIG_MAX_BYTES + 1] = '\0';
    assert_int_equal(config_parse(text, &config, NULL, NULL, 0, &err), ERR_LIMIT);
}

static void the_child_stands_behind_the_parent(void **state)
{
    static const struct {
        const char *parent, *child, *joined;
    } cases[] = {
        {"a=1", "a=2", "a=1;a=2"}, {"a=1", NULL, "a=1"}, {"", "b=2", "b=2"}, {NULL, NULL, ""}};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(freep) char *joined = config_join(cases[i].parent, cases[i].child);
        assert_string_equal(joined, cases[i].joined);
    }
}

static void secrets_and_what_may_be_a_rest_of_them_are_masked(void **state)
{
    static const struct {
        const char *text, *masked;
    } cases[] = {
        {"accesskey=AK;secretkey=s/w+o==;endpoint=http://h:1/",
         "accesskey=AK;secretkey=******;endpoint=http://h:1/"},
        {" SecretKey = abc ; timeout=1;", " SecretKey = ******; timeout=1;"},
        {"password=p;passwd=q;token=r;usertoken=s;secret_key=t",
         "password=******;passwd=******;token=******;usertoken=******;secret_key=******"},
        {"secretkey=", "secretkey="},
        {"secretkey=abc;def/ghi;timeout=5", "secretkey=******;******;timeout=5"},
        {"secretkey=abc;DEF12==;;x;cprefix=c", "secretkey=******;******;;******;cprefix=c"},
        {"secretkey:abc;a=1", "******;******"},
        {"endpoint=http://user:pass@h:1;a=b", "endpoint=http://******@h:1;a=b"},
        {"containers=r(1,2);objects=u(1,3)", "containers=r(1,2);objects=u(1,3)"},
        {"", ""},
        {NULL, ""},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(freep) char *masked = config_mask(cases[i].text);
        assert_string_equal(masked, cases[i].masked);
    }
}

static void an_access_key_is_no_secret(void **state)
{
    (void)state;
    assert_false(catalog_key_is_secret("accesskey"));
    assert_false(catalog_key_is_secret("username"));
    assert_true(catalog_key_is_secret("aws_secret_access_key"));
    assert_true(catalog_key_is_secret("UserToken"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_keep_equals_signs_and_lose_outer_space),
        cmocka_unit_test(the_last_of_a_repeated_key_wins_whatever_its_case),
        cmocka_unit_test(entries_without_equals_sign_are_counted_and_left_out),
        cmocka_unit_test(no_text_is_an_empty_config),
        cmocka_unit_test(a_string_above_the_ceiling_is_refused),
        cmocka_unit_test(the_child_stands_behind_the_parent),
        cmocka_unit_test(secrets_and_what_may_be_a_rest_of_them_are_masked),
        cmocka_unit_test(an_access_key_is_no_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
