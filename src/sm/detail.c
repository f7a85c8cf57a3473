#include "sm/detail.h"

#include <string.h>

#include "base/check.h"
#include "sm/sm.h"

Detail *detail_new(void)
{
    return g_new0(Detail, 1);
}

void detail_free(Detail *d)
{
    if (!d) return;
    g_free(d->warps);
    g_free(d);
}

void detail_begin(Detail *d, uint32_t n_warps, Cycle start)
{
    g_free(d->warps);
    *d = (Detail){.start = start, .since = start, .warps = g_new0(WarpDetail, n_warps), .n_warps = n_warps};
    timeline_init(&d->resident);
}

static Cycle between(Cycle low, Cycle x, Cycle high)
{
    return cycle_min(cycle_max(low, x), high);
}

/* Until when the warp's own instruction holds the port, without the cycles for its operands; any time that has passed when it does not. */
static Cycle held_until(const Sm *sm, unsigned warp)
{
    const Scheduler *s = sm->warps[warp].scheduler;
    const bool own = s->last == warp && s->port_free != sm->detail->gone[s - sm->schedulers];
    return own ? s->issued_until : 0;
}

static StallReason waits_for(const Warp *w, WarpState state)
{
    return state == WARP_BARRIER ? STALL_barrier : until_reason(w->next);
}

/* The interval of one warp, in the order in which it may change: its instruction holds the port, it issues again, it waits, its
 * unit is taken, it could issue.
 * Returns when the last begins, `to` if it does not. */
static Cycle account_warp(Sm *sm, unsigned warp, Cycle from, Cycle to)
{
    const Warp *w = &sm->warps[warp];
    WarpDetail *sum = &sm->detail->warps[w->cursor.warp];
    const Cycle held = between(from, held_until(sm, warp), to);
    const Cycle again = held_until(sm, warp) ? between(held, w->scheduler->again_until, to) : held;
    const WarpState state = sm_warp_state(sm, w);
    const bool known =
        state == WARP_READY || state == WARP_ASLEEP; /* w->next may be inside the interval: when the port was held */
    const Cycle waited = known ? between(again, until_cycle(w->next), to) : to;
    const Cycle able = waited < to ? between(waited, sm_unit_free(sm, w), to) : to;
    sum->resident += to - from;
    sum->cycles[STALL_issued] += held - from;
    sum->cycles[STALL_bank_conflict] += again - held;
    sum->cycles[waits_for(w, state)] += waited - again;
    sum->cycles[sm_ready_reason(sm, w)] += able - waited;
    sum->cycles[WARP_NOT_SELECTED] += to - able;
    return able;
}

/* Adds `t` to a sorted list of n. */
static void insert(Cycle *list, unsigned n, Cycle t)
{
    for (; n > 0 && list[n - 1] > t; n--)
        list[n] = list[n - 1];
    list[n] = t;
}

static void account_scheduler(Sm *sm, const Scheduler *s, Cycle from, Cycle to)
{
    Cycle later[SM_WARPS_MAX]; /* when one more warp can issue, after `from` */
    unsigned n = 0, able = 0;
    for (uint64_t left = sm->resident & s->warps; left; left &= left - 1) {
        const Cycle at = account_warp(sm, bits_lowest(left), from, to);
        if (at == from)
            able++;
        else if (at < to)
            insert(later, n++, at);
    }
    GS_CHECK(able + n == 0 || s->port_free >= to, "%u warps could issue and did not", able + n);
    uint64_t *ready = sm->detail->ready;
    for (unsigned i = 0; i < n; i++) {
        ready[able + i] += later[i] - from;
        from = later[i];
    }
    ready[able + n] += to - from;
}

void sm_detail_account(Sm *sm, Cycle to)
{
    Detail *d = sm->detail;
    if (to == d->since) return;
    for (uint32_t i = 0; i < sm->n_schedulers; i++)
        account_scheduler(sm, &sm->schedulers[i], d->since, to);
    timeline_add(&d->resident, d->since - d->start, to - d->start, bits_count(sm->resident));
    d->since = to;
}

void sm_detail_leave(Sm *sm, unsigned warp, Cycle at)
{
    Detail *d = sm->detail;
    const Warp *w = &sm->warps[warp];
    WarpDetail *sum = &d->warps[w->cursor.warp];
    const Cycle held = between(sm->now, held_until(sm, warp), at);
    sum->warps++;
    sum->resident += at - sm->now;
    sum->cycles[STALL_issued] += held - sm->now;
    sum->cycles[until_reason(w->next)] += at - held;
    timeline_add(&d->resident, sm->now - d->start, at - d->start, 1);
    if (w->scheduler->last == warp) d->gone[w->scheduler - sm->schedulers] = w->scheduler->port_free;
}

void sm_detail_end(Sm *sm, Cycle end)
{
    sm_detail_account(sm, end);
    timeline_reach(&sm->detail->resident, end - sm->detail->start);
}
