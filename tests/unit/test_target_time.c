/* test_target_time.c -- the target's dates, and its heap of wake-ups. */
#include "tests/unit/unit.h"

#include "common/base/rng.h"
#include "common/base/scope.h"
#include "driver/target/time_text.h"
#include "driver/target/wakeups.h"

#include <string.h>
#include <time.h>

static void dates_are_those_of_the_c_library(void **state)
{
    struct rng rng;
    (void)state;
    rng_seed(&rng, 3, 0);
    for (int i = 0; i < 5000; i++) {
        time_t seconds = (time_t)rng_below(&rng, UINT64_C(4102444800)); /* until 2100 */
        struct tm tm;
        char expected[64];
        char text[64] = {0};
        gmtime_r(&seconds, &tm);
        strftime(expected, sizeof(expected), "%a, %d %b %Y %H:%M:%S GMT", &tm);
        time_format_http(seconds, text);
        assert_string_equal(text, expected);
        assert_int_equal(time_parse_http(slice_of(text)), seconds);
        strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%S.007Z", &tm);
        memset(text, 0, sizeof(text));
        time_format_xml((int64_t)seconds * 1000 + 7, text);
        assert_string_equal(text, expected);
        strftime(expected, sizeof(expected), "%Y%m%dT%H%M%SZ", &tm);
        assert_int_equal(time_parse_compact(slice_of(expected)), seconds);
    }
}

static void what_is_no_date_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "20261330T000000Z",
        "20261130T240000Z",
        "20261130T000000",
        "2026113 T000000Z",
        "Mon, 30 Foo 2026 20:21:16 GMT",
        "Mon, 30 Nov 2026 20:21:16 CET",
        "Mon, 30 Nov 2026 20:61:16 GMT",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        assert_int_equal(time_parse_compact(slice_of(texts[i])), -1);
        assert_int_equal(time_parse_http(slice_of(texts[i])), -1);
    }
}

static void wakeups_come_in_the_order_of_their_time(void **state)
{
    enum { COUNT = 300 };
    struct wakeup all[COUNT] = {0};
    struct wakeups wakeups = {0};
    struct rng rng;
    size_t left = 0;
    (void)state;
    rng_seed(&rng, 5, 0);
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < COUNT; i++)
            wakeups_set(&wakeups, &all[i], (int64_t)rng_below(&rng, 1000));
    for (size_t i = 0; i < COUNT; i += 3)
        wakeups_cancel(&wakeups, &all[i]);
    int64_t last = -1;
    for (struct wakeup *first; (first = wakeups_first(&wakeups)); left++) {
        assert_true(first->at_ns >= last);
        last = first->at_ns;
        wakeups_cancel(&wakeups, first);
        assert_int_equal(first->place, 0);
    }
    assert_int_equal(left, COUNT - COUNT / 3);
    wakeups_release(&wakeups);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_those_of_the_c_library),
        cmocka_unit_test(what_is_no_date_is_refused),
        cmocka_unit_test(wakeups_come_in_the_order_of_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
