/* Warps and blocks: how they start, go to sleep, wake, and end. */
#include "base/check.h"
#include "sm/sm.h"

static uint64_t bit(unsigned warp)
{
    return UINT64_C(1) << warp;
}

void sm_fail(Sm *sm, unsigned warp)
{
    sm->fault = g_error_copy(sm->warps[warp].cursor.fault);
    sm->last = sm->now;
}

static void note_units(Sm *sm, unsigned warp, unsigned units)
{
    Warp *w = &sm->warps[warp];
    for (unsigned changed = w->units ^ units; changed; changed &= changed - 1)
        sm->wants[bits_lowest(changed)] ^= bit(warp);
    w->units = (uint8_t)units;
}

WarpState sm_warp_state(const Sm *sm, unsigned warp)
{
    if (!(sm->resident & bit(warp))) return WARP_NONE;
    if (sm->ready & bit(warp)) return WARP_READY;
    if (sm->waiting & bit(warp)) return WARP_REPLY;
    return sm->arrived & bit(warp) ? WARP_BARRIER : WARP_ASLEEP;
}

void sm_settle(Sm *sm, unsigned warp)
{
    Warp *w = &sm->warps[warp];
    const Insn *insn = w->cursor.insn;
    Until next = w->next;
    for (unsigned i = 0; i < insn->n_regs; i++) {
        const Until reg = w->ready[insn->regs[i]];
        next = reg > next ? reg : next;
    }
    if (w->fence) {
        if (w->loads || w->stores)
            next = UNTIL_REPLY | STALL_memory;
        else
            w->fence = false;
    }
    w->next = next;
    w->step = &sm->cluster->steps[w->cursor.index];
    note_units(sm, warp, w->step->units);
    sm->ready &= ~bit(warp);
    if (next >= UNTIL_REPLY)
        sm->waiting |= bit(warp);
    else if (until_cycle(next) <= cycle_max(sm->now, w->scheduler->port_free))
        sm->ready |= bit(warp); /* at the latest when its scheduler can issue again: no need to wake it */
    else
        wheel_add(&sm->wheel, warp, until_cycle(next));
}

void sm_wake(Sm *sm, uint64_t warps)
{
    for (; warps; warps &= warps - 1) {
        const unsigned warp = bits_lowest(warps);
        const Cycle at = until_cycle(sm->warps[warp].next);
        if (at <= sm->now)
            sm->ready |= bit(warp);
        else
            wheel_add(&sm->wheel, warp, at);
    }
}

/* ---- blocks ---- */

static unsigned free_block(const Sm *sm)
{
    unsigned place = 0;
    while (sm->blocks[place].used)
        place++;
    return place;
}

static void start_warp(Sm *sm, unsigned slot, unsigned place, uint64_t block, uint32_t index)
{
    Warp *w = &sm->warps[slot];
    for (uint32_t r = 0; r < sm->program->n_regs; r++)
        w->ready[r] = 0;
    w->next = until(sm->now, STALL_dispatch);
    w->block = (uint8_t)place;
    w->loads = w->stores = 0;
    w->fence = w->held = false;
    w->started = sm->now;
    sm->age[slot] = sm->arrivals++;
    sm->resident |= bit(slot);
    cursor_start(&w->cursor, block, index);
    if (w->cursor.insn)
        sm_settle(sm, slot);
    else if (w->cursor.fault)
        sm_fail(sm, slot);
    else
        sm_finish_warp(sm, slot);
}

void sm_start_block(Sm *sm, uint64_t block)
{
    const unsigned place = free_block(sm);
    Block *b = &sm->blocks[place];
    *b = (Block){.used = true, .warps = sm->program->n_warps};
    sm->n_blocks++;
    uint64_t taken = sm->resident;
    for (unsigned i = 0; i < 64; i++)
        if (sm->blocks[i].used) taken |= sm->blocks[i].slots;
    for (uint32_t i = 0; i < sm->program->n_warps; i++) {
        GS_CHECK(~taken, "no place for a warp of %u", sm->program->n_warps);
        const unsigned slot = bits_lowest(~taken) % SM_WARPS_MAX;
        taken |= bit(slot);
        b->slots |= bit(slot);
    }
    uint32_t index = 0;
    for (uint64_t left = b->slots; left && !sm->fault; left &= left - 1)
        start_warp(sm, bits_lowest(left), place, block, index++);
}

static void finish_block(Sm *sm, Block *block, Cycle at)
{
    block->used = false;
    block->slots = 0;
    sm->n_blocks--;
    const BlockDone done = {at, sm->cluster->setup.first_sm + sm->index};
    g_array_append_val(sm->cluster->done, done);
}

void sm_finish_warp(Sm *sm, unsigned warp)
{
    Warp *w = &sm->warps[warp];
    if (w->loads) { /* its registers cannot be given away yet */
        w->next = UNTIL_REPLY | STALL_memory;
        sm->waiting |= bit(warp);
        sm->ready &= ~bit(warp);
        return;
    }
    const Cycle at = cycle_max(sm->now, until_cycle(w->next));
    sm->ready &= ~bit(warp);
    sm->resident &= ~bit(warp);
    sm->warp_cycles += at - w->started;
    sm->last = cycle_max(sm->last, at);
    Block *block = &sm->blocks[w->block];
    if (--block->warps == 0)
        finish_block(sm, block, at);
    else
        sm_check_barrier(sm, block);
}
