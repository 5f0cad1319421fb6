/* hist.h -- log-linear (HDR) histogram of durations: 3 significant digits, 1 us to 1 h, fixed
 * memory.
 *
 * The bucket layout is HdrHistogram's for lowest = 1,000 ns, highest = 3,600,000,000,000 ns and 3
 * significant digits (http://hdrhistogram.org; G. Tene), so its public tools read what hist_codec.h
 * writes: values below 2^20 ns lie in buckets of 512 ns, above that each power of two has 1,024
 * buckets. Merging is exact: the sum of two histograms is the histogram of both sets of values.
 *
 * Values above the highest go to the top bucket and to `overflow`; below 0 counts as 0. */
#ifndef LOADSTONE_COMMON_STATS_HIST_H
#define LOADSTONE_COMMON_STATS_HIST_H

#include "common/base/scope.h"

#include <stdint.h>

#define HIST_UNIT_BITS  9  /* log2 of the narrowest bucket in ns */
#define HIST_HALF_BITS  10 /* log2 of the buckets per power of two */
#define HIST_LOWEST_NS  INT64_C(1000)
#define HIST_HIGHEST_NS INT64_C(3600000000000)
#define HIST_SLOTS      24576 /* 24 * 1024 */

struct hist {
    uint64_t count;               /* of values, overflow included */
    uint64_t overflow;            /* of values above the highest */
    int64_t min_ns, max_ns;       /* exact; INT64_MAX and 0 when empty */
    uint32_t low_slot, high_slot; /* used slots lie in low..high; low > high when empty */
    uint64_t slots[HIST_SLOTS];
};

/* Never NULL; freed with hist_free(), which accepts NULL. About 200 KB, touched as used. */
struct hist *hist_new(void);
void hist_free(struct hist *hist);
DEFINE_FREEP(hist)
void hist_reset(struct hist *hist);

static inline uint32_t hist_slot_of(int64_t ns)
{
    uint64_t value = (uint64_t)ns | ((UINT64_C(1) << (HIST_UNIT_BITS + HIST_HALF_BITS + 1)) - 1);
    uint32_t power = (uint32_t)(63 - __builtin_clzll(value)) - (HIST_UNIT_BITS + HIST_HALF_BITS);
    return (power << HIST_HALF_BITS) + (uint32_t)((uint64_t)ns >> (power + HIST_UNIT_BITS));
}

/* Counts a value. Hot: no allocation. */
static inline void hist_record(struct hist *hist, int64_t ns)
{
    if (__builtin_expect(ns < 0, 0))
        ns = 0;
    hist->min_ns = MIN(hist->min_ns, ns);
    hist->max_ns = MAX(hist->max_ns, ns);
    if (__builtin_expect(ns > HIST_HIGHEST_NS, 0)) {
        hist->overflow++;
        ns = HIST_HIGHEST_NS;
    }
    uint32_t slot = hist_slot_of(ns);
    hist->low_slot = MIN(hist->low_slot, slot);
    hist->high_slot = MAX(hist->high_slot, slot);
    hist->slots[slot]++;
    hist->count++;
}

void hist_merge(struct hist *into, const struct hist *from);

/* Smallest value that percent (0..100) of the values are at or below: the highest value of the
 * bucket in which the rank ceil(percent / 100 * count) lies, never above the exact maximum. 0 when
 * empty. */
int64_t hist_percentile(const struct hist *hist, double percent);
/* Values at or below ns (by bucket). */
uint64_t hist_count_at_most(const struct hist *hist, int64_t ns);
/* Mean from the buckets' middles; 0 when empty. Sums kept beside the histogram are exact, this is
 * not. */
double hist_mean(const struct hist *hist);

/* Lowest and highest value that share a slot. */
int64_t hist_slot_low(uint32_t slot);
int64_t hist_slot_high(uint32_t slot);

#endif
