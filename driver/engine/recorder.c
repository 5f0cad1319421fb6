/* recorder.c -- see recorder.h. */
#include "driver/engine/recorder.h"

static void open_tally(struct tally *tally, bool keep_hist, bool in_report)
{
    if (!keep_hist)
        return;
    tally->response = hist_new();
    if (in_report)
        tally->first_byte = hist_new();
}

void recorder_open(struct recorder *recorder, size_t op_count, const bool *keep_hist)
{
    sample_init(&recorder->interval, 1, op_count);
    report_init(&recorder->report, op_count);
    for (size_t i = 0; i < op_count; i++) {
        open_tally(&recorder->interval.tallies[i], keep_hist[i], false);
        open_tally(&recorder->report.tallies[i], keep_hist[i], true);
    }
}

void recorder_close(struct recorder *recorder)
{
    sample_release(&recorder->interval);
    report_release(&recorder->report);
}

void recorder_start(struct recorder *recorder, int64_t start_ns, int64_t rampup_ns,
                    int64_t runtime_ns)
{
    recorder->start_ns = start_ns;
    recorder->begin_ns = runtime_ns > 0 ? start_ns + rampup_ns : start_ns;
    recorder->finish_ns = runtime_ns > 0 ? recorder->begin_ns + runtime_ns : INT64_MAX;
}

static void add_good(struct tally *tally, const struct completion *completion)
{
    int64_t response_ns = completion->end_ns - completion->start_ns;
    tally->good++;
    tally->bytes += (uint64_t)completion->bytes;
    tally->response_sum_ns += response_ns;
    tally->proc_sum_ns += MAX(response_ns - completion->transfer_ns, INT64_C(0));
    if (tally->response)
        hist_record(tally->response, response_ns);
    if (tally->first_byte)
        hist_record(tally->first_byte, completion->first_byte_ns - completion->start_ns);
}

static bool in_window(struct recorder *recorder, const struct completion *completion)
{
    if (completion->start_ns < recorder->begin_ns || completion->start_ns >= recorder->finish_ns)
        return false;
    if (completion->end_ns > recorder->finish_ns) {
        recorder->report.in_flight_ops++;
        recorder->report.in_flight_bytes += completion->bytes;
        return false;
    }
    struct tally *tally = &recorder->report.tallies[completion->op];
    tally->first_ns = MIN(tally->first_ns, completion->start_ns - recorder->start_ns);
    tally->last_ns = MAX(tally->last_ns, completion->end_ns - recorder->start_ns);
    return true;
}

bool recorder_good(struct recorder *recorder, const struct completion *completion)
{
    add_good(&recorder->interval.tallies[completion->op], completion);
    bool counted = in_window(recorder, completion);
    if (counted)
        add_good(&recorder->report.tallies[completion->op], completion);
    return counted;
}

bool recorder_failed(struct recorder *recorder, const struct completion *completion,
                     const char *cause, const char *message, const char *example)
{
    tally_fail(&recorder->interval.tallies[completion->op], cause, message, example, 1);
    bool counted = in_window(recorder, completion);
    if (counted)
        tally_fail(&recorder->report.tallies[completion->op], cause, message, example, 1);
    return counted;
}
