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

void sm_account(Sm *sm)
{
    for (uint32_t i = 0; i < sm->n_schedulers; i++)
        account(sm, &sm->schedulers[i], sm->now);
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
    const Warp *w = &sm->warps[scheduler_first(sm->policy, s, among)];
    if (w->cursor.insn) s->stall_insn = (int32_t)w->cursor.index;
    s->stall = (uint8_t)sm_wait_reason(sm, w);
}

/* ---- one moment ---- */

/* Those among `able` that cannot issue since this warp, one of them, wants a unit that is taken; and when that will be free, if no reply has to
 * come before. */
static uint64_t kept_out(const Sm *sm, const Scheduler *s, const Warp *w, Cycle *ret_free)
{
    for (unsigned u = 0; u < UNIT_N; u++) {
        if (!(w->units >> u & 1)) continue;
        const Cycle free = unit_free(sm, s, (Unit)u);
        if (free <= sm->now) continue;
        *ret_free = cycle_min(*ret_free, free);
        return sm->wants[u];
    }
    return 0;
}

/* The first of the ready warps in the policy's order that wants nothing which is taken; else NULL, and when that will be free. */
static G_GNUC_NO_INLINE Warp *look_for(Sm *sm, const Scheduler *s, Cycle *ret_free)
{
    *ret_free = CYCLE_NEVER;
    if (sm->dozing) sm_settle_dozing(sm);
    for (uint64_t able = sm->awake & s->warps; able;) {
        Warp *w = &sm->warps[scheduler_first(sm->policy, s, able)];
        const uint64_t out = kept_out(sm, s, w, ret_free);
        if (!out) return w;
        able &= ~out;
    }
    return NULL;
}

/* Whether a warp that is awake may issue now: it does not doze, and the units are free that it wants. */
static inline bool may_issue(const Sm *sm, const Scheduler *s, const Warp *w)
{
    Cycle free;
    return until_cycle(w->next) <= sm->now && (!w->units || !kept_out(sm, s, w, &free));
}

/* Those of `warps` that do not want the load/store path or the shared memory, where these are taken. */
static inline uint64_t not_kept_out(const Sm *sm, uint64_t warps)
{
    const uint64_t memory = warps & sm->wants[UNIT_MEMORY], shared = warps & sm->wants[UNIT_SHARED];
    if (memory && unit_free(sm, NULL, UNIT_MEMORY) > sm->now) warps &= ~memory;
    if (shared && sm->shared_free > sm->now) warps &= ~shared;
    return warps;
}

/* The same as look_for. Nearly always the first that is awake is the one, else nearly always the first that is not kept out. */
static inline Warp *pick(Sm *sm, const Scheduler *s, Cycle *ret_free)
{
    const uint64_t awake = sm->awake & s->warps;
    if (!awake) {
        *ret_free = CYCLE_NEVER;
        return NULL;
    }
    Warp *w = &sm->warps[scheduler_first(sm->policy, s, awake)];
    if (may_issue(sm, s, w)) return w;
    const uint64_t able = not_kept_out(sm, awake);
    if (able) {
        w = &sm->warps[scheduler_first(sm->policy, s, able)];
        if (may_issue(sm, s, w)) return w;
    }
    return look_for(sm, s, ret_free);
}

/*
 * Where the SFU may multiply: while an instruction holds the port, a warp with a multiplication may issue it there (docs/accuracy.md, S9).
 * Warps count as ready when they will be by the time that the port is free (settle, in warp.c); here the very time matters. Those who may now, or
 * when that, or the port, will be next. A special function that waits goes before: else multiplications, which need no free port, would take
 * the unit again and again.
 */
static uint64_t extra_multiplies(Sm *sm, const Scheduler *s, Cycle *ret_next)
{
    const Cycle sfu_free = *sm_alu_unit(sm, s, UNIT_SFU);
    uint64_t able = 0;
    *ret_next = s->port_free;
    const uint64_t ready = sm->awake & ~sm->dozing & s->warps;
    if (ready & sm->wants[UNIT_SFU]) return 0;
    for (uint64_t left = ready & sm->wants[UNIT_EXTRA_MUL]; left; left &= left - 1) {
        const Cycle at = cycle_max(until_cycle(sm->warps[bits_lowest(left)].next), sfu_free);
        if (at <= sm->now)
            able |= left & -left;
        else
            *ret_next = cycle_min(*ret_next, at);
    }
    return able;
}

/* The port is held. When the scheduler wants to be asked again. */
static Cycle issue_beside(Sm *sm, Scheduler *s)
{
    Cycle next;
    const uint64_t able = extra_multiplies(sm, s, &next);
    if (!able) return next;
    sm_issue_extra(sm, s, &sm->warps[scheduler_first(sm->policy, s, able)]);
    return sm->now;
}

/* Warps that have slept long enough. */
static inline uint64_t wake(Sm *sm)
{
    if (!sm->wheel.used) return 0;
    const uint64_t woken = wheel_advance(&sm->wheel, sm->now);
    sm->awake |= woken;
    const uint64_t far = woken & sm->wheel.far;
    if (G_UNLIKELY(far)) sm_sleep_on(sm, far);
    return woken;
}

/* Lets one scheduler act, whose port is free; again and again while nothing but its own issues can happen. When it wants to be asked again, beside
 * when a warp wakes. */
static inline Cycle issue_some(Sm *sm, Scheduler *s)
{
    for (;;) {
        account(sm, s, sm->now);
        Cycle next;
        Warp *w = pick(sm, s, &next);
        if (!w) {
            note_stall(sm, s);
            return next;
        }
        sm_issue(sm, s, w);
        if (s->port_free >= sm->alone_until) return s->port_free;
        sm->now = s->port_free;
        sm->may_doze = WHEEL_SLOTS;
        wake(sm);
    }
}

/* The same, whether the port is free or not. */
static inline Cycle schedule(Sm *sm, Scheduler *s)
{
    const bool extra_mul = sm->wants[UNIT_EXTRA_MUL] != 0; /* one may go with what issues now */
    if (s->port_free > sm->now) return G_UNLIKELY(extra_mul) ? issue_beside(sm, s) : s->port_free;
    const Cycle next = issue_some(sm, s);
    return G_UNLIKELY(extra_mul) && s->port_free > sm->now ? sm->now : next;
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

/* When the first warp wakes. */
static inline Cycle next_to_wake(Sm *sm)
{
    if (sm->dozing) sm_settle_dozing(sm);
    return wheel_next(&sm->wheel);
}

/*
 * The next cycle at which something can happen. A scheduler that waits is asked when something has changed for it. While all hold their ports
 * the warps that wake meanwhile change nothing: they count only where a scheduler could issue.
 */
static inline Cycle step(Sm *sm, Cycle end)
{
    if (G_UNLIKELY(sm->detail)) sm_detail_account(sm, sm->now);
    uint64_t changed = wake(sm) | sm->watched;
    if (sm->arrival <= sm->now) {
        take_arrivals(sm);
        changed = UINT64_MAX;
    }
    sm->alone_until = sm->alone && !sm->watched ? cycle_min(end, sm->arrival) : 0;
    Cycle next = sm->arrival;
    bool waits = sm->watched != 0;
    Scheduler *const first = sm->first_scheduler, *s = first;
    do {
        if (s->look_at <= sm->now || (changed & s->warps)) {
            s->look_at = schedule(sm, s);
            if (G_UNLIKELY(sm->fault)) return CYCLE_NEVER;
        }
        next = cycle_min(next, s->look_at);
        waits |= s->port_free <= sm->now;
        if (++s == sm->schedulers_end) s = sm->schedulers;
    } while (s != first);
    sm->may_doze = waits ? 0 : WHEEL_SLOTS;
    return waits ? cycle_min(next, next_to_wake(sm)) : next;
}

Cycle sm_run(Sm *sm, Cycle end)
{
    if (sm->fault) return end;
    sm->end = end;
    sm->arrival = first_arrival(sm); /* with what came between windows */
    Cycle next = cycle_min(sm->next, sm->arrival);
    while (next < sm->end) {
        sm->now = next;
        next = step(sm, sm->end);
    }
    sm->next = next;
    return sm->end;
}

/* ---- a kernel's begin and end ---- */

/*
 * Whether a scheduler that waits may have another reason to wait than when it was last asked, without a warp of its own that wakes. So it is where
 * instructions want several units, which others take; where a multiplication may go beside what holds the port; and on an SM without blocks,
 * since it may have been waiting for one.
 */
void sm_watch(Sm *sm)
{
    sm->watched = sm->n_blocks == 0 || sm->entangled ? UINT64_MAX : 0;
    if (sm->watched) sm->alone_until = 0;
}

static bool are_entangled(const IssueStep *steps, uint32_t n)
{
    for (const IssueStep *s = steps; s < steps + n; s++)
        if (s->units & (s->units - 1) || s->units >> UNIT_EXTRA_MUL) return true;
    return false;
}

static void place_warps(Sm *sm, const Program *program)
{
    const size_t registers = sizeof(Until) * (program->n_regs + REGS_BESIDE);
    const size_t warp_bytes = round_up(registers + cursor_storage(program), HOST_LINE);
    const unsigned n = SM_WARPS_MAX;
    g_aligned_free(sm->storage);
    sm->storage = g_aligned_alloc0(n, warp_bytes, HOST_LINE);
    for (unsigned i = 0; i < n; i++) {
        char *at = sm->storage + warp_bytes * i;
        cursor_init(&sm->warps[i].cursor, program, at + registers);
        sm->warps[i].ready = (Until *)at;
        sm->warps[i].slot = (uint8_t)i;
        sm->warps[i].self = UINT64_C(1) << i;
        sm->warps[i].units = 0;
    }
}

void sm_begin(Sm *sm, const Program *program, const CacheGeometry *l1, Cycle start)
{
    sm->program = program;
    sm->steps = sm->cluster->steps;
    sm->policy = sm->cluster->policy;
    sm->now = start;
    sm->next = CYCLE_NEVER;
    sm->resident = sm->occupied = sm->awake = sm->dozing = sm->waiting = sm->arrived = 0;
    memset(sm->wants, 0, sizeof sm->wants);
    sm->memory_free = sm->shared_free = sm->constant_free = start;
    sm->stores = (StoreQueue){.free = start};
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
    for (uint32_t i = 0; i < program->n_code; i++)
        sm->cluster->steps[i].counts = &sm->cluster->counts[i];
    sm->entangled = are_entangled(sm->steps, program->n_code);
    sm_watch(sm);
    const uint32_t n = sm->n_schedulers;
    sm->first_scheduler = sm->schedulers;
    sm->schedulers_end = sm->schedulers + n;
    sm->alone = n == 1 && !sm->detail;
    for (uint32_t i = 0; i < n; i++) {
        Scheduler *s = &sm->schedulers[i];
        *s = (Scheduler){.age = sm->age,
                         .units = sm->cluster->setup.sm->units == UNITS_OF_SCHEDULER ? (uint8_t)i : 0,
                         .last = SM_WARPS_MAX - 1,
                         .port_free = start,
                         .look_at = CYCLE_NEVER,
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
    g_aligned_free(sm->storage);
    detail_free(sm->detail);
    g_clear_error(&sm->fault);
}
