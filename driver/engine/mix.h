/* mix.h -- which operation comes next: drawn by ratio (spec: selectors.md, "Which operation next").
 */
#ifndef LOADSTONE_DRIVER_ENGINE_MIX_H
#define LOADSTONE_DRIVER_ENGINE_MIX_H

#include "common/base/rng.h"

#include <stddef.h>
#include <stdint.h>

/* Of every 100 draws, on average ratio[i] give i. */
struct mix {
    uint8_t slots[100];
};

/* ratios: count numbers that sum to 100. */
void mix_init(struct mix *mix, const int *ratios, size_t count);

static inline size_t mix_draw(const struct mix *mix, struct rng *rng)
{
    return mix->slots[rng_below(rng, sizeof(mix->slots))];
}

#endif
