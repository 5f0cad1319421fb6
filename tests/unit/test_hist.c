/* test_hist.c -- percentiles against exact sorted values; merging; the text form. */
#include "tests/unit/unit.h"

#include "common/base/clock.h"
#include "common/base/rng.h"
#include "common/base/xalloc.h"
#include "common/stats/hist_codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VALUES 100000

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Spread over 1 us to about 100 s, as latencies are. */
static int64_t draw_latency(struct rng *rng)
{
    return (int64_t)(1000 * pow(10, 8 * rng_double(rng)));
}

static void percentiles_are_within_a_thousandth_of_the_sorted_values(void **state)
{
    static const double percents[] = {0, 1, 50, 60, 75, 90, 95, 99, 99.9, 99.99, 99.999, 100};
    int64_t *values = xcalloc(VALUES, sizeof(*values));
    AUTO(hist_freep) struct hist *hist = hist_new();
    struct rng rng;
    (void)state;
    rng_seed(&rng, 1, 1);
    for (int i = 0; i < VALUES; i++)
        hist_record(hist, values[i] = draw_latency(&rng));
    qsort(values, VALUES, sizeof(*values), by_value);
    for (size_t i = 0; i < ARRAY_LEN(percents); i++) {
        int64_t rank = (int64_t)ceil(percents[i] / 100 * VALUES - 1e-9);
        int64_t exact = values[MAX(rank, 1) - 1];
        int64_t found = hist_percentile(hist, percents[i]);
        assert_true(found >= exact);
        assert_true((double)(found - exact) <= MAX(512.0, (double)exact / 1000));
    }
    assert_int_equal(hist_percentile(hist, 100), values[VALUES - 1]);
    assert_int_equal(hist->min_ns, values[0]);
    free(values);
}

static void slots_tile_the_range_without_gaps(void **state)
{
    (void)state;
    for (uint32_t slot = 0; slot + 1 < HIST_SLOTS; slot++) {
        assert_int_equal(hist_slot_high(slot) + 1, hist_slot_low(slot + 1));
        assert_int_equal(hist_slot_of(hist_slot_low(slot)), slot);
        assert_int_equal(hist_slot_of(hist_slot_high(slot)), slot);
    }
    assert_true(hist_slot_of(HIST_HIGHEST_NS) < HIST_SLOTS);
}

static void merging_is_associative_and_loses_nothing(void **state)
{
    AUTO(hist_freep) struct hist *a = hist_new();
    AUTO(hist_freep) struct hist *b = hist_new();
    AUTO(hist_freep) struct hist *c = hist_new();
    AUTO(hist_freep) struct hist *left = hist_new();
    AUTO(hist_freep) struct hist *right = hist_new();
    struct hist *parts[] = {a, b, c};
    struct rng rng;
    (void)state;
    rng_seed(&rng, 2, 1);
    for (int i = 0; i < 3000; i++)
        hist_record(parts[i % 3], draw_latency(&rng));
    hist_merge(left, a); /* (a + b) + c */
    hist_merge(left, b);
    hist_merge(left, c);
    hist_merge(b, c); /* a + (b + c) */
    hist_merge(right, a);
    hist_merge(right, b);
    assert_int_equal(left->count, 3000);
    assert_memory_equal(left, right, sizeof(*left));
}

static void a_value_over_range_counts_at_the_top_and_as_overflow(void **state)
{
    AUTO(hist_freep) struct hist *hist = hist_new();
    (void)state;
    hist_record(hist, 1000);
    hist_record(hist, 2 * HIST_HIGHEST_NS);
    hist_record(hist, -5);
    assert_int_equal(hist->count, 3);
    assert_int_equal(hist->overflow, 1);
    assert_int_equal(hist_percentile(hist, 100), 2 * HIST_HIGHEST_NS);
    assert_int_equal(hist->min_ns, 0);
}

static void text_gives_back_every_slot(void **state)
{
    AUTO(hist_freep) struct hist *hist = hist_new();
    AUTO(hist_freep) struct hist *back = hist_new();
    struct rng rng;
    struct err err = {0};
    (void)state;
    rng_seed(&rng, 3, 1);
    for (int i = 0; i < 20000; i++)
        hist_record(hist, draw_latency(&rng));
    AUTO(freep) char *text = hist_encode(hist);
    assert_memory_equal(text, "HISTFAAA", 8); /* as HdrHistogram's own tools write it */
    assert_int_equal(hist_decode(text, back, &err), 0);
    assert_int_equal(back->count, hist->count);
    assert_memory_equal(back->slots, hist->slots, sizeof(hist->slots));
    AUTO(freep) char *empty = hist_encode(back->count ? (hist_reset(back), back) : back);
    assert_string_equal(empty, "");
}

static void torn_or_hostile_text_is_refused_and_changes_nothing(void **state)
{
    AUTO(hist_freep) struct hist *hist = hist_new();
    AUTO(hist_freep) struct hist *into = hist_new();
    struct err err = {0};
    (void)state;
    for (int i = 0; i < 1000; i++)
        hist_record(hist, i * 10000);
    AUTO(freep) char *text = hist_encode(hist);
    size_t len = strlen(text);
    for (size_t cut = 1; cut < len; cut += 7) {
        AUTO(freep) char *torn = xstrndup(text, cut);
        assert_int_equal(hist_decode(torn, into, &err), ERR_PROTOCOL);
    }
    assert_int_equal(hist_decode("not a histogram", into, &err), ERR_PROTOCOL);
    assert_int_equal(into->count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_are_within_a_thousandth_of_the_sorted_values),
        cmocka_unit_test(slots_tile_the_range_without_gaps),
        cmocka_unit_test(merging_is_associative_and_loses_nothing),
        cmocka_unit_test(a_value_over_range_counts_at_the_top_and_as_overflow),
        cmocka_unit_test(text_gives_back_every_slot),
        cmocka_unit_test(torn_or_hostile_text_is_refused_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
