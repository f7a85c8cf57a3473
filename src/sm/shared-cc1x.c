/*
 * Compute capability 1.x (sources B2): half-warps are served one after the other. A read is served in passes; each picks one broadcast
 * word among the addresses still waiting and serves every lane on that word and at most one lane at each other bank. Words wider than
 * a bank are split into one request for each bank's width. Lanes that write one address count once: one of them wins.
 */
#include "sm/shared.h"

enum { HALF = 16 };

typedef struct {
    LaneMask waiting;
    uint64_t addr[LANES], word[LANES];
} Request;

static LaneMask lanes_on_word(const Request *r, uint64_t word)
{
    LaneMask lanes = 0;
    for (LaneMask left = r->waiting; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        if (r->word[i] == word) lanes |= (LaneMask)1 << i;
    }
    return lanes;
}

/* The lanes of the word that this pass broadcasts. */
static LaneMask broadcast_lanes(const SharedConfig *config, const Request *r)
{
    LaneMask chosen = lanes_on_word(r, r->word[bits_lowest(r->waiting)]);
    if (config->broadcast == SHARED_LOWEST_LANE) return chosen;
    LaneMask left = r->waiting & ~chosen;
    while (left) {
        const LaneMask lanes = lanes_on_word(r, r->word[bits_lowest(left)]);
        if (bits_count(lanes) > bits_count(chosen)) chosen = lanes;
        left &= ~lanes;
    }
    return chosen;
}

static unsigned bank_of(const SharedConfig *config, uint64_t word)
{
    return (unsigned)(word & (config->banks - 1));
}

static void serve_read(const SharedConfig *config, Request *r, SharedGroup *group, uint32_t *broadcasts)
{
    while (r->waiting) {
        LaneMask served = broadcast_lanes(config, r);
        uint32_t taken = (uint32_t)1 << bank_of(config, r->word[bits_lowest(served)]);
        if (bits_count(served) > 1) {
            group->broadcast = true;
            (*broadcasts)++;
        }
        for (LaneMask left = r->waiting & ~served; left; left &= left - 1) {
            const unsigned i = bits_lowest(left);
            const uint32_t bank = (uint32_t)1 << bank_of(config, r->word[i]);
            if (taken & bank) continue;
            taken |= bank;
            served |= (LaneMask)1 << i;
        }
        r->waiting &= ~served;
        group->factor++;
    }
}

/* One address for each bank and pass; equal addresses are one. */
static void serve_write(const SharedConfig *config, Request *r, SharedGroup *group)
{
    unsigned per_bank[LANES] = {0};
    for (LaneMask left = r->waiting; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        bool seen = false;
        for (LaneMask before = r->waiting & (LaneMask)bits_below(i); before && !seen; before &= before - 1)
            seen = r->addr[bits_lowest(before)] == r->addr[i];
        if (seen) continue;
        const unsigned n = ++per_bank[bank_of(config, r->word[i])];
        if (n > group->factor) group->factor = (uint8_t)n;
    }
    r->waiting = 0;
}

static void passes(const SharedConfig *config, const LaneAccess *access, SharedPasses *ret)
{
    const unsigned parts = access->width > config->bank_bytes ? access->width / config->bank_bytes : 1;
    for (unsigned first = 0; first < LANES; first += HALF) {
        const LaneMask lanes = access->mask & ((LaneMask)bits_below(HALF) << first);
        if (!lanes) continue;
        for (unsigned part = 0; part < parts; part++) {
            Request r = {.waiting = lanes};
            for (LaneMask left = lanes; left; left &= left - 1) {
                const unsigned i = bits_lowest(left);
                r.addr[i] = access->addr[i] + (Addr)part * config->bank_bytes;
                r.word[i] = r.addr[i] / config->bank_bytes;
            }
            SharedGroup *group = &ret->groups[ret->n_groups++];
            *group = (SharedGroup){.first_lane = (uint8_t)first, .last_lane = (uint8_t)(first + HALF - 1)};
            if (access->store)
                serve_write(config, &r, group);
            else
                serve_read(config, &r, group, &ret->broadcasts);
        }
    }
}

const SharedPolicy shared_cc1x = {
    .period = 4, .group_lanes = {HALF, HALF, HALF}, .bank_bytes = true, .split = true, .passes = passes};
