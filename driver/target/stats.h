/* stats.h -- what a thread has served. Only its thread writes; anyone may read and sum. */
#ifndef LOADSTONE_DRIVER_TARGET_STATS_H
#define LOADSTONE_DRIVER_TARGET_STATS_H

#include "common/base/strbuf.h"
#include "driver/target/http_request.h"

#include <stdatomic.h>

#define STATS_STATUS_MIN 100
#define STATS_STATUSES   500

typedef _Atomic int64_t stats_counter;

struct stats {
    stats_counter requests[HTTP_METHODS][STATS_STATUSES]; /* status - 100 */
    stats_counter bytes_in;  /* of request bodies, as they came over the wire */
    stats_counter bytes_out; /* of answer bodies */
    stats_counter accepted;  /* connections */
    stats_counter closed;
    stats_counter faults;       /* requests that a fault was drawn for */
    stats_counter bad_requests; /* that were no HTTP */
} __attribute__((aligned(64)));

/* One writer: a plain load and store, no locked instruction. */
static inline void stats_add(stats_counter *counter, int64_t value)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + value,
                          memory_order_relaxed);
}

static inline void stats_request(struct stats *stats, enum http_method method, int status)
{
    stats_add(&stats->requests[method][status - STATS_STATUS_MIN], 1);
}

/* Adds from's counters to sum's. */
void stats_sum(struct stats *sum, const struct stats *from);
/* Takes base's counters off sum's. */
void stats_subtract(struct stats *sum, const struct stats *base);
/* {"GET":{"200":12,...},...}: methods and statuses that occurred. */
void stats_format_requests(const struct stats *stats, struct strbuf *out);

#endif
