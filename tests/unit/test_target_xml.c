/* test_target_xml.c -- the XML documents clients send to the target, and the text it writes. */
#include "tests/unit/unit.h"

#include "common/base/scope.h"
#include "driver/target/xml_body.h"
#include "driver/target/xml_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum s3_error read_delete(const char *text, struct delete_list *list)
{
    return xml_read_delete(text, strlen(text), list);
}

static void a_delete_list_is_read(void **state)
{
    struct delete_list list;
    (void)state;
    assert_int_equal(
        read_delete(
            "<?xml version=\"1.0\"?><!-- all -->\n"
            "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>\n"
            " <Object><Key>a &amp; b</Key><VersionId>null</VersionId></Object>\n"
            " <Object><Key><![CDATA[<c>]]></Key></Object></Delete>",
            &list),
        S3_OK);
    assert_true(list.quiet);
    assert_int_equal(list.keys.len, 2);
    assert_string_equal(list.keys.items[0], "a & b");
    assert_string_equal(list.keys.items[1], "<c>");
    delete_list_release(&list);
}

static void what_is_no_delete_list_is_malformed(void **state)
{
    static const char *const documents[] = {
        "",
        "text",
        "<Delete>",
        "<Delete/>",
        "<Delete><Object></Object></Delete>",
        "<Delete><Object><Key></Key></Object></Delete>",
        "<Remove><Object><Key>a</Key></Object></Remove>",
        "<Delete><Object><Key>&undefined;</Key></Object></Delete>",
        "<!DOCTYPE Delete [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
        "<Delete><Object><Key>&x;</Key></Object></Delete>",
        "<!DOCTYPE Delete [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>"
        "<Delete><Object><Key>&b;</Key></Object></Delete>",
        "<Delete><a><b><c><d><e><f><g><h/></g></f></e></d></c></b></a></Delete>",
        "<Delete><Object><Key>a</Key></Object></Delete><Delete/>",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(documents); i++) {
        struct delete_list list;
        if (read_delete(documents[i], &list) != S3_MALFORMED_XML)
            fail_msg("document %zu was taken", i);
        delete_list_release(&list);
    }
}

static void a_completion_is_read_in_any_order_of_its_elements(void **state)
{
    static const char text[] =
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"aa\"</ETag></Part>"
        "<Part><ETag>bb</ETag><ChecksumCRC32>x</ChecksumCRC32><PartNumber> 7 </PartNumber></Part>"
        "</CompleteMultipartUpload>";
    struct upload_claims claims;
    (void)state;
    assert_int_equal(xml_read_complete(text, sizeof(text) - 1, &claims), S3_OK);
    assert_int_equal(claims.list.len, 2);
    assert_int_equal(claims.list.items[0].number, 1);
    assert_string_equal(claims.list.items[0].etag, "aa");
    assert_int_equal(claims.list.items[1].number, 7);
    assert_string_equal(claims.list.items[1].etag, "bb");
    vec_release(&claims.list);
}

static void parts_must_be_whole(void **state)
{
    static const char *const parts[] = {
        "<Part><PartNumber>1</PartNumber></Part>",
        "<Part><ETag>a</ETag></Part>",
        "<Part><PartNumber>0</PartNumber><ETag>a</ETag></Part>",
        "<Part><PartNumber>10001</PartNumber><ETag>a</ETag></Part>",
        "<Part><PartNumber>one</PartNumber><ETag>a</ETag></Part>",
        "<Part/>",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        struct upload_claims claims;
        char text[256];
        int len = snprintf(text, sizeof(text),
                           "<CompleteMultipartUpload>%s</CompleteMultipartUpload>", parts[i]);
        assert_int_equal(xml_read_complete(text, (size_t)len, &claims), S3_MALFORMED_XML);
        vec_release(&claims.list);
    }
}

static void text_is_escaped(void **state)
{
    struct strbuf out = STRBUF_INIT(256);
    (void)state;
    xml_put_element(&out, "Key", SLICE("<a & \"b\">\n\x01\xc3\xbc"));
    assert_string_equal(out.buf, "<Key>&lt;a &amp; &quot;b&quot;&gt;&#10;&#1;\xc3\xbc</Key>");
    strbuf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delete_list_is_read),
        cmocka_unit_test(what_is_no_delete_list_is_malformed),
        cmocka_unit_test(a_completion_is_read_in_any_order_of_its_elements),
        cmocka_unit_test(parts_must_be_whole),
        cmocka_unit_test(text_is_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
