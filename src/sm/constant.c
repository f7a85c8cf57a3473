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

static void ask_second_level(void *owner, Cycle at, Addr addr, unsigned bytes, uint32_t line)
{
    Sm *sm = owner;
    const Msg read = {.time = at + sm->cluster->setup.constant->l2_lookup_cycles,
                      .addr = addr,
                      .tag = sm_tag(sm, TAG_CONSTANT_L1, line),
                      .src = (uint16_t)sm->index,
                      .bytes = (uint8_t)bytes,
                      .kind = MSG_READ,
                      .client = CLIENT_CONSTANT,
                      .count = 1};
    cache_unit_read(sm->cluster->constant, &read);
}

/* Reads words of a line for a slot, and asks for what is to be fetched. */
static CacheOutcome read_line(Sm *sm, unsigned slot, Addr line, WordMask words)
{
    const CacheAccess access = cache_read(sm->constant, line, words, slot);
    if (access.fetch) cache_fetch_runs(access.fetch, line, sm->now, access.line, ask_second_level, sm);
    return access.outcome;
}

/* Looks an address up for a warp; the slot counts what it waits for. */
static void look_up(Sm *sm, unsigned slot, Addr addr, unsigned width)
{
    const Addr line = addr & ~(Addr)(sm->cluster->setup.constant->l1.line_bytes - 1);
    const WordMask words = cache_words((unsigned)(addr - line), width);
    const CacheOutcome outcome = read_line(sm, slot, line, words);
    if (outcome == CACHE_HIT) return;
    sm->slots[slot].left++;
    if (outcome != CACHE_BLOCKED) return;
    const L1Wait wait = {slot, line, words};
    fifo_push(&sm->constant_waits, &wait);
}

/* Whether the lanes of a warp always have one address: machine code that has a unit for the others loads it for the warp as a whole (ULDC). */
static bool is_uniform(const Sm *sm, const Warp *w)
{
    const Affine *address = &sm->program->accesses[w->cursor.insn->access].address;
    return !address->n_varying && (!address->lanes || address->lanes[w->cursor.warp].pattern->span == 0);
}

/*
 * What the addresses beyond the first of their group cost. Loads may have a unit, which takes them in the order in which they issue: the port
 * is free for others, and the result comes later by what is before it. An operand is read as its instruction issues.
 */
static ConstantCost cost_of(Sm *sm, const Warp *w, const ConstantRequests *requests)
{
    const ConstantConfig *config = sm->cluster->setup.constant;
    const uint32_t further = requests->requests - requests->n_groups;
    if (!config->unit_cycles || w->cursor.insn->kind != INSN_MEM || is_uniform(sm, w))
        return (ConstantCost){.port = further * config->pass_cycles};
    const Cycle start = cycle_max(sm->now, sm->constant_free);
    sm->constant_free = start + (Cycle)requests->requests * config->unit_cycles;
    return (ConstantCost){.delay = (uint32_t)(start - sm->now) + further * config->further_cycles};
}

bool sm_constant_access(Sm *sm, unsigned warp, LaneMask mask, uint32_t after, ConstantCost *ret)
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
    if (config->ideal) constant_requests_agree(&requests);
    const unsigned slot = slot_of(sm, warp);
    sm_set_slot(sm, slot, warp, insn, 0);
    *ret = cost_of(sm, w, &requests);
    sm->slots[slot].latency = after + ret->delay;
    for (uint32_t i = 0; i < requests.requests; i++)
        look_up(sm, slot, requests.addr[i], insn->width);
    InsnCounts *counts = sm_count_request(w, mask);
    counts->passes += requests.requests;
    counts->groups += requests.n_groups;
    ret->waits = sm->slots[slot].left > 0;
    if (ret->waits) sm_await(sm, warp, &sm->slots[slot], insn, STALL_cache);
    w->held = ret->waits;
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
        const CacheOutcome outcome = read_line(sm, wait.slot, wait.line, wait.words);
        if (outcome == CACHE_BLOCKED) return;
        fifo_pop(&sm->constant_waits);
        if (outcome == CACHE_HIT) sm_part_done(sm, wait.slot);
    }
}

void sm_constant_fill(Sm *sm, const Msg *data)
{
    const unsigned offset = (unsigned)(data->addr & (sm->cluster->setup.constant->l1.line_bytes - 1));
    cache_fill(sm->constant, data->tag & TAG_ID_MASK, cache_words(offset, data->bytes), released, sm);
    try_again(sm);
}
