#include "sm/constant-access.h"

enum { WORD_BYTES = 4 };

void constant_requests(const LaneAccess *access, unsigned group_lanes, ConstantRequests *ret)
{
    const Addr within = access->width > WORD_BYTES ? access->width - 1 : WORD_BYTES - 1;
    ret->n_groups = ret->requests = 0;
    for (unsigned first = 0; first < LANES; first += group_lanes) {
        LaneMask waiting = access->mask & (LaneMask)bits_below(group_lanes) << first;
        if (!waiting) continue;
        const uint32_t before = ret->requests;
        while (waiting) {
            const Addr word = access->addr[bits_lowest(waiting)] & ~within;
            LaneMask served = 0;
            for (LaneMask left = waiting; left; left &= left - 1) {
                const unsigned lane = bits_lowest(left);
                served |= (LaneMask)((access->addr[lane] & ~within) == word) << lane;
            }
            ret->addr[ret->requests++] = word;
            waiting &= ~served;
        }
        ret->per_group[ret->n_groups++] = (uint8_t)(ret->requests - before);
    }
}

void constant_requests_agree(ConstantRequests *r)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < r->n_groups; i++) {
        r->addr[i] = r->addr[first];
        first += r->per_group[i];
        r->per_group[i] = 1;
    }
    r->requests = r->n_groups;
}
