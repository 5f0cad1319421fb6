/* test_form.c -- the fields of forms and query strings. */
#include "common/base/scope.h"
#include "common/wire/form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *value_of(const struct form *form, const char *name)
{
    const struct form_field *field = form_find(form, name);
    return field ? field->value : NULL;
}

static void urlencoded_fields_are_decoded(void **state)
{
    AUTO(form_release) struct form form = {0};
    const char *text = "id=w12&name=a+b%2Fc&&empty=&flag&bad=%zz%4&id=second";
    (void)state;

    assert_int_equal(form_parse_urlencoded(text, strlen(text), &form, NULL), 0);
    assert_string_equal(value_of(&form, "id"), "w12");
    assert_string_equal(value_of(&form, "name"), "a b/c");
    assert_string_equal(value_of(&form, "empty"), "");
    assert_string_equal(value_of(&form, "flag"), "");
    assert_string_equal(value_of(&form, "bad"), "%zz%4");
    assert_null(value_of(&form, "none"));
}

static void too_many_fields_are_refused(void **state)
{
    AUTO(form_release) struct form form = {0};
    char text[3 * FORM_FIELDS_MAX];
    (void)state;

    for (size_t i = 0; i + 1 < sizeof(text); i += 2)
        memcpy(text + i, "a&", 2);
    assert_int_equal(form_parse_urlencoded(text, sizeof(text) - 1, &form, NULL), ERR_LIMIT);
    assert_int_equal(form.fields.len, FORM_FIELDS_MAX);
}

static const char type[] = "multipart/form-data; boundary=----XyZ";

static void multipart_fields_are_found(void **state)
{
    AUTO(form_release) struct form form = {0};
    static const char body[] =
        "preamble\r\n------XyZ\r\n"
        "Content-Disposition: form-data; name=\"config\"; filename=\"a;b.xml\"\r\n"
        "Content-Type: application/xml\r\n\r\n"
        "<workload>\r\n--\r\n</workload>\r\n"
        "------XyZ\r\n"
        "content-disposition: form-data; name=plain\r\n\r\n"
        "\0\1\r\n"
        "------XyZ--\r\nepilogue";
    (void)state;

    assert_int_equal(form_parse_multipart(type, body, sizeof(body) - 1, &form, NULL), 0);
    assert_int_equal(form.fields.len, 2);
    assert_string_equal(value_of(&form, "config"), "<workload>\r\n--\r\n</workload>");
    assert_int_equal(form_find(&form, "plain")->len, 2);
    assert_memory_equal(value_of(&form, "plain"), "\0\1", 3);
}

static void broken_multipart_is_refused_with_a_reason(void **state)
{
    static const struct {
        const char *type, *body, *reason;
    } cases[] = {
        {"multipart/form-data", "", "boundary in Content-Type"},
        {"multipart/form-data; boundary=\"\"", "", "boundary in Content-Type"},
        {type, "", "not in the body"},
        {type, "------XyZ\r\nContent-Disposition: form-data; name=a\r\n\r\nx", "last boundary"},
        {type, "------XyZ", "last boundary"},
        {type, "------XyZ\r\n\r\nx\r\n------XyZ--", "no name"},
        {type, "------XyZ\r\nContent-Disposition: x; name=a\r\nx\r\n------XyZ--",
         "end of its header"},
    };
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(form_release) struct form form = {0};
        struct err err = {0};
        assert_int_equal(
            form_parse_multipart(cases[i].type, cases[i].body, strlen(cases[i].body), &form, &err),
            ERR_PROTOCOL);
        assert_non_null(strstr(err.text, cases[i].reason));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urlencoded_fields_are_decoded),
        cmocka_unit_test(too_many_fields_are_refused),
        cmocka_unit_test(multipart_fields_are_found),
        cmocka_unit_test(broken_multipart_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
