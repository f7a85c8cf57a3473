#include "mem/tlb.h"

#include <math.h>

#include "base/bits.h"

/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY(TlbConfig, entries, "count", 16, 0, TLB_ENTRIES_MAX, "GPGPU-Sim's FX 5600 configuration, a line commented out: 16 entries (sources A4)", "Pages that a cluster's port holds; 0: all."),
    GS_KEY(TlbConfig, page_bytes, "byte", 524288, 4096, 1 << 30, "GPGPU-Sim's FX 5600 configuration, a line commented out: 512 KB (sources A4)", "Bytes of one entry; a power of two."),
    GS_KEY(TlbConfig, walk_cycles, "cycle", 230, 1, 100000, "Volkov and Demmel, SC08: memory 470 to 720 cycles, by TLB hit or miss (sources A7)", "What a request to a page that is not held waits."),
};
static const GsStat STATS[] = {
    GS_COUNT(TlbStats, accesses, "request", "Requests translated.", NULL),
    GS_COUNT(TlbStats, misses, "request", "Those whose page was not held: walks.", NULL),
};
/* clang-format on */

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    const TlbConfig *c = config;
    if (bits_count(c->page_bytes) != 1) gs_config_fault(faults, table, config, "page_bytes", "want a power of two");
}

static const char *idle(const void *config, const char *key)
{
    const TlbConfig *c = config;
    return c->entries == 0 && !g_str_equal(key, "entries") ? "entries is 0: every page is known" : NULL;
}

const GsConfigTable tlb_config = {
    .section = "tlb",
    .doc = "Translation of addresses at a cluster's port: pages held, and what another costs.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(TlbConfig),
    .check = check,
    .idle = idle,
};

const GsStatTable tlb_stats = {
    .path = "tlb",
    .doc = "Translation of addresses, all clusters together.",
    .stats = STATS,
    .n_stats = G_N_ELEMENTS(STATS),
    .size = sizeof(TlbStats),
};

void tlb_init(Tlb *tlb, const TlbConfig *config)
{
    const bool all = config->entries == 0; /* one page that is known */
    *tlb = (Tlb){.entries = config->entries,
                 .page_shift = all ? 63 : bits_lowest(config->page_bytes),
                 .walk_cycles = config->walk_cycles,
                 .last_page = all ? 0 : UINT64_MAX};
    for (unsigned i = 0; i < tlb->entries; i++)
        tlb->entry[i].page = UINT64_MAX;
}

void tlb_flush(Tlb *tlb, const TlbConfig *config)
{
    const TlbStats stats = tlb->stats;
    tlb_init(tlb, config);
    tlb->stats = stats;
}

static unsigned find(const Tlb *tlb, uint64_t page)
{
    unsigned i = 0;
    while (i < tlb->entries && tlb->entry[i].page != page)
        i++;
    return i;
}

static unsigned oldest(const Tlb *tlb)
{
    unsigned best = 0;
    for (unsigned i = 1; i < tlb->entries; i++)
        if (tlb->entry[i].used < tlb->entry[best].used) best = i;
    return best;
}

Cycle tlb_change_page(Tlb *tlb, Cycle now, uint64_t page)
{
    tlb->entry[tlb->last].used = ++tlb->clock;
    unsigned at = tlb->hint[page % TLB_HINTS];
    if (tlb->entry[at].page != page) at = find(tlb, page);
    if (at == tlb->entries) {
        at = oldest(tlb);
        tlb->entry[at].page = page;
        tlb->entry[at].known = now + tlb->walk_cycles;
        tlb->stats.misses++;
    }
    tlb->hint[page % TLB_HINTS] = (uint8_t)at;
    tlb->last = at;
    tlb->last_page = page;
    tlb->last_known = tlb->entry[at].known;
    return cycle_max(now, tlb->last_known);
}
