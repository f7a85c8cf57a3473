/*
 * Constant memory from an SM: the addresses of a warp are asked for one after the other, each holds the issue port for a pass. A warp whose
 * instruction misses the first level waits with it, and issues nothing until the data have come.
 */
#include "base/check.h"
#include "sm/constant-access.h"
#include "sm/sm.h"

/* The slot that belongs to a warp's constant access; behind those of the load/store path. */
static unsigned slot_of(const Sm *sm, unsigned warp)
{
    return sm->cluster->setup.sm->memory_slots + warp;
}

static void ask_second_level(Sm *sm, Addr line, uint32_t index)
{
    const ConstantConfig *config = sm->cluster->setup.constant;
    const Msg read = {.time = sm->now + config->l2_lookup_cycles,
                      .addr = line,
                      .tag = sm_tag(sm, TAG_CONSTANT_L1, index),
                      .src = (uint16_t)sm->index,
                      .bytes = (uint8_t)config->l1.line_bytes,
                      .kind = MSG_READ,
                      .client = CLIENT_CONSTANT,
                      .count = 1};
    cache_unit_read(sm->cluster->constant, &read);
}

/* Looks an address up for a warp; the slot counts what it waits for. */
static void look_up(Sm *sm, unsigned slot, Addr addr, unsigned width)
{
    const Addr line_bytes = sm->cluster->setup.constant->l1.line_bytes, line = addr & ~(line_bytes - 1);
    const CacheAccess access = cache_read(sm->constant, line, cache_words((unsigned)(addr - line), width), slot);
    if (access.outcome == CACHE_HIT) return;
    sm->slots[slot].left++;
    if (access.outcome == CACHE_BLOCKED) {
        const L1Wait wait = {slot, line, cache_words((unsigned)(addr - line), width)};
        fifo_push(&sm->constant_waits, &wait);
    } else if (access.fetch) {
        ask_second_level(sm, line, access.line);
    }
}

bool sm_constant_access(Sm *sm, unsigned warp, LaneMask mask, uint32_t after, uint32_t *ret_extra, bool *ret_waits)
{
    Warp *w = &sm->warps[warp];
    const Insn *insn = w->cursor.insn;
    const ConstantConfig *config = sm->cluster->setup.constant;
    AccessLanes lanes;
    if (!cursor_access(&w->cursor, mask, &lanes)) return false;
    LaneAccess access = {.mask = mask, .width = insn->width};
    for (int i = 0; i < LANES; i++)
        access.addr[i] = (Addr)(lanes.base + lanes.offset[i]);
    ConstantRequests requests;
    constant_requests(&access, config->group_lanes, &requests);
    const unsigned slot = slot_of(sm, warp);
    sm_set_slot(sm, slot, warp, insn, 0);
    sm->slots[slot].latency = (uint16_t)after;
    for (uint32_t i = 0; i < requests.requests; i++)
        look_up(sm, slot, requests.addr[i], insn->width);
    InsnCounts *counts = sm_count_request(sm, &w->cursor, mask);
    counts->passes += requests.requests;
    counts->groups += requests.n_groups;
    *ret_extra = (requests.requests - requests.n_groups) * config->pass_cycles;
    *ret_waits = sm->slots[slot].left > 0;
    if (*ret_waits) sm_await(sm, warp, &sm->slots[slot], insn, STALL_cache);
    w->held = *ret_waits;
    return true;
}

static void released(void *owner, uint32_t slot)
{
    sm_part_done(owner, slot);
}

static void try_again(Sm *sm)
{
    while (fifo_length(&sm->constant_waits)) {
        const L1Wait wait = *fifo_peek(&sm->constant_waits, L1Wait);
        const CacheAccess access = cache_read(sm->constant, wait.line, wait.words, wait.slot);
        if (access.outcome == CACHE_BLOCKED) return;
        fifo_pop(&sm->constant_waits);
        if (access.outcome == CACHE_HIT)
            sm_part_done(sm, wait.slot);
        else if (access.fetch)
            ask_second_level(sm, wait.line, access.line);
    }
}

void sm_constant_fill(Sm *sm, const Msg *data)
{
    const unsigned offset = (unsigned)(data->addr & (sm->cluster->setup.constant->l1.line_bytes - 1));
    cache_fill(sm->constant, data->tag & TAG_ID_MASK, cache_words(offset, data->bytes), released, sm);
    try_again(sm);
}
