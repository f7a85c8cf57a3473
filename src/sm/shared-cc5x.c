/*
 * Compute capability 5.x and later (docs/sources.md B2): 32 banks of 32 bits serve a whole warp, any word is multicast. The way back to the
 * registers is 32 bits wide for each lane, so that words of 64 bits take two turns and of 128 bits four, whatever the banks could do:
 * they are served by half-warps and by quarter-warps.
 */
#include "sm/bank-load.h"

static void passes(const SharedConfig *config, const LaneAccess *access, SharedPasses *ret)
{
    const unsigned lanes = shared_group_lanes(&shared_cc5x, access->width);
    bank_load_groups(config, access, lanes, 0, bank_of_word, ret);
}

const SharedPolicy shared_cc5x = {.period = 4, .group_lanes = {LANES, LANES / 2, LANES / 4}, .passes = passes};
