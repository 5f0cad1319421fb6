/* collector.c -- see collector.h. */
#include "controller/run/collector.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

void collector_open(struct collector *collector, struct db *db, int64_t number, int64_t stage,
                    int64_t work, size_t mission_count, size_t tally_count)
{
    *collector = (struct collector){
        .db = db,
        .number = number,
        .stage = stage,
        .work = work,
        .mission_count = mission_count,
        .tally_count = tally_count,
        .delivered = xcalloc(mission_count, sizeof(int64_t)),
    };
    tally_init(&collector->latest);
}

void collector_close(struct collector *collector)
{
    VEC_EACH (sample, &collector->pending) {
        sample_release(sample);
    }
    vec_release(&collector->pending);
    tally_release(&collector->latest);
    free(collector->delivered);
}

/* The pending sample of seq, made in its place when it is not there. */
static struct sample *pending_of(struct collector *collector, int64_t seq)
{
    size_t at = collector->pending.len;
    while (at > 0 && collector->pending.items[at - 1].seq > seq)
        at--;
    if (at > 0 && collector->pending.items[at - 1].seq == seq)
        return &collector->pending.items[at - 1];
    struct sample fresh;
    sample_init(&fresh, seq, collector->tally_count);
    vec_push(&collector->pending, fresh);
    struct sample *items = collector->pending.items;
    memmove(items + at + 1, items + at, (collector->pending.len - 1 - at) * sizeof(*items));
    items[at] = fresh;
    return &items[at];
}

void collector_add(struct collector *collector, size_t mission, struct sample *samples,
                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (samples[i].seq > collector->delivered[mission]) {
            sample_merge(pending_of(collector, samples[i].seq), &samples[i]);
            collector->delivered[mission] = samples[i].seq;
        }
        sample_release(&samples[i]);
    }
}

void collector_end(struct collector *collector, size_t mission)
{
    collector->delivered[mission] = INT64_MAX;
}

static int64_t complete_seq(const struct collector *collector)
{
    int64_t seq = INT64_MAX;
    for (size_t i = 0; i < collector->mission_count; i++)
        seq = MIN(seq, collector->delivered[i]);
    return seq;
}

static void note_latest(struct collector *collector, const struct sample *sample)
{
    tally_reset(&collector->latest);
    for (size_t i = 0; i < sample->tally_count; i++)
        tally_merge(&collector->latest, &sample->tallies[i]);
    collector->failed += collector->latest.failed;
    collector->latest_ns = sample->to_ns;
    collector->latest_length_ns = sample->to_ns - sample->from_ns;
}

int collector_store(struct collector *collector, struct err *err)
{
    int64_t complete = complete_seq(collector);
    size_t done = 0;
    int rc = 0;
    while (done < collector->pending.len && collector->pending.items[done].seq <= complete) {
        struct sample *sample = &collector->pending.items[done];
        rc = store_add_sample(collector->db, collector->number, collector->stage, collector->work,
                              sample, err);
        if (rc < 0)
            break;
        note_latest(collector, sample);
        sample_release(sample);
        done++;
    }
    if (done) {
        collector->pending.len -= done;
        memmove(collector->pending.items, collector->pending.items + done,
                collector->pending.len * sizeof(*collector->pending.items));
    }
    return rc;
}
