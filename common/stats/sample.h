/* sample.h -- what one interval of a mission measured: a tally per operation. */
#ifndef LOADSTONE_COMMON_STATS_SAMPLE_H
#define LOADSTONE_COMMON_STATS_SAMPLE_H

#include "common/stats/tally.h"

#include <stdint.h>

struct sample {
    int64_t seq;             /* from 1 */
    int64_t from_ns, to_ns;  /* from the mission's start */
    int64_t workers_running; /* at its end */
    struct tally *tallies;   /* one per operation of the mission, in its order */
    size_t tally_count;
};

/* tally_count empty tallies. */
void sample_init(struct sample *sample, int64_t seq, size_t tally_count);
void sample_release(struct sample *sample);
/* Adds the tallies and workers of one with as many operations; widens from..to. */
void sample_merge(struct sample *into, const struct sample *from);

#endif
