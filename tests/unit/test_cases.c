/* test_cases.c -- the small workloads of tests/data/cases give what its README says. */
#include "tests/unit/unit.h"

#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/catalog/config.h"
#include "common/model/selector.h"
#include "common/model/workload.h"

#include <dirent.h>
#include <string.h>

#define FOLDER       "tests/data/cases/"
#define FINDINGS_MAX 3

struct finding {
    enum diag_severity severity;
    int line;
    const char *element, *attribute;
    const char *words; /* part of the message */
};

struct case_file {
    const char *name;
    struct finding findings[FINDINGS_MAX];          /* all of them, in order */
    void (*check)(const struct workload *workload); /* NULL: must be refused */
};

/* ---- help */

static const struct work *only_work(const struct workload *workload)
{
    assert_int_equal(workload->stages.len, 1);
    assert_int_equal(workload->stages.items[0].works.len, 1);
    return &workload->stages.items[0].works.items[0];
}

static const struct operation *only_operation(const struct workload *workload)
{
    const struct work *work = only_work(workload);
    assert_int_equal(work->operations.len, 1);
    assert_string_equal(work->operations.items[0].id, "op1");
    return &work->operations.items[0];
}

static void assert_key(const struct operation *operation, const char *key, const char *expected)
{
    AUTO(config_release) struct config config = {{0}};
    assert_int_equal(config_parse(operation->config, &config, NULL, NULL, 0, NULL), 0);
    const char *found = config_find(&config, key);
    if (!expected) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_string_equal(found, expected);
}

/* How many numbers of the operation's selector worker index of all has. */
static int64_t share(const struct operation *operation, const char *key, int64_t index, int64_t all)
{
    AUTO(config_release) struct config config = {{0}};
    struct selector *selector = NULL;
    assert_int_equal(config_parse(operation->config, &config, NULL, NULL, 0, NULL), 0);
    assert_int_equal(selector_parse(config_find(&config, key), &selector, NULL), 0);
    struct range range =
        range_of_worker(selector_low(selector), selector_high(selector), index, all);
    selector_free(selector);
    return range.count;
}

static struct size_selector sizes_of(const struct operation *operation)
{
    AUTO(config_release) struct config config = {{0}};
    struct size_selector sizes;
    assert_int_equal(config_parse(operation->config, &config, NULL, NULL, 0, NULL), 0);
    assert_int_equal(size_selector_parse(config_find(&config, "sizes"), &sizes, NULL), 0);
    return sizes;
}

static void assert_sizes(const struct operation *operation, int64_t low, int64_t high)
{
    struct size_selector sizes = sizes_of(operation);
    assert_int_equal(selector_low(sizes.selector) * sizes.unit_bytes, low);
    assert_int_equal(size_selector_max(&sizes), high);
    size_selector_release(&sizes);
}

/* ---- the right results */

static void check_storage_after_work(const struct workload *workload)
{
    const struct work *work = only_work(workload);
    const struct operation *operation = only_operation(workload);
    assert_string_equal(work->storage.type, "s3");
    assert_non_null(strstr(work->storage.config, "endpoint=http://127.0.0.1:9000/"));
    assert_string_equal(work->name, "init");
    assert_int_equal(operation->type, OP_INIT);
    assert_int_equal(operation->division, DIVISION_CONTAINER);
    assert_string_equal(operation->label, "init-write");
    assert_key(operation, "cprefix", "c1-");
    assert_key(operation, "objects", "r(0,0)");
    for (int64_t index = 1; index <= 8; index++)
        assert_int_equal(share(operation, "containers", index, work->workers), 5);
}

static void check_prepare(const struct workload *workload)
{
    const struct work *work = only_work(workload);
    const struct operation *operation = only_operation(workload);
    assert_string_equal(work->name, "fill-4K");
    assert_int_equal(work->total_ops, 7);
    assert_int_equal(operation->type, OP_PREPARE);
    assert_int_equal(operation->division, DIVISION_OBJECT);
    assert_int_equal(operation->ratio, 100);
    assert_key(operation, "createContainer", "false");
    for (int64_t index = 1; index <= 7; index++)
        assert_int_equal(share(operation, "objects", index, 7), index < 7 ? 143 : 142);
}

static void check_unknown_type(const struct workload *workload)
{
    const struct work *work = only_work(workload);
    const struct operation *operation = only_operation(workload);
    assert_int_equal(work->type, WORK_NORMAL);
    assert_int_equal(work->total_ops, 600);
    assert_int_equal(work->interval_s, 10);
    assert_string_equal(work->auth.type, "none");
    assert_int_equal(operation->division, DIVISION_OBJECT);
    assert_int_equal(share(operation, "objects", 6, 6), 100);
    assert_sizes(operation, 4096, 4096);
    struct op_conf conf;
    assert_int_equal(op_conf_load(operation->type, operation->config, &conf, NULL), 0);
    assert_false(conf.hash_check);
    op_conf_release(&conf);
}

static void check_fewer_ops(const struct workload *workload)
{
    const struct work *work = only_work(workload);
    assert_int_equal(work->workers, 50);
    assert_int_equal(work->total_ops, 10);
    assert_int_equal(work->runtime_s, 0);
    assert_key(only_operation(workload), "oprefix", "w1-4kib-");
}

static void check_zero_bytes(const struct workload *workload)
{
    const struct operation *operation = only_operation(workload);
    assert_int_equal(only_work(workload)->workers, 512);
    assert_key(operation, "csuffix", "-1250000000");
    assert_sizes(operation, 0, 0);
}

static void check_histogram(const struct workload *workload)
{
    const struct work *work = only_work(workload);
    assert_string_equal(workload->stages.items[0].name, "mix 4K Write");
    assert_string_equal(workload->stages.items[0].id, "s1-mix 4K Write");
    assert_int_equal(stage_expected_ns(&workload->stages.items[0]), INT64_C(13000000000));
    assert_int_equal(work->operations.len, 3);
    const struct operation *operations = work->operations.items;
    assert_string_equal(operations[0].label, "1-write");
    assert_string_equal(operations[1].label, "2-write");
    assert_string_equal(operations[2].label, "read");
    assert_string_equal(operations[2].id, "op3");
    assert_int_equal(operations[0].ratio + operations[1].ratio + operations[2].ratio, 100);
    assert_sizes(&operations[0], 1000, 2048000);
    assert_sizes(&operations[1], 4096, 4096);
}

static void check_delay(const struct workload *workload)
{
    const struct stage *stage = &workload->stages.items[0];
    assert_true(stage->is_delay);
    assert_int_equal(stage->closure_delay_s, 2);
    assert_int_equal(stage_expected_ns(stage), INT64_C(2000000000));
    assert_int_equal(only_work(workload)->workers, 1);
    assert_int_equal(only_operation(workload)->type, OP_DELAY);
}

static void check_inheritance(const struct workload *workload)
{
    const struct operation *operation = only_operation(workload);
    assert_key(operation, "oprefix", "op-");
    assert_key(operation, "cprefix", "c8-");
    assert_key(operation, "containers", "1-1");
    assert_int_equal(share(operation, "objects", 1, 1), 30);
    assert_sizes(operation, 1000, 1000);
}

#define ERROR   DIAG_ERROR
#define WARNING DIAG_WARNING

static const struct case_file case_files[] = {
    {"ok-01-storage-after-work.xml",
     {{WARNING, 6, "work", "id", "not used"}},
     check_storage_after_work},
    {"ok-02-prepare-odd-attributes.xml",
     {{WARNING, 6, "work", "ratio", "not used"}},
     check_prepare},
    {"ok-03-unknown-work-type-is-normal.xml",
     {{WARNING, 6, "work", "type", "taken as normal"}},
     check_unknown_type},
    {"ok-04-fewer-ops-than-workers.xml", {{0}}, check_fewer_ops},
    {"ok-05-zero-bytes-and-suffix.xml", {{0}}, check_zero_bytes},
    {"ok-06-histogram-and-kib.xml", {{0}}, check_histogram},
    {"ok-07-delay.xml", {{0}}, check_delay},
    {"ok-08-old-range-and-inheritance.xml", {{0}}, check_inheritance},
    {"bad-01-root-missing.xml",
     {{ERROR, 2, "workflow", "", "root element is workflow, expected workload"}},
     NULL},
    {"bad-02-ratio-sum.xml", {{ERROR, 6, "work", "", "sum to 90, expected 100"}}, NULL},
    {"bad-03-selector.xml",
     {{ERROR, 7, "operation", "config", "unknown selector x, expected c, u, r, s or h"},
      {ERROR, 7, "operation", "config", "low end 10 is above high end 1"}},
     NULL},
    {"bad-04-no-limit.xml",
     {{ERROR, 6, "work", "", "none of runtime, totalOps, totalBytes is given"}},
     NULL},
    {"bad-05-size-unit.xml",
     {{ERROR, 6, "work", "config", "size has no unit, expected B, KB"}},
     NULL},
    {"bad-06-placeholder.xml",
     {{ERROR, 3, "storage", "config", "accesskey=<accesskey> looks like a placeholder"}},
     NULL},
    {"bad-07-entity.xml",
     {{ERROR, 2, "", "", "document types and entities are not accepted"}},
     NULL},
    {"bad-08-no-workers.xml", {{ERROR, 6, "work", "workers", "is missing"}}, NULL},
};

static void check_findings(const struct case_file *file, const struct diags *diags)
{
    size_t count = 0;
    while (count < FINDINGS_MAX && file->findings[count].line)
        count++;
    assert_int_equal(diags->list.len, count);
    for (size_t i = 0; i < count; i++) {
        const struct finding *expected = &file->findings[i];
        const struct diag *diag = &diags->list.items[i];
        assert_int_equal(diag->severity, expected->severity);
        assert_int_equal(diag->line, expected->line);
        assert_string_equal(diag->element, expected->element);
        assert_string_equal(diag->attribute, expected->attribute);
        assert_non_null(strstr(diag->message, expected->words));
    }
}

static void every_case_gives_what_the_readme_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(case_files); i++) {
        const struct case_file *file = &case_files[i];
        AUTO(freep) char *path = xasprintf(FOLDER "%s", file->name);
        AUTO(strbuf_release) struct strbuf text = STRBUF_INIT(WORKLOAD_MAX_BYTES);
        AUTO(workload_freep) struct workload *workload = NULL;
        AUTO(diags_release) struct diags diags = {0};
        struct err err = {0};

        print_message("%s\n", file->name);
        assert_int_equal(file_read(path, &text, &err), 0);
        int rc = workload_parse(text.buf, text.len, &workload, &diags, &err);
        check_findings(file, &diags);
        if (file->check) {
            assert_int_equal(rc, 0);
            assert_string_equal(workload->name, "case");
            file->check(workload);
        } else {
            assert_int_equal(rc, ERR_CONFIG);
            assert_null(workload);
            assert_non_null(strstr(err.text, file->findings[0].words));
        }
    }
}

static void every_file_of_the_folder_is_a_case(void **state)
{
    (void)state;
    size_t found = 0;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!strstr(entry->d_name, ".xml"))
            continue;
        bool is_known = false;
        for (size_t i = 0; i < ARRAY_LEN(case_files); i++)
            is_known = is_known || strcmp(case_files[i].name, entry->d_name) == 0;
        assert_true(is_known);
        found++;
    }
    closedir(folder);
    assert_int_equal(found, ARRAY_LEN(case_files));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_gives_what_the_readme_says),
        cmocka_unit_test(every_file_of_the_folder_is_a_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
