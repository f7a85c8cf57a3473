#pragma once
/*
 * A cache with time: reads enter in order, pass a port that takes so many of their lanes a clock, are looked up, and are answered a fixed
 * time after their look-up when they hit, or after the last of their data has come. Misses go on to the next level; hits pass misses
 * (hit under miss), and a read that finds no room to wait holds those behind it until data come. It serves the texture cache and the second-level
 * constant cache of a cluster and the third-level constant cache of the chip: caches that are only read.
 *
 * The unit belongs to a component, which runs it through each window: every read that enters before the window's end must have been put in before.
 */
#include "mem/cache.h"
#include "mem/link.h"
#include "mem/message.h"

typedef struct {
    CacheGeometry cache;
    uint32_t hit_cycles;      /* from a look-up that hits to its answer */
    uint32_t fill_cycles;     /* from the arrival of data to the answers that waited for them */
    uint32_t lanes_per_clock; /* of the clock of `port`; 0: no limit */
    Link port;                /* gives its clock */
} CacheUnitSetup;

/* The owner's: a read is answered at `at`; so many bytes at `addr` are wanted of the next level at `at`, for line `line`. Both times are not
 * before the look-up or arrival that causes them. */
typedef void (*CacheUnitAnswer)(void *owner, Cycle at, const Msg *read);
typedef void (*CacheUnitFetch)(void *owner, Cycle at, Addr addr, unsigned bytes, uint32_t line);

typedef struct CacheUnit CacheUnit;

CacheUnit *cache_unit_new(const CacheUnitSetup *setup, CacheUnitAnswer answer, CacheUnitFetch fetch, void *owner);
void cache_unit_free(CacheUnit *unit);

/* A read of `bytes` at `addr`, within one line; enters at read->time. `count` is the lanes it serves. Reads of one time are taken by src. */
void cache_unit_read(CacheUnit *unit, const Msg *read);

/* Data that were fetched for `line` arrive at `at`; calls come in order of time. */
void cache_unit_fill(CacheUnit *unit, Cycle at, uint32_t line, Addr addr, unsigned bytes);

/* Simulates all that happens before cycle `end`. */
void cache_unit_run(CacheUnit *unit, Cycle end);

/* The next cycle at which it has something to do, CYCLE_NEVER when it only waits for reads and data. */
Cycle cache_unit_next(const CacheUnit *unit);

/* Reads not answered and lines under way. */
unsigned cache_unit_pending(const CacheUnit *unit);

/* Empties the cache; nothing may be pending. */
void cache_unit_flush(CacheUnit *unit);

const CacheStats *cache_unit_stats(const CacheUnit *unit);

/* Calls `fetch` for the words of a line that are wanted: one request for each run of them, of TRANSACTION_BYTES_MAX at the most. */
void cache_fetch_runs(WordMask words, Addr line, Cycle at, uint32_t index, CacheUnitFetch fetch, void *owner);
