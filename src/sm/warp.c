/* Warps and blocks: how they start, go to sleep, wake, and end. */
#include "base/check.h"
#include "sm/sm.h"

static uint64_t bit(unsigned warp)
{
    return UINT64_C(1) << warp;
}

void sm_fail(Sm *sm, const Warp *w)
{
    sm->fault = g_error_copy(w->cursor.fault);
    sm->last = sm->now;
}

static void note_units(Sm *sm, Warp *w, unsigned units)
{
    for (unsigned changed = w->units ^ units; changed; changed &= changed - 1)
        sm->wants[bits_lowest(changed)] ^= bit(w->slot);
    w->units = (uint8_t)units;
}

WarpState sm_warp_state(const Sm *sm, const Warp *w)
{
    if (!(sm->resident & bit(w->slot))) return WARP_NONE;
    if (sm->ready & bit(w->slot)) return WARP_READY;
    if (sm->waiting & bit(w->slot)) return WARP_REPLY;
    return sm->arrived & bit(w->slot) ? WARP_BARRIER : WARP_ASLEEP;
}

/* The warp has a next instruction: to sleep until it may issue, or ready. */
static void settle(Sm *sm, Warp *w)
{
    const IssueStep *step = w->step = &sm->cluster->steps[w->cursor.index];
    const uint16_t *regs = warp_regs(w);
    Until next = w->next;
    for (unsigned i = 0; i < step->n_regs; i++) {
        const Until reg = w->ready[regs[i]];
        next = reg > next ? reg : next;
    }
    if (G_UNLIKELY(w->fence)) {
        w->fence = w->loads || w->stores;
        if (w->fence) next = UNTIL_REPLY | STALL_memory;
    }
    w->next = next;
    if (w->units != step->units) note_units(sm, w, step->units);
    sm->ready &= ~bit(w->slot);
    if (next >= UNTIL_REPLY)
        sm->waiting |= bit(w->slot);
    else if (until_cycle(next) <= cycle_max(sm->now, w->scheduler->port_free))
        sm->ready |= bit(w->slot); /* at the latest when its scheduler can issue again: no need to wake it */
    else
        wheel_add(&sm->wheel, w->slot, until_cycle(next));
}

void sm_wake(Sm *sm, uint64_t warps)
{
    uint64_t far = warps & sm->wheel.far;
    sm->wheel.far &= ~far;
    for (; far; far &= far - 1) {
        const unsigned warp = bits_lowest(far);
        const Cycle at = until_cycle(sm->warps[warp].next);
        if (at <= sm->now) continue;
        warps &= ~bit(warp);
        wheel_add(&sm->wheel, warp, at);
    }
    sm->ready |= warps;
}

/* ---- the end of a warp ---- */

static void finish_block(Sm *sm, Block *block, Cycle at)
{
    block->used = false;
    block->slots = 0;
    sm->n_blocks--;
    const BlockDone done = {at, sm->cluster->setup.first_sm + sm->index};
    g_array_append_val(sm->cluster->done, done);
}

static void finish(Sm *sm, Warp *w)
{
    sm->ready &= ~bit(w->slot);
    if (w->loads) { /* its registers cannot be given away yet */
        w->next = UNTIL_REPLY | STALL_memory;
        sm->waiting |= bit(w->slot);
        return;
    }
    const Cycle at = cycle_max(cycle_max(sm->now, until_cycle(w->next)), w->in_unit);
    if (G_UNLIKELY(sm->detail)) sm_detail_leave(sm, w->slot, at);
    sm->resident &= ~bit(w->slot);
    sm->warp_cycles += at - w->started;
    sm->last = cycle_max(sm->last, at);
    Block *block = &sm->blocks[w->block];
    if (--block->warps == 0)
        finish_block(sm, block, at);
    else
        sm_check_barrier(sm, block);
}

void sm_proceed(Sm *sm, Warp *w)
{
    if (G_LIKELY(w->cursor.insn != NULL))
        settle(sm, w);
    else if (w->cursor.fault)
        sm_fail(sm, w);
    else
        finish(sm, w);
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
    w->in_unit = 0;
    sm->age[slot] = sm->arrivals++;
    sm->resident |= bit(slot);
    cursor_start(&w->cursor, block, index);
    sm_proceed(sm, w);
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
