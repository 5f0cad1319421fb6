/* test_key.c -- tables of settings: read, checked, near names. */
#include "tests/unit/unit.h"

#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/catalog/adaptors.h"
#include "common/catalog/ops.h"

#include <string.h>

struct sample {
    bool flag;
    int64_t count, timeout_ns, size;
    double share;
    char *text, *token;
    int color;
};

static const char *const colors[] = {"red", "green", NULL};
static const char *const count_names[] = {"number", NULL};

static const struct key keys[] = {
    {.name = "flag", .type = KEY_BOOL, .off = offsetof(struct sample, flag), .def = "no"},
    {.name = "count",
     .aliases = count_names,
     .type = KEY_INT,
     .off = offsetof(struct sample, count),
     .def = "3",
     .min = 1,
     .max = 9},
    {.name = "timeout",
     .type = KEY_DURATION,
     .off = offsetof(struct sample, timeout_ns),
     .def = "30000",
     .min = MS,
     .max = HOUR,
     .unit_ns = MS},
    {.name = "size", .type = KEY_SIZE, .off = offsetof(struct sample, size), .def = "1KB"},
    {.name = "share",
     .type = KEY_REAL,
     .off = offsetof(struct sample, share),
     .def = "0",
     .min = 0,
     .max = 1},
    {.name = "Text", .type = KEY_TEXT, .off = offsetof(struct sample, text), .def = NULL},
    {.name = "token",
     .type = KEY_TEXT,
     .off = offsetof(struct sample, token),
     .def = "",
     .secret = true},
    {.name = "color",
     .type = KEY_CHOICE,
     .off = offsetof(struct sample, color),
     .def = "green",
     .choices = colors},
    {.name = "old", .type = KEY_UNUSED},
    {.name = "missed", .type = KEY_UNUSED, .warning = "nothing is missed"},
    {.name = NULL},
};

static int load(const char *text, struct sample *sample, struct err *err)
{
    AUTO(config_release) struct config config = {{0}};
    memset(sample, 0, sizeof(*sample));
    assert_int_equal(config_parse(text, &config, NULL, NULL, 0, NULL), 0);
    return keys_load(keys, &config, sample, err);
}

/* The findings as text. */
static char *check(const struct key *table, const char *text)
{
    AUTO(config_release) struct config config = {{0}};
    AUTO(diags_release) struct diags diags = {0};
    struct strbuf sb = STRBUF_INIT(1 << 16);
    assert_int_equal(config_parse(text, &config, NULL, NULL, 0, NULL), 0);
    keys_check(table, NULL, &config, 4, "storage", &diags);
    diags_format(&diags, NULL, &sb);
    return strbuf_take(&sb);
}

static void values_are_read_by_type_and_defaults_fill_the_rest(void **state)
{
    struct sample sample;
    (void)state;
    assert_int_equal(load("text=hello;FLAG=Yes;number=5;timeout=1.5s;share=0.25", &sample, NULL),
                     0);
    assert_true(sample.flag);
    assert_int_equal(sample.count, 5);
    assert_int_equal(sample.timeout_ns, 1500 * MS);
    assert_int_equal(sample.size, 1000);
    assert_true(sample.share == 0.25);
    assert_string_equal(sample.text, "hello");
    assert_string_equal(sample.token, "");
    assert_int_equal(sample.color, 1);
    keys_release(keys, &sample);
    assert_null(sample.text);
}

static void a_bare_duration_counts_in_the_unit_of_the_key(void **state)
{
    struct sample sample;
    (void)state;
    assert_int_equal(load("Text=;timeout=999999", &sample, NULL), 0);
    assert_int_equal(sample.timeout_ns, 999999 * MS);
    keys_release(keys, &sample);
}

static void an_empty_number_counts_as_not_given(void **state)
{
    struct sample sample;
    (void)state;
    assert_int_equal(load("Text=;count=;color= ", &sample, NULL), 0);
    assert_int_equal(sample.count, 3);
    assert_int_equal(sample.color, 1);
    keys_release(keys, &sample);
}

static void a_bad_value_is_refused_with_what_was_expected(void **state)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"count=5", "no such key defined: Text"},
        {"Text=;count=10", "count: found \"10\", expected a whole number from 1 to 9"},
        {"Text=;count=1x", "count: found \"1x\", expected a whole number from 1 to 9"},
        {"Text=;flag=maybe", "flag: found \"maybe\", expected true or false"},
        {"Text=;timeout=0", "timeout: found \"0\", expected a duration such as 30s or 500ms from "
                            "1 ms to 3600 s"},
        {"Text=;share=1.5", "share: found \"1.5\", expected a number from 0 to 1"},
        {"Text=;share=0x1", "share: found \"0x1\", expected a number from 0 to 1"},
        {"Text=;size=5XB", "size: found \"5XB\", expected a size such as 64KB or 1MiB"},
        {"Text=;color=blue", "color: found \"blue\", expected one of red, green"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sample sample;
        struct err err = {0};
        assert_int_equal(load(cases[i].text, &sample, &err), ERR_CONFIG);
        assert_string_equal(err.text, cases[i].sentence);
        assert_null(sample.text);
    }
}

static void a_check_finds_every_problem(void **state)
{
    AUTO(freep) char *found = check(keys, "count=0;flag=x;collor=red;old=1;zzzzzzzz=1");
    (void)state;
    assert_string_equal(
        found, "4: error: storage: config: flag: found \"x\", expected true or false\n"
               "4: error: storage: config: count: found \"0\", expected a whole number from 1 to "
               "9\n"
               "4: error: storage: config: no such key defined: Text\n"
               "4: warning: storage: config: key \"collor\" is not known and not used; did you "
               "mean color?\n"
               "4: warning: storage: config: key \"zzzzzzzz\" is not known and not used\n");
}

static void keys_without_use_warn_only_where_they_are_missed(void **state)
{
    AUTO(freep) char *off = check(keys, "Text=a;old=x;missed=false");
    AUTO(freep) char *on = check(keys, "Text=a;missed=5");
    (void)state;
    assert_string_equal(off, "");
    assert_string_equal(on, "4: warning: storage: config: key missed is not used by this version: "
                            "nothing is missed\n");
}

static void another_case_of_a_key_is_read_and_pointed_out(void **state)
{
    AUTO(freep)
    char *found = check(op_keys, "containers=c(1);hashcheck=true");
    (void)state;
    assert_string_equal(found, "4: warning: storage: config: key hashcheck is read as hashCheck "
                               "(COSBench would not read it in this case)\n");
}

static void what_follows_a_secret_is_not_quoted(void **state)
{
    AUTO(freep) char *found = check(keys, "Text=a;token=abc;DEFGHIJKL==;count=2;MNOPQRSTUV=1");
    (void)state;
    assert_non_null(strstr(found, "the entry after token is not known"));
    assert_null(strstr(found, "DEFGHIJKL"));
    assert_non_null(strstr(found, "MNOPQRSTUV"));
}

static void storage_none_takes_any_key(void **state)
{
    AUTO(freep) char *found = check(none_keys, "accesskey=a;whatever=b");
    (void)state;
    assert_string_equal(found, "");
}

static void names_are_near_when_few_letters_differ(void **state)
{
    static const char *const known[] = {"runtime", "rampup", "rampdown", "totalOps", "totalBytes"};
    static const struct {
        const char *name, *nearest;
    } cases[] = {
        {"totalops", "totalOps"},
        {"runTime", "runtime"},
        {"rampdwon", "rampdown"},
        {"total_bytes", "totalBytes"},
        {"xyz", NULL},
        {"", NULL},
        {"q", NULL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *found = nearest_name(cases[i].name, known, ARRAY_LEN(known));
        if (cases[i].nearest)
            assert_string_equal(found, cases[i].nearest);
        else
            assert_null(found);
    }
}

static void an_operation_needs_its_selectors(void **state)
{
    static const struct {
        enum op_type type;
        const char *config, *missing;
    } cases[] = {
        {OP_READ, "objects=c(1)", "containers"},
        {OP_READ, "containers=c(1)", "objects"},
        {OP_WRITE, "containers=c(1);objects=c(1)", "sizes"},
        {OP_PREPARE, "containers=r(1,1);objects=r(1,1)", "sizes"},
        {OP_INIT, "", "containers"},
        {OP_LIST, "", NULL},
        {OP_DELETE, "containers=c(1);objects=c(1)", NULL},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct op_conf conf;
        struct err err = {0};
        int rc = op_conf_load(cases[i].type, cases[i].config, &conf, &err);
        if (cases[i].missing) {
            AUTO(freep) char *text = xasprintf("no such key defined: %s", cases[i].missing);
            assert_int_equal(rc, ERR_CONFIG);
            assert_string_equal(err.text, text);
        } else {
            assert_int_equal(rc, 0);
            assert_string_equal(conf.cprefix, "mycontainers");
            assert_string_equal(conf.oprefix, "myobjects");
            op_conf_release(&conf);
        }
    }
}

static void every_row_of_every_table_is_explained_and_its_default_is_valid(void **state)
{
    (void)state;
    const struct key *tables[16] = {op_keys};
    size_t count = 1;
    for (const struct adaptor_info *info = adaptor_infos; info->name; info++)
        tables[count++] = info->keys;
    for (const struct adaptor_info *info = auth_infos; info->name; info++)
        tables[count++] = info->keys;
    for (size_t i = 0; i < count; i++) {
        for (const struct key *key = tables[i]; key->name; key++) {
            assert_non_null(key->doc);
            assert_ptr_equal(keys_find(tables[i], key->name), key);
            assert_true(!key->secret || catalog_key_is_secret(key->name));
            if (!key->def)
                continue;
            AUTO(freep) char *text = xasprintf("%s=%s", key->name, key->def);
            AUTO(freep) char *found = check(tables[i], text);
            assert_string_equal(found, "");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_by_type_and_defaults_fill_the_rest),
        cmocka_unit_test(a_bare_duration_counts_in_the_unit_of_the_key),
        cmocka_unit_test(an_empty_number_counts_as_not_given),
        cmocka_unit_test(a_bad_value_is_refused_with_what_was_expected),
        cmocka_unit_test(a_check_finds_every_problem),
        cmocka_unit_test(keys_without_use_warn_only_where_they_are_missed),
        cmocka_unit_test(another_case_of_a_key_is_read_and_pointed_out),
        cmocka_unit_test(what_follows_a_secret_is_not_quoted),
        cmocka_unit_test(storage_none_takes_any_key),
        cmocka_unit_test(names_are_near_when_few_letters_differ),
        cmocka_unit_test(an_operation_needs_its_selectors),
        cmocka_unit_test(every_row_of_every_table_is_explained_and_its_default_is_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
