/*
 * Atomics on shared memory (cc 1.2 and later), under every policy: the lanes of a group that fall on one bank take turns, also those that
 * want the same word. Nothing is broadcast, and nothing counts once. So a group takes as many passes as lanes fall on its fullest bank;
 * a lane whose word spans two banks counts at both. Groups and banks are those of the policy. That atomics on one address serialize is in
 * sources B3; that a turn is one pass is a model choice, since how the lock of a word works is not published (sources B3).
 */
#include "sm/bank-load.h"

/* Lanes on the fullest bank, each with `bytes` from its address on. */
static unsigned most_on_bank(const SharedConfig *config, const LaneAccess *access, LaneMask group, uint32_t bytes)
{
    const uint32_t unit = shared_bank_bytes(config);
    uint8_t lanes_on[BANKS_MAX] = {0};
    unsigned most = 0;
    for (; group; group &= group - 1) {
        const Addr first = access->addr[bits_lowest(group)], last = first + bytes - 1;
        uint32_t banks = 0;
        for (Addr word = first / unit; word <= last / unit; word++)
            banks |= (uint32_t)1 << (word & (config->banks - 1));
        for (; banks; banks &= banks - 1) {
            const unsigned n = ++lanes_on[bits_lowest(banks)];
            if (n > most) most = n;
        }
    }
    return most;
}

void shared_atomic_passes(const SharedConfig *config, const LaneAccess *access, SharedPasses *ret)
{
    const SharedPolicy *policy = shared_policy(config);
    const unsigned lanes = shared_group_lanes(policy, access->width);
    const uint32_t unit = shared_bank_bytes(config);
    const uint32_t parts = policy->split && access->width > unit ? access->width / unit : 1;
    for (unsigned first = 0; first < LANES; first += lanes) {
        const LaneMask mask = access->mask & ((LaneMask)bits_below(lanes) << first);
        if (!mask) continue;
        /* each part lies a bank further than the one before, for all lanes alike: all parts take as long */
        const SharedGroup group = {.first_lane = (uint8_t)first,
                                   .last_lane = (uint8_t)(first + lanes - 1),
                                   .factor = (uint8_t)most_on_bank(config, access, mask, access->width / parts)};
        for (uint32_t part = 0; part < parts; part++)
            ret->groups[ret->n_groups++] = group;
    }
}
