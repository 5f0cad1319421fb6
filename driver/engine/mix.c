/* mix.c -- see mix.h. */
#include "driver/engine/mix.h"

void mix_init(struct mix *mix, const int *ratios, size_t count)
{
    size_t slot = 0;
    for (size_t i = 0; i < count; i++)
        for (int n = 0; n < ratios[i] && slot < sizeof(mix->slots); n++)
            mix->slots[slot++] = (uint8_t)i;
    while (slot < sizeof(mix->slots))
        mix->slots[slot++] = (uint8_t)(count ? count - 1 : 0);
}
