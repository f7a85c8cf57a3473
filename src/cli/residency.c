#include "cli/residency.h"

static uint32_t limit_at(const OccupancyConfig *config, OccupancyNeed need, OccupancyLimit limit)
{
    return occupancy(config, &need).limits[limit];
}

uint32_t residency_most_regs(const OccupancyConfig *config, const OccupancyNeed *need, uint32_t blocks)
{
    OccupancyNeed other = *need;
    other.regs = config->max_regs;
    while (other.regs && limit_at(config, other, LIMIT_REGISTERS) < blocks)
        other.regs--;
    return other.regs;
}

int64_t residency_most_shared(const OccupancyConfig *config, const OccupancyNeed *need, uint32_t blocks)
{
    OccupancyNeed other = *need;
    int64_t low = -1, high = (int64_t)config->max_block_shared + 1; /* low is enough, high is not */
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        other.shared_bytes = (uint64_t)middle;
        if (limit_at(config, other, LIMIT_SHARED) >= blocks)
            low = middle;
        else
            high = middle;
    }
    return low;
}
