/* sample.c -- see sample.h. */
#include "common/stats/sample.h"

#include "common/base/xalloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void sample_init(struct sample *sample, int64_t seq, size_t tally_count)
{
    memset(sample, 0, sizeof(*sample));
    sample->seq = seq;
    sample->from_ns = INT64_MAX;
    sample->tallies = xcalloc(tally_count, sizeof(*sample->tallies));
    sample->tally_count = tally_count;
    for (size_t i = 0; i < tally_count; i++)
        tally_init(&sample->tallies[i]);
}

void sample_release(struct sample *sample)
{
    for (size_t i = 0; i < sample->tally_count; i++)
        tally_release(&sample->tallies[i]);
    free(sample->tallies);
    memset(sample, 0, sizeof(*sample));
}

void sample_merge(struct sample *into, const struct sample *from)
{
    assert(into->tally_count == from->tally_count);
    into->from_ns = MIN(into->from_ns, from->from_ns);
    into->to_ns = MAX(into->to_ns, from->to_ns);
    into->workers_running += from->workers_running;
    for (size_t i = 0; i < into->tally_count; i++)
        tally_merge(&into->tallies[i], &from->tallies[i]);
}
