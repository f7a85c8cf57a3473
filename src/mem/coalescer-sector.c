/*
 * The rule of compute capability 3.x and later (sources B1: CUDA programming guide 10.0, H.3 to H.5): the transactions of a warp's
 * access are the 32-byte sectors that it touches, each once, for loads and stores alike.
 */
#include "mem/coalescer-private.h"

enum { SECTOR_BYTES = 32 };

static void coalesce_sector(const CoalescerConfig *config, const LaneAccess *access, Coalesced *ret)
{
    coalescer_emit_lines(ret, access, access->mask, SECTOR_BYTES);
}

const CoalescerPolicy coalescer_sector = {
    .period = SECTOR_BYTES,
    .atomic_lanes = LANES,
    .group_lanes = {LANES, LANES, LANES},
    .least_bytes = SECTOR_BYTES,
    .most_bytes = SECTOR_BYTES,
    .coalesce = coalesce_sector,
};
