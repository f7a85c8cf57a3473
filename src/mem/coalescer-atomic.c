/*
 * Atomics, under every policy: one transaction for each aligned sector of 32 bytes that a group of lanes touches, a half-warp on cc 1.1
 * to 1.3 and a warp later. The lanes on one word of it are operations one after the other: the transaction's depth. The guides say that
 * atomics on one address serialize (sources B3), but publish no rule of coalescing for them on cc 1.x: sector and group are a model
 * choice. G80 itself, cc 1.0, has no atomics at all.
 */
#include "mem/coalescer-private.h"

enum { SECTOR_BYTES = 32 };

void coalescer_atomic(const LaneAccess *access, unsigned group_lanes, Coalesced *ret)
{
    for (unsigned first = 0; first < LANES; first += group_lanes)
        coalescer_emit_lines(ret, access, access->mask & (LaneMask)bits_below(group_lanes) << first, SECTOR_BYTES);
}
