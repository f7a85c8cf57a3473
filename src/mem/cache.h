#pragma once
/*
 * Cache: tags, replacement, write policy and outstanding misses of one cache, without time. Its owner (L1, texture or constant cache,
 * L2 slice, TLB) says when an access happens and when fetched data arrive; the cache says what the access finds, what is to be fetched or
 * written, and who waits for it. Used by every level, so that all of them count alike.
 *
 * Any number of accesses may happen in a clock: the ports before a cache bind (docs/accuracy.md, S27).
 *
 * Masks are of the 4-byte words of a line: bit i is word i, also where a store writes less of it (S30). A line is fetched by whole sectors; a
 * sector as large as the line makes an unsectored cache. A line whose words are under way (pending) is never a victim.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/cycle.h"
#include "base/stats.h"

enum { CACHE_LINE_MAX = 256, CACHE_WAYS_MAX = 64, CACHE_LINES_MAX = 1 << 21 };

typedef uint64_t WordMask;

typedef struct {
    uint64_t bytes;      /* capacity: a multiple of ways * line_bytes, at most CACHE_LINES_MAX lines; 0: there is no such cache */
    uint32_t ways;       /* 1 .. CACHE_WAYS_MAX; any number */
    uint32_t line_bytes; /* power of two, 4 .. CACHE_LINE_MAX */
    uint32_t sector_bytes; /* power of two, 4 .. line_bytes */
    uint32_t replacement;  /* index into cache_replacement_names */
    uint32_t write;        /* index into cache_write_names */
    uint32_t mshrs;        /* lines that may be pending at once */
    uint32_t merges;       /* reads that may wait for one pending line, the first included */
    uint32_t index;        /* index into cache_index_names */
    /* Aligned stretch of which all that lacks is fetched with a sector that is read: a power of two from sector_bytes to line_bytes, or 0 for sector_bytes. */
    uint32_t fetch_bytes;
    uint32_t partial_lines; /* back-merge: lines that may hold sectors in part, 0 for all; else idle */
} CacheGeometry;

/*
 * The set of a line, from its number (address / line_bytes).
 *   modulo  number modulo sets: lines a multiple of sets apart share a set
 *   hash    the sum of the number's last three digits to the base of sets, modulo sets: as many lines side by side as there are sets
 *           still have a set each, and no stride that is a power of two keeps to a few sets (docs/accuracy.md, S25)
 */
extern const char *const cache_index_names[]; /* NULL-terminated, as are the next */

/*
 * Replacement. A way without any valid, dirty or pending word is taken first, the lowest. Else, among the ways that are not pending:
 *   lru     the one whose last access is the longest ago; every read or write that finds or allocates a line is an access, also one
 *           that merges; a fill is not
 *   fifo    the one allocated first
 *   plru    the tree of bits: an access makes the bits on the way to it point to the other side, a victim is found by following them;
 *           where that way is pending, the next that is not, in cyclic order. Wants a power of two of ways.
 *   random  the k-th in order of index from 0, k = (the next draw) modulo their number, which may be 1; xorshift64* whose state is
 *           0x9e3779b97f4a7c15 before the first draw, its upper 32 bits
 */
extern const char *const cache_replacement_names[];

/*
 * Writes.
 *   back        write-back, write-allocate: the words written become valid and dirty, nothing is fetched; what is missing of a sector
 *               is fetched when it is read
 *   back-fetch  the same, but a sector written in part is fetched when words of it would be left neither valid nor pending; it alone, whatever
 *               fetch_bytes
 *   back-merge  the same as back, but sectors leave whole: what a sector in part lacks is fetched (`merge`) when its line has to go, when it
 *               is read, whichever words, or when more than partial_lines lines hold such sectors (cache_fetch_parts). An H200 does so
 *               (sources F)
 *   through     write-through, no-allocate: the words go on to the next level; in a line that is there they become valid
 *   evict       write-through, no-allocate: the words go on; a line that is there and not pending is dropped, after the access has been
 *               told to the replacement as any other
 */
extern const char *const cache_write_names[];

typedef enum {
    CACHE_HIT,    /* every word read is valid; written: the line was there */
    CACHE_MISS,   /* words have to be fetched; written: the line was not there, or a part of a sector is to be fetched */
    CACHE_MERGED, /* read: what is not valid is pending already */
    CACHE_BLOCKED, /* no MSHR, no room among the waiting, or no way that may be evicted: nothing has changed or been counted; try again
                    * after the next fill */
} CacheOutcome;

typedef struct {
    CacheOutcome outcome;
    uint32_t line;    /* where it is held: names it to cache_fill; undefined when nothing is allocated */
    WordMask fetch;   /* to be fetched from the next level: whole sectors without words that are pending, 0 for none */
    WordMask forward; /* written through to the next level: 0 or the words written */
    bool evicted;     /* another line had to go */
    Addr victim;      /* its address */
    WordMask dirty;   /* words of the victim to be written to the next level; back-merge: whole sectors */
    WordMask merge;   /* back-merge: those of them that must be read there first */
} CacheAccess;

typedef struct {
    uint64_t accesses, hits, misses, merged; /* accesses = hits + misses + merged */
    uint64_t evictions;                      /* lines that had to go for another */
    uint64_t writebacks;                     /* those that had dirty words */
    uint64_t fetched_bytes, written_bytes;   /* from and to the next level, writes passed through included */
} CacheStats;

/* The rows that describe CacheStats, for the tables of the levels. */
enum { CACHE_N_STAT_ROWS = 9 };
extern const GsStat cache_stat_rows[CACHE_N_STAT_ROWS];

/* to += from */
void cache_stats_add(CacheStats *to, const CacheStats *from);

/* NULL, or what is wrong with a geometry; *ret_field the member it concerns ("ways"). */
const char *cache_geometry_fault(const CacheGeometry *geometry, const char **ret_field);

typedef struct Cache Cache;

/* A cold cache. The geometry must be without fault and bytes > 0. */
Cache *cache_new(const CacheGeometry *geometry);
void cache_free(Cache *cache);

/* A read of words, at least one, of the line at `addr` (a multiple of line_bytes) on behalf of `waiter`, which cache_fill will name once
 * all of them are valid, unless the outcome is a hit. */
CacheAccess cache_read(Cache *cache, Addr addr, WordMask words, uint32_t waiter);

/* A write of words, at least one. Nobody waits for it. */
CacheAccess cache_write(Cache *cache, Addr addr, WordMask words);

typedef void (*CacheReleased)(void *owner, uint32_t waiter);

/* Fetched words of a line arrive, all of them pending: they become valid (dirty ones stay dirty) and are no longer pending. `released` is
 * called for each waiter that has all it waits for, in the order in which they came; it may access the cache, which is as after the fill. */
void cache_fill(Cache *cache, uint32_t line, WordMask words, CacheReleased released, void *owner);

/*
 * back-merge, to be asked after each write and each fill until it says 0: the sectors in part of line *ret_line, to be fetched as those of a miss, and
 * written on when they arrive, since more lines hold such sectors than may: of these it is the one whose last write in part is the longest ago. 0: no
 * more than may, or no MSHR is free; then writes of words that are neither there nor coming are blocked.
 */
WordMask cache_fetch_parts(Cache *cache, uint32_t *ret_line);

/* Sectors that cache_fetch_parts named are about to arrive (cache_fill), and are written to the next level: they are clean. */
void cache_clean(Cache *cache, uint32_t line, WordMask words);

/* The address of a line that holds something. */
Addr cache_line_address(const Cache *cache, uint32_t line);

/* Pending lines. */
unsigned cache_pending(const Cache *cache);

/* Drops all lines, dirty ones too; nothing may be pending. Random numbers and counters go on. */
void cache_invalidate(Cache *cache);

/* Bytes of the words that the next level lacks. */
uint64_t cache_dirty_bytes(const Cache *cache);

/* All counted since the cache was made. */
const CacheStats *cache_get_stats(const Cache *cache);

/* ---- masks ---- */

/* Words of [offset, offset + bytes) of a line, parts included; bytes > 0. */
static inline WordMask cache_words(unsigned offset, unsigned bytes)
{
    const unsigned first = offset / 4, last = (offset + bytes - 1) / 4;
    return (~UINT64_C(0) >> (63 - last)) & ~UINT64_C(0) << first;
}
