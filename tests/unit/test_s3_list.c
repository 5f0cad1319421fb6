/* test_s3_list.c -- what is read out of S3's XML answers. */
#include "tests/unit/unit.h"

#include "common/base/scope.h"
#include "driver/adaptors/s3_list.h"

#include <string.h>

static void tags_are_found_one_after_the_other(void **state)
{
    static const char text[] = "<L><Key>a</Key><X>1</X><Key>b&amp;c</Key></L>";
    struct span body = {text, sizeof(text) - 1};
    struct span found;
    size_t position = 0;
    (void)state;
    assert_true(s3_xml_text(body, "Key", &position, &found));
    assert_memory_equal(found.data, "a", found.len);
    assert_true(s3_xml_text(body, "Key", &position, &found));
    assert_int_equal(found.len, 7);
    assert_false(s3_xml_text(body, "Key", &position, &found));
    position = 0;
    assert_false(
        s3_xml_text((struct span){text, 12}, "Key", &position, &found)); /* cut before </Key> */
}

static void markup_and_percent_signs_are_undone(void **state)
{
    char out[32];
    size_t len;
    (void)state;
    assert_true(s3_xml_unescape((struct span){"a&amp;b&lt;&#65;", 16}, out, sizeof(out), &len));
    assert_memory_equal(out, "a&b<&#65;", len);
    assert_true(s3_url_decode((struct span){"a%20b+c%2Fd%zz", 14}, out, sizeof(out), &len));
    assert_memory_equal(out, "a b c/d%zz", len);
    assert_false(s3_url_decode((struct span){"abcdef", 6}, out, 5, &len));
}

static void only_prefix_number_suffix_is_ours(void **state)
{
    static const struct {
        const char *name;
        bool ours;
    } cases[] = {
        {"myobjects1.jpg", true},   {"myobjects0012.jpg", true},
        {"myobjects.jpg", false},   {"myobjects1x.jpg", false},
        {"other1.jpg", false},      {"myobjects1", false},
        {"myobjects-1.jpg", false}, {"", false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct span name = {cases[i].name, strlen(cases[i].name)};
        assert_int_equal(s3_name_is_ours(name, "myobjects", ".jpg"), cases[i].ours);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_are_found_one_after_the_other),
        cmocka_unit_test(markup_and_percent_signs_are_undone),
        cmocka_unit_test(only_prefix_number_suffix_is_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
