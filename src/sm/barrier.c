/* Barriers: a block's warps wait until all of them that are not done have arrived. */
#include "sm/warp.h"

static void release(Sm *sm, Block *block)
{
    block->arrived = 0;
    const Until open = until(sm->now + sm->cluster->setup.sm->barrier_cycles, STALL_barrier);
    const uint64_t released = block->slots & sm->arrived;
    sm->arrived &= ~released;
    for (uint64_t left = released; left; left &= left - 1) {
        Warp *w = &sm->warps[bits_lowest(left)];
        w->next = open;
        cursor_next(&w->cursor);
        w->scheduler->look_at = sm->now; /* what its warp waits with has changed */
        sm_proceed(sm, w);
    }
}

void sm_check_barrier(Sm *sm, Block *block)
{
    if (block->warps && block->arrived == block->warps) release(sm, block);
}

void sm_arrive(Sm *sm, Warp *w)
{
    Block *block = &sm->blocks[w->block];
    sm->arrived |= w->self;
    set_aside(sm, w);
    block->arrived++;
    sm_check_barrier(sm, block);
}
