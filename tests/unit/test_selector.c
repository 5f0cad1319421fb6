/* test_selector.c -- selectors: read, divided among workers, drawn; sizes. */
#include "tests/unit/unit.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/model/mission.h"
#include "common/model/selector.h"

#include <stdlib.h>
#include <string.h>

#define SEED 20261130

static struct selector *parsed(const char *text)
{
    struct selector *selector = NULL;
    struct err err = {0};
    if (selector_parse(text, &selector, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return selector;
}

/* ---- reading */

static void selectors_are_read_in_every_spelling(void **state)
{
    static const struct {
        const char *text;
        char kind;
        int64_t low, high;
        bool empty;
    } cases[] = {
        {"c(64)", 'c', 64, 64, false},
        {"c(0)", 'c', 0, 0, false},
        {"c(004)", 'c', 4, 4, false},
        {"C(1)", 'c', 1, 1, false},
        {"u(1,9)", 'u', 1, 9, false},
        {"u(5)", 'u', 5, SELECTOR_OPEN_END, false},
        {" u ( 1 ,\n 9 ) ", 'u', 1, 9, false},
        {"r(1,100000)", 'r', 1, 100000, false},
        {"1-30", 'r', 1, 30, false},
        {" 01 - 030 ", 'r', 1, 30, false},
        {"0-0", 'r', 0, 0, true},
        {"r(0,0)", 'r', 0, 0, true},
        {"R(7,7)", 'r', 7, 7, false},
        {"s(1,10000000)", 's', 1, 10000000, false},
        {"u(1,9223372036854775807)", 'u', 1, INT64_MAX, false},
        {"h(1|64|10,64|512|20,512|2048|30)", 'h', 1, 2048, false},
        {"h( 5 | 9 | 0.5 , 1 | 2 | .5 )", 'h', 1, 9, false},
        {"h(1|1|0,2|3|1,9|9|0)", 'h', 2, 3, false},
        {"h(3||1)", 'h', 3, SELECTOR_OPEN_END, false},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct selector *selector = parsed(cases[i].text);
        assert_int_equal(selector_kind(selector), cases[i].kind);
        assert_int_equal(selector_low(selector), cases[i].low);
        assert_int_equal(selector_high(selector), cases[i].high);
        assert_int_equal(selector_is_empty(selector), cases[i].empty);
        selector_free(selector);
    }
}

static void bad_selectors_are_refused_with_the_reason(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"x(1,2)", "column 1: unknown selector x, expected c, u, r, s or h"},
        {"u(10,1)", "u(10,1): low end 10 is above high end 1"},
        {"r(0,5)", "expected a low end of 1 or more"},
        {"u(0,0)", "expected a low end of 1 or more"},
        {"s(0,0)", "expected a low end of 1 or more"},
        {"9-2", "low end 9 is above high end 2"},
        {"0-4", "expected a low end of 1 or more"},
        {"", "found the end, expected a selector"},
        {"5", "found the end, expected \"-\""},
        {"-1-5", "column 1: found \"-1-5\", expected a selector"},
        {"c", "expected \"(\""},
        {"c(", "found the end, expected a number of 0 or more"},
        {"c(-1)", "column 3: found \"-1)\", expected a number of 0 or more"},
        {"c(1", "found the end, expected \")\""},
        {"c(1,2)", "column 4: found \",2)\", expected \")\""},
        {"c(1)x", "column 5: found \"x\", expected the end"},
        {"r(1)", "expected \",\""},
        {"s(1)", "expected \",\""},
        {"u(1,9223372036854775808)", "expected a number below 2^63"},
        {"h()", "expected a number of 0 or more"},
        {"h(1|2)", "expected \"|\""},
        {"h(1|2|3,)", "expected a number of 0 or more"},
        {"h(1|2|-3)", "expected a weight of 0 or more"},
        {"h(1|2|1x10)", "expected \")\""},
        {"h(1|2|1.2.3)", "expected a weight of 0 or more"},
        {"h(1|2|0)", "the weights sum to 0"},
        {"h(2|1|5)", "low end 2 is above high end 1"},
        {"h(0|1|5)", "expected a low end of 1 or more"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct selector *selector = NULL;
        struct err err = {0};
        assert_int_equal(selector_parse(cases[i].text, &selector, &err), ERR_CONFIG);
        assert_null(selector);
        if (!strstr(err.text, cases[i].words))
            fail_msg("%s: %s", cases[i].text, err.text);
    }
}

/* ---- division: a work of several missions, as drivers run it */

#define DRIVERS_MAX_HERE 5
#define NUMBERS_MAX      1000

struct work_case {
    int64_t numbers;
    int64_t workers;
    int drivers;
    int64_t first[DRIVERS_MAX_HERE], count[DRIVERS_MAX_HERE]; /* workers of each driver */
};

static struct work_case random_case(struct rng *rng)
{
    struct work_case work = {
        .numbers = 1 + (int64_t)rng_below(rng, NUMBERS_MAX),
        .workers = 1 + (int64_t)rng_below(rng, 64),
        .drivers = 1 + (int)rng_below(rng, DRIVERS_MAX_HERE),
    };
    int64_t first = 0;
    for (int i = 0; i < work.drivers; i++) {
        work.first[i] = first;
        work.count[i] = mission_worker_share(work.workers, i + 1, work.drivers);
        first += work.count[i];
    }
    assert_int_equal(first, work.workers);
    return work;
}

static void assert_once_each(const int *hits, int64_t numbers)
{
    for (int64_t i = 1; i <= numbers; i++)
        if (hits[i] != 1)
            fail_msg("%lld of 1..%lld came %d times", (long long)i, (long long)numbers, hits[i]);
}

static void divided_ranges_give_every_number_once_over_all_workers(void **state)
{
    struct rng rng;
    (void)state;
    rng_seed(&rng, SEED, 1);
    for (int round = 0; round < 300; round++) {
        struct work_case work = random_case(&rng);
        AUTO(freep) char *text = xasprintf("r(1,%lld)", (long long)work.numbers);
        struct selector *selector = parsed(text);
        int hits[NUMBERS_MAX + 1] = {0};
        for (int64_t index = 1; index <= work.workers; index++) {
            struct draw draw;
            draw_init(&draw, selector, true, index, work.workers, NULL);
            assert_int_equal(draw_is_empty(&draw), index > work.numbers);
            for (int64_t i = 0; i < draw.part.count; i++)
                hits[draw_next(&draw, &rng)]++;
        }
        assert_once_each(hits, work.numbers);
        selector_free(selector);
    }
}

static void a_divided_range_starts_again_after_its_end(void **state)
{
    struct selector *selector = parsed("r(1,10)");
    struct rng rng;
    struct draw draw;
    (void)state;
    rng_seed(&rng, SEED, 1);
    draw_init(&draw, selector, true, 2, 3, NULL); /* 5, 6, 7 */
    for (int64_t i = 0; i < 9; i++)
        assert_int_equal(draw_next(&draw, &rng), 5 + i % 3);
    selector_free(selector);
}

/* Draws totalOps = numbers by the shares of the workers, drivers side by side. */
static void draw_all(const struct work_case *work, const struct selector *selector, int *hits,
                     struct rng *rng)
{
    for (int d = 0; d < work->drivers; d++) {
        struct selector_cursor cursor;
        if (work->count[d] == 0)
            continue;
        selector_cursor_init(&cursor, selector, work->first[d], work->count[d], work->workers);
        for (int64_t w = 1; w <= work->count[d]; w++) {
            struct draw draw;
            int64_t index = work->first[d] + w;
            draw_init(&draw, selector, false, index, work->workers, &cursor);
            int64_t ops = mission_worker_share(work->numbers, index, work->workers);
            for (int64_t i = 0; i < ops; i++)
                hits[draw_next(&draw, rng)]++;
        }
    }
}

static void undivided_ranges_and_sequences_give_every_number_once_over_all_drivers(void **state)
{
    struct rng rng;
    (void)state;
    rng_seed(&rng, SEED, 2);
    for (int round = 0; round < 300; round++) {
        struct work_case work = random_case(&rng);
        AUTO(freep)
        char *text = xasprintf("%c(1,%lld)", round % 2 ? 'r' : 's', (long long)work.numbers);
        struct selector *selector = parsed(text);
        int hits[NUMBERS_MAX + 1] = {0};
        draw_all(&work, selector, hits, &rng);
        assert_once_each(hits, work.numbers);
        selector_free(selector);
    }
}

static void a_sequence_of_1000_over_3_drivers_and_32_workers_names_each_once(void **state)
{
    struct work_case work = {
        .numbers = 1000, .workers = 32, .drivers = 3, .first = {0, 11, 22}, .count = {11, 11, 10}};
    struct selector *selector = parsed("s(1,1000)");
    int hits[NUMBERS_MAX + 1] = {0};
    struct rng rng;
    (void)state;
    rng_seed(&rng, SEED, 3);
    draw_all(&work, selector, hits, &rng);
    assert_once_each(hits, 1000);
    selector_free(selector);
}

static void a_shared_cursor_goes_round_its_block(void **state)
{
    struct selector *selector = parsed("s(11,20)");
    struct selector_cursor cursor;
    struct draw draw;
    struct rng rng;
    (void)state;
    rng_seed(&rng, SEED, 1);
    selector_cursor_init(&cursor, selector, 2, 2, 4); /* the second half */
    draw_init(&draw, selector, true, 3, 4, &cursor);  /* s does not divide */
    for (int64_t i = 0; i < 12; i++)
        assert_int_equal(draw_next(&draw, &rng), 17 + i % 4);
    selector_free(selector);
}

static void a_block_without_numbers_is_the_whole_range(void **state)
{
    struct selector *selector = parsed("s(1,2)");
    struct selector_cursor cursor;
    (void)state;
    selector_cursor_init(&cursor, selector, 4, 4, 8);
    assert_int_equal(cursor.block.low, 1);
    assert_int_equal(cursor.block.count, 2);
    selector_free(selector);
}

static void parts_follow_one_another_even_at_the_largest_numbers(void **state)
{
    (void)state;
    int64_t next = 1;
    for (int64_t index = 1; index <= 7; index++) {
        struct range range = range_of_worker(1, INT64_MAX, index, 7);
        assert_true(range.low == next);
        next = index < 7 ? range.low + range.count : range.low + (range.count - 1);
    }
    assert_true(next == INT64_MAX);
}

/* ---- drawing */

static void uniform_draws_reach_both_ends_and_nothing_else(void **state)
{
    struct selector *selector = parsed("u(3,12)");
    int hits[16] = {0};
    struct rng rng;
    struct draw draw;
    (void)state;
    rng_seed(&rng, SEED, 1);
    draw_init(&draw, selector, false, 1, 1, NULL);
    for (int i = 0; i < 100000; i++) {
        int64_t number = draw_next(&draw, &rng);
        assert_in_range(number, 3, 12);
        hits[number]++;
    }
    for (int i = 3; i <= 12; i++)
        assert_in_range(hits[i], 9600, 10400); /* 10,000 +- 4 standard deviations */
    selector_free(selector);
}

static void a_divided_uniform_draw_stays_in_its_part(void **state)
{
    struct selector *selector = parsed("u(1,10)");
    int hits[11] = {0};
    struct rng rng;
    struct draw draw;
    (void)state;
    rng_seed(&rng, SEED, 1);
    draw_init(&draw, selector, true, 3, 3, NULL); /* 8, 9, 10 */
    for (int i = 0; i < 3000; i++)
        hits[draw_next(&draw, &rng)]++;
    for (int i = 1; i <= 10; i++)
        assert_true(i < 8 ? hits[i] == 0 : hits[i] > 880);
    selector_free(selector);
}

/* Draws n numbers and gives how many fell into each bucket, by low..high. */
static void count_buckets(const char *text, const int64_t (*bounds)[2], size_t buckets, int n,
                          int *hits)
{
    struct selector *selector = parsed(text);
    struct rng rng;
    struct draw draw;
    rng_seed(&rng, SEED, 9);
    draw_init(&draw, selector, false, 1, 1, NULL);
    memset(hits, 0, buckets * sizeof(*hits));
    for (int i = 0; i < n; i++) {
        int64_t number = draw_next(&draw, &rng);
        size_t b = 0;
        while (b < buckets && (number < bounds[b][0] || number > bounds[b][1]))
            b++;
        if (b == buckets)
            fail_msg("%s gave %lld", text, (long long)number);
        hits[b]++;
    }
    selector_free(selector);
}

static void buckets_are_hit_by_weight(void **state)
{
    static const int64_t bounds[][2] = {{1, 10}, {11, 20}, {21, 30}, {31, 40}};
    static const struct {
        const char *text;
        double share[4];
    } cases[] = {
        {"h(1|10|10,11|20|20,21|30|30,31|40|40)", {.1, .2, .3, .4}},
        {"h(31|40|40,1|10|10,21|30|30,11|20|20)", {.1, .2, .3, .4}},
        {"h(1|10|1,11|20|1,21|30|1,31|40|1)", {.25, .25, .25, .25}},
        {"h(1|10|0.5,11|20|2.25,21|30|0.25,31|40|1)", {.125, .5625, .0625, .25}},
        {"h(1|10|0,11|20|5,21|30|0,31|40|5)", {0, .5, 0, .5}},
        {"h(1|10|0.001,11|20|99.999)", {.00001, .99999, 0, 0}},
        {"h(5|5|7)", {1, 0, 0, 0}},
    };
    enum { DRAWS = 200000 };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int hits[4];
        double chi2 = 0;
        count_buckets(cases[i].text, bounds, 4, DRAWS, hits);
        for (size_t b = 0; b < 4; b++) {
            double expected = cases[i].share[b] * DRAWS;
            if (expected == 0)
                assert_int_equal(hits[b], 0);
            else
                chi2 += (hits[b] - expected) * (hits[b] - expected) / expected;
        }
        assert_true(chi2 < 16.27); /* 3 degrees of freedom, 0.1 % */
    }
}

static void many_buckets_are_all_reached(void **state)
{
    struct strbuf text = STRBUF_INIT(1 << 20);
    enum { BUCKETS = 1000 };
    int hits[BUCKETS + 1] = {0};
    struct rng rng;
    struct draw draw;
    (void)state;
    for (int i = 1; i <= BUCKETS; i++)
        strbuf_addf(&text, "%s%d|%d|%d.5", i == 1 ? "h(" : ",", i, i, i % 7);
    strbuf_adds(&text, ")");
    struct selector *selector = parsed(text.buf);
    rng_seed(&rng, SEED, 1);
    draw_init(&draw, selector, false, 1, 1, NULL);
    for (int i = 0; i < 1000000; i++)
        hits[draw_next(&draw, &rng)]++;
    for (int i = 1; i <= BUCKETS; i++) {
        double expected = 1000000 * (i % 7 + .5) / 3498; /* the sum of all weights */
        assert_in_range(hits[i], (int)(expected * 0.5), (int)(expected * 1.5) + 1);
    }
    selector_free(selector);
    strbuf_release(&text);
}

static void both_ends_of_a_bucket_are_reached(void **state)
{
    static const int64_t bounds[][2] = {{1, 1}, {2, 3}, {4, 4}};
    int hits[3];
    (void)state;
    count_buckets("h(1|4|1)", bounds, 3, 4000, hits);
    assert_true(hits[0] > 800 && hits[2] > 800);
}

static void one_seed_gives_the_same_numbers(void **state)
{
    struct selector *selector = parsed("h(1|64|10,64|512|20,512|2048|30)");
    struct rng a, b;
    struct draw one, other;
    (void)state;
    rng_seed(&a, SEED, 4);
    rng_seed(&b, SEED, 4);
    draw_init(&one, selector, false, 1, 9, NULL);
    draw_init(&other, selector, true, 1, 9, NULL); /* h does not divide */
    for (int i = 0; i < 100; i++)
        assert_int_equal(draw_next(&one, &a), draw_next(&other, &b));
    selector_free(selector);
}

/* ---- sizes */

static void sizes_are_a_selector_and_a_unit(void **state)
{
    static const struct {
        const char *text;
        int64_t unit, max;
    } cases[] = {
        {"c(64)KB", 1000, 64000},
        {"c(4)KiB", 1024, 4096},
        {"c(0)MB", 1000000, 0},
        {"c(4194304)B", 1, 4194304},
        {"u(1,100) MB ", 1000000, 100000000},
        {"h(1|64|10,64|512|20,512|2048|30)KB", 1000, 2048000},
        {"r(1,10)kb", 1000, 10000},
        {"1-10KB", 1000, 10000},
        {"s(1,2)GiB", INT64_C(1) << 30, INT64_C(2) << 30},
        {"c(1)TB", INT64_C(1000000000000), INT64_C(1000000000000)},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct size_selector sizes;
        assert_int_equal(size_selector_parse(cases[i].text, &sizes, NULL), 0);
        assert_int_equal(sizes.unit_bytes, cases[i].unit);
        assert_int_equal(size_selector_max(&sizes), cases[i].max);
        size_selector_release(&sizes);
    }
}

static void bad_sizes_are_refused_with_the_reason(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"c(64)", "size has no unit, expected B, KB, MB, GB"},
        {"c(64) ", "size has no unit"},
        {"1-10", "size has no unit"},
        {"c(64)XB", "\"XB\""},
        {"c(64)K", "\"K\""},
        {"c(64)KB,", "unit"},
        {"64KB", "expected \"-\""},
        {"", "found the end, expected a selector"},
        {"x(1)KB", "unknown selector x"},
        {"u(1)TB", "2^63 bytes or more"},
        {"c(9223372036854775807)KB", "2^63 bytes or more"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct size_selector sizes;
        struct err err = {0};
        assert_int_equal(size_selector_parse(cases[i].text, &sizes, &err), ERR_CONFIG);
        if (!strstr(err.text, cases[i].words))
            fail_msg("%s: %s", cases[i].text, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selectors_are_read_in_every_spelling),
        cmocka_unit_test(bad_selectors_are_refused_with_the_reason),
        cmocka_unit_test(divided_ranges_give_every_number_once_over_all_workers),
        cmocka_unit_test(a_divided_range_starts_again_after_its_end),
        cmocka_unit_test(undivided_ranges_and_sequences_give_every_number_once_over_all_drivers),
        cmocka_unit_test(a_sequence_of_1000_over_3_drivers_and_32_workers_names_each_once),
        cmocka_unit_test(a_shared_cursor_goes_round_its_block),
        cmocka_unit_test(a_block_without_numbers_is_the_whole_range),
        cmocka_unit_test(parts_follow_one_another_even_at_the_largest_numbers),
        cmocka_unit_test(uniform_draws_reach_both_ends_and_nothing_else),
        cmocka_unit_test(a_divided_uniform_draw_stays_in_its_part),
        cmocka_unit_test(buckets_are_hit_by_weight),
        cmocka_unit_test(many_buckets_are_all_reached),
        cmocka_unit_test(both_ends_of_a_bucket_are_reached),
        cmocka_unit_test(one_seed_gives_the_same_numbers),
        cmocka_unit_test(sizes_are_a_selector_and_a_unit),
        cmocka_unit_test(bad_sizes_are_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
