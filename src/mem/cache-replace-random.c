/* Random: xorshift64* (Vigna, An experimental exploration of Marsaglia's xorshift generators, scrambled, ACM TOMS 42(4), 2016), whose lower
 * bits are the weaker ones. A number is drawn for each victim, nowhere else. */
#include "mem/cache-private.h"

static uint32_t draw(Cache *cache)
{
    uint64_t x = cache->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    cache->random = x;
    return (uint32_t)(x * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

static void ignore(Cache *cache, uint64_t *order, unsigned way)
{
    (void)cache, (void)order, (void)way;
}

static unsigned victim(Cache *cache, const uint64_t *order, uint64_t candidates)
{
    (void)order;
    for (unsigned before = draw(cache) % bits_count(candidates); before > 0; before--)
        candidates &= candidates - 1;
    return bits_lowest(candidates);
}

const CacheReplacement cache_replace_random = {.allocated = ignore, .found = ignore, .victim = victim};
