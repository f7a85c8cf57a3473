/* Write-back, write-allocate: written words wait in the line, and nothing is fetched for them. */
#include "mem/cache-private.h"

void cache_store_dirty(Cache *cache, const CachePlace *place, WordMask words)
{
    CacheWords *line = &cache->words[place->base + place->way];
    line->valid |= words;
    line->dirty |= words;
}

const CacheWritePolicy cache_write_back = {.store = cache_store_dirty};
