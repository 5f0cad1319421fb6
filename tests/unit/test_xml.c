/* test_xml.c -- XML documents as trees: lines, limits, and plain words for what is wrong. */
#include "tests/unit/unit.h"

#include "common/base/scope.h"
#include "common/base/strbuf.h"
#include "common/base/xml.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct xml_limits limits = {8 << 20, 16, 400000};

struct outcome {
    int rc;
    struct xml_document *document;
    struct xml_place place;
    struct err err;
};

static void outcome_release(struct outcome *outcome)
{
    xml_document_free(outcome->document);
}

static struct outcome parse_bytes(const char *text, size_t len)
{
    struct outcome outcome = {.document = NULL};
    outcome.rc = xml_parse(text, len, &limits, &outcome.document, &outcome.place, &outcome.err);
    return outcome;
}

static struct outcome parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

static const struct xml_element *child(const struct xml_element *element, size_t index)
{
    assert_true(index < element->children.len);
    return element->children.items[index];
}

static void elements_attributes_and_text_are_read(void **state)
{
    (void)state;
    AUTO(outcome_release)
    struct outcome outcome = parse("<?xml version=\"1.0\"?>\n"
                                   "<!-- a comment with <b c=\"d\"> -->\n"
                                   "<a one='1' two = \"x &lt;&amp;&#65;\ty\"\n"
                                   "   three=\"\">text<b/>more<![CDATA[<&>]]></a>\n"
                                   "<!-- end -->\n");
    assert_int_equal(outcome.rc, 0);
    const struct xml_element *root = outcome.document->root;
    assert_string_equal(root->name, "a");
    assert_int_equal(root->line, 3);
    assert_string_equal(root->text, "textmore<&>");
    assert_int_equal(root->attributes.len, 3);
    assert_string_equal(root->attributes.items[1].name, "two");
    assert_string_equal(root->attributes.items[1].value, "x <&A y");
    assert_int_equal(root->attributes.items[1].line, 3);
    assert_int_equal(root->attributes.items[2].line, 4);
    assert_string_equal(xml_attribute_find(root, "one")->value, "1");
    assert_null(xml_attribute_find(root, "none"));
    assert_string_equal(child(root, 0)->name, "b");
    assert_int_equal(child(root, 0)->line, 4);
}

static void values_know_their_place_in_the_text(void **state)
{
    (void)state;
    AUTO(outcome_release)
    struct outcome outcome = parse("\xef\xbb\xbf<a x:y=\"1\" xmlns:x='u' z = 'a&amp;b'/>");
    assert_int_equal(outcome.rc, 0);
    const struct xml_element *root = outcome.document->root;
    assert_int_equal(root->attributes.len, 2);
    assert_string_equal(root->attributes.items[0].name, "x:y");
    const struct xml_attribute *z = xml_attribute_find(root, "z");
    assert_non_null(z);
    assert_string_equal(z->value, "a&b");
    assert_memory_equal(outcome.document->text + z->value_off, "a&amp;b", z->value_len);
    assert_int_equal(z->value_len, strlen("a&amp;b"));
}

static void line_ends_of_every_kind_are_counted(void **state)
{
    (void)state;
    static const char *const texts[] = {"<a>\n<b\n c='1'/>\n</a>", "<a>\r\n<b\r\n c='1'/>\r\n</a>",
                                        "<a>\r<b\r c='1'/>\r</a>"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        AUTO(outcome_release) struct outcome outcome = parse(texts[i]);
        assert_int_equal(outcome.rc, 0);
        const struct xml_element *b = child(outcome.document->root, 0);
        assert_int_equal(b->line, 2);
        assert_int_equal(b->attributes.items[0].line, 3);
    }
}

static void lines_beyond_65535_are_right(void **state)
{
    (void)state;
    AUTO(strbuf_release) struct strbuf sb = STRBUF_INIT(1 << 20);
    strbuf_adds(&sb, "<a>");
    for (int i = 0; i < 70000; i++)
        strbuf_addc(&sb, '\n');
    strbuf_adds(&sb, "<b/>\n<c>\n</d></a>");
    AUTO(outcome_release) struct outcome bad = parse(sb.buf);
    assert_int_equal(bad.rc, ERR_CONFIG);
    assert_int_equal(bad.place.line, 70003);
    assert_string_equal(bad.err.text, "<c> of line 70002 is not closed: expected </c> here");
    AUTO(outcome_release) struct outcome good = parse_bytes(sb.buf, 3 + 70000);
    assert_int_equal(good.rc, ERR_CONFIG);
    assert_int_equal(good.place.line, 70001);
}

static void other_encodings_are_recoded(void **state)
{
    (void)state;
    AUTO(outcome_release)
    struct outcome latin = parse("<?xml version='1.0' encoding='ISO-8859-1'?><a b='\xe4'/>");
    assert_int_equal(latin.rc, 0);
    assert_true(latin.document->recoded);
    assert_string_equal(latin.document->root->attributes.items[0].value, "\xc3\xa4");
    assert_non_null(strstr(latin.document->text, "encoding='UTF-8'"));

    static const char utf16[] = "\xff\xfe<\0a\0 \0b\0=\0'\0x\0'\0/\0>\0";
    AUTO(outcome_release) struct outcome wide = parse_bytes(utf16, sizeof(utf16) - 1);
    assert_int_equal(wide.rc, 0);
    assert_string_equal(wide.document->root->attributes.items[0].value, "x");

    AUTO(outcome_release)
    struct outcome unknown = parse("<?xml version='1.0' encoding='KLINGON-1'?><a/>");
    assert_int_equal(unknown.rc, ERR_CONFIG);
    assert_string_equal(unknown.err.text,
                        "the document's encoding KLINGON-1 is not known, expected UTF-8");
}

/* ---- what is refused */

static const struct {
    const char *text;
    int line, column;
    const char *element, *attribute, *words;
} faults[] = {
    {"", 0, 0, "", "", "the document is empty"},
    {" \n\t", 0, 0, "", "", "the document is empty"},
    {"garbage", 1, 1, "", "", "is not XML"},
    {"<a><b></a>", 1, 7, "", "", "<b> of line 1 is not closed"},
    {"<a>\n <b>", 2, 5, "", "", "<b> of line 2 is not closed"},
    {"<a/>\n<b/>", 2, 1, "", "", "something follows it"},
    {"<a\n b=\"1\" b=\"2\"/>", 2, 0, "a", "", "given twice"},
    {"<a b=1/>", 1, 6, "a", "", "quotation mark"},
    {"<a b/>", 1, 5, "a", "", "=\"value\""},
    {"<a b=\"1\"c=\"2\"/>", 1, 9, "a", "", "white space"},
    {"<a b=\"x&y;z\"/>", 1, 0, "a", "b", "&amp;"},
    {"<a b=\"x& y\"/>", 1, 0, "a", "b", "&amp;"},
    {"<a b=\"\xc3\x28\"/>", 1, 7, "a", "b", "a character that XML does not allow"},
    {"<a>&nbsp;</a>", 1, 0, "", "", "&amp;"},
    {"<a><!-- </a>", 1, 0, "", "", "-->"},
    {"\n<?xml version='1.0'?><a/>", 2, 0, "", "", "very first"},
    {"<a>\n<b k=\"accesskey=<accesskey>;x=y\"/></a>", 2, 17, "b", "k",
     "accesskey=<accesskey> looks like a placeholder"},
    {"<a k=\"secretkey=<hunter2>\"/>", 1, 17, "a", "k", "secretkey=<...> looks like a placeholder"},
    {"<a k=\"secretkey=hunter2=<x>\"/>", 1, 25, "a", "k", "is it a placeholder"},
    {"<a k=\"1 < 2\"/>", 1, 9, "a", "k", "&lt;"},
    {"<a k=\"1>\n<b/></a>", 2, 1, "a", "k", "is the closing quotation mark missing?"},
    {"<!DOCTYPE a>\n<a/>", 1, 1, "", "", "document types and entities are not accepted"},
    {"<?xml version=\"1.0\"?>\n <!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>"
     "<a>&x;</a>",
     2, 2, "", "", "document types and entities are not accepted"},
};

static void faults_are_told_in_plain_words_with_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
        AUTO(outcome_release) struct outcome outcome = parse(faults[i].text);
        print_message("%s\n  %d:%d %s %s: %s\n", faults[i].text, outcome.place.line,
                      outcome.place.column, outcome.place.element, outcome.place.attribute,
                      outcome.err.text);
        assert_int_equal(outcome.rc, ERR_CONFIG);
        assert_null(outcome.document);
        assert_int_equal(outcome.place.line, faults[i].line);
        if (faults[i].column)
            assert_int_equal(outcome.place.column, faults[i].column);
        assert_string_equal(outcome.place.element, faults[i].element);
        assert_string_equal(outcome.place.attribute, faults[i].attribute);
        assert_non_null(strstr(outcome.err.text, faults[i].words));
        assert_null(strstr(outcome.err.text, "hunter2"));
    }
}

/* Ten entities of ten each would be a billion characters; it ends at the document type. */
static void a_billion_laughs_are_refused_at_once(void **state)
{
    (void)state;
    AUTO(strbuf_release) struct strbuf sb = STRBUF_INIT(1 << 16);
    strbuf_adds(&sb, "<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY e0 'ha'>");
    for (int i = 1; i < 10; i++) {
        strbuf_addf(&sb, "<!ENTITY e%d '", i);
        for (int k = 0; k < 10; k++)
            strbuf_addf(&sb, "&e%d;", i - 1);
        strbuf_adds(&sb, "'>");
    }
    strbuf_adds(&sb, "]>\n<a b='&e9;'>&e9;</a>");
    AUTO(outcome_release) struct outcome outcome = parse(sb.buf);
    assert_int_equal(outcome.rc, ERR_CONFIG);
    assert_int_equal(outcome.place.line, 2);
    assert_string_equal(outcome.err.text, "document types and entities are not accepted");
}

static struct outcome parse_repeated(const char *head, const char *part, size_t bytes)
{
    AUTO(strbuf_release) struct strbuf sb = STRBUF_INIT(16 << 20);
    strbuf_adds(&sb, head);
    while (sb.len < bytes)
        strbuf_adds(&sb, part);
    return parse_bytes(sb.buf, sb.len);
}

static void limits_hold(void **state)
{
    (void)state;
    AUTO(outcome_release) struct outcome deep = parse_repeated("", "<a>", 3 * 17);
    assert_int_equal(deep.rc, ERR_LIMIT);
    assert_int_equal(deep.place.column, 3 * 16 + 1);
    AUTO(outcome_release) struct outcome many = parse_repeated("<a>", "<b/>\n", 7 << 20);
    assert_int_equal(many.rc, ERR_LIMIT);
    assert_int_equal(many.place.line, 400000);
    AUTO(outcome_release) struct outcome large = parse_repeated("<a>", "text", (8 << 20) + 1);
    assert_int_equal(large.rc, ERR_LIMIT);
    AUTO(outcome_release) struct outcome wide = parse_repeated("<a ", "b='' ", 1 << 20);
    assert_int_equal(wide.rc, ERR_LIMIT);
}

/* Each ends in time that grows with the length, not with its square (which would be minutes). */
static void garbage_is_refused_quickly(void **state)
{
    (void)state;
    static const char *const parts[] = {"garbage ", "<",     "&",      "<a&",   "<a b=<",
                                        "<!--",     "]]>",   "<a/>",   "\n",    "<![CDATA[",
                                        "<?xml ",   "&#1;",  "<a b='", "\xff",  "\"",
                                        "</a>",     "&amp;", "<!DOC",  "<a b ", "x\r"};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        static const char *const heads[] = {"", "<a>", "<a b=\""};
        for (size_t k = 0; k < ARRAY_LEN(heads); k++) {
            clock_t before = clock();
            AUTO(outcome_release)
            struct outcome outcome = parse_repeated(heads[k], parts[i], 1 << 20);
            double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
            if (outcome.rc == 0)
                fail_msg("%s%s... was accepted", heads[k], parts[i]);
            if (seconds > 5)
                fail_msg("%s%s... took %.1f s", heads[k], parts[i], seconds);
        }
    }
}

static void nothing_is_printed(void **state)
{
    (void)state;
    char path[] = "/tmp/test_xml_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    int saved = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
        AUTO(outcome_release) struct outcome outcome = parse(faults[i].text);
        (void)outcome;
    }
    dup2(saved, STDERR_FILENO);
    close(saved);
    assert_int_equal(lseek(file, 0, SEEK_END), 0);
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_attributes_and_text_are_read),
        cmocka_unit_test(values_know_their_place_in_the_text),
        cmocka_unit_test(line_ends_of_every_kind_are_counted),
        cmocka_unit_test(lines_beyond_65535_are_right),
        cmocka_unit_test(other_encodings_are_recoded),
        cmocka_unit_test(faults_are_told_in_plain_words_with_their_place),
        cmocka_unit_test(a_billion_laughs_are_refused_at_once),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(garbage_is_refused_quickly),
        cmocka_unit_test(nothing_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
