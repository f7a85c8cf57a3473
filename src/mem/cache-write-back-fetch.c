/* Write-back, write-allocate, for caches that know only whole sectors to be valid: what a write leaves out of a sector is fetched. */
#include "mem/cache-private.h"

static WordMask fetch(const Cache *cache, WordMask words, WordMask valid, WordMask pending)
{
    const WordMask lacking = cache_whole_sectors(cache, words) & ~(words | valid | pending);
    return cache_whole_sectors(cache, lacking); /* with none of their words pending: sectors come and go whole */
}

const CacheWritePolicy cache_write_back_fetch = {.fetch = fetch, .store = cache_store_dirty};
