/* hist.c -- see hist.h.
 *
 * Slot s < 2,048 holds [s * 512, (s + 1) * 512); beyond that, slots come in groups of 1,024 per
 * power of two, each group twice as wide as the one before. */
#include "common/stats/hist.h"

#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hist *hist_new(void)
{
    struct hist *hist = xcalloc(1, sizeof(*hist));
    hist->min_ns = INT64_MAX;
    hist->low_slot = HIST_SLOTS;
    return hist;
}

void hist_free(struct hist *hist)
{
    free(hist);
}

void hist_reset(struct hist *hist)
{
    if (hist->low_slot <= hist->high_slot)
        memset(hist->slots + hist->low_slot, 0,
               (hist->high_slot - hist->low_slot + 1) * sizeof(hist->slots[0]));
    hist->count = hist->overflow = 0;
    hist->min_ns = INT64_MAX;
    hist->max_ns = 0;
    hist->low_slot = HIST_SLOTS;
    hist->high_slot = 0;
}

void hist_merge(struct hist *into, const struct hist *from)
{
    if (from->count == 0)
        return;
    for (uint32_t i = from->low_slot; i <= from->high_slot; i++)
        into->slots[i] += from->slots[i];
    into->count += from->count;
    into->overflow += from->overflow;
    into->min_ns = MIN(into->min_ns, from->min_ns);
    into->max_ns = MAX(into->max_ns, from->max_ns);
    into->low_slot = MIN(into->low_slot, from->low_slot);
    into->high_slot = MAX(into->high_slot, from->high_slot);
}

static uint32_t slot_power(uint32_t slot)
{
    uint32_t group = slot >> HIST_HALF_BITS;
    return group < 1 ? 0 : group - 1;
}

int64_t hist_slot_low(uint32_t slot)
{
    uint32_t power = slot_power(slot);
    return (int64_t)(slot - (power << HIST_HALF_BITS)) << (power + HIST_UNIT_BITS);
}

int64_t hist_slot_high(uint32_t slot)
{
    return hist_slot_low(slot) + (INT64_C(1) << (slot_power(slot) + HIST_UNIT_BITS)) - 1;
}

int64_t hist_percentile(const struct hist *hist, double percent)
{
    if (hist->count == 0)
        return 0;
    percent = MIN(MAX(percent, 0.0), 100.0);
    uint64_t rank = (uint64_t)ceil(percent / 100.0 * (double)hist->count - 1e-9);
    rank = MIN(MAX(rank, (uint64_t)1), hist->count);
    uint64_t seen = 0;
    for (uint32_t i = hist->low_slot; i <= hist->high_slot; i++) {
        seen += hist->slots[i];
        if (seen >= rank) {
            if (i == hist->high_slot) /* the values over range lie here, too */
                return rank == hist->count ? hist->max_ns : MIN(hist_slot_high(i), hist->max_ns);
            return hist_slot_high(i);
        }
    }
    return hist->max_ns;
}

uint64_t hist_count_at_most(const struct hist *hist, int64_t ns)
{
    uint64_t seen = 0;
    if (hist->count == 0 || ns < 0)
        return 0;
    uint32_t last = hist_slot_of(MIN(ns, HIST_HIGHEST_NS));
    for (uint32_t i = hist->low_slot; i <= MIN(last, hist->high_slot); i++)
        seen += hist->slots[i];
    return seen;
}

double hist_mean(const struct hist *hist)
{
    double sum = 0;
    if (hist->count == 0)
        return 0;
    for (uint32_t i = hist->low_slot; i <= hist->high_slot; i++)
        if (hist->slots[i])
            sum +=
                (double)hist->slots[i] * ((double)hist_slot_low(i) + (double)hist_slot_high(i)) / 2;
    return sum / (double)hist->count;
}
