#include "mem/cache-private.h"

#include <math.h>
#include <string.h>

#include <glib.h>

#include "base/check.h"

static double hit_rate(const void *stats)
{
    const CacheStats *s = stats;
    return s->accesses ? (double)s->hits / (double)s->accesses : NAN;
}

/* The profilers name the counters of each level differently. */
/* clang-format off */
const GsStat cache_stat_rows[CACHE_N_STAT_ROWS] = {
    GS_COUNT(CacheStats, accesses,      "access", "Reads and writes of a line; one that is tried again counts once.", NULL),
    GS_COUNT(CacheStats, hits,          "access", "Reads of valid words; writes to a line that was there, nothing being fetched.", NULL),
    GS_COUNT(CacheStats, misses,        "access", "Reads that fetched; writes to a line that was not there, or that fetched.", NULL),
    GS_COUNT(CacheStats, merged,        "access", "Reads of words that were under way already.", NULL),
    GS_COUNT(CacheStats, evictions,     "line",   "Lines that had to go for another.", NULL),
    GS_COUNT(CacheStats, writebacks,    "line",   "Lines that had to go and were dirty.", NULL),
    GS_COUNT(CacheStats, fetched_bytes, "byte",   "Bytes fetched from the next level.", NULL),
    GS_COUNT(CacheStats, written_bytes, "byte",   "Bytes written to the next level: dirty words, or with back-merge their whole sectors, and words written through.", NULL),
    GS_DERIVED("hit_rate", hit_rate,    "ratio",  "hits / accesses.", NULL),
};
/* clang-format on */
void cache_stats_add(CacheStats *to, const CacheStats *from)
{
    for (size_t i = 0; i < sizeof *to / sizeof(uint64_t); i++) /* nothing but counters */
        ((uint64_t *)to)[i] += ((const uint64_t *)from)[i];
}

enum { WORD_BYTES = 4 };

#define RANDOM_SEED UINT64_C(0x9e3779b97f4a7c15)

static void set_shape(Cache *cache, const CacheGeometry *g)
{
    cache->ways = g->ways;
    cache->all_ways = bits_below(g->ways);
    cache->n_lines = (uint32_t)(g->bytes / g->line_bytes);
    cache->n_sets = cache->n_lines / g->ways;
    cache->masked = bits_count(cache->n_sets) == 1;
    cache->set_mask = cache->n_sets - 1;
    cache->hashed = g->index == CACHE_HASH;
    cache->by_sets = divider(cache->n_sets);
    cache->line_shift = bits_lowest(g->line_bytes);
    cache->line_mask = bits_below(g->line_bytes / WORD_BYTES);
    cache->sector_words = g->sector_bytes / WORD_BYTES;
    cache->fetch_words = g->fetch_bytes > g->sector_bytes ? g->fetch_bytes / WORD_BYTES : cache->sector_words;
    for (unsigned word = 0; word < g->line_bytes / WORD_BYTES; word += cache->sector_words)
        cache->sector_starts |= UINT64_C(1) << word;
}

Cache *cache_new(const CacheGeometry *geometry)
{
    const char *field = NULL, *wanted = cache_geometry_fault(geometry, &field);
    GS_CHECK(geometry->bytes > 0 && !wanted, "%s: %s", field ? field : "bytes", wanted ? wanted : "want more than 0");
    Cache *cache = g_new0(Cache, 1);
    cache->replacement = cache_replacement(geometry);
    cache->write = cache_write_policy(geometry);
    set_shape(cache, geometry);
    cache->tags = g_new(uint64_t, cache->n_lines);
    cache->words = g_new0(CacheWords, cache->n_lines);
    cache->order = g_new0(uint64_t, cache->n_lines);
    cache->mshr_of = g_new(uint32_t, cache->n_lines);
    cache->sets = g_new0(CacheSet, cache->n_sets);
    memset(cache->tags, 0xff, sizeof *cache->tags * cache->n_lines);       /* CACHE_EMPTY */
    memset(cache->mshr_of, 0xff, sizeof *cache->mshr_of * cache->n_lines); /* CACHE_NONE */
    cache_pending_init(cache, geometry);
    cache_parts_init(cache, geometry);
    cache->random = RANDOM_SEED;
    return cache;
}

void cache_free(Cache *cache)
{
    if (!cache) return;
    cache_pending_clear(cache);
    cache_parts_clear(cache);
    g_free(cache->tags);
    g_free(cache->words);
    g_free(cache->order);
    g_free(cache->mshr_of);
    g_free(cache->sets);
    g_free(cache);
}

void cache_invalidate(Cache *cache)
{
    GS_CHECK(cache->n_pending == 0, "%u lines pending", cache->n_pending);
    memset(cache->tags, 0xff, sizeof *cache->tags * cache->n_lines);
    memset(cache->sets, 0, sizeof *cache->sets * cache->n_sets);
    cache_parts_forget(cache);
}

static inline uint32_t set_of(const Cache *cache, uint64_t number)
{
    if (cache->masked && !cache->hashed) return (uint32_t)(number & cache->set_mask);
    const uint64_t above = divide(&cache->by_sets, number);
    const uint64_t digit = number - above * cache->n_sets;
    if (!cache->hashed) return (uint32_t)digit;
    const uint64_t top = divide(&cache->by_sets, above), middle = above - top * cache->n_sets;
    const uint64_t sum = digit + middle + (top - divide(&cache->by_sets, top) * cache->n_sets);
    return (uint32_t)(sum - divide(&cache->by_sets, sum) * cache->n_sets);
}

static inline CachePlace find(const Cache *cache, Addr addr, WordMask words)
{
    const uint64_t number = addr >> cache->line_shift;
    GS_CHECK(number << cache->line_shift == addr && words && !(words & ~cache->line_mask),
             "words %" G_GINT64_MODIFIER "x at %" G_GUINT64_FORMAT, words, addr);
    const uint32_t set = set_of(cache, number);
    const uint32_t base = set * cache->ways;
    const uint64_t *tags = &cache->tags[base];
    uint32_t way = cache->ways;
    /* All of them, without a branch on what is found: it cannot be predicted, and to guess wrong costs more than to look on. */
    for (uint32_t i = 0; i < cache->ways; i++)
        way = tags[i] == number ? i : way;
    return (CachePlace){.number = number, .set = set, .way = way, .base = base};
}

static inline bool is_there(const Cache *cache, const CachePlace *place)
{
    return place->way < cache->ways;
}

static inline CacheMshr *mshr_at(const Cache *cache, const CachePlace *place)
{
    if (!is_there(cache, place)) return NULL;
    const uint32_t id = cache->mshr_of[place->base + place->way];
    return id == CACHE_NONE ? NULL : &cache->mshrs[id];
}

static void evict(Cache *cache, uint32_t line, CacheAccess *access)
{
    access->evicted = true;
    access->victim = cache->tags[line] << cache->line_shift;
    access->dirty = cache->words[line].dirty;
    if (cache->parts.merges) cache_parts_evicted(cache, line, access);
    cache->stats.evictions++;
    cache->stats.writebacks += access->dirty != 0;
    cache->stats.written_bytes += cache_bytes(access->dirty);
}

static void allocate(Cache *cache, CachePlace *place, CacheAccess *access)
{
    CacheSet *set = &cache->sets[place->set];
    uint64_t *order = &cache->order[place->base];
    const uint64_t empty = cache->all_ways & ~set->held;
    place->way = empty ? bits_lowest(empty) : cache->replacement->victim(cache, order, cache->all_ways & ~set->pending);
    const uint32_t line = place->base + place->way;
    if (!empty) evict(cache, line, access);
    set->held |= UINT64_C(1) << place->way;
    cache->tags[line] = place->number;
    cache->words[line] = (CacheWords){0};
    cache->replacement->allocated(cache, order, place->way);
}

static inline void touch(Cache *cache, const CachePlace *place)
{
    cache->replacement->found(cache, &cache->order[place->base], place->way);
}

/* Whether an access that fetches these words can be carried out; nothing may change before. */
static bool has_room(const Cache *cache, const CachePlace *place, const CacheMshr *mshr, WordMask fetch)
{
    if (!is_there(cache, place) && cache->sets[place->set].pending == cache->all_ways) return false;
    return !fetch || mshr || cache->n_pending < cache->n_mshrs;
}

/* An access that finds or allocates its line. */
static void enter(Cache *cache, CachePlace *place, CacheAccess *access)
{
    if (is_there(cache, place)) {
        touch(cache, place);
    } else {
        allocate(cache, place, access);
    }
    access->line = place->base + place->way;
    if (!access->fetch) return;
    cache_pend(cache, place, access->fetch);
    cache->stats.fetched_bytes += cache_bytes(access->fetch);
}

static inline void count(CacheStats *stats, CacheOutcome outcome)
{
    stats->accesses++;
    stats->hits += outcome == CACHE_HIT;
    stats->misses += outcome == CACHE_MISS;
    stats->merged += outcome == CACHE_MERGED;
}

/* A read of which not all is valid. */
static CacheAccess read_lacking(Cache *cache, CachePlace place, WordMask words, WordMask lacking, uint32_t waiter)
{
    const CacheMshr *mshr = mshr_at(cache, &place);
    const WordMask pending = mshr ? mshr->pending : 0;
    const WordMask valid = is_there(cache, &place) ? cache->words[place.base + place.way].valid : 0;
    const WordMask fetch = cache_with_group(cache, cache_whole_sectors(cache, lacking & ~pending) & ~pending, valid, pending);
    if ((mshr && mshr->waiting >= cache->merges) || !has_room(cache, &place, mshr, fetch))
        return (CacheAccess){.outcome = CACHE_BLOCKED};
    CacheAccess access = {.outcome = fetch ? CACHE_MISS : CACHE_MERGED, .fetch = fetch};
    enter(cache, &place, &access);
    if (cache->parts.merges) cache_parts_fetched(cache, access.line);
    cache_wait(cache, mshr_at(cache, &place), words, waiter);
    count(&cache->stats, access.outcome);
    return access;
}

CacheAccess cache_read(Cache *cache, Addr addr, WordMask words, uint32_t waiter)
{
    const CachePlace place = find(cache, addr, words);
    const uint32_t line = place.base + place.way;
    const WordMask lacking = is_there(cache, &place) ? words & ~cache->words[line].valid : words;
    if (lacking) return read_lacking(cache, place, words, lacking, waiter);
    touch(cache, &place);
    count(&cache->stats, CACHE_HIT);
    return (CacheAccess){.outcome = CACHE_HIT, .line = line};
}

static CacheAccess write_through(Cache *cache, const CachePlace *place, WordMask words)
{
    CacheAccess access = {.outcome = CACHE_MISS, .forward = words};
    if (is_there(cache, place)) {
        access.outcome = CACHE_HIT;
        access.line = place->base + place->way;
        touch(cache, place);
        cache->write->store(cache, place, words);
    }
    cache->stats.written_bytes += cache_bytes(words);
    count(&cache->stats, access.outcome);
    return access;
}

CacheAccess cache_write(Cache *cache, Addr addr, WordMask words)
{
    CachePlace place = find(cache, addr, words);
    const CacheWritePolicy *policy = cache->write;
    if (policy->through) return write_through(cache, &place, words);
    const bool there = is_there(cache, &place);
    const CacheMshr *mshr = mshr_at(cache, &place);
    const WordMask valid = there ? cache->words[place.base + place.way].valid : 0;
    const WordMask pending = mshr ? mshr->pending : 0, fetch = policy->fetch ? policy->fetch(cache, words, valid, pending) : 0;
    const bool full = cache->parts.n > cache->parts.most && words & ~(valid | pending);
    if (full || !has_room(cache, &place, mshr, fetch)) return (CacheAccess){.outcome = CACHE_BLOCKED};
    CacheAccess access = {.outcome = there && !fetch ? CACHE_HIT : CACHE_MISS, .fetch = fetch};
    enter(cache, &place, &access);
    policy->store(cache, &place, words);
    count(&cache->stats, access.outcome);
    return access;
}

uint64_t cache_dirty_bytes(const Cache *cache)
{
    uint64_t bytes = 0;
    for (uint32_t line = 0; line < cache->n_lines; line++)
        if (cache->tags[line] != CACHE_EMPTY) bytes += cache_bytes(cache->words[line].dirty);
    return bytes;
}

Addr cache_line_address(const Cache *cache, uint32_t line)
{
    GS_CHECK(line < cache->n_lines && cache->tags[line] != CACHE_EMPTY, "line %u", line);
    return cache->tags[line] << cache->line_shift;
}

const CacheStats *cache_get_stats(const Cache *cache)
{
    return &cache->stats;
}
