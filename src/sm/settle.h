#pragma once
/* Where a warp goes that has a next instruction: it is ready, sleeps until a known cycle, or waits for a reply. Inlined: every warp instruction
 * ends with it. */
#include "sm/sm.h"

/* Puts the warp into the sets of those that want a unit. */
static inline void note_units(Sm *sm, Warp *w, unsigned units)
{
    for (unsigned changed = w->units ^ units; changed; changed &= changed - 1)
        sm->wants[bits_lowest(changed)] ^= w->self;
    w->units = (uint8_t)units;
}

/* `next`: when the warp may issue, beside its registers. It counts as ready when it is at `soon`, before which its scheduler cannot issue: no
 * need to wake it. */
static inline void settle(Sm *sm, Warp *w, Until next, Cycle soon)
{
    const IssueStep *step = &sm->steps[w->cursor.index];
    if (G_UNLIKELY(step->dynamic)) step = sm_patch_step(w, step);
    w->step = step;
    for (const uint16_t *reg = step->regs, *end = reg + step->n_regs; reg < end; reg++)
        next = w->ready[*reg] > next ? w->ready[*reg] : next;
    w->next = next;
    if (w->units != step->units) note_units(sm, w, step->units);
    if (until_cycle(next) <= soon) {
        sm->ready |= w->self;
        return;
    }
    sm->ready &= ~w->self;
    if (next >= UNTIL_REPLY)
        sm->waiting |= w->self;
    else
        wheel_add(&sm->wheel, w->slot, until_cycle(next));
}
