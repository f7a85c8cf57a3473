/*
 * Compute capability 2.x (docs/sources.md B2): 32 banks of 32 bits serve a whole warp at once, and any number of words is multicast. Words
 * of 64 bits are served by half-warps; of 128 bits by quarter-warps, each of which takes one pass more than its fullest bank asks for.
 */
#include "sm/bank-load.h"

static void passes(const SharedConfig *config, const LaneAccess *access, SharedPasses *ret)
{
    const unsigned lanes = shared_group_lanes(&shared_cc2x, access->width);
    bank_load_groups(config, access, lanes, access->width == 16, bank_of_word, ret);
}

const SharedPolicy shared_cc2x = {.period = 4, .group_lanes = {LANES, LANES / 2, LANES / 4}, .passes = passes};
