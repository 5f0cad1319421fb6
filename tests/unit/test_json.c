/* test_json.c -- typed getters that name what is wrong. */
#include "common/base/scope.h"
#include "common/wire/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static json_t *read_text(const char *text)
{
    json_t *json = NULL;
    assert_int_equal(json_read(text, strlen(text), &json, NULL), 0);
    return json;
}

static void getters_give_members_of_the_right_type(void **state)
{
    AUTO(json_freep)
    json_t *json = read_text("{\"t\":\"x\",\"i\":7,\"r\":1.5,\"b\":true,\"a\":[1,2],\"o\":{}}");
    const char *text = NULL;
    int64_t whole = 0;
    double real = 0;
    bool yes = false;
    json_t *array = NULL, *object = NULL;
    (void)state;

    assert_int_equal(json_get_text(json, "t", &text, NULL), 0);
    assert_string_equal(text, "x");
    assert_int_equal(json_get_int(json, "i", 0, 7, &whole, NULL), 0);
    assert_int_equal(whole, 7);
    assert_int_equal(json_get_real(json, "r", &real, NULL), 0);
    assert_true(real > 1.4 && real < 1.6);
    assert_int_equal(json_get_bool(json, "b", &yes, NULL), 0);
    assert_true(yes);
    assert_int_equal(json_get_array(json, "a", 2, &array, NULL), 0);
    assert_int_equal(json_array_size(array), 2);
    assert_int_equal(json_get_object(json, "o", &object, NULL), 0);
    assert_string_equal(json_text_or(json, "i", "fallback"), "fallback");
    assert_int_equal(json_int_or(json, "none", -3), -3);
}

static void wrong_members_are_named_and_outputs_left(void **state)
{
    AUTO(json_freep) json_t *json = read_text("{\"i\":-1,\"r\":1.5,\"a\":[1,2,3],\"t\":null}");
    struct err err = {0};
    int64_t whole = 42;
    const char *text = "before";
    json_t *array = NULL;
    (void)state;

    assert_int_equal(json_get_int(json, "i", 0, INT64_MAX, &whole, &err), ERR_PROTOCOL);
    assert_string_equal(err.text, "i: expected a whole number of 0 or more");
    assert_int_equal(json_get_int(json, "r", 0, 9, &whole, &err), ERR_PROTOCOL);
    assert_string_equal(err.text, "r: expected a whole number from 0 to 9");
    assert_int_equal(json_get_int(json, "none", 0, 9, &whole, &err), ERR_PROTOCOL);
    assert_string_equal(err.text, "none: missing, expected a whole number from 0 to 9");
    assert_int_equal(json_get_text(json, "t", &text, &err), ERR_PROTOCOL);
    assert_int_equal(json_get_array(json, "a", 2, &array, &err), ERR_PROTOCOL);
    assert_string_equal(err.text, "a: 3 items, expected at most 2");
    assert_int_equal(whole, 42);
    assert_string_equal(text, "before");
}

static void documents_that_are_not_json_are_refused(void **state)
{
    static const char *const texts[] = {
        "",          "{", "{\"a\":1,\"a\":2}", "[1,]",
        "{} x",      "7", "{\"a\":1e999}",     "{\"a\":\"\\u0000\"}",
        "[\"\xff\"]"};
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        json_t *json = NULL;
        struct err err = {0};
        assert_int_equal(json_read(texts[i], strlen(texts[i]), &json, &err), ERR_PROTOCOL);
        assert_null(json);
        assert_non_null(strstr(err.text, "not valid JSON"));
    }
}

static void writing_stops_at_the_ceiling_and_leaves_what_was_there(void **state)
{
    AUTO(json_freep) json_t *json = read_text("{\"long\":\"member\"}");
    AUTO(strbuf_release) struct strbuf small = STRBUF_INIT(8);
    AUTO(strbuf_release) struct strbuf large = STRBUF_INIT(100);
    (void)state;

    strbuf_adds(&small, "ab");
    assert_int_equal(json_write(json, &small), ERR_LIMIT);
    assert_string_equal(small.buf, "ab");
    assert_int_equal(json_write(json, &large), 0);
    assert_string_equal(large.buf, "{\"long\":\"member\"}");
}

static void text_that_is_not_utf8_still_becomes_a_string(void **state)
{
    AUTO(json_freep) json_t *good = json_text_new("gr\xc3\xbc\xc3\x9f");
    AUTO(json_freep) json_t *bad = json_text_new("a\xff\xc3z");
    AUTO(json_freep) json_t *none = json_text_new(NULL);
    (void)state;

    assert_string_equal(json_string_value(good), "gr\xc3\xbc\xc3\x9f");
    assert_string_equal(json_string_value(bad), "a??z");
    assert_true(json_is_null(none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(getters_give_members_of_the_right_type),
        cmocka_unit_test(wrong_members_are_named_and_outputs_left),
        cmocka_unit_test(documents_that_are_not_json_are_refused),
        cmocka_unit_test(writing_stops_at_the_ceiling_and_leaves_what_was_there),
        cmocka_unit_test(text_that_is_not_utf8_still_becomes_a_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
