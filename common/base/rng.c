/* rng.c -- see rng.h. */
#include "common/base/rng.h"

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;
    uint64_t mixed = splitmix64(&state);
    state = mixed ^ (stream * UINT64_C(0xd1342543de82ef95) + 1);
    for (int i = 0; i < 4; i++)
        rng->s[i] = splitmix64(&state);
}
