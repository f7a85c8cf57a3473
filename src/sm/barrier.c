/* Barriers: a block's warps wait until all of them that are not done have arrived. */
#include "sm/sm.h"

static void release(Sm *sm, Block *block)
{
    block->arrived = 0;
    const Until open = until(sm->now + sm->cluster->setup.sm->barrier_cycles, STALL_barrier);
    const uint64_t released = block->slots & sm->arrived;
    sm->arrived &= ~released;
    for (uint64_t left = released; left; left &= left - 1) {
        const unsigned warp = bits_lowest(left);
        Warp *w = &sm->warps[warp];
        w->next = open;
        cursor_next(&w->cursor);
        if (w->cursor.insn)
            sm_settle(sm, warp);
        else if (w->cursor.fault)
            sm_fail(sm, warp);
        else
            sm_finish_warp(sm, warp);
    }
}

void sm_check_barrier(Sm *sm, Block *block)
{
    if (block->warps && block->arrived == block->warps) release(sm, block);
}

void sm_arrive(Sm *sm, unsigned warp)
{
    Warp *w = &sm->warps[warp];
    Block *block = &sm->blocks[w->block];
    sm->arrived |= UINT64_C(1) << warp;
    sm->ready &= ~(UINT64_C(1) << warp);
    block->arrived++;
    sm_check_barrier(sm, block);
}
