#include "mem/partition.h"

#include <glib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/clock.h"

static const char *const HASH_NAMES[] = {[PARTITION_HASH_NONE] = "none", [PARTITION_HASH_ROUND] = "round", NULL};

/* clang-format off */
static const GsKey PARTITION_KEYS[] = {
    GS_KEY(PartitionConfig, count, "count", 6, 1, 1024, "8800 GTX: 384 bits in 6 partitions (sources A1)", "Memory partitions."),
    GS_KEY(PartitionConfig, interleave_bytes, "byte", 256, TRANSACTION_BYTES_MAX, 1048576, "envytools g80-vram: blocks of 256 bytes (sources A4)",
           "Bytes of consecutive addresses in one partition; a power of two."),
    GS_KEY_NAME(PartitionConfig, hash, HASH_NAMES, PARTITION_HASH_NONE,
                "Ruetsch and Micikevicius: none on 8- and 10-series, hashed from Fermi on (sources A4)",
                "How blocks go round the partitions: always from the first, or each round from another."),
    GS_KEY(PartitionConfig, rop_bytes, "byte", 16, 0, 1024,
           "24 raster-output units on 6 partitions, 4 bytes each per core clock; CUDA's global traffic passes them (sources A4)",
           "Written data that a partition takes per interconnect clock; 0 for no limit."),
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
}

const GsConfigTable partition_config = {
    .section = "partition",
    .doc = "Memory partitions: each a port of the interconnect, a pipeline and a DRAM.",
    .keys = PARTITION_KEYS,
    .n_keys = G_N_ELEMENTS(PARTITION_KEYS),
    .size = sizeof(PartitionConfig),
    .check = check,
};

/* A request in the DRAM. */
typedef struct {
    Msg request;
    unsigned parts; /* of those it stands for, how many are not done */
} Flight;

struct Partition {
    PartitionConfig config;
    IcntConfig icnt;
    ClockRatio to_dram, to_sm;
    Link requests, replies;
    Link rops; /* one flit is what the raster-output units pass in a clock */
    Dram *dram;
    unsigned burst_bytes;
    MsgQueue inbox, outbox;
    uint16_t component;

    Flight *flights;      /* indexed by the DRAM's cookie */
    uint32_t *free_slots; /* stack of unused indices */
    unsigned n_free, capacity, pending;
};

AddrMap partition_map(const PartitionConfig *config)
{
    return (AddrMap){config->count, config->interleave_bytes, config->hash == PARTITION_HASH_ROUND};
}

Partition *partition_new(const PartitionSetup *setup)
{
    Partition *partition = g_new0(Partition, 1);
    partition->config = *setup->partition;
    partition->icnt = *setup->icnt;
    partition->to_dram = clock_ratio(setup->sm_khz, setup->dram->khz);
    partition->to_sm = clock_ratio(setup->dram->khz, setup->sm_khz);
    partition->requests = partition->replies = partition->rops = link_make(setup->icnt, setup->sm_khz);
    partition->dram = dram_new(setup->dram);
    partition->burst_bytes = dram_burst_bytes(setup->dram);
    partition->component = setup->component;
    msg_queue_init(&partition->inbox);
    msg_queue_init(&partition->outbox);
    return partition;
}

void partition_free(Partition *partition)
{
    if (!partition) return;
    dram_free(partition->dram);
    msg_queue_clear(&partition->inbox);
    msg_queue_clear(&partition->outbox);
    g_free(partition->flights);
    g_free(partition->free_slots);
    g_free(partition);
}

MsgQueue *partition_inbox(Partition *partition)
{
    return &partition->inbox;
}

MsgQueue *partition_outbox(Partition *partition)
{
    return &partition->outbox;
}

static void add_slots(Partition *partition)
{
    enum { SLOTS = 64 };
    const unsigned old = partition->capacity;
    partition->capacity = old ? 2 * old : SLOTS;
    partition->flights = g_renew(Flight, partition->flights, partition->capacity);
    partition->free_slots = g_renew(uint32_t, partition->free_slots, partition->capacity);
    for (unsigned i = partition->capacity; i-- > old;)
        partition->free_slots[partition->n_free++] = i;
}

/* Requests pass the raster-output units in order; it is written data that takes them time. */
static Cycle pass_rops(Partition *partition, Cycle now, unsigned written_bytes)
{
    const unsigned per_clock = partition->config.rop_bytes;
    return per_clock ? link_send(&partition->rops, now, (unsigned)div_ceil(written_bytes, per_clock)) : now;
}

static void accept(Partition *partition, const Msg *request)
{
    const bool write = request->kind == MSG_WRITE;
    GS_CHECK(write || request->kind == MSG_READ, "kind %u", request->kind);
    GS_CHECK(request->count > 0, "count %u", request->count);
    const unsigned flits = request->count * link_request_flits(&partition->icnt, write, request->bytes);
    const Cycle entered = link_send(&partition->requests, request->time, flits);
    const Cycle passed = pass_rops(partition, entered, write ? request->count * request->bytes : 0);
    const Cycle ready = passed + partition->config.pipeline_cycles;
    const Cycle clock = clock_convert(partition->to_dram, ready);
    /* the chips move whole bursts: a smaller or shifted transaction is widened to them */
    const Addr local = request->addr & ~(Addr)(partition->burst_bytes - 1);
    const unsigned bytes = (unsigned)(round_up(request->addr + request->bytes, partition->burst_bytes) - local);

    if (partition->n_free == 0) add_slots(partition);
    const uint32_t cookie = partition->free_slots[--partition->n_free];
    partition->flights[cookie] = (Flight){.request = *request, .parts = request->count};
    partition->pending++;
    for (unsigned i = 0; i < request->count; i++)
        dram_push(partition->dram, clock, local, bytes, write, cookie);
}

static void answer(void *owner, DramDone done)
{
    Partition *partition = owner;
    Flight *flight = &partition->flights[done.cookie];
    if (--flight->parts > 0) return;
    const bool write = flight->request.kind == MSG_WRITE;
    const Cycle ready = clock_convert(partition->to_sm, done.end);
    const unsigned flits = flight->request.count * link_reply_flits(&partition->icnt, write, flight->request.bytes);
    Msg reply = flight->request;
    reply.time = link_send(&partition->replies, ready, flits) + partition->icnt.reply_cycles;
    reply.kind = write ? MSG_ACK : MSG_DATA;
    reply.dst = reply.src;
    reply.src = partition->component;
    msg_queue_append(&partition->outbox, &reply);
    partition->free_slots[partition->n_free++] = done.cookie;
    partition->pending--;
}

void partition_run(Partition *partition, Cycle until)
{
    while (msg_queue_next(&partition->inbox) < until) {
        accept(partition, msg_queue_peek(&partition->inbox));
        msg_queue_pop(&partition->inbox);
    }
    dram_run(partition->dram, clock_convert(partition->to_dram, until), answer, partition);
}

Cycle partition_next(const Partition *partition)
{
    const Cycle clock = dram_next(partition->dram);
    /* Rounded down: the cycle in which the DRAM's clock ticks. */
    const Cycle dram = clock == CYCLE_NEVER ? CYCLE_NEVER : clock * partition->to_sm.num / partition->to_sm.den;
    return cycle_min(dram, msg_queue_next(&partition->inbox));
}

unsigned partition_pending(const Partition *partition)
{
    return partition->pending;
}

void partition_settle(Partition *partition, Cycle at)
{
    dram_settle(partition->dram, clock_convert(partition->to_dram, at));
}

const DramStats *partition_dram_stats(const Partition *partition)
{
    return dram_get_stats(partition->dram);
}
