/*
 * The load/store path: a memory instruction takes a slot, sends its transactions one after the other, and is done when all are answered. Slots
 * stand for whatever limits the hardware has (docs/accuracy.md, S11).
 */
#include "base/check.h"
#include "sm/sm.h"

InsnCounts *sm_count_request(const Warp *w, LaneMask mask)
{
    InsnCounts *counts = w->step->counts;
    counts->requests++;
    counts->request_lanes += lanes_count(mask);
    return counts;
}

/* The passes of an access whose passes are not known; NULL: the cursor has a fault. */
static G_GNUC_NO_INLINE const SharedPasses *passes_anew(const Sm *sm, Warp *w, LaneMask mask)
{
    const Insn *insn = w->cursor.insn;
    AccessLanes lanes;
    if (!cursor_access(&w->cursor, mask, &lanes)) return NULL;
    return pattern_cache_shared(sm->cluster->cache, &lanes, insn->width, (MemOp)insn->mem);
}

bool sm_shared_access(Sm *sm, Warp *w, LaneMask mask, SharedCost *ret)
{
    const Insn *insn = w->cursor.insn;
    const SharedPasses *p = pattern_cache_known(sm->cluster->cache, cursor_pattern(&w->cursor), insn->width, mask);
    if (G_UNLIKELY(!p) && !(p = passes_anew(sm, w, mask))) return false;
    InsnCounts *counts = sm_count_request(w, mask);
    counts->passes += p->passes;
    counts->groups += p->n_groups;
    counts->broadcasts += p->broadcasts;
    const SharedConfig *config = sm->cluster->setup.shared;
    const uint32_t pass = insn->mem == MEM_ATOMIC ? config->atomic_cycles : config->pass_cycles;
    const uint32_t longer = p->held * pass - p->n_groups * config->pass_cycles;
    sm->shared_free = sm->now + (Cycle)p->held * pass;
    if (G_LIKELY(!longer)) return true; /* nor does it issue again: a replay is a further pass */
    if (config->replay == SHARED_REPLAY_ISSUE && insn->mem != MEM_ATOMIC) ret->port = p->replays * w->step->hold;
    ret->delay = MAX(ret->port, longer);
    counts->replay_cycles += ret->port;
    return true;
}

uint32_t sm_tag(const Sm *sm, TagKind kind, uint32_t id)
{
    return (uint32_t)kind << TAG_KIND_SHIFT | sm->index << TAG_SM_SHIFT | id;
}

void sm_set_slot(Sm *sm, unsigned slot, unsigned warp, const Insn *insn, unsigned parts)
{
    MemSlot *s = &sm->slots[slot];
    *s = (MemSlot){.warp = (uint16_t)warp,
                   .left = (uint16_t)parts,
                   .latency = sm->cluster->setup.sm->writeback_cycles,
                   .age = sm->age[warp],
                   .n_dst = insn->n_dst};
    for (unsigned i = 0; i < insn->n_dst; i++)
        s->dst[i] = insn->regs[i];
}

unsigned sm_take_slot(Sm *sm, unsigned warp, const Insn *insn, unsigned parts)
{
    const unsigned slot = sm->free_slots[--sm->n_free_slots];
    sm_set_slot(sm, slot, warp, insn, parts);
    return slot;
}

static void give_slot_back(Sm *sm, unsigned slot)
{
    if (slot < sm->cluster->setup.sm->memory_slots) sm->free_slots[sm->n_free_slots++] = (uint16_t)slot;
}

void sm_await(Sm *sm, unsigned warp, MemSlot *slot, const Insn *insn, StallReason reason)
{
    Warp *w = &sm->warps[warp];
    slot->load = insn->n_dst > 0;
    slot->reason = (uint8_t)reason;
    if (slot->load)
        w->loads++;
    else
        w->stores++;
    for (unsigned i = 0; i < insn->n_dst; i++)
        w->ready[insn->regs[i]] = UNTIL_REPLY | reason;
}

/* ---- global and local memory ---- */

/* Sends the transactions of an access, the first after `sent` others of the same instruction; those of stores take no longer than those
 * of loads (docs/accuracy.md, S12). */
static void send(Sm *sm, const Coalesced *c, Addr base, const Insn *insn, unsigned slot, unsigned sent)
{
    static const MsgKind KINDS[] = {[MEM_LOAD] = MSG_READ, [MEM_STORE] = MSG_WRITE, [MEM_ATOMIC] = MSG_ATOMIC};
    const SmConfig *config = sm->cluster->setup.sm;
    const bool atomic = insn->mem == MEM_ATOMIC;
    const Msg same = {.tag = sm_tag(sm, TAG_SLOT, slot), .kind = (uint8_t)KINDS[insn->mem], .client = CLIENT_GLOBAL, .count = 1};
    const Cycle step = config->transaction_cycles;
    Cycle at = sm->now + config->memory_cycles + sent * step;
    if (G_UNLIKELY(config->store_requests)) {
        if (fifo_length(&sm->sent)) at = cycle_max(at, fifo_last(&sm->sent, Msg)->time);
        sm->n_sent += c->n;
    }
    Msg *msg = fifo_places(&sm->sent, sizeof *msg, c->n);
    for (const Transaction *t = c->transactions, *end = t + c->n; t < end; t++, msg++, at += step) {
        *msg = same;
        msg->time = at;
        msg->addr = base + t->addr;
        msg->words = t->words;
        msg->bytes = t->bytes;
        msg->partial = t->partial & 1;
        if (atomic) msg->count = t->depth;
    }
}

/* The same for a store where stores wait for others to join them. How often the path's time of a transaction it takes: its lines, but
 * `passes` at the least, and until there is room for another. */
static unsigned send_store(Sm *sm, const Coalesced *c, Addr base, unsigned slot, unsigned sent, unsigned passes)
{
    const SmConfig *config = sm->cluster->setup.sm;
    const StoreRules *rules = &sm->cluster->stores;
    const unsigned lines = store_lines(c, base), taken = MAX(lines, passes);
    const Cycle begin = sm->now + sent * config->transaction_cycles, end = begin + taken * config->transaction_cycles;
    const Store store = {c, base, lines, begin + config->memory_cycles, end + config->memory_cycles};
    uint8_t alone[COALESCE_MAX];
    const unsigned n = store_queue_join(&sm->stores, rules, (StoreMessages){&sm->sent, sm->n_sent}, &store, alone);
    if (!n) return taken;
    const Msg same = {.tag = sm_tag(sm, TAG_SLOT, slot), .kind = MSG_WRITE, .client = CLIENT_GLOBAL, .count = 1};
    Msg *msg = fifo_places(&sm->sent, sizeof *msg, n);
    for (unsigned i = 0; i < n; i++) {
        const Transaction *t = &c->transactions[alone[i]];
        msg[i] = same;
        msg[i].addr = base + t->addr;
        msg[i].words = t->words;
        msg[i].bytes = t->bytes;
        msg[i].partial = t->partial & 1;
    }
    sm->n_sent += n;
    sm->slots[slot].left = (uint16_t)(sm->slots[slot].left + n);
    store_queue_add(&sm->stores, rules, (StoreMessages){&sm->sent, sm->n_sent}, &store, n);
    const Cycle room = store_queue_room(&sm->stores, rules, end, config->memory_cycles);
    return (unsigned)div_ceil(room - begin, config->transaction_cycles);
}

static void count(InsnCounts *counts, const Coalesced *c)
{
    counts->transactions += c->n;
    counts->bytes_moved += c->bytes_moved;
    counts->bytes_used += c->bytes_used;
}

/* What machines with an L1, or whose stores wait for others, do. */
static G_GNUC_NO_INLINE unsigned access_cached(Sm *sm, const Insn *insn, const Coalesced *c, Addr base, unsigned slot,
                                               unsigned before)
{
    /* lanes have banks of their own in local memory */
    const bool banks = sm->l1 && sm->cluster->setup.l1->data_banks && insn->space == SPACE_GLOBAL;
    const unsigned passes = banks ? pattern_cache_passes(c) : 0;
    if (insn->mem == MEM_LOAD && sm_l1_serves(sm, insn)) return sm_l1_load(sm, c, base, slot, passes);
    if (insn->mem == MEM_STORE && sm_l1_serves(sm, insn)) sm_l1_store(sm, c, base);
    if (insn->mem == MEM_STORE && sm->cluster->stores.requests) return send_store(sm, c, base, slot, before, passes);
    sm->slots[slot].left = (uint16_t)(sm->slots[slot].left + c->n);
    send(sm, c, base, insn, slot, before);
    return c->n;
}

/* One access of an instruction; how many transactions, or lines of the L1, it takes of the path's time. */
static inline unsigned access_memory(Sm *sm, const Insn *insn, const Coalesced *c, Addr base, unsigned slot, unsigned before)
{
    if (sm->l1 || G_UNLIKELY(sm->cluster->stores.requests)) return access_cached(sm, insn, c, base, slot, before);
    sm->slots[slot].left = (uint16_t)(sm->slots[slot].left + c->n);
    send(sm, c, base, insn, slot, before);
    return c->n;
}

/* Local memory: an access for each word of the lanes' elements. */
static unsigned access_local(Sm *sm, unsigned warp, const Insn *insn, const AccessLanes *lanes, unsigned slot, InsnCounts *counts)
{
    unsigned taken = 0;
    for (unsigned part = 0; part < sm_local_parts(insn->width); part++) {
        LaneAccess access = {.store = insn->mem == MEM_STORE};
        Coalesced c;
        sm_local_access(sm, warp, lanes, insn->width, part, &access);
        coalesce(sm->cluster->setup.coalescer, &access, &c);
        count(counts, &c);
        taken += access_memory(sm, insn, &c, 0, slot, taken);
    }
    return taken;
}

/* An access whose transactions are not known; how many it takes, 0 when the cursor has a fault. */
static G_GNUC_NO_INLINE unsigned access_anew(Sm *sm, Warp *w, LaneMask mask, unsigned slot)
{
    const Insn *insn = w->cursor.insn;
    AccessLanes lanes;
    if (!cursor_access(&w->cursor, mask, &lanes)) return 0;
    if (insn->space == SPACE_LOCAL) return access_local(sm, w->slot, insn, &lanes, slot, w->step->counts);
    Addr base;
    const Coalesced *c = pattern_cache_coalesce(sm->cluster->cache, &lanes, insn->width, (MemOp)insn->mem, &base);
    count(w->step->counts, c);
    return access_memory(sm, insn, c, base, slot, 0);
}

/* The transactions of an access of a pattern that has been seen in this place of a segment; else NULL. */
static inline const Coalesced *known(const Sm *sm, const Warp *w, LaneMask mask, Addr *ret_base)
{
    const Insn *insn = w->cursor.insn;
    const uint32_t pattern = cursor_pattern(&w->cursor);
    if (pattern == PATTERN_NONE || insn->space == SPACE_LOCAL) return NULL;
    return pattern_cache_coalesced(sm->cluster->cache, pattern, cursor_base(&w->cursor), insn->width, mask, ret_base);
}

bool sm_issue_memory(Sm *sm, Warp *w, LaneMask mask, Until *ret_ready)
{
    const Insn *insn = w->cursor.insn;
    const SmConfig *config = sm->cluster->setup.sm;
    const unsigned slot = sm_take_slot(sm, w->slot, insn, 0);
    Addr base;
    const Coalesced *c = known(sm, w, mask, &base);
    unsigned taken;
    if (G_LIKELY(c != NULL)) {
        count(w->step->counts, c);
        taken = access_memory(sm, insn, c, base, slot, 0);
    } else if (!(taken = access_anew(sm, w, mask, slot))) {
        return false;
    }
    sm_count_request(w, mask);
    sm->memory_free = sm->now + (Cycle)taken * config->transaction_cycles;
    if (sm->slots[slot].left == 0) { /* every line was in the L1 */
        give_slot_back(sm, slot);
        *ret_ready = until(sm->now + sm->cluster->setup.l1->latency + (taken - 1) * config->transaction_cycles, STALL_memory);
        return true;
    }
    sm_await(sm, w->slot, &sm->slots[slot], insn, STALL_memory);
    *ret_ready = UNTIL_REPLY;
    return true;
}

/* ---- replies ---- */

static void write_back(Sm *sm, Warp *w, const MemSlot *s)
{
    const Until ready = until(sm->now + s->latency, (StallReason)s->reason);
    for (unsigned i = 0; i < s->n_dst; i++)
        w->ready[s->dst[i]] = ready;
}

static void instruction_done(Sm *sm, unsigned slot)
{
    const MemSlot *s = &sm->slots[slot];
    Warp *w = &sm->warps[s->warp];
    give_slot_back(sm, slot);
    if (s->age != sm->age[s->warp]) return; /* a store whose warp is gone: another has its place */
    if (s->load) {
        w->loads--;
        write_back(sm, w, s);
    } else {
        w->stores--;
    }
    if (slot >= sm->cluster->setup.sm->memory_slots) w->held = false;
    if (!(sm->waiting >> s->warp & 1)) return;
    sm->waiting &= ~(UINT64_C(1) << s->warp);
    w->next = w->held ? UNTIL_REPLY | STALL_cache : until(sm->now, (StallReason)s->reason);
    sm_proceed(sm, w);
}

void sm_part_done(Sm *sm, unsigned slot)
{
    GS_CHECK(sm->slots[slot].left > 0, "slot %u is done", slot);
    if (--sm->slots[slot].left == 0) instruction_done(sm, slot);
}

bool sm_count_reply(Sm *sm, const Msg *msg)
{
    MemSlot *s = &sm->slots[msg->tag & TAG_ID_MASK];
    GS_CHECK(s->left > 0, "reply for an empty slot %u", msg->tag & TAG_ID_MASK);
    return --s->left == 0;
}

void sm_take_reply(Sm *sm, const Msg *msg)
{
    sm->last = cycle_max(sm->last, sm->now);
    switch ((TagKind)(msg->tag >> TAG_KIND_SHIFT)) {
    case TAG_L1: sm_l1_fill(sm, msg); break;
    case TAG_CONSTANT_L1: sm_constant_fill(sm, msg); break;
    default: instruction_done(sm, msg->tag & TAG_ID_MASK);
    }
}
