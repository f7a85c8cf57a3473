/*
 * The rule of compute capability 1.2 and 1.3 (sources B1: CUDA programming guide 4.0, F.3.2.2). Each half-warp by itself: the
 * lowest lane not served yet names a segment of 32 bytes (1-byte words), 64 (2-byte words) or 128 (larger ones); every lane in
 * it is served; a segment of which only one half is touched shrinks to that half, down to 32 bytes. Stores follow the same rule.
 */
#include "mem/coalescer-private.h"

enum { HALF_LANES = LANES / 2, SECTOR_BYTES = 32, SEGMENT_MAX_BYTES = 128 };

static unsigned segment_bytes(unsigned width)
{
    return width == 1 ? SECTOR_BYTES : width == 2 ? 2 * SECTOR_BYTES : SEGMENT_MAX_BYTES;
}

/* Halves the segment while all that is touched, [lo, hi), lies in one half of it. */
static void emit_shrunk(Coalesced *ret, const LaneAccess *access, LaneMask lanes, Addr segment, unsigned bytes, Addr lo, Addr hi)
{
    while (bytes > SECTOR_BYTES) {
        const Addr middle = segment + bytes / 2;
        if (lo < middle && hi > middle) break;
        if (lo >= middle) segment = middle;
        bytes /= 2;
    }
    coalescer_emit(ret, access, lanes, segment, bytes);
}

static LaneMask serve_segment(const LaneAccess *access, LaneMask waiting, Coalesced *ret)
{
    const unsigned bytes = segment_bytes(access->width);
    const Addr first = access->addr[bits_lowest(waiting)];
    const Addr segment = first - first % bytes;
    Addr lo = first, hi = first + access->width;
    LaneMask served = 0;
    for (LaneMask rest = waiting; rest; rest &= rest - 1) {
        const unsigned lane = bits_lowest(rest);
        const Addr addr = access->addr[lane];
        if (addr < segment || addr >= segment + bytes) continue;
        served |= (LaneMask)1 << lane;
        lo = addr < lo ? addr : lo;
        hi = addr + access->width > hi ? addr + access->width : hi;
    }
    emit_shrunk(ret, access, served, segment, bytes, lo, hi);
    return served;
}

static void coalesce_cc12(const CoalescerConfig *config, const LaneAccess *access, Coalesced *ret)
{
    for (unsigned first = 0; first < LANES; first += HALF_LANES) {
        LaneMask waiting = access->mask & (LaneMask)bits_below(HALF_LANES) << first;
        while (waiting)
            waiting &= ~serve_segment(access, waiting, ret);
    }
}

const CoalescerPolicy coalescer_cc12 = {
    .period = SEGMENT_MAX_BYTES,
    .atomic_lanes = HALF_LANES,
    .group_lanes = {LANES / 2, LANES / 2, LANES / 2},
    .least_bytes = 32,
    .most_bytes = SEGMENT_MAX_BYTES,
    .coalesce = coalesce_cc12,
};
