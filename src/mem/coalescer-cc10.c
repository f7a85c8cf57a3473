/*
 * The rule of compute capability 1.0 and 1.1 (sources B1: CUDA programming guide 2.0, 5.1.2.1, and 4.0, F.3.2.1). Each
 * half-warp by itself: when lane k accesses word k of one aligned segment, one transaction of 64 bytes (4-byte words) or of
 * 128 (8-byte words), or two of 128 (16-byte words); inactive lanes may be anywhere. Else one transaction of 32 bytes for
 * each active lane.
 */
#include "mem/coalescer-private.h"

enum { HALF_LANES = LANES / 2, SECTOR_BYTES = 32, SEGMENT_MAX_BYTES = 128 };

/* The address of the half-warp's lane 0 when its active lanes access consecutive words in order, else an odd one. */
static Addr base_of_sequence(const LaneAccess *access, unsigned first_lane, LaneMask half)
{
    const unsigned lowest = bits_lowest(half);
    const Addr base = access->addr[first_lane + lowest] - (Addr)lowest * access->width;
    for (LaneMask rest = half & (half - 1); rest; rest &= rest - 1) {
        const unsigned lane = bits_lowest(rest);
        if (access->addr[first_lane + lane] != base + (Addr)lane * access->width) return 1;
    }
    return base;
}

/* Of the two segments of 16-byte words both are asked for, also one without active lanes: the guide names no exception. */
static void emit_segments(const LaneAccess *access, unsigned first_lane, Addr base, LaneMask half, Coalesced *ret)
{
    const unsigned total = HALF_LANES * access->width;
    const unsigned bytes = total < SEGMENT_MAX_BYTES ? total : SEGMENT_MAX_BYTES;
    const unsigned lanes = bytes / access->width;
    for (unsigned at = 0; at < HALF_LANES; at += lanes) {
        const LaneMask part = half >> at & (LaneMask)bits_below(lanes);
        coalescer_emit(ret, access, part << first_lane << at, base + (Addr)at * access->width, bytes);
    }
}

/* Lanes of `rest` that share the transaction of its lowest lane. */
static LaneMask sharers(const CoalescerConfig *config, const LaneAccess *access, unsigned first_lane, LaneMask rest)
{
    const LaneMask lowest = rest & (~rest + 1);
    if (config->merge == COALESCER_MERGE_NONE) return lowest;
    const Addr granule = config->merge == COALESCER_MERGE_WORD ? access->width : SECTOR_BYTES;
    const Addr wanted = access->addr[first_lane + bits_lowest(rest)] / granule;
    LaneMask same = 0;
    for (; rest; rest &= rest - 1) {
        const unsigned lane = bits_lowest(rest);
        if (access->addr[first_lane + lane] / granule == wanted) same |= (LaneMask)1 << lane;
    }
    return same;
}

static void emit_scattered(const CoalescerConfig *config, const LaneAccess *access, unsigned first_lane, LaneMask half,
                           Coalesced *ret)
{
    while (half) {
        const LaneMask served = sharers(config, access, first_lane, half);
        const Addr addr = access->addr[first_lane + bits_lowest(half)];
        coalescer_emit(ret, access, served << first_lane, addr - addr % SECTOR_BYTES, SECTOR_BYTES);
        half &= ~served;
    }
}

static void coalesce_half(const CoalescerConfig *config, const LaneAccess *access, unsigned first_lane, Coalesced *ret)
{
    const LaneMask half = access->mask >> first_lane & (LaneMask)bits_below(HALF_LANES);
    if (!half) return;
    const unsigned total = HALF_LANES * access->width;
    const unsigned align = total < SEGMENT_MAX_BYTES ? total : SEGMENT_MAX_BYTES;
    const Addr base = access->width >= 4 ? base_of_sequence(access, first_lane, half) : 1;
    if ((base & (align - 1)) == 0) {
        emit_segments(access, first_lane, base, half, ret);
    } else {
        emit_scattered(config, access, first_lane, half, ret);
    }
}

static void coalesce_cc10(const CoalescerConfig *config, const LaneAccess *access, Coalesced *ret)
{
    coalesce_half(config, access, 0, ret);
    coalesce_half(config, access, HALF_LANES, ret);
}

const CoalescerPolicy coalescer_cc10 = {
    .period = SEGMENT_MAX_BYTES,
    .atomic_lanes = HALF_LANES,
    .group_lanes = {LANES / 2, LANES / 2, LANES / 2},
    .least_bytes = SECTOR_BYTES,
    .most_bytes = SEGMENT_MAX_BYTES,
    .coalesce = coalesce_cc10,
};
