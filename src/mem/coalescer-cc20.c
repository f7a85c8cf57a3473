/*
 * The rule of compute capability 2.x (sources B1: CUDA programming guide 4.0, F.4.2). A warp's access is one request for words of
 * up to 4 bytes, two by half-warps for 8-byte words, four by quarter-warps for 16-byte words; each request becomes one
 * transaction for each aligned line that it touches. Lines are of 128 bytes where L1 serves loads, 32-byte segments where L2
 * does alone, and for stores, which pass L1 by: both sizes are keys.
 */
#include "mem/coalescer-private.h"

static void coalesce_cc20(const CoalescerConfig *config, const LaneAccess *access, Coalesced *ret)
{
    const unsigned lanes = access->width <= 4 ? LANES : access->width == 8 ? LANES / 2 : LANES / 4;
    const unsigned line = access->store ? config->store_bytes : config->load_bytes;
    for (unsigned first = 0; first < LANES; first += lanes)
        coalescer_emit_lines(ret, access, access->mask & (LaneMask)bits_below(lanes) << first, line);
}

const CoalescerPolicy coalescer_cc20 = {
    .period = TRANSACTION_BYTES_MAX,
    .atomic_lanes = LANES,
    .group_lanes = {LANES, LANES / 2, LANES / 4},
    .coalesce = coalesce_cc20,
};
