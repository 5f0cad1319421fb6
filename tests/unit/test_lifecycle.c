/* test_lifecycle.c -- states: names, ends and legal moves. */
#include "tests/unit/unit.h"

#include "common/base/err.h"
#include "common/base/scope.h"
#include "common/model/lifecycle.h"

static void every_state_is_found_again_by_its_name(void **state)
{
    (void)state;
    for (enum workload_state s = 0; s < WORKLOAD_STATES; s++) {
        enum workload_state found;
        assert_int_equal(workload_state_parse(workload_state_name(s), &found), 0);
        assert_int_equal(found, s);
    }
    for (enum stage_state s = 0; s < STAGE_STATES; s++) {
        enum stage_state found;
        assert_int_equal(stage_state_parse(stage_state_name(s), &found), 0);
        assert_int_equal(found, s);
    }
    for (enum mission_state s = 0; s < MISSION_STATES; s++) {
        enum mission_state found;
        assert_int_equal(mission_state_parse(mission_state_name(s), &found), 0);
        assert_int_equal(found, s);
    }
}

static void another_word_is_no_state(void **state)
{
    enum stage_state found = STAGE_RUNNING;
    (void)state;
    assert_int_equal(stage_state_parse("walking", &found), ERR_CONFIG);
    assert_int_equal(stage_state_parse("", &found), ERR_CONFIG);
    assert_int_equal(found, STAGE_RUNNING);
}

static void nothing_follows_an_end(void **state)
{
    (void)state;
    for (enum workload_state from = 0; from < WORKLOAD_STATES; from++)
        for (enum workload_state to = 0; to < WORKLOAD_STATES; to++)
            assert_false(workload_state_is_end(from) && workload_move_is_legal(from, to));
    for (enum stage_state from = 0; from < STAGE_STATES; from++)
        for (enum stage_state to = 0; to < STAGE_STATES; to++)
            assert_false(stage_state_is_end(from) && stage_move_is_legal(from, to));
}

static void a_stage_goes_its_whole_way(void **state)
{
    static const enum stage_state way[] = {
        STAGE_WAITING, STAGE_BOOTING, STAGE_SUBMITTING, STAGE_AUTHING,   STAGE_LAUNCHING,
        STAGE_RUNNING, STAGE_CLOSING, STAGE_SLEEPING,   STAGE_COMPLETED,
    };
    (void)state;
    for (size_t i = 0; i + 1 < ARRAY_LEN(way); i++) {
        assert_true(stage_move_is_legal(way[i], way[i + 1]));
        assert_false(stage_move_is_legal(way[i + 1], way[i]));
        assert_false(stage_move_is_legal(way[i], way[i]));
    }
    assert_true(stage_state_is_end(STAGE_COMPLETED));
}

static void only_a_waiting_stage_is_aborted_and_all_can_be_cancelled(void **state)
{
    (void)state;
    for (enum stage_state from = 0; from < STAGE_STATES; from++) {
        assert_int_equal(stage_move_is_legal(from, STAGE_ABORTED), from == STAGE_WAITING);
        assert_int_equal(stage_move_is_legal(from, STAGE_CANCELLED), !stage_state_is_end(from));
    }
}

static void a_queued_workload_cannot_finish(void **state)
{
    (void)state;
    assert_true(workload_move_is_legal(WORKLOAD_QUEUING, WORKLOAD_PROCESSING));
    assert_true(workload_move_is_legal(WORKLOAD_QUEUING, WORKLOAD_CANCELLED));
    assert_false(workload_move_is_legal(WORKLOAD_QUEUING, WORKLOAD_FINISHED));
    assert_true(workload_move_is_legal(WORKLOAD_PROCESSING, WORKLOAD_FAILED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_is_found_again_by_its_name),
        cmocka_unit_test(another_word_is_no_state),
        cmocka_unit_test(nothing_follows_an_end),
        cmocka_unit_test(a_stage_goes_its_whole_way),
        cmocka_unit_test(only_a_waiting_stage_is_aborted_and_all_can_be_cancelled),
        cmocka_unit_test(a_queued_workload_cannot_finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
