/* collector.h -- samples of a work's missions in, merged samples of the work out. One thread.
 *
 * A merged sample is complete when every mission has delivered its part or has ended before it; it
 * is then written to the store, in order. */
#ifndef LOADSTONE_CONTROLLER_RUN_COLLECTOR_H
#define LOADSTONE_CONTROLLER_RUN_COLLECTOR_H

#include "common/stats/sample.h"
#include "controller/store/store_stat.h"

struct collector {
    struct db *db;
    int64_t number, stage, work; /* workload, stage and work, counted from 1 */
    size_t mission_count, tally_count;
    int64_t *delivered;         /* last seq of each mission; INT64_MAX: it ended */
    VEC(struct sample) pending; /* in order of seq */
    uint64_t failed;            /* so far */
    struct tally latest;        /* of the newest stored sample, all operations together */
    int64_t latest_ns, latest_length_ns;
};

void collector_open(struct collector *collector, struct db *db, int64_t number, int64_t stage,
                    int64_t work, size_t mission_count, size_t tally_count);
void collector_close(struct collector *collector);
/* A mission's samples (seq rising; what was delivered already is passed over). Takes what the
 * array's items own. */
void collector_add(struct collector *collector, size_t mission, struct sample *samples,
                   size_t count);
/* The mission will deliver no more. */
void collector_end(struct collector *collector, size_t mission);
/* Writes the complete ones. ERR_STORE: they stay and are tried again. */
int collector_store(struct collector *collector, struct err *err);

#endif
