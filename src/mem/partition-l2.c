/* The L2 slice of a partition: look-ups in the order in which requests pass the port, fills when the DRAM has the data. */
#include "base/bits.h"
#include "mem/cache-unit.h"
#include "mem/partition-private.h"

void partition_l2_accept(Partition *p, Cycle at, const Msg *request)
{
    const Addr line = p->l2_config.cache.line_bytes, end = request->addr + request->bytes;
    const uint32_t flight = partition_take_flight(p, FLIGHT_CACHED, request);
    Flight *f = &p->flights[flight];
    f->ready = 0;
    f->parts = 0;
    for (Addr from = request->addr; from < end; f->parts++) { /* once for each line that it touches */
        const Addr to = MIN(end, (from | (line - 1)) + 1);
        const Lookup lookup = {at, from, flight, (uint32_t)(to - from)};
        fifo_push(&p->lookups, &lookup);
        from = to;
    }
}

void partition_l2_fetched(Partition *p, uint32_t flight, Cycle at)
{
    const Flight *f = &p->flights[flight];
    const L2Fill fill = {at, f->line, f->request.addr, f->request.bytes, f->kind == FLIGHT_MERGE};
    fifo_push(&p->fills, &fill);
    partition_drop_flight(p, flight);
}

static Cycle next_fill(const Partition *p)
{
    return fifo_length(&p->fills) ? fifo_peek(&p->fills, L2Fill)->time : CYCLE_NEVER;
}

static Cycle next_lookup(const Partition *p)
{
    if (p->blocked || !fifo_length(&p->lookups)) return CYCLE_NEVER;
    return cycle_max(fifo_peek(&p->lookups, Lookup)->time, p->now);
}

Cycle partition_l2_next(const Partition *p)
{
    return cycle_min(next_fill(p), next_lookup(p));
}

/* ---- what goes to the DRAM ---- */

static void read_run(Partition *p, Cycle at, Addr addr, unsigned bytes, uint32_t line, FlightKind kind)
{
    const Msg wanted = {.addr = addr, .bytes = (uint8_t)bytes};
    const uint32_t flight = partition_take_flight(p, kind, &wanted);
    p->flights[flight].line = line;
    p->stats.fetch_bytes += bytes;
    partition_to_dram(p, at + p->l2_config.miss_cycles, DRAM_RANK_CACHE, &wanted, false, flight);
}

static void fetch(void *owner, Cycle at, Addr addr, unsigned bytes, uint32_t line)
{
    read_run(owner, at, addr, bytes, line, FLIGHT_FETCH);
}

static void fetch_to_merge(void *owner, Cycle at, Addr addr, unsigned bytes, uint32_t line)
{
    read_run(owner, at, addr, bytes, line, FLIGHT_MERGE);
}

/* More lines of the L2 hold sectors in part than may: the oldest are fetched. */
static void fetch_parts(Partition *p)
{
    if (!p->l2_config.cache.partial_lines) return;
    uint32_t line = 0;
    for (WordMask parts; (parts = cache_fetch_parts(p->l2, &line));)
        cache_fetch_runs(parts, cache_line_address(p->l2, line), p->now, line, fetch_to_merge, p);
}

static void write_run(Partition *p, Addr addr, uint32_t dirty)
{
    const unsigned first = bits_lowest(dirty), last = 31 - (unsigned)__builtin_clz(dirty);
    const Msg victim = {.addr = addr + 4 * first, .words = dirty >> first, .bytes = (uint8_t)(4 * (last - first + 1))};
    const uint32_t flight = partition_take_flight(p, FLIGHT_WRITEBACK, &victim);
    p->stats.writeback_bytes += 4 * bits_count(dirty);
    partition_to_dram(p, p->now + p->l2_config.miss_cycles, DRAM_RANK_CACHE, &victim, true, flight);
}

/* Writes words of a line to the DRAM: one request for each run of bursts that have any, of TRANSACTION_BYTES_MAX at the most. */
static void write_words_on(Partition *p, Addr line, WordMask dirty)
{
    enum { RUN_MAX = TRANSACTION_BYTES_MAX / 4 };
    const unsigned burst = MIN(p->burst_bytes / 4, RUN_MAX);
    while (dirty) {
        const unsigned from = bits_lowest(dirty) / burst * burst;
        unsigned to = from + burst;
        while (to % RUN_MAX && dirty >> to & bits_below(burst))
            to += burst;
        write_run(p, line + 4 * from, (uint32_t)(dirty >> from & bits_below(to - from)));
        dirty &= ~bits_below(to);
    }
}

/* ---- look-ups ---- */

static bool take(Partition *p, const CacheAccess *access, Addr line)
{
    if (access->outcome == CACHE_BLOCKED) return false;
    if (access->dirty & ~access->merge) write_words_on(p, access->victim, access->dirty & ~access->merge);
    if (access->merge) cache_fetch_runs(access->merge, access->victim, p->now, L2_NO_LINE, fetch_to_merge, p);
    if (access->fetch) cache_fetch_runs(access->fetch, line, p->now, access->line, fetch, p);
    return true;
}

/* A write of words of one line, by a request or by an atomic operation. */
static bool write_words(Partition *p, Addr line, WordMask words)
{
    if (!words) return true; /* a segment that is sent, but that no lane writes to (cc 1.0, 16-byte words) */
    const CacheAccess access = cache_write(p->l2, line, words);
    if (!take(p, &access, line)) return false;
    if (p->copied && (!access.forward || access.outcome == CACHE_HIT)) p->copied[access.line] = false; /* else it has no line */
    if (access.forward) write_words_on(p, line, access.forward);
    fetch_parts(p);
    return true;
}

/* The words that a request writes in [addr, addr + bytes), as words of the line. */
static WordMask written(const Partition *p, const Msg *request, Addr addr, unsigned bytes)
{
    const unsigned skip = (unsigned)(addr - request->addr) / 4, offset = (unsigned)(addr & (p->l2_config.cache.line_bytes - 1));
    return (WordMask)(request->words >> skip & (uint32_t)bits_below((bytes + 3) / 4)) << offset / 4;
}

/* The last part of an atomic operation is there: its words are changed in the L2. When it is done. */
static Cycle change_words(Partition *p, const Msg *request, Cycle at)
{
    const Addr line = request->addr & ~(Addr)(p->l2_config.cache.line_bytes - 1);
    const WordMask words = written(p, request, request->addr, request->bytes);
    GS_CHECK(write_words(p, line, words), "line %" G_GUINT64_FORMAT " has no place", line);
    return partition_atomic_done(p, at, request);
}

/* One part of a request is done at `at`. */
static void answer(Partition *p, uint32_t flight, Cycle at)
{
    Flight *f = &p->flights[flight];
    f->ready = cycle_max(f->ready, at);
    if (--f->parts) return;
    const Msg request = f->request; /* a copy: more requests to the DRAM may move the flights */
    const Cycle ready = request.kind == MSG_ATOMIC ? change_words(p, &request, f->ready) : f->ready;
    partition_reply(p, &request, ready);
    partition_drop_flight(p, flight);
}

/* `bytes` from `addr` on go into the data array at p->now: when they are in it. */
static Cycle into_array(Partition *p, Addr addr, unsigned bytes)
{
    if (!p->l2_config.array_khz) return p->now;
    const unsigned sector = p->l2_config.cache.sector_bytes, skip = (unsigned)(addr & (sector - 1));
    return link_send(&p->array, p->now, (unsigned)div_ceil(skip + bytes, sector));
}

/* How much later a hit is answered, since the line lies in the other half; that of the cluster `src` then has a copy, as it has of what came
 * from memory for it. Atomic operations are done where the line lies. */
static Cycle way_of_hit(Partition *p, unsigned src, bool atomic, const CacheAccess *access)
{
    if (!p->copied) return 0;
    const bool far = !atomic && l2_is_far(src, p->index), had = p->copied[access->line];
    p->copied[access->line] = far || (had && access->outcome != CACHE_MISS);
    return far && !had ? p->l2_config.far_cycles : 0;
}

static bool look_up(Partition *p, const Lookup *lookup)
{
    const Msg *request = &p->flights[lookup->flight].request;
    const unsigned offset = (unsigned)(lookup->addr & (p->l2_config.cache.line_bytes - 1));
    const Addr line = lookup->addr - offset;
    const Cycle hit = p->now + p->l2_config.hit_cycles;
    if (request->kind == MSG_WRITE) {
        if (!write_words(p, line, written(p, request, lookup->addr, lookup->bytes))) return false;
        answer(p, lookup->flight, into_array(p, lookup->addr, lookup->bytes) + p->l2_config.hit_cycles);
        return true;
    }
    const CacheAccess access = cache_read(p->l2, line, cache_words(offset, lookup->bytes), lookup->flight);
    const unsigned src = request->src;
    const bool atomic = request->kind == MSG_ATOMIC;
    if (!take(p, &access, line)) return false; /* which may move the flights */
    const Cycle way = way_of_hit(p, src, atomic, &access);
    if (access.outcome == CACHE_HIT) answer(p, lookup->flight, hit + way);
    return true;
}

static void released(void *owner, uint32_t waiter)
{
    Partition *p = owner;
    const bool far = l2_is_far(p->flights[waiter].request.src, p->index);
    answer(p, waiter, p->filled + (far ? p->l2_config.far_cycles : 0));
}

/* Sectors that were in part are whole, in the data array, and are written on. */
static void write_merged(Partition *p, const L2Fill *fill)
{
    const Msg whole = {.addr = fill->addr, .words = (uint32_t)bits_below(fill->bytes / 4), .bytes = (uint8_t)fill->bytes};
    const uint32_t flight = partition_take_flight(p, FLIGHT_WRITEBACK, &whole);
    p->stats.writeback_bytes += fill->bytes;
    partition_to_dram(p, p->filled + p->l2_config.miss_cycles, DRAM_RANK_CACHE, &whole, true, flight);
}

static void take_fill(Partition *p)
{
    const L2Fill fill = *fifo_peek(&p->fills, L2Fill);
    fifo_pop(&p->fills);
    const unsigned offset = (unsigned)(fill.addr & (p->l2_config.cache.line_bytes - 1));
    const WordMask words = cache_words(offset, fill.bytes);
    p->filled = into_array(p, fill.addr, fill.bytes);
    if (fill.merge) write_merged(p, &fill);
    if (fill.line == L2_NO_LINE) return;
    if (fill.merge) cache_clean(p->l2, fill.line, words);
    cache_fill(p->l2, fill.line, words, released, p);
    fetch_parts(p);
    p->blocked = false;
}

/* Takes the first look-up; false: it has no room to wait. */
static bool try_lookup(Partition *p)
{
    const Lookup lookup = *fifo_peek(&p->lookups, Lookup);
    if (!look_up(p, &lookup)) return false;
    fifo_pop(&p->lookups);
    return true;
}

void partition_l2_step(Partition *p)
{
    if (next_fill(p) <= p->now)
        take_fill(p);
    else
        p->blocked = !try_lookup(p);
}
