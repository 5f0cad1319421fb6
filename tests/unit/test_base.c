/* test_base.c -- plain helpers: sizes, durations, digests, text, random numbers. */
#include "tests/unit/unit.h"

#include "common/base/clock.h"
#include "common/base/digest.h"
#include "common/base/err.h"
#include "common/base/rng.h"
#include "common/base/scope.h"
#include "common/base/strbuf.h"
#include "common/base/units.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static void sizes_are_decimal_unless_they_say_i(void **state)
{
    static const struct {
        const char *text;
        int64_t bytes;
        int rc;
    } cases[] = {
        {"64KB", 64000, 0},
        {"64 KiB", 65536, 0},
        {"1.5MB", 1500000, 0},
        {"0B", 0, 0},
        {"12", 12, 0},
        {"2gb", 2000000000, 0},
        {"1TiB", INT64_C(1) << 40, 0},
        {"", 0, ERR_CONFIG},
        {"KB", 0, ERR_CONFIG},
        {"-1KB", 0, ERR_CONFIG},
        {"1XB", 0, ERR_CONFIG},
        {"0x10", 0, ERR_CONFIG},
        {"99999999TB", 0, ERR_LIMIT},
        {"nan", 0, ERR_CONFIG},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t bytes = 0;
        assert_int_equal(units_parse_size(cases[i].text, &bytes), cases[i].rc);
        assert_int_equal(bytes, cases[i].bytes);
    }
}

static void durations_take_a_bare_number_in_the_unit_given(void **state)
{
    int64_t ns = 0;
    (void)state;
    assert_int_equal(units_parse_duration("30000", MS, &ns), 0);
    assert_int_equal(ns, 30 * SEC);
    assert_int_equal(units_parse_duration("1.5s", MS, &ns), 0);
    assert_int_equal(ns, 1500 * MS);
    assert_int_equal(units_parse_duration("2 h", MS, &ns), 0);
    assert_int_equal(ns, 2 * HOUR);
    assert_int_equal(units_parse_duration("5 weeks", MS, &ns), ERR_CONFIG);
}

static void whole_numbers_refuse_rests_and_overflow(void **state)
{
    int64_t value = 7;
    (void)state;
    assert_int_equal(units_parse_int(" -12 ", &value), 0);
    assert_int_equal(value, -12);
    assert_int_equal(units_parse_int("12x", &value), ERR_CONFIG);
    assert_int_equal(units_parse_int("", &value), ERR_CONFIG);
    assert_int_equal(units_parse_int("99999999999999999999", &value), ERR_LIMIT);
    assert_int_equal(value, -12);
}

static void bytes_print_with_two_decimals_at_most(void **state)
{
    char text[32];
    (void)state;
    assert_string_equal(units_format_bytes(64000, text, sizeof(text)), "64 KB");
    assert_string_equal(units_format_bytes(1234567, text, sizeof(text)), "1.23 MB");
    assert_string_equal(units_format_bytes(999999, text, sizeof(text)), "1 MB");
    assert_string_equal(units_format_ns(1500, text, sizeof(text)), "1.5 us");
    assert_string_equal(units_format_ns(2.5e9, text, sizeof(text)), "2.5 s");
}

static void hmac_is_that_of_rfc_4231(void **state)
{
    uint8_t mac[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1] = {0};
    char long_key[131];
    (void)state;
    hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, mac);
    hex_encode(mac, sizeof(mac), hex);
    assert_string_equal(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(long_key, 0xaa, sizeof(long_key)); /* test case 6: a key longer than a block */
    hmac_sha256(long_key, sizeof(long_key),
                "Test Using Larger Than Block-Size Key - Hash Key First", 54, mac);
    hex_encode(mac, sizeof(mac), hex);
    assert_string_equal(hex, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void base64_takes_only_base64(void **state)
{
    uint8_t *data = NULL;
    size_t len = 0;
    (void)state;
    AUTO(freep) char *text = base64_encode("\0\1\2hello", 8);
    assert_int_equal(base64_decode(text, strlen(text), &data, &len), 0);
    assert_int_equal(len, 8);
    assert_memory_equal(data, "\0\1\2hello", 8);
    free(data);
    assert_int_equal(base64_decode("ab=c", 4, &data, &len), ERR_CONFIG);
    assert_int_equal(base64_decode("abc", 3, &data, &len), ERR_CONFIG);
    assert_int_equal(base64_decode("ab c", 4, &data, &len), ERR_CONFIG);
}

static void text_stops_at_its_ceiling_and_says_so(void **state)
{
    AUTO(strbuf_release) struct strbuf sb = STRBUF_INIT(10);
    (void)state;
    assert_int_equal(strbuf_adds(&sb, "12345"), 0);
    assert_int_equal(strbuf_addf(&sb, "%d", 678901), ERR_LIMIT);
    assert_string_equal(sb.buf, "12345");
    assert_true(sb.overflow);
    assert_int_equal(strbuf_adds(&sb, "67890"), 0);
    assert_int_equal(sb.len, 10);
}

static void random_numbers_repeat_by_seed_and_stream(void **state)
{
    struct rng a, b, other;
    int hits[3] = {0};
    (void)state;
    rng_seed(&a, 42, 1);
    rng_seed(&b, 42, 1);
    rng_seed(&other, 42, 2);
    assert_true(rng_next(&a) == rng_next(&b));
    assert_true(rng_next(&a) != rng_next(&other));
    for (int i = 0; i < 30000; i++)
        hits[rng_below(&a, 3)]++;
    for (int i = 0; i < 3; i++)
        assert_in_range(hits[i], 9600, 10400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_decimal_unless_they_say_i),
        cmocka_unit_test(durations_take_a_bare_number_in_the_unit_given),
        cmocka_unit_test(whole_numbers_refuse_rests_and_overflow),
        cmocka_unit_test(bytes_print_with_two_decimals_at_most),
        cmocka_unit_test(hmac_is_that_of_rfc_4231),
        cmocka_unit_test(base64_takes_only_base64),
        cmocka_unit_test(text_stops_at_its_ceiling_and_says_so),
        cmocka_unit_test(random_numbers_repeat_by_seed_and_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
