/*
 * Pseudo-LRU: a binary tree over the ways, in which each node has a bit that points to the half not accessed last. Node 1 is the root, the
 * children of node n are 2n and 2n + 1, and way w is the leaf `ways + w`. Bit n of the first order word is the bit of node n; 1 points to
 * 2n + 1.
 */
#include "mem/cache-private.h"

static void touch(Cache *cache, uint64_t *order, unsigned way)
{
    uint64_t bits = order[0];
    for (unsigned node = cache->ways + way; node > 1; node /= 2) {
        const unsigned parent = node / 2;
        bits = (bits & ~(UINT64_C(1) << parent)) | (uint64_t)(~node & 1) << parent;
    }
    order[0] = bits;
}

static unsigned victim(Cache *cache, const uint64_t *order, uint64_t candidates)
{
    unsigned node = 1;
    while (node < cache->ways)
        node = 2 * node + (order[0] >> node & 1);
    const uint64_t from_there = candidates & ~bits_below(node - cache->ways);
    return bits_lowest(from_there ? from_there : candidates);
}

const CacheReplacement cache_replace_plru = {.allocated = touch, .found = touch, .victim = victim, .power_of_two = true};
