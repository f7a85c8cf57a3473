/* Write-through, no-allocate: a line that is there takes the words too, so that it stays a copy. */
#include "mem/cache-private.h"

static void store(Cache *cache, const CachePlace *place, WordMask words)
{
    cache->words[place->base + place->way].valid |= words;
}

const CacheWritePolicy cache_write_through = {.through = true, .store = store};
