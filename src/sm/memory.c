/* The load/store path: a memory instruction takes a slot, sends its transactions one after the other, and is done when all are answered. */
#include "base/check.h"
#include "sm/sm.h"

static InsnCounts *count_request(Sm *sm, const Cursor *cursor, LaneMask mask)
{
    InsnCounts *counts = &sm->cluster->counts[cursor->index];
    counts->requests++;
    counts->request_lanes += lanes_count(mask);
    return counts;
}

bool sm_shared_access(Sm *sm, unsigned warp, LaneMask mask, uint32_t *ret_extra)
{
    Cursor *cursor = &sm->warps[warp].cursor;
    const Insn *insn = cursor->insn;
    const SharedPasses *p = pattern_cache_known(sm->cluster->cache, cursor_pattern(cursor), insn->width, mask);
    if (!p) {
        AccessLanes lanes;
        if (!cursor_access(cursor, mask, &lanes)) return false;
        p = pattern_cache_shared(sm->cluster->cache, &lanes, insn->width, insn->mem == MEM_STORE);
    }
    InsnCounts *counts = count_request(sm, cursor, mask);
    counts->passes += p->passes;
    counts->groups += p->n_groups;
    counts->broadcasts += p->broadcasts;
    const uint32_t pass = sm->cluster->setup.shared->pass_cycles;
    sm->shared_free = sm->now + (Cycle)p->held * pass;
    *ret_extra = (p->held - p->n_groups) * pass;
    return true;
}

static unsigned take_slot(Sm *sm, unsigned warp, const Insn *insn, unsigned messages)
{
    const unsigned slot = sm->free_slots[--sm->n_free_slots];
    MemSlot *s = &sm->slots[slot];
    *s = (MemSlot){.warp = (uint16_t)warp, .left = (uint16_t)messages, .age = sm->age[warp], .n_dst = insn->n_dst};
    for (unsigned i = 0; i < insn->n_dst; i++)
        s->dst[i] = insn->regs[i];
    return slot;
}

static void send(Sm *sm, const Coalesced *c, Addr base, bool write, unsigned slot)
{
    const SmConfig *config = sm->cluster->setup.sm;
    Msg msg = {
        .time = sm->now + config->memory_cycles, .tag = sm->index << 16 | slot, .kind = write ? MSG_WRITE : MSG_READ, .count = 1};
    for (uint32_t i = 0; i < c->n; i++) {
        msg.addr = base + c->transactions[i].addr;
        msg.bytes = (uint8_t)c->transactions[i].bytes;
        msg.words = c->transactions[i].words;
        fifo_push(&sm->sent, &msg);
        msg.time += config->transaction_cycles;
    }
    sm->memory_free = sm->now + (Cycle)c->n * config->transaction_cycles;
}

bool sm_issue_memory(Sm *sm, unsigned warp, LaneMask mask)
{
    Warp *w = &sm->warps[warp];
    const Insn *insn = w->cursor.insn;
    AccessLanes lanes;
    if (!cursor_access(&w->cursor, mask, &lanes)) return false;
    const bool write = insn->mem == MEM_STORE;
    Addr base;
    const Coalesced *c = pattern_cache_coalesce(sm->cluster->cache, &lanes, insn->width, write, &base);
    InsnCounts *counts = count_request(sm, &w->cursor, mask);
    counts->transactions += c->n;
    counts->bytes_moved += c->bytes_moved;
    counts->bytes_used += c->bytes_used;
    send(sm, c, base, write, take_slot(sm, warp, insn, c->n));
    if (write) {
        w->stores++;
    } else {
        w->loads++;
        for (unsigned i = 0; i < insn->n_dst; i++)
            w->ready[insn->regs[i]] = UNTIL_REPLY | STALL_memory;
    }
    return true;
}

static void write_back(Sm *sm, Warp *w, const MemSlot *s)
{
    const Until ready = until(sm->now + sm->cluster->setup.sm->writeback_cycles, STALL_memory);
    for (unsigned i = 0; i < s->n_dst; i++)
        w->ready[s->dst[i]] = ready;
}

bool sm_count_reply(Sm *sm, const Msg *msg)
{
    MemSlot *s = &sm->slots[msg->tag & 0xffff];
    GS_CHECK(s->left > 0, "reply for an empty slot %u", msg->tag & 0xffff);
    return --s->left == 0;
}

void sm_take_reply(Sm *sm, const Msg *msg)
{
    const unsigned slot = msg->tag & 0xffff;
    const MemSlot *s = &sm->slots[slot];
    sm->last = cycle_max(sm->last, sm->now);
    Warp *w = &sm->warps[s->warp];
    sm->free_slots[sm->n_free_slots++] = (uint16_t)slot;
    if (s->age != sm->age[s->warp]) return; /* a store whose warp is gone: another has its place */
    if (msg->kind == MSG_ACK) {
        w->stores--;
    } else {
        w->loads--;
        write_back(sm, w, s);
    }
    if (w->state != WARP_REPLY) return;
    w->next = until(sm->now, STALL_memory);
    if (w->cursor.insn)
        sm_settle(sm, s->warp);
    else
        sm_finish_warp(sm, s->warp);
}
