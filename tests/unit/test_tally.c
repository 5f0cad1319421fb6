/* test_tally.c -- counts and causes of failure, merged. */
#include "tests/unit/unit.h"

#include "common/stats/sample.h"

#include <stdio.h>

static void failures_of_one_cause_add_up_and_keep_the_first_example(void **state)
{
    struct tally a, b;
    (void)state;
    tally_init(&a);
    tally_init(&b);
    tally_fail(&a, "http_503", "503 SlowDown", "GET /a: 503", 2);
    tally_fail(&b, "http_503", "503 SlowDown", "GET /b: 503", 3);
    tally_fail(&b, "reset", NULL, "GET /c: reset", 1);
    tally_merge(&a, &b);
    assert_int_equal(a.failed, 6);
    assert_int_equal(a.causes.len, 2);
    assert_int_equal(a.causes.items[0].count, 5);
    assert_string_equal(a.causes.items[0].example, "GET /a: 503");
    assert_string_equal(a.causes.items[1].message, "reset");
    tally_release(&a);
    tally_release(&b);
}

static void too_many_causes_count_under_other(void **state)
{
    struct tally tally;
    char key[32];
    uint64_t sum = 0;
    (void)state;
    tally_init(&tally);
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof(key), "cause_%d", i);
        tally_fail(&tally, key, NULL, NULL, 1);
    }
    assert_int_equal(tally.failed, 1000);
    assert_int_equal(tally.causes.len, ERROR_CAUSES_MAX);
    VEC_EACH (cause, &tally.causes) {
        sum += cause->count;
    }
    assert_int_equal(sum, 1000);
    assert_string_equal(tally.causes.items[ERROR_CAUSES_MAX - 1].key, "other");
    tally_release(&tally);
}

static void samples_merge_operation_by_operation(void **state)
{
    struct sample a, b;
    (void)state;
    sample_init(&a, 3, 2);
    sample_init(&b, 3, 2);
    a.from_ns = b.from_ns = 2000;
    a.to_ns = 2500;
    b.to_ns = 3000;
    a.workers_running = 4;
    b.workers_running = 5;
    a.tallies[1].good = 7;
    b.tallies[1].good = 8;
    b.tallies[1].response = hist_new();
    hist_record(b.tallies[1].response, 12345);
    sample_merge(&a, &b);
    assert_int_equal(a.to_ns, 3000);
    assert_int_equal(a.workers_running, 9);
    assert_int_equal(a.tallies[0].good, 0);
    assert_int_equal(a.tallies[1].good, 15);
    assert_int_equal(a.tallies[1].response->count, 1);
    sample_release(&a);
    sample_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_of_one_cause_add_up_and_keep_the_first_example),
        cmocka_unit_test(too_many_causes_count_under_other),
        cmocka_unit_test(samples_merge_operation_by_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
