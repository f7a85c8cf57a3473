/* Least recently used: the order of a way is the time of its last access, in accesses. */
#include "mem/cache-private.h"

static void touch(Cache *cache, uint64_t *order, unsigned way)
{
    order[way] = ++cache->clock;
}

unsigned cache_oldest(const uint64_t *order, uint64_t candidates)
{
    unsigned oldest = bits_lowest(candidates);
    for (uint64_t rest = candidates & (candidates - 1); rest; rest &= rest - 1) {
        const unsigned way = bits_lowest(rest);
        oldest = order[way] < order[oldest] ? way : oldest;
    }
    return oldest;
}

static unsigned victim(Cache *cache, const uint64_t *order, uint64_t candidates)
{
    (void)cache;
    return cache_oldest(order, candidates);
}

const CacheReplacement cache_replace_lru = {.allocated = touch, .found = touch, .victim = victim};
