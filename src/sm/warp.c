/* Warps and blocks: how they start, go to sleep, wake, and end. */
#include "sm/warp.h"
#include "base/check.h"

void sm_fail(Sm *sm, const Warp *w)
{
    sm->fault = g_error_copy(w->cursor.fault);
    sm->last = sm->now;
    sm->alone_until = 0;
}

WarpState sm_warp_state(const Sm *sm, const Warp *w)
{
    if (!(sm->resident & w->self)) return WARP_NONE;
    if (sm->awake & ~sm->dozing & w->self) return WARP_READY;
    if (sm->waiting & w->self) return WARP_REPLY;
    return sm->arrived & w->self ? WARP_BARRIER : WARP_ASLEEP;
}

const IssueStep *sm_patch_step(Warp *w, const IssueStep *step)
{
    w->patched = *step;
    for (unsigned i = 0; i < step->n_regs; i++)
        w->patched.regs[i] = w->cursor.patched.regs[i];
    if (step->n_dst) w->patched.written = w->patched.regs[0];
    return &w->patched;
}

void sm_settle_dozing(Sm *sm)
{
    for (uint64_t left = sm->dozing; left; left &= left - 1) {
        const Warp *w = &sm->warps[bits_lowest(left)];
        const Cycle at = until_cycle(w->next);
        if (at <= sm->now) continue;
        sm->awake &= ~w->self;
        wheel_add(&sm->wheel, w->slot, sm->now, at);
    }
    sm->dozing = 0;
}

void sm_sleep_on(Sm *sm, uint64_t warps)
{
    for (uint64_t left = warps; left; left &= left - 1) {
        const Warp *w = &sm->warps[bits_lowest(left)];
        const Cycle at = until_cycle(w->next);
        if (at <= sm->now) {
            sm->wheel.far &= ~w->self;
        } else {
            sm->awake &= ~w->self;
            wheel_add_again(&sm->wheel, w->slot, at);
        }
    }
}

/* ---- the end of a warp ---- */

static void finish_block(Sm *sm, Block *block, Cycle at)
{
    block->used = false;
    sm->occupied &= ~block->slots;
    block->slots = 0;
    sm->n_blocks--;
    sm_watch(sm);
    if (sm->n_blocks == 0) sm_account(sm); /* since when it is without any decides what is charged to the dispatch of the next */
    sm->end = cycle_min(sm->end, at + sm->cluster->setup.dispatch_cycles);
    sm->alone_until = cycle_min(sm->alone_until, sm->end);
    const BlockDone done = {at, sm->cluster->setup.first_sm + sm->index};
    g_array_append_val(sm->cluster->done, done);
}

static void finish(Sm *sm, Warp *w)
{
    set_aside(sm, w);
    if (w->loads) { /* its registers cannot be given away yet */
        w->next = UNTIL_REPLY | STALL_memory;
        sm->waiting |= w->self;
        return;
    }
    const Cycle at = cycle_max(cycle_max(sm->now, until_cycle(w->next)), w->in_unit);
    if (G_UNLIKELY(sm->detail)) sm_detail_leave(sm, w->slot, at);
    sm->resident &= ~w->self;
    sm->warp_cycles += at - w->started;
    sm->last = cycle_max(sm->last, at);
    Block *block = &sm->blocks[w->block];
    if (--block->warps == 0)
        finish_block(sm, block, at);
    else
        sm_check_barrier(sm, block);
}

static void go_on(Sm *sm, Warp *w)
{
    const Until fenced = UNTIL_REPLY | STALL_memory;
    w->fence = w->fence && (w->loads || w->stores);
    settle(sm, w, w->fence ? fenced : w->next, cycle_max(sm->now, w->scheduler->port_free));
    if (w->fence) w->next = fenced; /* whatever its registers wait for */
}

void sm_proceed(Sm *sm, Warp *w)
{
    sm->max_depth = MAX(sm->max_depth, w->cursor.depth);
    if (G_LIKELY(w->cursor.insn != NULL))
        go_on(sm, w);
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
    w->before.n_regs = w->before.n_dst = 0;
    sm->age[slot] = sm->arrivals++;
    sm->resident |= w->self;
    cursor_start(&w->cursor, block, index);
    sm_proceed(sm, w);
}

void sm_start_block(Sm *sm, uint64_t block)
{
    const unsigned place = free_block(sm);
    Block *b = &sm->blocks[place];
    *b = (Block){.used = true, .warps = sm->program->n_warps};
    sm->n_blocks++;
    sm_watch(sm);
    for (uint32_t i = 0; i < sm->program->n_warps; i++) {
        GS_CHECK(~sm->occupied, "no place for a warp of %u", sm->program->n_warps);
        const uint64_t place_of_warp = ~sm->occupied & (sm->occupied + 1);
        sm->occupied |= place_of_warp;
        b->slots |= place_of_warp;
    }
    uint32_t index = 0;
    for (uint64_t left = b->slots; left && !sm->fault; left &= left - 1)
        start_warp(sm, bits_lowest(left), place, block, index++);
}
