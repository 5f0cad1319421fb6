/* rng.h -- xoshiro256** (Blackman, Vigna, "Scrambled linear pseudorandom number
 * generators", 2018), seeded through splitmix64. One per worker; not for secrets. */
#ifndef LOADSTONE_COMMON_BASE_RNG_H
#define LOADSTONE_COMMON_BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t s[4];
};

/* Same seed and stream: same numbers. Different streams of one seed are independent. */
void rng_seed(struct rng *rng, uint64_t seed, uint64_t stream);

static inline uint64_t rng_rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t result = rng_rotl(rng->s[1] * 5, 7) * 9;
    uint64_t t = rng->s[1] << 17;
    rng->s[2] ^= rng->s[0];
    rng->s[3] ^= rng->s[1];
    rng->s[1] ^= rng->s[2];
    rng->s[0] ^= rng->s[3];
    rng->s[2] ^= t;
    rng->s[3] = rng_rotl(rng->s[3], 45);
    return result;
}

/* Uniform in [0, bound), bound > 0, without bias (Lemire 2019). */
static inline uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    unsigned __int128 product = (unsigned __int128)rng_next(rng) * bound;
    if ((uint64_t)product < bound) {
        uint64_t floor = -bound % bound;
        while ((uint64_t)product < floor)
            product = (unsigned __int128)rng_next(rng) * bound;
    }
    return (uint64_t)(product >> 64);
}

/* Uniform in [0, 1). */
static inline double rng_double(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1.0p-53;
}

#endif
