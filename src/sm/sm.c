/* The SM's clock: from one moment at which something can happen to the next. */
#include "sm/sm.h"

#include <string.h>

#include "base/check.h"

/* ---- stall accounting ---- */

/* Charges the cycles before `t` to the reason that held since they were last accounted for. */
static void account(Sm *sm, Scheduler *s, Cycle t)
{
    if (t <= s->stall_since) return;
    const Cycle cycles = t - s->stall_since;
    s->stalls[s->stall] += cycles;
    if (s->stall_insn >= 0) sm->cluster->counts[s->stall_insn].stall_cycles += cycles;
    s->stall_since = t;
}

/* A block starts on an SM without any: it was on its way for the last dispatch_cycles. */
static void account_dispatch(Sm *sm)
{
    const Cycle way = sm->cluster->setup.dispatch_cycles;
    for (uint32_t i = 0; i < sm->n_schedulers; i++) {
        Scheduler *s = &sm->schedulers[i];
        if (s->stall != STALL_no_warp || s->stall_since >= sm->now) continue;
        if (sm->now - s->stall_since > way) account(sm, s, sm->now - way);
        s->stall = STALL_dispatch;
        account(sm, s, sm->now);
    }
}

/* ---- units ---- */

/* When a unit is free, as far as known: CYCLE_NEVER until a reply comes. */
static Cycle unit_free(const Sm *sm, const Scheduler *s, Unit unit)
{
    switch (unit) {
    case UNIT_MEMORY: return sm->n_free_slots == 0 || fifo_length(&sm->l1_waits) ? CYCLE_NEVER : sm->memory_free;
    case UNIT_SHARED: return sm->shared_free;
    case UNIT_SFU: return sm->sfu_free[s->units];
    default: return sm->dp_free[s->units];
    }
}

Cycle sm_unit_free(const Sm *sm, const Warp *w)
{
    Cycle free = 0;
    for (unsigned u = 0; u < UNIT_N; u++)
        if (w->units >> u & 1) free = cycle_max(free, unit_free(sm, w->scheduler, (Unit)u));
    return free;
}

StallReason sm_ready_reason(const Sm *sm, const Warp *w)
{
    static const StallReason REASONS[UNIT_N] = {
        [UNIT_MEMORY] = STALL_memory_pipe, [UNIT_SHARED] = STALL_bank_conflict, [UNIT_SFU] = STALL_unit, [UNIT_DP] = STALL_unit};
    StallReason reason = STALL_unit;
    Cycle last = 0;
    for (unsigned u = 0; u < UNIT_N; u++) {
        if (!(w->units >> u & 1) || unit_free(sm, w->scheduler, (Unit)u) < last) continue;
        last = unit_free(sm, w->scheduler, (Unit)u);
        reason = REASONS[u];
    }
    return reason;
}

StallReason sm_wait_reason(const Sm *sm, const Warp *w)
{
    switch (sm_warp_state(sm, w)) {
    case WARP_READY: return sm_ready_reason(sm, w);
    case WARP_BARRIER: return STALL_barrier;
    default: return until_reason(w->next);
    }
}

/* Why the first warp in the policy's order does not issue. */
static void note_stall(Sm *sm, Scheduler *s)
{
    const uint64_t among = sm->resident & s->warps;
    s->stall_insn = -1;
    s->stall = STALL_no_warp;
    if (!among) return;
    const Warp *w = &sm->warps[sm->cluster->policy->first(s, among)];
    if (w->cursor.insn) s->stall_insn = (int32_t)w->cursor.index;
    s->stall = (uint8_t)sm_wait_reason(sm, w);
}

/* ---- one moment ---- */

/* Leaves those warps out that want a unit which is taken. */
static uint64_t without(const Sm *sm, uint64_t able, Unit unit, Cycle free, Cycle *ret_free)
{
    if (free <= sm->now || !(able & sm->wants[unit])) return able;
    *ret_free = cycle_min(*ret_free, free);
    return able & ~sm->wants[unit];
}

/* Ready warps that want nothing which is taken; and when that will be free, if no reply has to come before. */
static uint64_t eligible(const Sm *sm, const Scheduler *s, Cycle *ret_free)
{
    uint64_t able = sm->ready & s->warps;
    *ret_free = CYCLE_NEVER;
    if (!able) return 0;
    able = without(sm, able, UNIT_MEMORY, unit_free(sm, s, UNIT_MEMORY), ret_free);
    able = without(sm, able, UNIT_SHARED, sm->shared_free, ret_free);
    if (able & (sm->wants[UNIT_SFU] | sm->wants[UNIT_DP])) {
        able = without(sm, able, UNIT_SFU, unit_free(sm, s, UNIT_SFU), ret_free);
        able = without(sm, able, UNIT_DP, unit_free(sm, s, UNIT_DP), ret_free);
    }
    return able;
}

/*
 * Where the SFU may multiply: while an instruction holds the port, a warp with a multiplication may issue it there (docs/model.md, S9).
 * Warps count as ready when they will be by the time that the port is free (settle, in warp.c); here the very time matters. Those who may now, or
 * when that, or the port, will be next. A special function that waits goes before: else multiplications, which need no free port, would take
 * the unit again and again.
 */
static uint64_t extra_multiplies(Sm *sm, const Scheduler *s, Cycle *ret_next)
{
    const Cycle sfu_free = *sm_alu_unit(sm, s, UNIT_SFU);
    uint64_t able = 0;
    *ret_next = s->port_free;
    if (sm->ready & s->warps & sm->wants[UNIT_SFU]) return 0;
    for (uint64_t left = sm->ready & s->warps & sm->wants[UNIT_EXTRA_MUL]; left; left &= left - 1) {
        const Cycle ready = cycle_max(until_cycle(sm->warps[bits_lowest(left)].next), sfu_free);
        if (ready <= sm->now)
            able |= left & -left;
        else
            *ret_next = cycle_min(*ret_next, ready);
    }
    return able;
}

/* Lets one scheduler act; the next cycle at which it may want to, beside those at which a warp wakes. */
static Cycle schedule(Sm *sm, Scheduler *s)
{
    const bool held = s->port_free > sm->now, extra_mul = sm->wants[UNIT_EXTRA_MUL] != 0;
    if (held && !extra_mul) return s->port_free;
    Cycle next;
    uint64_t able;
    if (G_UNLIKELY(held)) {
        able = extra_multiplies(sm, s, &next);
    } else {
        account(sm, s, sm->now);
        able = eligible(sm, s, &next);
        if (!able) note_stall(sm, s);
    }
    if (!able) return next;
    sm_issue(sm, s, &sm->warps[sm->cluster->policy->first(s, able)], held);
    return extra_mul ? sm->now : s->port_free; /* an extra multiplication may go with it */
}

static void take_replies(Sm *sm)
{
    while (msg_queue_next(&sm->replies) <= sm->now) {
        const Msg reply = *msg_queue_peek(&sm->replies);
        msg_queue_pop(&sm->replies);
        sm_take_reply(sm, &reply);
    }
}

static void take_blocks(Sm *sm)
{
    while (fifo_length(&sm->coming) && fifo_peek(&sm->coming, Arrival)->at <= sm->now) {
        const uint64_t block = fifo_peek(&sm->coming, Arrival)->block;
        fifo_pop(&sm->coming);
        if (sm->n_blocks == 0) account_dispatch(sm);
        sm_start_block(sm, block);
    }
}

/* When the first reply or block from outside arrives. */
static Cycle first_arrival(const Sm *sm)
{
    Cycle first = msg_queue_next(&sm->replies);
    if (fifo_length(&sm->coming)) first = cycle_min(first, fifo_peek(&sm->coming, Arrival)->at);
    return first;
}

static void take_arrivals(Sm *sm)
{
    take_replies(sm);
    take_blocks(sm);
    sm->arrival = first_arrival(sm);
}

static void step(Sm *sm)
{
    if (G_UNLIKELY(sm->detail)) sm_detail_account(sm, sm->now);
    const uint64_t woken = wheel_advance(&sm->wheel, sm->now);
    if (woken) sm_wake(sm, woken);
    if (sm->arrival <= sm->now) take_arrivals(sm);
    Cycle next = CYCLE_NEVER;
    uint32_t left = sm->n_schedulers;
    Scheduler *s = sm->schedulers;
    do
        next = cycle_min(next, schedule(sm, s++));
    while (--left && !sm->fault);
    sm->next = sm->fault ? CYCLE_NEVER : cycle_min(next, cycle_min(sm->wheel.next, sm->arrival));
}

void sm_run(Sm *sm, Cycle end)
{
    if (sm->fault) return;
    sm->arrival = first_arrival(sm); /* with what came between windows */
    sm->next = cycle_min(sm->next, sm->arrival);
    while (sm->next < end) {
        sm->now = sm->next;
        step(sm);
    }
}

/* ---- a kernel's begin and end ---- */

static void place_warps(Sm *sm, const Program *program)
{
    const size_t cursor = cursor_storage(program);
    const size_t warp_bytes = cursor + sizeof(Until) * program->n_regs;
    const unsigned n = SM_WARPS_MAX;
    g_free(sm->storage);
    sm->storage = g_malloc0(warp_bytes * n);
    for (unsigned i = 0; i < n; i++) {
        char *at = sm->storage + warp_bytes * i;
        cursor_init(&sm->warps[i].cursor, program, at);
        sm->warps[i].ready = (Until *)(at + cursor);
        sm->warps[i].slot = (uint8_t)i;
        sm->warps[i].units = 0;
    }
}

void sm_begin(Sm *sm, const Program *program, const CacheGeometry *l1, Cycle start)
{
    sm->program = program;
    sm->now = start;
    sm->next = CYCLE_NEVER;
    sm->resident = sm->ready = sm->waiting = sm->arrived = 0;
    memset(sm->wants, 0, sizeof sm->wants);
    sm->memory_free = sm->shared_free = start;
    for (unsigned i = 0; i < SCHEDULERS_MAX; i++)
        sm->sfu_free[i] = sm->dp_free[i] = start;
    sm->l1 = l1->bytes ? cache_new(l1) : NULL;
    wheel_init(&sm->wheel, start);
    sm->warp_cycles = 0;
    sm->max_depth = 0;
    sm->arrivals = 0;
    sm->last = start;
    if (sm->detail) detail_begin(sm->detail, program->n_warps, start);
    place_warps(sm, program);
    const uint32_t n = sm->n_schedulers;
    for (uint32_t i = 0; i < n; i++) {
        Scheduler *s = &sm->schedulers[i];
        *s = (Scheduler){.age = sm->age,
                         .units = sm->cluster->setup.sm->units == UNITS_OF_SCHEDULER ? (uint8_t)i : 0,
                         .last = SM_WARPS_MAX - 1,
                         .port_free = start,
                         .stall_since = start,
                         .stall = STALL_no_warp,
                         .stall_insn = -1};
        for (unsigned w = i; w < SM_WARPS_MAX; w += n) {
            s->warps |= UINT64_C(1) << w;
            sm->warps[w].scheduler = s;
        }
    }
}

void sm_end(Sm *sm, Cycle end)
{
    if (sm->l1) {
        GS_CHECK(cache_pending(sm->l1) == 0, "%u lines under way", cache_pending(sm->l1));
        cache_stats_add(&sm->cluster->l1_stats, cache_get_stats(sm->l1));
        g_clear_pointer(&sm->l1, cache_free);
    }
    for (uint32_t i = 0; i < sm->n_schedulers; i++)
        account(sm, &sm->schedulers[i], end);
    if (sm->detail) sm_detail_end(sm, end);
}

void sm_init(Sm *sm, Cluster *cluster, uint32_t index)
{
    const uint32_t slots = cluster->setup.sm->memory_slots;
    sm->cluster = cluster;
    sm->index = index;
    sm->n_schedulers = cluster->setup.sm->schedulers;
    sm->slots = g_new0(MemSlot, slots + SM_WARPS_MAX);
    sm->free_slots = g_new0(uint16_t, slots);
    for (uint32_t i = 0; i < slots; i++)
        sm->free_slots[sm->n_free_slots++] = (uint16_t)(slots - 1 - i);
    fifo_init(&sm->coming);
    msg_queue_init(&sm->replies);
    fifo_init(&sm->l1_waits);
    fifo_init(&sm->constant_waits);
    sm->constant = cache_new(&cluster->setup.constant->l1);
    fifo_init(&sm->sent);
    sm->next = CYCLE_NEVER;
}

void sm_clear(Sm *sm)
{
    for (unsigned i = 0; i < SM_WARPS_MAX; i++)
        g_clear_error(&sm->warps[i].cursor.fault);
    fifo_clear(&sm->coming);
    msg_queue_clear(&sm->replies);
    fifo_clear(&sm->l1_waits);
    fifo_clear(&sm->constant_waits);
    cache_free(sm->l1);
    cache_free(sm->constant);
    fifo_clear(&sm->sent);
    g_free(sm->slots);
    g_free(sm->free_slots);
    g_free(sm->storage);
    detail_free(sm->detail);
    g_clear_error(&sm->fault);
}
