/*
 * Write-back, write-allocate, and nothing is fetched for a write; but the next level takes whole sectors only. A word that is written is valid when
 * its sector is whole: until then it is dirty and no more, so that a read of it fetches the sector. Lines that hold sectors in part are kept in a
 * list, in the order of their last write in part, the oldest first.
 */
#include <glib.h>

#include "base/check.h"
#include "mem/cache-private.h"

void cache_parts_init(Cache *cache, const CacheGeometry *geometry)
{
    CacheParts *parts = &cache->parts;
    parts->merges = cache->write == &cache_write_back_merge;
    parts->most = geometry->partial_lines;
    if (!parts->merges || !parts->most) return;
    parts->links = g_new(CacheLink, (size_t)cache->n_lines + 1);
    cache_parts_forget(cache);
}

void cache_parts_clear(Cache *cache)
{
    g_free(cache->parts.links);
}

/* The list is a ring through the place behind the last line's, where it begins and ends. */
void cache_parts_forget(Cache *cache)
{
    CacheParts *parts = &cache->parts;
    if (!parts->links) return;
    for (uint32_t line = 0; line < cache->n_lines; line++)
        parts->links[line] = (CacheLink){CACHE_NONE, CACHE_NONE};
    parts->links[cache->n_lines] = (CacheLink){cache->n_lines, cache->n_lines};
    parts->n = 0;
}

static void take_out(Cache *cache, uint32_t line)
{
    CacheLink *links = cache->parts.links, *link = &links[line];
    if (link->newer == CACHE_NONE) return;
    links[link->older].newer = link->newer;
    links[link->newer].older = link->older;
    *link = (CacheLink){CACHE_NONE, CACHE_NONE};
    cache->parts.n--;
}

static void put_last(Cache *cache, uint32_t line)
{
    CacheLink *links = cache->parts.links, *ends = &links[cache->n_lines];
    take_out(cache, line);
    links[line] = (CacheLink){.older = ends->older, .newer = cache->n_lines};
    links[ends->older].newer = line;
    ends->older = line;
    cache->parts.n++;
}

/* The sectors that are written in part, and of which nothing is under way: their missing words have to be fetched before they can leave. */
static WordMask in_part(const Cache *cache, uint32_t line)
{
    const CacheWords *words = &cache->words[line];
    const uint32_t mshr = cache->mshr_of[line];
    const WordMask pending = mshr == CACHE_NONE ? 0 : cache->mshrs[mshr].pending;
    return cache_whole_sectors(cache, words->dirty & ~words->valid) & ~cache_whole_sectors(cache, pending);
}

static void store(Cache *cache, const CachePlace *place, WordMask words)
{
    const uint32_t line = place->base + place->way;
    CacheWords *held = &cache->words[line];
    held->dirty |= words;
    held->valid |=
        cache_whole_sectors(cache, words) & ~cache_whole_sectors(cache, ~(held->valid | held->dirty) & cache->line_mask);
    if (!cache->parts.links) return;
    if (in_part(cache, line) & cache_whole_sectors(cache, words))
        put_last(cache, line);
    else
        cache_parts_fetched(cache, line);
}

void cache_parts_fetched(Cache *cache, uint32_t line)
{
    if (cache->parts.links && !in_part(cache, line)) take_out(cache, line);
}

void cache_parts_evicted(Cache *cache, uint32_t line, CacheAccess *access)
{
    access->merge = in_part(cache, line);
    access->dirty = cache_whole_sectors(cache, access->dirty);
    cache->stats.fetched_bytes += cache_bytes(access->merge);
    if (cache->parts.links) take_out(cache, line);
}

WordMask cache_fetch_parts(Cache *cache, uint32_t *ret_line)
{
    const CacheParts *parts = &cache->parts;
    if (parts->n <= parts->most) return 0;
    const uint32_t line = parts->links[cache->n_lines].newer;
    if (cache->mshr_of[line] == CACHE_NONE && cache->n_pending == cache->n_mshrs) return 0;
    const WordMask lacking = in_part(cache, line);
    const uint32_t set = line / cache->ways;
    const CachePlace place = {.number = cache->tags[line], .set = set, .way = line % cache->ways, .base = set * cache->ways};
    GS_CHECK(lacking, "line %u is whole", line);
    cache_pend(cache, &place, lacking);
    cache->stats.fetched_bytes += cache_bytes(lacking);
    take_out(cache, line);
    *ret_line = line;
    return lacking;
}

void cache_clean(Cache *cache, uint32_t line, WordMask words)
{
    GS_CHECK(cache->mshr_of[line] != CACHE_NONE && !(words & ~cache->mshrs[cache->mshr_of[line]].pending), "line %u", line);
    cache->words[line].dirty &= ~words;
    cache->stats.written_bytes += cache_bytes(words);
}

const CacheWritePolicy cache_write_back_merge = {.store = store};
