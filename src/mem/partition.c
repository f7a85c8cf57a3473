#include "base/bits.h"
#include "mem/partition-private.h"

static const char *const HASH_NAMES[] = {
    [PARTITION_HASH_NONE] = "none", [PARTITION_HASH_ROUND] = "round", [PARTITION_HASH_SCATTER] = "scatter", NULL};

/* clang-format off */
static const GsKey PARTITION_KEYS[] = {
    GS_KEY(PartitionConfig, count, "count", 6, 1, 1024, "8800 GTX: 384 bits in 6 partitions (sources A1)", "Memory partitions."),
    GS_KEY(PartitionConfig, interleave_bytes, "byte", 256, TRANSACTION_BYTES_MAX, 1048576, "envytools g80-vram: blocks of 256 bytes (sources A4)",
           "Bytes of consecutive addresses in one partition; a power of two."),
    GS_KEY_NAME(PartitionConfig, hash, HASH_NAMES, PARTITION_HASH_NONE,
                "Ruetsch and Micikevicius: none on 8- and 10-series, hashed from Fermi on (sources A4)",
                "How blocks go round the partitions: always from the first, each round from another, or eight side by side to eight partitions that look random."),
    GS_KEY(PartitionConfig, rop_bytes, "byte", 16, 0, 1024,
           "24 raster-output units on 6 partitions, 4 bytes each per core clock; CUDA's global traffic passes them (sources A4)",
           "Written data that a partition takes per interconnect clock; 0 for no limit."),
    GS_KEY(PartitionConfig, rop_masked_bytes, "byte", 8, 0, 1024,
           "NVIDIA, GeForce GTX 200 technical brief: 24 pixels written per clock, 12 blended; a write of part of its bytes is taken for a blend (sources A4)",
           "The same for writes that leave some bytes of their transaction as they are."),
    GS_KEY(PartitionConfig, pipeline_cycles, "cycle", 220, 0, 100000,
           "model choice: makes up the 510 cycles of an unloaded global load (sources A3, A7)",
           "Shader cycles that a request spends in the partition outside the DRAM."),
};
/* clang-format on */

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    const PartitionConfig *partition = config;
    if (bits_count(partition->interleave_bytes) != 1) {
        gs_config_fault(faults, table, config, "interleave_bytes", "want a power of two");
    }
    if (partition->hash == PARTITION_HASH_SCATTER && partition->count % ADDRMAP_RUN)
        gs_config_fault(faults, table, config, "count", "want a multiple of %d, or another hash than scatter", ADDRMAP_RUN);
}

const GsConfigTable partition_config = {
    .section = "partition",
    .doc = "Memory partitions: each a port of the interconnect, a pipeline and a DRAM.",
    .keys = PARTITION_KEYS,
    .n_keys = G_N_ELEMENTS(PARTITION_KEYS),
    .size = sizeof(PartitionConfig),
    .check = check,
};

AddrMap partition_map(const PartitionConfig *config)
{
    if (config->hash == PARTITION_HASH_SCATTER) return addrmap_make_scattered(config->count, config->interleave_bytes);
    return addrmap_make(config->count, config->interleave_bytes, config->hash == PARTITION_HASH_ROUND);
}

Partition *partition_new(const PartitionSetup *setup)
{
    Partition *p = g_new0(Partition, 1);
    p->config = *setup->partition;
    p->icnt = *setup->icnt;
    p->l2_config = *setup->l2;
    p->atomic_config = *setup->atomic;
    p->to_dram = clock_ratio(setup->sm_khz, setup->dram->khz);
    p->to_sm = clock_ratio(setup->dram->khz, setup->sm_khz);
    p->requests = p->replies = p->rops = p->atomics = link_make(setup->icnt, setup->sm_khz);
    if (setup->l2->array_khz) p->array = link_make_at(setup->l2->array_khz, setup->sm_khz);
    partition_atomic_init(p, setup->sm_khz);
    p->dram = dram_new(setup->dram, setup->index);
    p->burst_bytes = dram_burst_bytes(setup->dram);
    p->component = setup->component;
    p->index = setup->index;
    inbox_init(&p->inbox);
    msg_queue_init(&p->outbox);
    msg_queue_init(&p->ready);
    fifo_init(&p->lookups);
    fifo_init(&p->fills);
    if (setup->l2->serves != L2_NONE) p->l2 = cache_new(&setup->l2->cache);
    if (p->l2 && setup->l2->far_cycles) p->copied = g_new0(bool, setup->l2->cache.bytes / setup->l2->cache.line_bytes);
    for (unsigned i = 0; i < CLIENT_N; i++)
        p->served[i] = l2_serves(setup->l2, (MsgClient)i);
    for (unsigned i = 0; i < ATOMIC_LOCKS; i++)
        p->locks[i] = (AtomicLock){FLIGHT_NONE, FLIGHT_NONE, 0};
    return p;
}

void partition_free(Partition *p)
{
    if (!p) return;
    dram_free(p->dram);
    cache_free(p->l2);
    inbox_clear(&p->inbox);
    msg_queue_clear(&p->outbox);
    msg_queue_clear(&p->ready);
    fifo_clear(&p->lookups);
    fifo_clear(&p->fills);
    g_free(p->copied);
    g_free(p->flights);
    g_free(p->free_slots);
    g_free(p);
}

void partition_begin(Partition *p, bool l2)
{
    GS_CHECK(p->pending == 0, "%u requests under way", p->pending);
    p->ordered = l2;
}

Inbox *partition_inbox(Partition *p)
{
    return &p->inbox;
}

MsgQueue *partition_outbox(Partition *p)
{
    return &p->outbox;
}

void partition_add_flights(Partition *p)
{
    enum { SLOTS = 64 };
    const unsigned old = p->capacity;
    p->capacity = old ? 2 * old : SLOTS;
    p->flights = g_renew(Flight, p->flights, p->capacity);
    p->free_slots = g_renew(uint32_t, p->free_slots, p->capacity);
    for (unsigned i = p->capacity; i-- > old;)
        p->free_slots[p->n_free++] = i;
}

/* ---- the ports ---- */

/* An answer that is ready at `ready` passes the port. */
static inline void send_reply(Partition *p, const Msg *request, Cycle ready)
{
    Msg *reply = msg_queue_place(&p->outbox);
    *reply = *request;
    reply->kind = request->kind == MSG_WRITE ? MSG_ACK : MSG_DATA;
    if (request->kind == MSG_ATOMIC) reply->count = 1; /* one answer for all its operations */
    const unsigned flits = link_reply_flits(p->icnt.partition_reply_bytes, reply->kind == MSG_ACK, reply->bytes);
    reply->time = link_send(&p->replies, ready, reply->count * flits) + p->icnt.reply_cycles;
    reply->dst = request->src;
    reply->src = p->component;
    p->stats.replies++;
}

static inline void reply(Partition *p, const Msg *request, Cycle ready)
{
    if (!p->ordered) {
        send_reply(p, request, ready);
        return;
    }
    Msg waiting = *request;
    waiting.time = ready;
    msg_queue_push(&p->ready, &waiting);
}

void partition_reply(Partition *p, const Msg *request, Cycle ready)
{
    reply(p, request, ready);
}

static void send_ready(Partition *p, Cycle until)
{
    for (const Msg *head; (head = msg_queue_peek(&p->ready)) && head->time < until; msg_queue_pop(&p->ready))
        send_reply(p, head, head->time);
}

/* Whether a write that moves `whole` bytes leaves some of them as they are. */
static bool is_masked(const Msg *request, unsigned whole)
{
    return request->bytes < whole || request->partial || request->words != (uint32_t)bits_below(request->bytes / 4);
}

/* Writes pass the raster-output units in order, `times` of the same one behind the other (docs/accuracy.md, S17, S22). */
static Cycle pass_rops(Partition *p, Cycle now, const Msg *request, unsigned times)
{
    const PartitionConfig *c = &p->config;
    const unsigned width = is_masked(request, request->bytes) ? c->rop_masked_bytes : c->rop_bytes;
    return width ? link_send(&p->rops, now, times * (unsigned)div_ceil(request->bytes, width)) : now;
}

/* Inlined: the one call in `accept` is for nearly every request. */
static inline __attribute__((always_inline)) void to_dram(Partition *p, Cycle at, DramRank rank, const Msg *request, bool write,
                                                          uint32_t cookie)
{
    /* the chips move whole bursts: a smaller or shifted transaction is widened to them */
    const Addr within = p->burst_bytes - 1, first = request->addr & ~within;
    const unsigned whole = (unsigned)(((request->addr + request->bytes + within) & ~within) - first);
    DramAccess access = DRAM_ACCESS_READ;
    if (write) {
        access = is_masked(request, whole) ? DRAM_ACCESS_MASKED_WRITE : DRAM_ACCESS_WRITE;
        p->stats.dram_written_bytes += whole;
    } else {
        p->stats.dram_read_bytes += whole;
    }
    dram_push(p->dram, clock_convert(&p->to_dram, at), rank, first, whole, access, cookie);
}

void partition_to_dram(Partition *p, Cycle at, DramRank rank, const Msg *request, bool write, uint32_t flight)
{
    to_dram(p, at, rank, request, write, flight);
}

/* Equal requests that travel as one message. */
static G_GNUC_NO_INLINE void accept_equal(Partition *p, Cycle at, const Msg *request)
{
    const uint32_t flight = partition_take_flight(p, FLIGHT_DIRECT, request);
    unsigned left = p->flights[flight].parts = request->count;
    do
        partition_to_dram(p, at, DRAM_RANK_DIRECT, request, request->kind == MSG_WRITE, flight);
    while (--left);
}

/* Atomic operations have no mask: where headers have wires of their own, their data are all that takes the port's time. */
static inline LinkHeader header_of(const Partition *p, const Msg *request)
{
    const bool bare = request->kind == MSG_ATOMIC && p->icnt.write_header == ICNT_HEADER_MASK;
    return bare ? LINK_HEADER_NONE : (LinkHeader)request->header;
}

/* The first request of the inbox passes the port, and leaves the inbox for the L2, the atomic unit or the DRAM. */
static inline void accept(Partition *p, const Msg *request)
{
    const bool carries = request->kind != MSG_READ;
    const unsigned times = request->kind == MSG_ATOMIC ? 1 : request->count;
    GS_CHECK(request->kind <= MSG_ATOMIC && request->count > 0, "kind %u, count %u", request->kind, request->count);
    const unsigned flits =
        times * link_request_flits(p->icnt.partition_request_bytes, header_of(p, request), carries, request->bytes);
    const Cycle entered = link_send(&p->requests, request->time, flits);
    msg_count(&p->stats.in, request);
    if (p->served[request->client]) {
        partition_l2_accept(p, entered, request);
        inbox_pop(&p->inbox);
        return;
    }
    const Cycle passed = (carries ? pass_rops(p, entered, request, times) : entered) + p->config.pipeline_cycles;
    if (request->kind != MSG_ATOMIC && request->count == 1) {
        to_dram(p, passed, DRAM_RANK_DIRECT, request, carries, inbox_take(&p->inbox) | COOKIE_DIRECT);
        return;
    }
    if (request->kind == MSG_ATOMIC)
        partition_atomic_accept(p, passed, request);
    else
        accept_equal(p, passed, request);
    inbox_pop(&p->inbox);
}

static void equal_done(Partition *p, uint32_t flight, Cycle at)
{
    Flight *f = &p->flights[flight];
    if (--f->parts) return;
    reply(p, &f->request, at);
    partition_drop_flight(p, flight);
}

/* A request of the L2 or of an atomic operation, or one of several equal ones, is done. */
static void G_GNUC_NO_INLINE flight_done(Partition *p, uint32_t flight, Cycle at)
{
    switch (p->flights[flight].kind) {
    case FLIGHT_DIRECT: equal_done(p, flight, at); break;
    case FLIGHT_MERGE:
    case FLIGHT_FETCH: partition_l2_fetched(p, flight, at); break;
    case FLIGHT_WRITEBACK: partition_drop_flight(p, flight); break;
    case FLIGHT_ATOMIC_READ: partition_atomic_read_done(p, flight, at); break;
    default: partition_atomic_write_done(p, flight, at);
    }
}

static void dram_done(void *owner, DramDone done)
{
    Partition *p = owner;
    const Cycle at = clock_convert(&p->to_sm, done.end);
    if (G_UNLIKELY(!(done.cookie & COOKIE_DIRECT))) {
        flight_done(p, done.cookie, at);
        return;
    }
    const uint32_t place = done.cookie & ~COOKIE_DIRECT;
    reply(p, inbox_taken(&p->inbox, place), at);
    inbox_give_back(&p->inbox, place);
}

/* ---- time ---- */

static void run_dram(Partition *p, Cycle until)
{
    dram_run(p->dram, clock_convert(&p->to_dram, until), dram_done, p);
}

/* When the DRAM may do something next: rounded down, the cycle in which its clock ticks. */
static Cycle next_of_dram(const Partition *p)
{
    const Cycle clock = dram_next(p->dram);
    return clock == CYCLE_NEVER ? CYCLE_NEVER : clock * p->to_sm.num / p->to_sm.den;
}

/* The L2's look-ups and fills and the DRAM, which causes fills, in the order of time. What a fill lets through is at the DRAM miss_cycles
 * later, so the DRAM runs no further at once. */
static void run_l2(Partition *p, Cycle until)
{
    for (;;) {
        const Cycle next = partition_l2_next(p), stop = cycle_min(next, until), dram = next_of_dram(p);
        const Cycle safe = dram == CYCLE_NEVER ? CYCLE_NEVER : dram + p->l2_config.miss_cycles;
        run_dram(p, cycle_min(stop, safe));
        if (safe < stop || partition_l2_next(p) < next) continue;
        if (next >= until) return;
        p->now = next;
        partition_l2_step(p);
    }
}

/* All that follows from what has come in. */
static void run_inside(Partition *p, Cycle until)
{
    if (!p->ordered) {
        run_dram(p, until);
        return;
    }
    run_l2(p, until);
    send_ready(p, until);
}

void partition_run(Partition *p, Cycle until)
{
    for (const Msg *head; (head = inbox_first(&p->inbox, until));) {
        /* whether its word is locked is a matter of its own time, not of the window's end */
        if (head->kind == MSG_ATOMIC && !p->served[head->client]) run_inside(p, head->time);
        accept(p, head);
    }
    run_inside(p, until);
}

Cycle partition_next(const Partition *p)
{
    const Cycle next = cycle_min(next_of_dram(p), inbox_next(&p->inbox));
    return p->ordered ? cycle_min(next, cycle_min(partition_l2_next(p), msg_queue_next(&p->ready))) : next;
}

unsigned partition_pending(const Partition *p)
{
    return p->pending + inbox_count_taken(&p->inbox);
}

void partition_settle(Partition *p, Cycle at)
{
    dram_settle(p->dram, clock_convert(&p->to_dram, at));
}

const DramStats *partition_dram_stats(const Partition *p)
{
    return dram_get_stats(p->dram);
}

const PartitionStats *partition_get_stats(const Partition *p)
{
    return &p->stats;
}

const CacheStats *partition_l2_stats(const Partition *p)
{
    return p->l2 ? cache_get_stats(p->l2) : NULL;
}

uint64_t partition_dirty_bytes(const Partition *p)
{
    return p->l2 ? cache_dirty_bytes(p->l2) : 0;
}

void partition_flush(Partition *p)
{
    if (p->l2) cache_invalidate(p->l2);
}
