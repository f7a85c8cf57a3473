#include "mem/cache-unit.h"

#include <glib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/fifo.h"

typedef struct {
    Cycle time;
    Addr addr;
    uint32_t line;
    uint32_t bytes;
} Fill;

struct CacheUnit {
    CacheUnitSetup setup;
    CacheUnitAnswer answer;
    CacheUnitFetch fetch;
    void *owner;
    Cache *cache;
    MsgQueue entering; /* not at the port yet */
    Fifo lookups;      /* of Msg, past the port; time being that of their look-up */
    Fifo fills;        /* of Fill */
    bool blocked;      /* the first look-up waits for a fill */
    Cycle now;
    Msg *waiting;         /* reads that wait in the cache, by waiter */
    GArray *free_waiters; /* of uint32_t */
    unsigned n_waiters, pending;
};

CacheUnit *cache_unit_new(const CacheUnitSetup *setup, CacheUnitAnswer answer, CacheUnitFetch fetch, void *owner)
{
    CacheUnit *unit = g_new0(CacheUnit, 1);
    unit->setup = *setup;
    unit->answer = answer;
    unit->fetch = fetch;
    unit->owner = owner;
    unit->cache = cache_new(&setup->cache);
    msg_queue_init(&unit->entering);
    fifo_init(&unit->lookups);
    fifo_init(&unit->fills);
    unit->free_waiters = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    return unit;
}

void cache_unit_free(CacheUnit *unit)
{
    if (!unit) return;
    cache_free(unit->cache);
    msg_queue_clear(&unit->entering);
    fifo_clear(&unit->lookups);
    fifo_clear(&unit->fills);
    g_array_unref(unit->free_waiters);
    g_free(unit->waiting);
    g_free(unit);
}

void cache_unit_read(CacheUnit *unit, const Msg *read)
{
    msg_queue_push(&unit->entering, read);
    unit->pending++;
}

void cache_unit_fill(CacheUnit *unit, Cycle at, uint32_t line, Addr addr, unsigned bytes)
{
    const Fill fill = {at, addr, line, bytes};
    fifo_push(&unit->fills, &fill);
}

static void pass_port(CacheUnit *unit, Cycle end)
{
    const unsigned lanes = unit->setup.lanes_per_clock;
    for (const Msg *head; (head = msg_queue_peek(&unit->entering)) && head->time < end; msg_queue_pop(&unit->entering)) {
        Msg *lookup = fifo_place(&unit->lookups, sizeof *lookup);
        *lookup = *head;
        if (lanes) lookup->time = link_send(&unit->setup.port, head->time, (unsigned)div_ceil(head->count, lanes));
    }
}

/* A number by which the cache will name this read. */
static uint32_t take_waiter(CacheUnit *unit, const Msg *read)
{
    uint32_t waiter;
    if (unit->free_waiters->len) {
        waiter = g_array_index(unit->free_waiters, uint32_t, unit->free_waiters->len - 1);
        g_array_set_size(unit->free_waiters, unit->free_waiters->len - 1);
    } else {
        if ((unit->n_waiters & (unit->n_waiters - 1)) == 0)
            unit->waiting = g_renew(Msg, unit->waiting, MAX(1, 2 * unit->n_waiters));
        waiter = unit->n_waiters++;
    }
    unit->waiting[waiter] = *read;
    return waiter;
}

static void give_back(CacheUnit *unit, uint32_t waiter)
{
    g_array_append_val(unit->free_waiters, waiter);
}

static void answer(CacheUnit *unit, Cycle at, const Msg *read)
{
    unit->pending--;
    unit->answer(unit->owner, at, read);
}

void cache_fetch_runs(WordMask words, Addr line, Cycle at, uint32_t index, CacheUnitFetch fetch, void *owner)
{
    enum { RUN_MAX = TRANSACTION_BYTES_MAX / 4 };
    while (words) {
        const unsigned first = bits_lowest(words);
        const WordMask from = ~(words >> first);
        unsigned n = from ? bits_lowest(from) : 64 - first;
        n = MIN(n, RUN_MAX - first % RUN_MAX);
        fetch(owner, at, line + 4 * first, 4 * n, index);
        words &= ~((WordMask)bits_below(n) << first);
    }
}

/* False: there is no room for it to wait. */
static bool look_up(CacheUnit *unit, const Msg *read)
{
    const unsigned offset = (unsigned)(read->addr & (unit->setup.cache.line_bytes - 1));
    const Addr line = read->addr - offset;
    const uint32_t waiter = take_waiter(unit, read);
    const CacheAccess access = cache_read(unit->cache, line, cache_words(offset, read->bytes), waiter);
    switch (access.outcome) {
    case CACHE_BLOCKED: give_back(unit, waiter); return false;
    case CACHE_HIT:
        give_back(unit, waiter);
        answer(unit, unit->now + unit->setup.hit_cycles, read);
        break;
    default: cache_fetch_runs(access.fetch, line, unit->now, access.line, unit->fetch, unit->owner);
    }
    return true;
}

static void released(void *owner, uint32_t waiter)
{
    CacheUnit *unit = owner;
    const Msg read = unit->waiting[waiter];
    give_back(unit, waiter);
    answer(unit, unit->now + unit->setup.fill_cycles, &read);
}

static void take_fill(CacheUnit *unit)
{
    const Fill fill = *fifo_peek(&unit->fills, Fill);
    fifo_pop(&unit->fills);
    const unsigned offset = (unsigned)(fill.addr & (unit->setup.cache.line_bytes - 1));
    cache_fill(unit->cache, fill.line, cache_words(offset, fill.bytes), released, unit);
    unit->blocked = false;
}

static Cycle next_fill(const CacheUnit *unit)
{
    return fifo_length(&unit->fills) ? fifo_peek(&unit->fills, Fill)->time : CYCLE_NEVER;
}

/* A look-up that was blocked comes again when its fill has come. */
static Cycle next_lookup(const CacheUnit *unit)
{
    if (unit->blocked || !fifo_length(&unit->lookups)) return CYCLE_NEVER;
    return cycle_max(fifo_peek(&unit->lookups, Msg)->time, unit->now);
}

void cache_unit_run(CacheUnit *unit, Cycle end)
{
    pass_port(unit, end);
    for (;;) {
        const Cycle fill = next_fill(unit), lookup = next_lookup(unit);
        if (cycle_min(fill, lookup) >= end) return;
        unit->now = cycle_min(fill, lookup);
        if (fill <= lookup) {
            take_fill(unit);
        } else if (look_up(unit, fifo_peek(&unit->lookups, Msg))) {
            fifo_pop(&unit->lookups);
        } else {
            unit->blocked = true;
        }
    }
}

Cycle cache_unit_next(const CacheUnit *unit)
{
    return cycle_min(msg_queue_next(&unit->entering), cycle_min(next_fill(unit), next_lookup(unit)));
}

unsigned cache_unit_pending(const CacheUnit *unit)
{
    return unit->pending + cache_pending(unit->cache);
}

const CacheStats *cache_unit_stats(const CacheUnit *unit)
{
    return cache_get_stats(unit->cache);
}

void cache_unit_flush(CacheUnit *unit)
{
    cache_invalidate(unit->cache);
}
