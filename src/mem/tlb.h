#pragma once
/*
 * TLB: the pages whose translation a cluster's port holds, fully associative, least recently used out. A request to another page waits for
 * a walk of fixed length; requests to a page whose walk is under way wait for its end. Walks do not delay one another and cause no traffic
 * (not published). Source: 16 entries of 512 KB, a line of a public
 * configuration (sources A4, A7); one for each cluster is a model choice (docs/accuracy.md, S14).
 */
#include <stdbool.h>

#include "base/config.h"
#include "base/cycle.h"
#include "base/stats.h"

enum { TLB_ENTRIES_MAX = 64, TLB_HINTS = 16 };

typedef struct {
    uint32_t entries;     /* 0: every page is known */
    uint32_t page_bytes;  /* power of two; the reach is entries * page_bytes */
    uint32_t walk_cycles; /* shader cycles that a page that is not held costs */
} TlbConfig;

extern const GsConfigTable tlb_config; /* [tlb] */

typedef struct {
    uint64_t accesses, misses; /* requests; those that started a walk */
} TlbStats;

extern const GsStatTable tlb_stats;

typedef struct {
    unsigned entries, page_shift, walk_cycles;
    /* Of the last access: its entry, page, and when that was known. Its `used` is set when another page comes. */
    unsigned last;
    uint64_t last_page;
    Cycle last_known;
    struct {
        uint64_t page;
        Cycle used, known; /* last access; when its translation is there */
    } entry[TLB_ENTRIES_MAX];
    uint8_t hint[TLB_HINTS]; /* by page: the entry where one like it was last; only where to look first */
    uint64_t clock;
    TlbStats stats;
} Tlb;

void tlb_init(Tlb *tlb, const TlbConfig *config);

/* No page is held any more; counters go on. */
void tlb_flush(Tlb *tlb, const TlbConfig *config);

/* A request to another page than the last: what tlb_access returns for it. */
Cycle tlb_change_page(Tlb *tlb, Cycle now, uint64_t page);

/* A request at cycle `now`: when it may go on. `now` does not decrease from call to call. */
static inline Cycle tlb_access(Tlb *tlb, Cycle now, Addr addr)
{
    const uint64_t page = addr >> tlb->page_shift;
    tlb->stats.accesses++;
    return page == tlb->last_page ? cycle_max(now, tlb->last_known) : tlb_change_page(tlb, now, page);
}
