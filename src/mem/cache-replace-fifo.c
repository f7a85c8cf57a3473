/* First in, first out: the order of a way is the time at which its line was allocated, in allocations. */
#include "mem/cache-private.h"

static void allocated(Cache *cache, uint64_t *order, unsigned way)
{
    order[way] = ++cache->clock;
}

static void found(Cache *cache, uint64_t *order, unsigned way)
{
    (void)cache, (void)order, (void)way;
}

static unsigned victim(Cache *cache, const uint64_t *order, uint64_t candidates)
{
    (void)cache;
    return cache_oldest(order, candidates);
}

const CacheReplacement cache_replace_fifo = {.allocated = allocated, .found = found, .victim = victim};
