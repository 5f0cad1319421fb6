/* test_body.c -- upload content and its checksum, in every cut. */
#include "tests/unit/unit.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "driver/ops/body.h"

#include <stdlib.h>
#include <string.h>

static struct body_pool pool;

/* The whole body in memory, as a store would have it. */
static char *assemble(const struct body *body)
{
    char *text = xmalloc((size_t)body->len);
    for (int64_t at = 0; at < body->len;) {
        const char *data;
        int64_t offset;
        size_t len = body_stretch(body, at, &data, &offset);
        assert_true(len > 0 && at + (int64_t)len <= body->len);
        memcpy(text + at, data, len);
        at += (int64_t)len;
    }
    return text;
}

static enum body_verdict check(const char *text, size_t len, size_t step)
{
    struct body_check state;
    body_check_begin(&state);
    for (size_t at = 0; at < len; at += step)
        body_check_add(&state, text + at, MIN(step, len - at));
    return body_check_end(&state);
}

static void marked_content_checks_in_every_cut_and_shows_damage(void **state)
{
    static const int64_t sizes[] = {41, 80, 100, 1000, 4096};
    struct rng rng;
    struct body body;
    (void)state;
    rng_seed(&rng, 1, 1);
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        body_choose(&body, &pool, sizes[i], true, &rng);
        AUTO(freep) char *text = assemble(&body);
        for (size_t step = 1; step <= 130; step++)
            assert_int_equal(check(text, (size_t)sizes[i], step), BODY_INTACT);
        text[0] ^= 1;
        assert_int_equal(check(text, (size_t)sizes[i], 64), BODY_DAMAGED);
    }
}

static void small_or_unmarked_content_says_nothing(void **state)
{
    struct rng rng;
    struct body body;
    (void)state;
    rng_seed(&rng, 1, 1);
    body_choose(&body, &pool, 40, true, &rng);
    AUTO(freep) char *small = assemble(&body);
    assert_int_equal(check(small, 40, 7), BODY_UNMARKED);
    body_choose(&body, &pool, 1000, false, &rng);
    AUTO(freep) char *plain = assemble(&body);
    assert_int_equal(check(plain, 1000, 100), BODY_UNMARKED);
    assert_int_equal(check("", 0, 1), BODY_UNMARKED);
}

static void content_larger_than_the_pool_wraps_and_its_hash_is_right(void **state)
{
    struct rng rng;
    struct body body;
    char found[65];
    char expected[65] = {0};
    uint8_t hash[SHA256_BYTES];
    (void)state;
    rng_seed(&rng, 9, 1);
    body_choose(&body, &pool, BODY_POOL_BYTES + 12345, true, &rng);
    AUTO(freep) char *text = assemble(&body);
    assert_int_equal(check(text, (size_t)body.len, 1 << 20), BODY_INTACT);
    body_sha256(&body, found);
    sha256_of(text, (size_t)body.len, hash);
    hex_encode(hash, sizeof(hash), expected);
    assert_string_equal(found, expected);
}

static void objects_differ(void **state)
{
    struct rng rng;
    struct body a, b;
    (void)state;
    rng_seed(&rng, 1, 1);
    body_choose(&a, &pool, 4096, false, &rng);
    body_choose(&b, &pool, 4096, false, &rng);
    AUTO(freep) char *one = assemble(&a);
    AUTO(freep) char *other = assemble(&b);
    assert_memory_not_equal(one, other, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marked_content_checks_in_every_cut_and_shows_damage),
        cmocka_unit_test(small_or_unmarked_content_says_nothing),
        cmocka_unit_test(content_larger_than_the_pool_wraps_and_its_hash_is_right),
        cmocka_unit_test(objects_differ),
    };
    struct err err;
    if (body_pool_open(&pool, false, &err) < 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    body_pool_close(&pool);
    return failed;
}
