/* Write-through, no-allocate, and the line goes. One that is pending has to stay: others wait for it. So an L1 never holds
 * what memory lacks (docs/accuracy.md, S26). */
#include "mem/cache-private.h"

static void store(Cache *cache, const CachePlace *place, WordMask words)
{
    (void)words;
    CacheSet *set = &cache->sets[place->set];
    const uint64_t way = UINT64_C(1) << place->way;
    if (set->pending & way) return;
    set->held &= ~way;
    cache->tags[place->base + place->way] = CACHE_EMPTY;
}

const CacheWritePolicy cache_write_evict = {.through = true, .store = store};
