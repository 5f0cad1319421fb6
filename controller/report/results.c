/* results.c -- see results.h. */
#include "controller/report/results.h"

#include "common/base/clock.h"
#include "common/base/xalloc.h"

#include <stdlib.h>

const double result_percents[RESULT_PERCENTILES] = {50, 60, 70,   75,    80,     90,
                                                    95, 99, 99.9, 99.99, 99.999, 100};
const char *const result_percent_names[RESULT_PERCENTILES] = {
    "50", "60", "70", "75", "80", "90", "95", "99", "99.9", "99.99", "99.999", "100"};

static double to_ms(double ns)
{
    return ns / (double)MS;
}

struct figures figures_of(const struct tally *tally, int64_t window_ns)
{
    double seconds = (double)MAX(window_ns, MS) / (double)SEC;
    struct figures figures = {
        .op_count = tally->good,
        .failed = tally->failed,
        .byte_count = tally->bytes,
        .workers = (int64_t)tally->workers,
        .window_ns = MAX(window_ns, MS),
        .throughput = (double)tally->good / seconds,
        .bandwidth = (double)tally->bytes / seconds,
        .succ_ratio = -1,
    };
    if (tally->good + tally->failed > 0)
        figures.succ_ratio = (double)tally->good / (double)(tally->good + tally->failed);
    if (tally->good > 0) {
        figures.avg_restime_ms = to_ms((double)tally->response_sum_ns / (double)tally->good);
        figures.avg_proctime_ms = to_ms((double)tally->proc_sum_ns / (double)tally->good);
    }
    figures.has_percentiles = tally->response && tally->response->count > 0;
    for (int i = 0; figures.has_percentiles && i < RESULT_PERCENTILES; i++)
        figures.percentiles_ms[i] =
            to_ms((double)hist_percentile(tally->response, result_percents[i]));
    return figures;
}

/* From the first counted start to the last counted end over all operations and drivers of a work.
 */
static int64_t window_of_work(const struct outcome_rows *rows, const struct outcome_row *of)
{
    int64_t first_ns = INT64_MAX, last_ns = -1;
    VEC_EACH (row, &rows->list) {
        if (row->stage_index != of->stage_index || row->work_index != of->work_index)
            continue;
        VEC_EACH (part, &row->parts) {
            first_ns = MIN(first_ns, part->tally.first_ns);
            last_ns = MAX(last_ns, part->tally.last_ns);
        }
    }
    return last_ns < first_ns ? 0 : last_ns - first_ns;
}

static void fill(struct result *result, const struct outcome_row *row, int64_t window_ns)
{
    result->outcome = row;
    tally_init(&result->tally);
    VEC_EACH (part, &row->parts) {
        struct driver_result driver = {.driver = xstrdup(part->driver),
                                       .figures = figures_of(&part->tally, window_ns)};
        vec_push(&result->drivers, driver);
        tally_merge(&result->tally, &part->tally);
        VEC_EACH (cause, &part->tally.causes) {
            struct error_result error = {.driver = xstrdup(part->driver), .cause = *cause};
            vec_push(&result->errors, error);
        }
    }
    result->figures = figures_of(&result->tally, window_ns);
}

int results_load(struct db *db, int64_t number, int64_t stage, struct results *ret_results,
                 struct err *err)
{
    struct results results = {.outcomes = {{0}}};
    int rc = store_get_outcomes(db, number, stage, &results.outcomes, err);
    if (rc < 0)
        return rc;
    VEC_EACH (row, &results.outcomes.list) {
        struct result result = {.outcome = NULL};
        fill(&result, row, window_of_work(&results.outcomes, row));
        vec_push(&results.list, result);
    }
    *ret_results = results;
    return 0;
}

void results_release(struct results *results)
{
    VEC_EACH (result, &results->list) {
        tally_release(&result->tally);
        VEC_EACH (driver, &result->drivers) {
            free(driver->driver);
        }
        VEC_EACH (error, &result->errors) {
            free(error->driver);
        }
        vec_release(&result->drivers);
        vec_release(&result->errors);
    }
    vec_release(&results->list);
    outcome_rows_release(&results->outcomes);
}
