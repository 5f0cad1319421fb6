/* test_target_faults.c -- the target's fault settings, dice and stalls. */
#include "tests/unit/unit.h"

#include "common/base/clock.h"
#include "common/base/scope.h"
#include "driver/target/faults.h"

#include <string.h>

static void settings_are_read_all_or_none(void **state)
{
    struct fault_settings s = {.error_status = 503, .seed = 1};
    struct err err = {0};
    (void)state;
    assert_int_equal(fault_settings_parse(&s,
                                          "error=0.25:500\nlatency=20ms:0.5&slow-body=64KB\r\n"
                                          "stall=1s:10s\nonly=get,PUT\nseed=9",
                                          &err),
                     0);
    assert_true(s.any);
    assert_int_equal(s.error_status, 500);
    assert_int_equal(s.latency_ns, 20 * MS);
    assert_int_equal(s.slow_bytes_per_s, 64000);
    assert_int_equal(s.stall_every_ns, 10 * SEC);
    assert_int_equal(s.methods, 1U << HTTP_GET | 1U << HTTP_PUT);
    assert_int_equal(fault_settings_parse(&s, "error=0\nreset=2", &err), ERR_CONFIG);
    assert_non_null(strstr(err.text, "'2'"));
    assert_true(s.error_share > 0);
    assert_int_equal(fault_settings_parse(&s, "boom=1", &err), ERR_NOT_FOUND);
}

static void shares_come_out_as_asked(void **state)
{
    struct fault_settings s = {.error_status = 503, .seed = 1};
    struct rng rng;
    int errors = 0;
    int resets = 0;
    (void)state;
    assert_int_equal(fault_settings_parse(&s, "error=0.1&reset=0.02&only=GET", NULL), 0);
    rng_seed(&rng, s.seed, 0);
    for (int i = 0; i < 100000; i++) {
        struct fault_plan plan = fault_draw(&s, &rng, HTTP_GET);
        errors += plan.status == 503;
        resets += plan.reset;
        assert_int_equal(fault_draw(&s, &rng, HTTP_PUT).status, 0);
    }
    assert_in_range(errors, 9600, 10400);
    assert_in_range(resets, 1850, 2150);
}

static void stalls_come_around(void **state)
{
    struct fault_settings s = {.stall_ns = 2 * SEC, .stall_every_ns = 10 * SEC};
    static const struct {
        int64_t at_ns, left_ns;
    } cases[] = {
        {0, 0},
        {9 * SEC, 0},
        {10 * SEC, 2 * SEC},
        {11 * SEC, 1 * SEC},
        {12 * SEC, 0},
        {20 * SEC + 500 * MS, 1500 * MS},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_int_equal(fault_stall_left(&s, 5 * SEC, 5 * SEC + cases[i].at_ns), cases[i].left_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_read_all_or_none),
        cmocka_unit_test(shares_come_out_as_asked),
        cmocka_unit_test(stalls_come_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
