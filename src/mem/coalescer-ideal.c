/*
 * Perfect coalescing, which no chip has: what an access would cost if the data lay as the rule likes it best. Each group of lanes that one
 * transaction of the policy may serve takes as many transactions as its different bytes fill, of the policy's sizes. They go to lines that
 * its lanes really touch, evenly chosen among the lanes, so that the traffic stays where it was: partitions and rows are not made ideal.
 * Whatever the policy, a transaction carries the bytes that are asked for from its start on. Atomics keep their rule.
 */
#include <glib.h>

#include "mem/coalescer-private.h"

enum { WORD_BYTES = 4 };

typedef struct {
    unsigned least, most; /* bytes of a transaction */
} Sizes;

static Sizes sizes_of(const CoalescerConfig *config, const LaneAccess *access)
{
    const CoalescerPolicy *policy = coalescer_policy(config);
    const unsigned line = access->store ? config->store_bytes : config->load_bytes;
    return policy->most_bytes ? (Sizes){policy->least_bytes, policy->most_bytes} : (Sizes){line, line};
}

/* The smallest size that holds `bytes`, or the largest there is. */
static unsigned size_for(Sizes sizes, unsigned bytes)
{
    unsigned size = sizes.least;
    while (size < bytes && size < sizes.most)
        size *= 2;
    return size;
}

static void emit(Coalesced *ret, Addr addr, unsigned size, unsigned bytes, unsigned lanes)
{
    const unsigned held = MIN(size, bytes);
    ret->transactions[ret->n++] = (Transaction){.addr = addr - addr % size,
                                                .words = (uint32_t)bits_below(div_ceil(held, WORD_BYTES)),
                                                .bytes = (uint8_t)size,
                                                .partial = held % WORD_BYTES != 0,
                                                .lanes = (uint8_t)lanes,
                                                .depth = 1};
    ret->bytes_moved += size;
}

static void serve_group(Sizes sizes, const LaneAccess *access, LaneMask group, Coalesced *ret)
{
    const unsigned lanes = bits_count(group), needed = coalescer_distinct(access, group) * access->width;
    const unsigned n = (unsigned)div_ceil(needed, sizes.most);
    unsigned left = needed, passed = 0;
    for (unsigned i = 0; i < n; i++) {
        const unsigned until = lanes * (i + 1) / n, first = passed;
        const Addr addr = access->addr[bits_lowest(group)];
        const unsigned size = size_for(sizes, left);
        for (; passed < until; passed++)
            group &= group - 1;
        emit(ret, addr, size, left, until - first);
        left -= MIN(size, left);
    }
}

void coalescer_ideal(const CoalescerConfig *config, const LaneAccess *access, Coalesced *ret)
{
    const CoalescerPolicy *policy = coalescer_policy(config);
    const unsigned lanes = policy->group_lanes[access->width <= WORD_BYTES ? 0 : access->width == 8 ? 1 : 2];
    for (unsigned first = 0; first < LANES; first += lanes) {
        const LaneMask group = access->mask & (LaneMask)bits_below(lanes) << first;
        if (group) serve_group(sizes_of(config, access), access, group, ret);
    }
}
