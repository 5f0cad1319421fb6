/* control.c -- /_loadstone/: counters and faults of a running server, for clients on this host.
 *
 *   GET    /_loadstone/stats[?reset=1]   counters as JSON; reset: count from zero afterwards
 *   GET    /_loadstone/faults            settings as JSON
 *   PUT    /_loadstone/faults            "error=0.1:503\nlatency=20ms", what is named is changed
 *   DELETE /_loadstone/faults            no more faults
 *
 * The name cannot be a bucket's: those have no underscore. */
#include "driver/target/routes.h"

#include "common/base/clock.h"

#include <stdlib.h>

#define FAULTS_TEXT_MAX 4096

static const struct slice json_type = SLICE("application/json");

static enum s3_error answer_faults(struct exchange *ex, const struct fault_settings *settings)
{
    answer_start(&ex->answer, ex->thread, 200);
    fault_settings_format(settings, &ex->answer.text);
    strbuf_addc(&ex->answer.text, '\n');
    answer_end_text(&ex->answer, json_type);
    return S3_OK;
}

enum s3_error control_show_faults(struct exchange *ex)
{
    struct fault_settings settings = faults_read(&ex->thread->target->faults);
    return answer_faults(ex, &settings);
}

enum s3_error control_faults_begin(struct exchange *ex)
{
    ex->verdict = (struct verdict){.payload = PAYLOAD_UNSIGNED};
    return body_start(&ex->body, BODY_TEXT, NULL, &ex->req, &ex->verdict, FAULTS_TEXT_MAX);
}

enum s3_error control_change_faults(struct exchange *ex)
{
    struct faults *faults = &ex->thread->target->faults;
    struct fault_settings settings = faults_read(faults);
    struct err err = {0};
    if (fault_settings_parse(&settings, ex->body.text.buf, &err) < 0) {
        answer_start(&ex->answer, ex->thread, 400);
        strbuf_addf(&ex->answer.text, "%s\n", err.text);
        answer_end_text(&ex->answer, SLICE("text/plain"));
        return S3_OK;
    }
    faults_change(faults, &settings);
    return answer_faults(ex, &settings);
}

enum s3_error control_clear_faults(struct exchange *ex)
{
    struct faults *faults = &ex->thread->target->faults;
    struct fault_settings settings = {
        .seed = faults_read(faults).seed,
        .error_status = 503,
    };
    faults_change(faults, &settings);
    return answer_faults(ex, &settings);
}

static void format_stats(struct exchange *ex, const struct stats *sum, int64_t open,
                         struct strbuf *out)
{
    struct target *target = ex->thread->target;
    struct store_totals totals = store_totals(target->store);
    strbuf_addf(out, "{\"uptime_ns\":%lld,\"threads\":%zu,\"null\":%s,\"requests\":",
                (long long)(clock_mono_ns() - target->started_ns), target->thread_count,
                store_is_null(target->store) ? "true" : "false");
    stats_format_requests(sum, out);
    strbuf_addf(out, ",\"bytes_in\":%lld,\"bytes_out\":%lld,\"faults\":%lld,\"bad_requests\":%lld",
                (long long)sum->bytes_in, (long long)sum->bytes_out, (long long)sum->faults,
                (long long)sum->bad_requests);
    strbuf_addf(out, ",\"connections\":{\"accepted\":%lld,\"closed\":%lld,\"open\":%lld}",
                (long long)sum->accepted, (long long)sum->closed, (long long)open);
    strbuf_addf(out,
                ",\"buckets\":%lld,\"objects\":%lld,\"object_bytes\":%lld,\"memory_bytes\":%lld}\n",
                (long long)totals.buckets, (long long)totals.objects,
                (long long)totals.object_bytes, (long long)totals.memory_bytes);
}

enum s3_error control_stats(struct exchange *ex)
{
    struct target *target = ex->thread->target;
    bool reset = slice_is(query_get(&ex->query, SLICE("reset")), SLICE("1"));
    struct stats *sum = aligned_alloc(_Alignof(struct stats), sizeof(*sum));
    if (!sum)
        return S3_INTERNAL;
    memset(sum, 0, sizeof(*sum));
    pthread_mutex_lock(&target->stats_lock);
    for (size_t i = 0; i < target->thread_count; i++)
        stats_sum(sum, &target->threads[i].stats);
    int64_t open = sum->accepted - sum->closed;
    stats_subtract(sum, &target->stats_base);
    if (reset)
        stats_sum(&target->stats_base, sum);
    pthread_mutex_unlock(&target->stats_lock);
    answer_start(&ex->answer, ex->thread, 200);
    format_stats(ex, sum, open, &ex->answer.text);
    free(sum);
    answer_end_text(&ex->answer, json_type);
    return S3_OK;
}
