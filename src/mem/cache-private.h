#pragma once
/* Inside the cache: shared by its files and its policies. */
#include "base/bits.h"
#include "base/divide.h"
#include "mem/cache.h"

#define CACHE_NONE UINT32_MAX  /* no MSHR, no waiter */
#define CACHE_EMPTY UINT64_MAX /* tag of a way that holds nothing; no line has this number */

enum { WORDS_OF_LINE = CACHE_LINE_MAX / 4 };

/*
 * A replacement policy keeps what it knows of a set in `order`, one word for each way, all 0 in the beginning; how it uses them is its own
 * business. They are never reset: a victim is wanted only when all ways hold a line, each of which was announced when it was allocated.
 */
typedef struct {
    void (*allocated)(Cache *cache, uint64_t *order, unsigned way); /* a line has come to this way */
    void (*found)(Cache *cache, uint64_t *order, unsigned way);     /* another access to the line there */
    /* One of `candidates`, a bit for each way, at least one; all ways hold a line. */
    unsigned (*victim)(Cache *cache, const uint64_t *order, uint64_t candidates);
    bool power_of_two; /* wants such a number of ways */
} CacheReplacement;

extern const CacheReplacement cache_replace_lru, cache_replace_fifo, cache_replace_plru, cache_replace_random;

/* Where a line is, or would be: way is the number of ways when it is not there. */
typedef struct {
    uint64_t number; /* of the line: its address in lines */
    uint32_t set, way;
    uint32_t base; /* index of way 0 of the set, in lines */
} CachePlace;

typedef struct {
    bool through; /* the words go on to the next level, and a line that is not there is not allocated */
    /* To be fetched for a write of `words` to a line of whose words these are valid or pending; NULL for never anything. */
    WordMask (*fetch)(const Cache *cache, WordMask words, WordMask valid, WordMask pending);
    /* What becomes of the line that is there or has been allocated. */
    void (*store)(Cache *cache, const CachePlace *place, WordMask words);
} CacheWritePolicy;

extern const CacheWritePolicy cache_write_back, cache_write_back_fetch, cache_write_back_merge, cache_write_through,
    cache_write_evict;

const CacheReplacement *cache_replacement(const CacheGeometry *geometry);
const CacheWritePolicy *cache_write_policy(const CacheGeometry *geometry);

enum { CACHE_MODULO, CACHE_HASH }; /* values of CacheGeometry.index */

typedef struct {
    WordMask valid, dirty; /* dirty words are valid; with back-merge when their sector is */
} CacheWords;

/* Ways of a set, a bit for each. */
typedef struct {
    uint64_t held, pending; /* hold a line; hold one that is pending */
} CacheSet;

/* An MSHR: a line that is pending and those who wait for it, in the order in which they came. */
typedef struct {
    WordMask pending;
    uint32_t set;
    uint32_t first, last, waiting; /* in Cache.waiters; how many */
    uint32_t next;                 /* free MSHR */
} CacheMshr;

typedef struct {
    WordMask words;
    uint32_t waiter, next;
} CacheWaiter;

/* Neighbours of a line among those that hold sectors in part; CACHE_NONE where it is none of them. */
typedef struct {
    uint32_t older, newer;
} CacheLink;

/* back-merge (cache-write-back-merge.c). */
typedef struct {
    bool merges;      /* this is the policy */
    uint32_t n, most; /* lines in the list, and how many may be */
    CacheLink *links; /* of each line, and of the ends of the list; NULL: as many as there are, and no list */
} CacheParts;

struct Cache {
    const CacheReplacement *replacement;
    const CacheWritePolicy *write;
    uint64_t all_ways;
    uint64_t set_mask; /* where the number of sets is a power of two */
    uint32_t n_sets, n_lines, ways;
    bool masked; /* n_sets is a power of two */
    bool hashed;
    Divider by_sets;
    unsigned line_shift, sector_words;
    WordMask line_mask, sector_starts; /* all words; the first of each sector */
    unsigned fetch_words;              /* that are fetched together: a sector, or several */

    /* Index: set * ways + way. Apart, since a look-up wants the tags of a set and nothing else. */
    uint64_t *tags; /* line numbers */
    CacheWords *words;
    uint64_t *order;
    uint32_t *mshr_of; /* CACHE_NONE when not pending */
    CacheSet *sets;

    CacheMshr *mshrs;
    uint32_t n_mshrs, n_pending, free_mshr, merges;
    CacheWaiter *waiters;
    uint32_t n_waiters, free_waiter; /* room in `waiters` */

    CacheParts parts;
    uint64_t clock;  /* lru, fifo */
    uint64_t random; /* state of the generator */
    CacheStats stats;
};

static inline uint64_t cache_bytes(WordMask words)
{
    return UINT64_C(4) * bits_count(words);
}

/* The sectors that hold any of `words`. */
static inline WordMask cache_whole_sectors(const Cache *cache, WordMask words)
{
    for (unsigned shift = cache->sector_words / 2; shift > 0; shift /= 2)
        words |= words >> shift; /* in the end, the first word of a sector has gathered all of it */
    return (words & cache->sector_starts) * bits_below(cache->sector_words);
}

/* What is fetched when `lacking`, whole sectors, are to come: with them the rest of their group of fetch_words, but what is there or coming. */
static inline WordMask cache_with_group(const Cache *cache, WordMask lacking, WordMask valid, WordMask pending)
{
    if (G_LIKELY(cache->fetch_words == cache->sector_words)) return lacking;
    WordMask group = 0;
    for (unsigned first = 0; first < WORDS_OF_LINE; first += cache->fetch_words)
        if (lacking >> first & bits_below(cache->fetch_words)) group |= (WordMask)bits_below(cache->fetch_words) << first;
    return lacking | (cache_whole_sectors(cache, group & ~valid) & ~pending);
}

/* Of the ways `candidates`, the one of the smallest order (cache-replace-lru.c). */
unsigned cache_oldest(const uint64_t *order, uint64_t candidates);

/* Written words become valid and dirty (cache-write-back.c). */
void cache_store_dirty(Cache *cache, const CachePlace *place, WordMask words);

/* Sectors in part (cache-write-back-merge.c). */
void cache_parts_init(Cache *cache, const CacheGeometry *geometry); /* when all else is known */
void cache_parts_clear(Cache *cache);
void cache_parts_forget(Cache *cache);                                      /* all lines are dropped */
void cache_parts_fetched(Cache *cache, uint32_t line);                      /* words of it have become pending */
void cache_parts_evicted(Cache *cache, uint32_t line, CacheAccess *access); /* the rest of what has to be known of a victim */

/* MSHRs and those who wait (cache-pending.c). */
void cache_pending_init(Cache *cache, const CacheGeometry *geometry);
void cache_pending_clear(Cache *cache);
/* Words of a line become pending; a free MSHR must be there if none of them is yet. */
void cache_pend(Cache *cache, const CachePlace *place, WordMask words);
/* Puts a waiter behind the others of a pending line. */
void cache_wait(Cache *cache, CacheMshr *mshr, WordMask words, uint32_t waiter);
