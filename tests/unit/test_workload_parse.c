/* test_workload_parse.c -- workloads: what is filled in, what is inherited, what is refused and
 * where. */
#include "tests/unit/unit.h"

#include "common/base/clock.h"
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/catalog/config.h"
#include "common/model/workload.h"

#include <stdlib.h>
#include <string.h>

/* A document around works of one stage; works begin on line 4. */
#define AROUND(works)                                                                              \
    "<workload name='w'>\n<storage type='mock' config=''/>\n"                                      \
    "<workflow><workstage name='m'>\n" works "\n</workstage></workflow></workload>\n"
#define READ                         "<operation type='read' ratio='100' config='containers=u(1,2);objects=u(1,9)'/>"
#define WORK(attributes, operations) AROUND("<work name='k' " attributes ">" operations "</work>")

struct outcome {
    int rc;
    struct workload *workload;
    struct diags diags;
    struct err err;
    char *findings; /* as diags_format() has them */
};

static void outcome_release(struct outcome *outcome)
{
    workload_free(outcome->workload);
    diags_release(&outcome->diags);
    free(outcome->findings);
}

static struct outcome parse(const char *text)
{
    struct outcome outcome = {.workload = NULL};
    struct strbuf sb = STRBUF_INIT(1 << 20);
    outcome.rc =
        workload_parse(text, strlen(text), &outcome.workload, &outcome.diags, &outcome.err);
    diags_format(&outcome.diags, NULL, &sb);
    outcome.findings = strbuf_take(&sb);
    assert_int_equal(outcome.rc == 0, outcome.diags.errors == 0);
    assert_int_equal(outcome.rc == 0, outcome.workload != NULL);
    return outcome;
}

static struct outcome parse_good(const char *text)
{
    struct outcome outcome = parse(text);
    if (outcome.rc < 0)
        fail_msg("%s", outcome.findings);
    return outcome;
}

static const struct work *work_of(const struct outcome *outcome, size_t stage, size_t work)
{
    assert_true(stage < outcome->workload->stages.len);
    assert_true(work < outcome->workload->stages.items[stage].works.len);
    return &outcome->workload->stages.items[stage].works.items[work];
}

static void assert_key(const char *text, const char *key, const char *expected)
{
    AUTO(config_release) struct config config = {{0}};
    assert_int_equal(config_parse(text, &config, NULL, NULL, 0, NULL), 0);
    const char *found = config_find(&config, key);
    if (!expected)
        assert_null(found);
    else
        assert_string_equal(found ? found : "(not there)", expected);
}

/* ---- good documents */

static void what_is_not_given_has_its_default(void **state)
{
    AUTO(outcome_release)
    struct outcome outcome = parse_good(WORK("workers='8' runtime='30'",
                                             "<operation type='read' config='containers=c(1);"
                                             "objects=c(1)'/>"));
    const struct work *work = work_of(&outcome, 0, 0);
    (void)state;
    assert_string_equal(outcome.findings, "");
    assert_int_equal(work->type, WORK_NORMAL);
    assert_int_equal(work->workers, 8);
    assert_int_equal(work->interval_s, 5);
    assert_int_equal(work->runtime_s, 30);
    assert_int_equal(work->total_ops, 0);
    assert_int_equal(work->total_bytes, 0);
    assert_int_equal(work->afr, 200000);
    assert_string_equal(work->driver, "");
    assert_string_equal(work->storage.type, "mock");
    assert_string_equal(work->auth.type, "none");
    assert_int_equal(work->operations.items[0].ratio, 100);
    assert_int_equal(work->operations.items[0].division, DIVISION_NONE);
    assert_string_equal(outcome.workload->stages.items[0].id, "s1-m");
    assert_string_equal(outcome.workload->description, "");
}

static void every_attribute_is_read(void **state)
{
    AUTO(outcome_release)
    struct outcome outcome = parse_good(
        "<workload name=' A, \xc3\xa4 ' description='d'><workflow><workstage name='4K Write' "
        "closuredelay='7'><work name='k' type='normal' workers='3' interval='2' "
        "division='container' runtime='10' rampup='4' rampdown='1' afr='0' totalOps='99' "
        "totalBytes='9000000000' driver='driver2'><operation type='write' ratio='60' "
        "division='object' config='containers=r(1,9);objects=r(1,9);sizes=c(1)KB'/><operation "
        "type='delete' ratio='40' id='x' config='containers=r(1,9);objects=r(1,9)'/></work>"
        "</workstage></workflow></workload>");
    const struct stage *stage = &outcome.workload->stages.items[0];
    const struct work *work = &stage->works.items[0];
    (void)state;
    assert_string_equal(outcome.workload->description, "d");
    assert_string_equal(stage->id, "s1-4K Write");
    assert_int_equal(stage->closure_delay_s, 7);
    assert_int_equal(stage->interval_s, 2);
    assert_false(stage->is_delay);
    assert_true(stage_expected_ns(stage) == 22 * SEC);
    assert_int_equal(work->rampup_s, 4);
    assert_int_equal(work->rampdown_s, 1);
    assert_int_equal(work->afr, 0);
    assert_int_equal(work->total_ops, 99);
    assert_true(work->total_bytes == INT64_C(9000000000));
    assert_string_equal(work->driver, "driver2");
    assert_int_equal(work->operations.items[0].division, DIVISION_OBJECT);
    assert_int_equal(work->operations.items[1].division, DIVISION_CONTAINER);
    assert_string_equal(work->operations.items[1].id, "op2");
}

static void storage_and_auth_come_whole_from_the_nearest_level(void **state)
{
    AUTO(outcome_release)
    struct outcome outcome = parse_good(
        "<workload name='w'><auth type='mock' config='delay=1'/>"
        "<storage type='mock' config='size=1;delay=5'/><workflow>"
        "<workstage name='a'><work name='k' workers='1' totalOps='1'>" READ "</work>"
        "<work name='l' workers='1' totalOps='1'>" READ "<storage type='none'/></work></workstage>"
        "<workstage name='b'><work name='k' workers='1' totalOps='1'>" READ "</work>"
        "<storage type='SIO' config='accesskey=a;secretkey=b'/><auth type='none'/></workstage>"
        "</workflow></workload>");
    (void)state;
    assert_string_equal(work_of(&outcome, 0, 0)->storage.config, "size=1;delay=5");
    assert_string_equal(work_of(&outcome, 0, 0)->auth.type, "mock");
    assert_string_equal(work_of(&outcome, 0, 1)->storage.type, "none");
    assert_string_equal(work_of(&outcome, 0, 1)->storage.config, "");
    assert_string_equal(work_of(&outcome, 1, 0)->storage.type, "s3");
    assert_string_equal(work_of(&outcome, 1, 0)->auth.type, "none");
}

static void config_is_inherited_key_by_key_and_the_innermost_wins(void **state)
{
    AUTO(outcome_release)
    struct outcome outcome =
        parse_good("<workload name='w' config='cprefix=a;csuffix=a;oprefix=a;osuffix=a;histo=no'>"
                   "<workflow config='csuffix=b;oprefix=b;osuffix=b'>"
                   "<workstage name='s' config='oprefix=c;osuffix=c'>"
                   "<work name='k' workers='1' totalOps='1' config='osuffix=d'>"
                   "<operation type='read' config='containers=c(1);objects=c(1);histo=yes'/>"
                   "</work></workstage></workflow></workload>");
    const char *config = work_of(&outcome, 0, 0)->operations.items[0].config;
    (void)state;
    assert_key(config, "cprefix", "a");
    assert_key(config, "csuffix", "b");
    assert_key(config, "oprefix", "c");
    assert_key(config, "osuffix", "d");
    assert_key(config, "histo", "yes");
}

static void special_works_have_one_operation_and_end_when_it_is_done(void **state)
{
    static const struct {
        const char *type;
        enum op_type operation;
        enum division division;
        const char *label;
    } cases[] = {
        {"init", OP_INIT, DIVISION_CONTAINER, "init-write"},
        {"prepare", OP_PREPARE, DIVISION_OBJECT, "prepare-write"},
        {"cleanup", OP_CLEANUP, DIVISION_OBJECT, "cleanup-delete"},
        {"dispose", OP_DISPOSE, DIVISION_CONTAINER, "dispose-delete"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(freep)
        char *text = xasprintf(AROUND("<work type='%s' workers='6' totalOps='1' division='none' "
                                      "config='containers=r(1,4);objects=r(1,5);sizes=c(1)KB'/>"),
                               cases[i].type);
        AUTO(outcome_release) struct outcome outcome = parse_good(text);
        const struct work *work = work_of(&outcome, 0, 0);
        assert_string_equal(work->name, cases[i].type);
        assert_int_equal(work->total_ops, 6);
        assert_int_equal(work->afr, 0);
        assert_int_equal(work->operations.len, 1);
        assert_int_equal(work->operations.items[0].type, cases[i].operation);
        assert_int_equal(work->operations.items[0].division, cases[i].division);
        assert_string_equal(work->operations.items[0].label, cases[i].label);
        assert_int_equal(stage_expected_ns(&outcome.workload->stages.items[0]), -1);
    }
}

static void special_defaults_give_way_to_the_works_own_config(void **state)
{
    static const struct {
        const char *text, *key, *value;
    } cases[] = {
        {AROUND("<work type='prepare' workers='1' config='containers=r(1,4);objects=r(1,5);"
                "sizes=c(1)KB'/>"),
         "createContainer", "false"},
        {AROUND("<work type='prepare' workers='1' config='containers=r(1,4);objects=r(1,5);"
                "sizes=c(1)KB;createContainer=true'/>"),
         "createContainer", "true"},
        {AROUND("<work type='cleanup' workers='1' config='containers=1-4;objects=0-0'/>"),
         "deleteContainer", "false"},
        {AROUND("<work type='cleanup' workers='1' config='deleteContainer=true;containers=r(1,4);"
                "objects=r(1,5)'/>"),
         "deleteContainer", "true"},
        {AROUND("<work type='dispose' workers='1' config='containers=r(1,4)'/>"), "objects",
         "r(0,0)"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(outcome_release) struct outcome outcome = parse_good(cases[i].text);
        assert_string_equal(outcome.findings, "");
        assert_key(work_of(&outcome, 0, 0)->operations.items[0].config, cases[i].key,
                   cases[i].value);
    }
}

static void a_delay_stage_only_waits(void **state)
{
    static const char *const texts[] = {
        "<workload name='w'><workflow><workstage name='pause' closuredelay='60'><work type='delay'>"
        "<operation type='delay'/></work></workstage></workflow></workload>",
        "<workload name='w'><workflow><workstage name='delay' closuredelay='60'><work name='k' "
        "workers='1' totalOps='1'>" READ "</work></workstage></workflow></workload>",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        AUTO(outcome_release) struct outcome outcome = parse_good(texts[i]);
        assert_true(outcome.workload->stages.items[0].is_delay);
        assert_true(stage_expected_ns(&outcome.workload->stages.items[0]) == 60 * SEC);
        assert_int_equal(work_of(&outcome, 0, 0)->workers, 1);
    }
}

static void a_delay_beside_other_works_is_left_out(void **state)
{
    AUTO(outcome_release)
    struct outcome outcome = parse_good(AROUND("<work type='delay'/><work name='k' workers='1' "
                                               "totalOps='1'>" READ "</work>"));
    (void)state;
    assert_int_equal(outcome.workload->stages.items[0].works.len, 1);
    assert_string_equal(work_of(&outcome, 0, 0)->name, "k");
    assert_non_null(strstr(outcome.findings, "a delay beside other works does nothing"));
}

static void operations_are_numbered_per_stage_and_labelled_per_work(void **state)
{
    AUTO(outcome_release)
    struct outcome outcome = parse_good(
        "<workload name='w' config='containers=c(1);objects=c(1)'><workflow>"
        "<workstage name='a'><work name='k' workers='1' totalOps='1'>"
        "<operation type='read' ratio='30'/><operation type='delete' ratio='0'/>"
        "<operation type='read' ratio='30'/>"
        "<operation type='read' ratio='20' config='name=big'/><operation type='list' ratio='20'/>"
        "</work><work name='l' workers='1' totalOps='1'>" READ "</work></workstage>"
        "<workstage name='b'><work name='k' workers='1' totalOps='1'>" READ "</work></workstage>"
        "</workflow></workload>");
    static const char *const labels[] = {"1-read", "2-read", "big-read", "list"};
    static const char *const names[] = {"read", "read", "big", "list"};
    const struct work *work = work_of(&outcome, 0, 0);
    (void)state;
    assert_int_equal(work->operations.len, 4);
    for (size_t i = 0; i < 4; i++) {
        AUTO(freep) char *id = xasprintf("op%zu", i + 1);
        assert_string_equal(work->operations.items[i].label, labels[i]);
        assert_string_equal(work->operations.items[i].name, names[i]);
        assert_string_equal(work->operations.items[i].id, id);
    }
    assert_string_equal(work_of(&outcome, 0, 1)->operations.items[0].id, "op5");
    assert_string_equal(work_of(&outcome, 1, 0)->operations.items[0].id, "op1");
}

static void an_operation_with_ratio_0_is_never_looked_into(void **state)
{
    AUTO(outcome_release)
    struct outcome outcome = parse_good(WORK("workers='1' totalOps='1'", READ
                                             "<operation type='filewrite' ratio='0' config='x'/>"));
    (void)state;
    assert_string_equal(outcome.findings, "");
}

static void files_as_users_write_them_are_good(void **state)
{
    (void)state; /* BOM, CRLF, tabs, comments, any order of attributes */
    AUTO(outcome_release)
    struct outcome outcome = parse_good(
        "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\r\n<!-- why -->\r\n"
        "<workload description=\"x\" name=\"s3-sample\">\r\n"
        "\t<storage config=\"accesskey=root;secretkey=du/m+p==;endpoint=http://localhost:29998;"
        "path_style_access=true\" type=\"s3\" />\r\n\t<workflow>\r\n"
        "\t\t<workstage name=\"init\"><work config=\"cprefix=s3testqwer ; containers = r(1,2) ;\" "
        "workers=\"1\" type=\"init\" /></workstage>\r\n"
        "\t\t<!-- <workstage name=\"off\"/> -->\r\n"
        "\t\t<workstage name=\"prepare\"><work type=\"prepare\" workers=\"1\" "
        "config=\"cprefix=s3testqwer;containers=r(1,2);objects=r(1,10);sizes=c(64)KB\" />"
        "</workstage>\r\n"
        "\t\t<workstage name=\"main\"><work name=\"main\" workers=\"8\" runtime=\"30\">\r\n"
        "<operation type=\"read\" ratio=\"80\" config=\"cprefix=s3testqwer;containers=u(1,\r\n 2);"
        "objects=u(1,10)\" />\r\n<operation type=\"write\" ratio=\"20\" "
        "config=\"cprefix=s3testqwer;containers=u(1,2);objects=u(11,20);sizes=c(64)KB\" />\r\n"
        "</work></workstage>\r\n"
        "\t\t<workstage name=\"cleanup\"><work type=\"cleanup\" workers=\"1\" "
        "config=\"cprefix=s3testqwer;containers=r(1,2);objects=r(1,20)\" /></workstage>\r\n"
        "\t\t<workstage name=\"dispose\"><work type=\"dispose\" workers=\"1\" "
        "config=\"cprefix=s3testqwer;containers=r(1,2)\" /></workstage>\r\n"
        "\t</workflow>\r\n</workload>\r\n");
    assert_string_equal(outcome.findings, "");
    assert_int_equal(outcome.workload->stages.len, 5);
    assert_int_equal(work_of(&outcome, 2, 0)->operations.len, 2);
}

/* ---- bad documents */

static void every_rule_names_line_element_attribute_and_what_was_expected(void **state)
{
    static const struct {
        const char *text, *finding;
    } cases[] = {
        {"<workflow/>", "1: error: workflow: root element is workflow, expected workload\n"},
        {"<workload><workflow/></workload>", "1: error: workload: name: is missing"},
        {"<workload name=' '><workflow/></workload>", "1: error: workload: name: is empty"},
        {"<workload name='w'/>", "1: error: workload: has no workflow"},
        {"<workload name='w'>\n<workflow/></workload>", "2: error: workflow: has no workstage"},
        {"<workload name='w'><workflow><workstage name='s'/></workflow></workload>",
         "error: workstage: has no work"},
        {"<workload name='w'><workflow><workstage name='a;b'/></workflow></workload>",
         "error: workstage: name: holds a ';'"},
        {"<workload name='w'><workflow><workstage/></workflow></workload>",
         "error: workstage: name: is missing"},
        {"<workload name='w'><workflow/>\n<workflow/></workload>",
         "2: error: workflow: stands twice in workload (first on line 1)"},
        {"<workload name='w'><storage type='none'/>\n<storage type='none'/></workload>",
         "2: error: storage: stands twice in workload"},
        {"<workload name='w'><storage/></workload>", "error: storage: type: is missing or empty"},
        {"<workload name='w'><storage type='s4'/></workload>",
         "error: storage: type: found \"s4\", supported: none, mock, s3; did you mean s3?\n"},
        {"<workload name='w'><storage type='Swift'/></workload>",
         "swift is not supported by this version, supported: none, mock, s3\n"},
        {"<workload name='w'><storage type='manta'/></workload>",
         "manta is not supported by this version: it does not speak S3"},
        {"<workload name='w'><auth type='keystone'/></workload>",
         "error: auth: type: keystone is not supported by this version, supported: none, mock\n"},
        {"<workload name='w'><storage type='s3'\n config='accesskey=a;secretkey=b;endpoint=h:1'/>"
         "</workload>",
         "2: error: storage: config: endpoint: found \"h:1\", expected http://HOST[:PORT]"},
        {"<workload name='w'><storage type='s3' config='endpoint=http://h:1'/></workload>",
         "error: storage: config: no such key defined: accesskey"},
        {"<workload name='w'><storage type='s3' config='accesskey=a;secretkey=b;timeout=soon'/>"
         "</workload>",
         "error: storage: config: timeout: found \"soon\", expected a duration"},
        {AROUND("<work name='k' runtime='1'>" READ "</work>"),
         "4: error: work: workers: is missing"},
        {AROUND("<work type='init' config='containers=r(1,2)'/>"),
         "4: error: work: workers: is missing"},
        {AROUND("<work workers='1' runtime='1'>" READ "</work>"),
         "4: error: work: name: is missing"},
        {WORK("workers='0' runtime='1'", READ), "4: error: work: workers: found \"0\", expected"},
        {WORK("workers='-1' runtime='1'", READ), "4: error: work: workers: found \"-1\", expected"},
        {WORK("workers='many' runtime='1'", READ), "workers: found \"many\", expected a whole"},
        {WORK("workers='1000001' runtime='1'", READ), "workers: found \"1000001\", expected"},
        {WORK("workers='1'\n runtime='-5'", READ), "5: error: work: runtime: found \"-5\""},
        {WORK("workers='1' totalOps='1.5'", READ), "totalOps: found \"1.5\", expected a whole"},
        {WORK("workers='1' totalBytes='64KB'", READ), "totalBytes: found \"64KB\""},
        {WORK("workers='1' runtime='1' interval='0'", READ), "interval: found \"0\""},
        {WORK("workers='1' runtime='1' afr='1000001'", READ), "afr: found \"1000001\""},
        {WORK("workers='1' runtime='1' division='both'", READ),
         "division: found \"both\", expected none, container or object"},
        {WORK("workers='1'", READ),
         "4: error: work: none of runtime, totalOps, totalBytes is given"},
        {WORK("workers='1' runtime='0' totalOps='0'", READ), "none of runtime, totalOps,"},
        {WORK("workers='1' runtime='1'", ""), "4: error: work: has no operation"},
        {WORK("workers='1' runtime='1'", "<operation type='read' ratio='0'/>"),
         "has no operation with a ratio above 0"},
        {WORK("workers='1' runtime='1'", READ READ), "the ratios of its operations sum to 200"},
        {WORK("workers='1' runtime='1'", "<operation type='read' ratio='101'/>"),
         "operation: ratio: found \"101\", expected a whole number from 0 to 100"},
        {WORK("workers='1' runtime='1'", "<operation/>"), "operation: type: is missing"},
        {WORK("workers='1' runtime='1'", "<operation type='raed'/>"), "did you mean read?"},
        {WORK("workers='1' runtime='1'", "<operation type='filewrite'/>"),
         "operation: type: filewrite is not supported by this version"},
        {WORK("workers='1' runtime='1'", "<operation type='read' config='containers=c(1)'/>"),
         "4: error: operation: config: no such key defined: objects\n"},
        {WORK("workers='1' runtime='1'", "<operation type='read' config='objects=c(1)'/>"),
         "4: error: operation: config: no such key defined: containers\n"},
        {WORK("workers='1' runtime='1'",
              "<operation type='write' config='containers=c(1);objects=c(1)'/>"),
         "4: error: operation: config: no such key defined: sizes\n"},
        {WORK("workers='1' runtime='1'",
              "<operation type='read' config='containers=c(1);objects=r(0,0)'/>"),
         "objects: r(0,0) is an empty range"},
        {WORK("workers='1' runtime='1'", "<operation type='write' config='containers=c(1);"
                                         "objects=c(1);sizes=u(1)TB'/>"),
         "sizes: the size can be 2^63 bytes or more"},
        {WORK("workers='1' runtime='1'", "<operation type='read' config='containers=c(1);"
                                         "objects=c(1);chunked=perhaps'/>"),
         "chunked: found \"perhaps\", expected true or false"},
        {AROUND("<work type='init' workers='1' config='containers=u(1,2)'/>"),
         "4: error: work: config: containers: found u(1,2), expected r(low,high) or low-high"},
        {AROUND("<work type='prepare' workers='1' config='containers=r(1,2);objects=c(1);"
                "sizes=c(1)B'/>"),
         "objects: found c(1), expected r(low,high) or low-high"},
        {AROUND("<work type='mprepare' name='k' workers='1'/>"), "mprepare is not supported"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(outcome_release) struct outcome outcome = parse(cases[i].text);
        assert_int_equal(outcome.rc, ERR_CONFIG);
        if (!strstr(outcome.findings, cases[i].finding))
            fail_msg("expected %s\nfound %s", cases[i].finding, outcome.findings);
    }
}

static void a_bad_selector_is_reported_where_it_stands(void **state)
{
    AUTO(outcome_release)
    struct outcome outcome =
        parse("<workload name='w'\n config='containers=x(1,2)'>\n"
              "<workflow><workstage name='m'>\n"
              "<work name='k' workers='1' runtime='1'\n config='objects=u(9)'>\n"
              "<operation type='read' ratio='50'/>\n"
              "<operation type='write'\n ratio='50' config='sizes=c(1)'/>\n"
              "</work></workstage></workflow></workload>");
    (void)state;
    assert_string_equal(outcome.findings,
                        "2: error: workload: config: containers: column 1: unknown selector x, "
                        "expected c, u, r, s or h\n"
                        "8: error: operation: config: sizes: size has no unit, expected B, KB, MB, "
                        "GB, TB, KiB, MiB, GiB or TiB\n");
}

static void all_problems_are_reported_at_once_in_order_of_lines(void **state)
{
    AUTO(outcome_release)
    struct outcome outcome = parse("<workload name='w'>\n<storage type='s5'/>\n<workflow>\n"
                                   "<workstage name='m'>\n<work name='k' workers='0'>\n"
                                   "<operation type='reed'/>\n</work>\n"
                                   "</workstage></workflow></workload>");
    static const int lines[] = {2, 5, 5, 6};
    (void)state;
    assert_int_equal(outcome.diags.errors, ARRAY_LEN(lines));
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        assert_int_equal(outcome.diags.list.items[i].line, lines[i]);
    assert_non_null(strstr(outcome.err.text, "line 2: storage: type: found \"s5\""));
}

/* ---- warnings */

static void surprises_are_warned_about(void **state)
{
    static const struct {
        const char *text, *finding;
    } cases[] = {
        {WORK("workers='1' runtime='1' rampUp='3'", READ),
         "4: warning: work: rampUp: is not an attribute of work and not used; did you mean "
         "rampup?\n"},
        {WORK("workers='1' totalOps='1' rampup='3'", READ),
         "4: warning: work: rampup: is not used without a runtime\n"},
        {WORK("workers='1' runtime='1' type='raed'", READ),
         "4: warning: work: type: found \"raed\", taken as normal"},
        {WORK("workers='1' runtime='1'", READ "<opration/>"),
         "4: warning: opration: is not expected inside work and not used; did you mean "
         "operation?\n"},
        {WORK("workers='1' runtime='1'", READ "stray"),
         "4: warning: work: text inside the element is not used\n"},
        {WORK("workers='8' runtime='1' division='object'",
              "<operation type='read' config='containers=c(1);objects=u(1,5)'/>"),
         "objects: 8 workers divide 5 numbers: 3 of them have none and do nothing\n"},
        {WORK("workers='1' runtime='1'", "<operation type='read' config='containers=c(1);"
                                         "objects=c(1);hashcheck=true'/>"),
         "key hashcheck is read as hashCheck"},
        {WORK("workers='1' runtime='1'",
              "<operation type='write' config='containers=c(1);objects=c(1);sizes=c(40)B;"
              "hashCheck=true'/>"),
         "sizes: objects of 40 bytes or less are written without the checksum of hashCheck\n"},
        {WORK("workers='1' runtime='1'", "<operation type='read' config='containers=c(1);"
                                         "objects=c(1);cprefx=a'/>"),
         "key \"cprefx\" is not known and not used; did you mean cprefix?\n"},
        {WORK("workers='1' runtime='1'",
              "<operation type='read' config='containers=c(1);objects=c(1);oops'/>"),
         "1 entry has no '=' and is not used"},
        {AROUND("<work type='init' workers='1' config='containers=r(1,2)'>" READ "</work>"),
         "warning: operation: is not used: a work of type init has its operation by itself\n"},
        {AROUND("<work type='init' workers='1' runtime='9' config='containers=r(1,2)'/>"),
         "4: warning: work: runtime: is not used"},
        {AROUND("<work type='delay'/>"),
         "3: warning: workstage: closuredelay: is not given: the stage waits 0 seconds\n"},
        {"<workload name='w' trigger='a.sh'><workflow><workstage name='delay' closuredelay='1'>"
         "<work type='delay'/></workstage></workflow></workload>",
         "1: warning: workload: trigger: is not run by this version\n"},
        {"<workload name='w'><storage type='s3' config='accesskey=a;secretkey=b;"
         "is_range_request=true' timeout='5'/><workflow><workstage name='delay' closuredelay='1'>"
         "<work type='delay'/></workstage></workflow></workload>",
         "key is_range_request is not used by this version: a read fetches the whole object\n"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(outcome_release) struct outcome outcome = parse_good(cases[i].text);
        if (!strstr(outcome.findings, cases[i].finding))
            fail_msg("expected %s\nfound %s", cases[i].finding, outcome.findings);
    }
}

static void no_finding_shows_a_secret(void **state)
{
    static const char *const texts[] = {
        "<workload name='w'><storage type='s3' config='secretkey=HUSH;HUSH/HUSH;HUSHHUSH==;"
        "accesskey=;endpoint=http://a:HUSH@h:1;timeout=x'/></workload>",
        "<workload name='w'><storage type='s3' config='secretkey HUSH'/></workload>",
        "<workload name='w'><storage type='s4' config='password=HUSH' secretkey='HUSH'/>"
        "</workload>",
        "<workload name='w'><storage type='s3' config='secretkey=<HUSH>'/></workload>",
        "<workload name='w'><storage type='s3' config='secretkey=HUSH&HUSH'/></workload>",
        "<workload name='w'><storage type='s3' config='secretkey=HUSH\"/></workload>",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        AUTO(outcome_release) struct outcome outcome = parse(texts[i]);
        assert_int_equal(outcome.rc, ERR_CONFIG);
        assert_null(strstr(outcome.findings, "HUSH"));
        assert_null(strstr(outcome.err.text, "HUSH"));
    }
}

/* ---- ceilings */

static void a_thousand_errors_do_not_drown_the_first(void **state)
{
    AUTO(strbuf_release) struct strbuf sb = STRBUF_INIT(1 << 20);
    (void)state;
    strbuf_adds(&sb, "<workload name='w'><workflow>\n");
    for (int i = 0; i < 1000; i++)
        strbuf_adds(&sb, "<workstage name='s'><work name='k' od='1' workers='0'/></workstage>\n");
    strbuf_adds(&sb, "</workflow></workload>");
    AUTO(outcome_release) struct outcome outcome = parse(sb.buf);
    assert_int_equal(outcome.rc, ERR_CONFIG);
    assert_int_equal(outcome.diags.list.len, DIAGS_MAX);
    assert_true(outcome.diags.errors >= 3000);
    assert_non_null(strstr(outcome.err.text, "line 2: "));
}

static void configs_copied_to_many_works_are_bounded(void **state)
{
    AUTO(strbuf_release) struct strbuf sb = STRBUF_INIT(WORKLOAD_MAX_BYTES);
    (void)state;
    strbuf_adds(&sb, "<workload name='w' config='oprefix=");
    for (int i = 0; i < 60000; i++)
        strbuf_addc(&sb, 'a');
    strbuf_adds(&sb, "'><workflow><workstage name='s'>");
    for (int i = 0; i < 20000; i++)
        strbuf_adds(&sb, "<work name='k' workers='1' totalOps='1'>" READ "</work>");
    strbuf_adds(&sb, "</workstage></workflow></workload>");
    AUTO(outcome_release) struct outcome outcome = parse(sb.buf);
    assert_int_equal(outcome.rc, ERR_CONFIG);
    assert_non_null(strstr(outcome.findings, "the config strings of all works together"));
}

static void names_too_long_for_a_store_are_refused(void **state)
{
    char prefix[301];
    (void)state;
    memset(prefix, 'p', sizeof(prefix) - 1);
    prefix[sizeof(prefix) - 1] = '\0';
    AUTO(freep)
    char *text = xasprintf(AROUND("<work type='init' workers='1' "
                                  "config='containers=r(1,2);cprefix=%s'/>"),
                           prefix);
    AUTO(outcome_release) struct outcome outcome = parse(text);
    assert_int_equal(outcome.rc, ERR_CONFIG);
    assert_non_null(strstr(outcome.findings, "4: error: work: config: cprefix: "));
}

static void a_large_workload_is_read(void **state)
{
    AUTO(strbuf_release) struct strbuf sb = STRBUF_INIT(WORKLOAD_MAX_BYTES);
    (void)state;
    strbuf_adds(&sb, "<workload name='w'><workflow>");
    for (int i = 0; i < 500; i++) {
        strbuf_adds(&sb, "<workstage name='s'>");
        for (int w = 0; w < 36; w++)
            strbuf_adds(&sb, "<work name='k' workers='1' totalOps='1'>" READ "</work>");
        strbuf_adds(&sb, "</workstage>");
    }
    strbuf_adds(&sb, "</workflow></workload>");
    AUTO(outcome_release) struct outcome outcome = parse_good(sb.buf);
    assert_int_equal(outcome.workload->stages.len, 500);
    assert_string_equal(work_of(&outcome, 499, 35)->operations.items[0].id, "op36");
    assert_string_equal(outcome.workload->stages.items[499].id, "s500-s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_given_has_its_default),
        cmocka_unit_test(every_attribute_is_read),
        cmocka_unit_test(storage_and_auth_come_whole_from_the_nearest_level),
        cmocka_unit_test(config_is_inherited_key_by_key_and_the_innermost_wins),
        cmocka_unit_test(special_works_have_one_operation_and_end_when_it_is_done),
        cmocka_unit_test(special_defaults_give_way_to_the_works_own_config),
        cmocka_unit_test(a_delay_stage_only_waits),
        cmocka_unit_test(a_delay_beside_other_works_is_left_out),
        cmocka_unit_test(operations_are_numbered_per_stage_and_labelled_per_work),
        cmocka_unit_test(an_operation_with_ratio_0_is_never_looked_into),
        cmocka_unit_test(files_as_users_write_them_are_good),
        cmocka_unit_test(every_rule_names_line_element_attribute_and_what_was_expected),
        cmocka_unit_test(a_bad_selector_is_reported_where_it_stands),
        cmocka_unit_test(all_problems_are_reported_at_once_in_order_of_lines),
        cmocka_unit_test(surprises_are_warned_about),
        cmocka_unit_test(no_finding_shows_a_secret),
        cmocka_unit_test(a_thousand_errors_do_not_drown_the_first),
        cmocka_unit_test(configs_copied_to_many_works_are_bounded),
        cmocka_unit_test(names_too_long_for_a_store_are_refused),
        cmocka_unit_test(a_large_workload_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
