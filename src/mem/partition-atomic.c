/*
 * Atomic operations of a partition. With an L2 they work on it: the word being at hand, operations follow each other at same_word_cycles.
 * Without, each operation on a word reads it from the DRAM and writes it back before the next may begin, from the start of the
 * partition's pipeline on (atomic.h).
 */
#include "base/bits.h"
#include "mem/partition-private.h"

enum { SECTOR_BYTES = 32, SECTOR_WORDS = SECTOR_BYTES / 4 };

/* Packets of two kinds pass one unit, each in a time of its own: in parts of a cycle, to the nearest. */
enum { CYCLE_PARTS = 1024 };

static uint32_t parts_of(uint64_t khz, uint64_t sm_khz)
{
    return (uint32_t)((sm_khz * CYCLE_PARTS + khz / 2) / khz);
}

void partition_atomic_init(Partition *p, uint64_t sm_khz)
{
    const AtomicConfig *c = &p->atomic_config;
    if (!c->packet_khz) return;
    p->packets = link_make_at(CYCLE_PARTS, 1);
    p->packet_parts = parts_of(c->packet_khz, sm_khz);
    p->part_packet_parts = parts_of(c->part_khz ? c->part_khz : c->packet_khz, sm_khz);
}

/* The unit of an L2's slice: a packet for each operation on the word that has the most of them. */
static Cycle pass_packets(Partition *p, Cycle at, const Msg *request)
{
    const bool whole = (request->words & bits_below(SECTOR_WORDS)) == bits_below(SECTOR_WORDS);
    return link_send(&p->packets, at, request->count * (whole ? p->packet_parts : p->part_packet_parts));
}

static AtomicLock *lock_of(Partition *p, Addr addr)
{
    return &p->locks[addr / SECTOR_BYTES % ATOMIC_LOCKS];
}

/* The unit starts a few words in each clock. */
static Cycle start_words(Partition *p, Cycle at, const Msg *request)
{
    const unsigned words = bits_count(request->words);
    return link_send(&p->atomics, at, (unsigned)div_ceil(MAX(words, 1), p->atomic_config.words_per_clock));
}

Cycle partition_atomic_done(Partition *p, Cycle at, const Msg *request)
{
    if (p->atomic_config.ideal) return at;
    if (p->atomic_config.packet_khz) return pass_packets(p, at, request);
    AtomicLock *lock = lock_of(p, request->addr);
    const Cycle start = cycle_max(start_words(p, at, request), lock->free_at);
    lock->free_at = start + (Cycle)request->count * p->atomic_config.same_word_cycles;
    return lock->free_at;
}

/* ---- without an L2 ---- */

static void read_word(Partition *p, Cycle at, DramRank rank, uint32_t flight)
{
    Flight *f = &p->flights[flight];
    f->kind = FLIGHT_ATOMIC_READ;
    partition_to_dram(p, at, rank, &f->request, false, flight);
}

void partition_atomic_accept(Partition *p, Cycle at, const Msg *request)
{
    if (p->atomic_config.ideal) {
        partition_to_dram(p, at, DRAM_RANK_DIRECT, request, true, partition_take_flight(p, FLIGHT_DIRECT, request));
        return;
    }
    const uint32_t flight = partition_take_flight(p, FLIGHT_ATOMIC_READ, request);
    p->flights[flight].parts = request->count;
    p->flights[flight].next = FLIGHT_NONE;
    AtomicLock *lock = lock_of(p, request->addr);
    if (lock->holder == FLIGHT_NONE) {
        lock->holder = lock->last = flight;
        read_word(p, cycle_max(at, lock->free_at + p->config.pipeline_cycles), DRAM_RANK_DIRECT, flight);
        return;
    }
    p->flights[lock->last].next = flight;
    lock->last = flight;
}

void partition_atomic_read_done(Partition *p, uint32_t flight, Cycle at)
{
    Flight *f = &p->flights[flight];
    const Cycle done = start_words(p, at, &f->request) + p->atomic_config.same_word_cycles;
    f->kind = FLIGHT_ATOMIC_WRITE;
    if (f->parts == 1) partition_reply(p, &f->request, done);
    partition_to_dram(p, done, DRAM_RANK_ATOMIC, &f->request, true, flight);
}

/* The next operation on the word, or, after the last, the next request for the sector. */
void partition_atomic_write_done(Partition *p, uint32_t flight, Cycle at)
{
    Flight *f = &p->flights[flight];
    const Cycle again = at + p->config.pipeline_cycles;
    if (--f->parts) {
        read_word(p, again, DRAM_RANK_ATOMIC, flight);
        return;
    }
    AtomicLock *lock = lock_of(p, f->request.addr);
    const uint32_t next = f->next;
    lock->free_at = at;
    partition_drop_flight(p, flight);
    lock->holder = next;
    if (next == FLIGHT_NONE)
        lock->last = FLIGHT_NONE;
    else
        read_word(p, again, DRAM_RANK_ATOMIC, next);
}
