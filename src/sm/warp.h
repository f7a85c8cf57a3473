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

/* Out of those that may issue, for now. */
static inline void set_aside(Sm *sm, const Warp *w)
{
    sm->awake &= ~w->self;
    sm->dozing &= ~w->self;
}

/* `next`: when the warp may issue, beside its registers. It counts as ready when it is at `soon`, before which its scheduler cannot issue: no
 * need to wake it. */
static inline void settle(Sm *sm, Warp *w, Until next, Cycle soon)
{
    const IssueStep *step = &sm->steps[w->cursor.index];
    if (G_UNLIKELY(step->dynamic)) step = sm_patch_step(w, step);
    w->step = step;
    const Until *ready = w->ready;
    next = until_later(next, until_later(ready[step->regs[0]], ready[step->regs[1]]));
    for (unsigned i = 2; i < step->n_regs; i++)
        next = until_later(next, ready[step->regs[i]]);
    w->next = next;
    if (w->units != step->units) note_units(sm, w, step->units);
    const Cycle at = until_cycle(next);
    if (at <= soon) {
        sm->awake |= w->self;
        sm->dozing &= ~w->self;
    } else if (at - sm->now < sm->may_doze) {
        sm->awake |= w->self;
        sm->dozing |= w->self;
    } else {
        set_aside(sm, w);
        if (next >= UNTIL_REPLY)
            sm->waiting |= w->self;
        else
            wheel_add(&sm->wheel, w->slot, sm->now, at);
    }
}
