/* Outstanding misses: the words of a line that are under way, and who waits for them. */
#include <glib.h>

#include "base/check.h"
#include "mem/cache-private.h"

enum { WAITERS_AT_FIRST = 1024 }; /* a cache may allow far more than ever wait */

/* Puts the places [from, n_waiters) in the list of free ones, the lowest first. */
static void free_waiters(Cache *cache, uint32_t from)
{
    for (uint32_t i = from; i < cache->n_waiters; i++)
        cache->waiters[i].next = i + 1;
    cache->waiters[cache->n_waiters - 1].next = cache->free_waiter;
    cache->free_waiter = from;
}

void cache_pending_init(Cache *cache, const CacheGeometry *geometry)
{
    cache->merges = geometry->merges;
    cache->n_mshrs = MIN(geometry->mshrs, cache->n_lines);
    cache->mshrs = g_new0(CacheMshr, cache->n_mshrs);
    for (uint32_t i = 0; i < cache->n_mshrs; i++)
        cache->mshrs[i].next = i + 1 < cache->n_mshrs ? i + 1 : CACHE_NONE;
    cache->n_waiters = (uint32_t)MIN((uint64_t)cache->n_mshrs * cache->merges, WAITERS_AT_FIRST);
    cache->waiters = g_new0(CacheWaiter, cache->n_waiters);
    cache->free_waiter = CACHE_NONE;
    free_waiters(cache, 0);
}

void cache_pending_clear(Cache *cache)
{
    g_free(cache->mshrs);
    g_free(cache->waiters);
}

static uint32_t take_mshr(Cache *cache, const CachePlace *place)
{
    const uint32_t id = cache->free_mshr;
    GS_CHECK(id != CACHE_NONE, "%u lines pending", cache->n_pending);
    CacheMshr *mshr = &cache->mshrs[id];
    cache->free_mshr = mshr->next;
    cache->n_pending++;
    cache->sets[place->set].pending |= UINT64_C(1) << place->way;
    *mshr = (CacheMshr){.set = place->set, .first = CACHE_NONE, .last = CACHE_NONE};
    return id;
}

void cache_pend(Cache *cache, const CachePlace *place, WordMask words)
{
    uint32_t *id = &cache->mshr_of[place->base + place->way];
    if (*id == CACHE_NONE) *id = take_mshr(cache, place);
    cache->mshrs[*id].pending |= words;
}

static void give_mshr_back(Cache *cache, uint32_t line)
{
    const uint32_t id = cache->mshr_of[line];
    CacheMshr *mshr = &cache->mshrs[id];
    cache->sets[mshr->set].pending &= ~(UINT64_C(1) << (line - mshr->set * cache->ways));
    cache->mshr_of[line] = CACHE_NONE;
    cache->n_pending--;
    mshr->next = cache->free_mshr;
    cache->free_mshr = id;
}

static void double_waiters(Cache *cache)
{
    const uint32_t n = cache->n_waiters;
    cache->waiters = g_renew(CacheWaiter, cache->waiters, (size_t)n * 2);
    cache->n_waiters = n * 2;
    free_waiters(cache, n);
}

static void append(Cache *cache, uint32_t *first, uint32_t *last, uint32_t id)
{
    cache->waiters[id].next = CACHE_NONE;
    if (*last == CACHE_NONE) {
        *first = id;
    } else {
        cache->waiters[*last].next = id;
    }
    *last = id;
}

void cache_wait(Cache *cache, CacheMshr *mshr, WordMask words, uint32_t waiter)
{
    if (cache->free_waiter == CACHE_NONE) double_waiters(cache);
    const uint32_t id = cache->free_waiter;
    CacheWaiter *place = &cache->waiters[id];
    cache->free_waiter = place->next;
    place->words = words;
    place->waiter = waiter;
    append(cache, &mshr->first, &mshr->last, id);
    mshr->waiting++;
}

/* Takes those who have all they wait for out of an MSHR's list; returns the list of them. With the last word of the line that is
 * everyone, and the MSHR is of no more use. */
static uint32_t take_ready(Cache *cache, CacheMshr *mshr, WordMask valid)
{
    uint32_t ready = CACHE_NONE, last_ready = CACHE_NONE;
    uint32_t id = mshr->first;
    if (!mshr->pending) return id;
    mshr->first = mshr->last = CACHE_NONE;
    while (id != CACHE_NONE) {
        const uint32_t next = cache->waiters[id].next;
        if (cache->waiters[id].words & ~valid) {
            append(cache, &mshr->first, &mshr->last, id);
        } else {
            append(cache, &ready, &last_ready, id);
            mshr->waiting--;
        }
        id = next;
    }
    return ready;
}

void cache_fill(Cache *cache, uint32_t line, WordMask words, CacheReleased released, void *owner)
{
    GS_CHECK(line < cache->n_lines && cache->mshr_of[line] != CACHE_NONE, "line %u", line);
    CacheMshr *mshr = &cache->mshrs[cache->mshr_of[line]];
    GS_CHECK(!(words & ~mshr->pending), "line %u", line);
    cache->words[line].valid |= words;
    mshr->pending &= ~words;
    uint32_t ready = take_ready(cache, mshr, cache->words[line].valid);
    if (!mshr->pending) give_mshr_back(cache, line);
    /* Only now, and each place given back before its call: `released` may access the cache, and the array may move. */
    while (ready != CACHE_NONE) {
        const CacheWaiter waiter = cache->waiters[ready];
        cache->waiters[ready].next = cache->free_waiter;
        cache->free_waiter = ready;
        ready = waiter.next;
        released(owner, waiter.waiter);
    }
}

unsigned cache_pending(const Cache *cache)
{
    return cache->n_pending;
}
