/* test_mission_share.c -- totalOps and totalBytes over the workers of a work. */
#include "tests/unit/unit.h"

#include "common/base/rng.h"
#include "common/base/scope.h"
#include "common/model/mission.h"

static void the_first_workers_take_the_remainder(void **state)
{
    (void)state;
    for (int64_t index = 1; index <= 32; index++)
        assert_int_equal(mission_worker_share(1000, index, 32), index <= 8 ? 32 : 31);
}

static void fewer_operations_than_workers_leave_some_without(void **state)
{
    (void)state;
    for (int64_t index = 1; index <= 50; index++)
        assert_int_equal(mission_worker_share(10, index, 50), index <= 10 ? 1 : 0);
}

static void shares_sum_to_the_total_and_differ_by_one_at_most(void **state)
{
    struct rng rng;
    (void)state;
    rng_seed(&rng, 7, 1);
    for (int round = 0; round < 200; round++) {
        int64_t all = 1 + (int64_t)rng_below(&rng, 300);
        int64_t total = (int64_t)rng_below(&rng, round % 2 ? 1000 : INT64_MAX);
        int64_t sum = 0, previous = INT64_MAX;
        for (int64_t index = 1; index <= all; index++) {
            int64_t share = mission_worker_share(total, index, all);
            assert_true(share == total / all || share == total / all + 1);
            assert_true(share <= previous);
            previous = share;
            sum += share;
        }
        assert_true(sum == total);
    }
}

static void an_empty_mission_can_be_freed(void **state)
{
    (void)state;
    mission_free(NULL);
    mission_free(xcalloc(1, sizeof(struct mission)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_workers_take_the_remainder),
        cmocka_unit_test(fewer_operations_than_workers_leave_some_without),
        cmocka_unit_test(shares_sum_to_the_total_and_differ_by_one_at_most),
        cmocka_unit_test(an_empty_mission_can_be_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
