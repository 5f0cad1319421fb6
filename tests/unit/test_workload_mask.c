/* test_workload_mask.c -- a workload as people may see it: no secret, all else as it was. */
#include "tests/unit/unit.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/model/workload.h"

#include <string.h>

static char *masked(const char *text)
{
    char *found = NULL;
    struct err err = {0};
    if (workload_mask(text, strlen(text), &found, &err) < 0)
        fail_msg("%s", err.text);
    return found;
}

static void secrets_are_masked_and_the_rest_stays(void **state)
{
    static const struct {
        const char *text, *masked;
    } cases[] = {
        {"<w>\r\n\t<storage  config = 'accesskey=AK; secretkey=s/w+o==;endpoint=http://h:1/'\n"
         "/><!-- note -->\n</w>\n",
         "<w>\r\n\t<storage  config = 'accesskey=AK; secretkey=******;endpoint=http://h:1/'\n"
         "/><!-- note -->\n</w>\n"},
        {"<w config='containers=r(1,2)' description=\"a &amp; b\"/>",
         "<w config='containers=r(1,2)' description=\"a &amp; b\"/>"},
        {"<w secretkey='HUSH' password=\"HUSH\"/>", "<w secretkey='******' password=\"******\"/>"},
        {"<w><!-- <storage config='accesskey=a;secretkey=HUSH;timeout=1'/> --></w>",
         "<w><!-- <storage config='accesskey=a;secretkey=******;timeout=1'/> --></w>"},
        {"<w>password = HUSH; more</w>", "<w>password = ******; more</w>"},
        {"<w description='secretkey=HUSH'/>", "<w description='secretkey=******'/>"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(freep) char *found = masked(cases[i].text);
        assert_string_equal(found, cases[i].masked);
    }
}

static void no_spelling_of_a_secret_gets_through(void **state)
{
    static const char *const texts[] = {
        "<w config='secretkey=HU&amp;HUSH;a=b'/>",
        "<w config='secret&#107;ey=HUSH;timeout=1'/>",
        "<w config='timeout=1&#59;secretkey&#61;HUSH'/>",
        "<w config='a=1;SECRETKEY =\n HUSH\n;timeout=1'/>",
        "<w config=\"secretkey='HUSH'\"/>",
        "<w config='secretkey=a;HUSH/HUSH==;timeout=1'/>",
        "<w config='endpoint=http://user:HUSH@h:1/'/>",
        "<w CONFIG='secretkey=HUSH'/>",
        "<w><![CDATA[secretkey=HUSH]]></w>",
        "<?note secretkey=HUSH?><w/>",
        "<!-- secretkey=\"HUSH\" --><w/><!-- usertoken: x, token=HUSH -->",
        "<?xml version='1.0' encoding='ISO-8859-1'?><w config='password=HUSH\xe4'/>",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        AUTO(freep) char *found = masked(texts[i]);
        if (strstr(found, "HUSH"))
            fail_msg("%s", found);
    }
}

static void a_masked_workload_is_a_workload(void **state)
{
    AUTO(freep)
    char *found = masked("<workload name='w'><storage type='s3' config='accesskey=a;"
                         "secretkey=&lt;&quot;&apos;&amp;;endpoint=http://h&#58;1'/><workflow>"
                         "<workstage name='s'><work type='init' workers='1' "
                         "config='containers=r(1,2)'/></workstage></workflow></workload>");
    AUTO(workload_freep) struct workload *workload = NULL;
    AUTO(diags_release) struct diags diags = {0};
    (void)state;
    assert_int_equal(workload_parse(found, strlen(found), &workload, &diags, NULL), 0);
    assert_string_equal(workload->stages.items[0].works.items[0].storage.config,
                        "accesskey=a;secretkey=******;endpoint=http://h:1");
}

static void what_is_not_xml_is_not_masked_but_refused(void **state)
{
    char *found = NULL;
    struct err err = {0};
    (void)state;
    assert_int_equal(workload_mask("secretkey=HUSH", 14, &found, &err), ERR_CONFIG);
    assert_null(found);
    assert_null(strstr(err.text, "HUSH"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets_are_masked_and_the_rest_stays),
        cmocka_unit_test(no_spelling_of_a_secret_gets_through),
        cmocka_unit_test(a_masked_workload_is_a_workload),
        cmocka_unit_test(what_is_not_xml_is_not_masked_but_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
