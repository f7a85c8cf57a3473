/* Issue of one instruction of one warp: what it occupies, when its result is ready, where the warp goes next. To fetch it costs nothing
 * (docs/accuracy.md, S6). */
#include "sm/warp.h"

/* What issuing an instruction has come to. */
typedef struct {
    Until ready;    /* of its result, where there is one that needs no reply */
    uint32_t extra; /* cycles that the issue port is held for longer than expected */
    bool again;     /* those are for issuing the instruction again */
    bool failed;    /* the cursor has a fault */
} Issued;

/* An operand from constant memory comes at the speed of a register when it is in the first level and all lanes want the same. `after`: from
 * the arrival of data that were not there until the result may be used. */
static Issued issue_constant(Sm *sm, const Warp *w, const IssueStep *step, LaneMask mask, uint32_t after)
{
    ConstantCost cost = {0};
    const bool failed = mask && !sm_constant_access(sm, w->slot, mask, after, &cost);
    const Until ready = until(sm->now + cost.port + cost.delay, 0) + step->result;
    return (Issued){.ready = cost.waits ? UNTIL_REPLY : ready, .extra = cost.port, .failed = failed};
}

static inline Issued issue_shared(Sm *sm, Warp *w, const IssueStep *step, LaneMask mask)
{
    SharedCost cost = {0};
    const bool failed = mask && !sm_shared_access(sm, w, mask, &cost);
    if (!cost.delay) return (Issued){.ready = until(sm->now, 0) + step->result, .failed = failed};
    const Until ready = until(sm->now + until_cycle(step->result) + cost.delay, STALL_bank_conflict);
    return (Issued){.ready = ready, .extra = cost.port, .again = true, .failed = failed};
}

static Issued issue_memory(Sm *sm, Warp *w, const IssueStep *step, LaneMask mask)
{
    Issued r = {.ready = UNTIL_REPLY};
    if (!mask) /* no lane asks for anything: the register keeps its value */
        r.ready = until(sm->now + step->hold, STALL_memory);
    else if (step->kind == ISSUE_TEXTURE)
        r.failed = !sm_issue_texture(sm, w->slot, mask);
    else
        r.failed = !sm_issue_memory(sm, w, mask, &r.ready);
    return r;
}

static bool barrier_allowed(Warp *w, LaneMask mask)
{
    if (mask == w->cursor.live) return true;
    cursor_fail(&w->cursor, G80SIM_ERROR_TRACE, w->cursor.insn->line, (int)bits_lowest(w->cursor.live & ~mask),
                "bar in divergent code: want all lanes of the warp at the barrier, lanes 0x%08x of 0x%08x are", mask,
                w->cursor.live);
    return false;
}

/* What is less frequent. Not inlined: the registers of the host are for the rest. */
static G_GNUC_NO_INLINE Issued issue(Sm *sm, Warp *w, const IssueStep *step, LaneMask mask)
{
    Issued r = {.ready = until(sm->now, 0) + step->result};
    switch ((IssueKind)step->kind) {
    case ISSUE_ALU_CONSTANT: return issue_constant(sm, w, step, mask, (uint32_t)until_cycle(step->result));
    case ISSUE_CONSTANT: return issue_constant(sm, w, step, mask, sm->cluster->setup.sm->writeback_cycles);
    case ISSUE_MEMORY:
    case ISSUE_TEXTURE: return issue_memory(sm, w, step, mask);
    case ISSUE_BARRIER: r.failed = !barrier_allowed(w, mask); break;
    case ISSUE_EXIT: cursor_exit(&w->cursor, mask); break;
    case ISSUE_FENCE: w->fence = mask != 0; break;
    default:;
    }
    return r;
}

/* ---- what it leaves behind ---- */

/* Operands of an instruction whose registers are given by expressions, or whose conflicts are the warp's own. Such instructions know of each
 * other which was before, not of those between them. */
static G_GNUC_NO_INLINE uint32_t collect_later(const Sm *sm, Warp *w)
{
    const RegisterConfig *config = sm->cluster->setup.registers;
    const uint32_t cycles = issue_collect(config, w->cursor.insn, &w->before, sm->program, w->cursor.warp);
    if (config->reuse) w->before = operands_of(w->cursor.insn);
    return cycles;
}

/* The port is held for longer, which is no progress. Until when the warp may not issue. */
static Until hold_port(Scheduler *s, InsnCounts *counts, uint32_t cycles, StallReason reason)
{
    s->stalls[reason] += cycles;
    counts->stall_cycles += cycles;
    s->stall_since = s->port_free += cycles;
    return until(s->port_free, reason);
}

/* Operands that cannot be read at once: the result comes later, too. The cycles that takes. */
static uint32_t collect(const Sm *sm, Warp *w, InsnCounts *counts)
{
    uint32_t cycles = w->step->collect;
    if (cycles == COLLECT_LATER) cycles = collect_later(sm, w);
    counts->collect_cycles += cycles;
    return cycles;
}

/* Whether the result of an instruction whose further reads hold the port comes later, too. */
static bool is_late(const Sm *sm, const Scheduler *s, const Warp *w)
{
    const uint32_t late = sm->cluster->setup.registers->late;
    if (late != REGISTER_LATE_CONTENDED) return late == REGISTER_LATE_YES;
    for (uint64_t left = s->warps & sm->resident & ~w->self & ~(sm->waiting | sm->arrived); left; left &= left - 1)
        if (until_cycle(sm->warps[bits_lowest(left)].next) <= s->port_free) return true;
    return false;
}

/* The warp is not done before its instructions in the units are. */
static void enter_unit(Sm *sm, const Scheduler *s, Warp *w, Unit unit, uint32_t cycles)
{
    const Cycle free = sm->now + cycles;
    *sm_alu_unit(sm, s, unit) = free;
    w->in_unit = cycle_max(w->in_unit, free);
}

static inline void take_port(Sm *sm, Scheduler *s, const Warp *w, uint32_t hold, InsnCounts *counts)
{
    counts->port_cycles += hold;
    s->last = w->slot;
    s->stalls[STALL_issued] += hold;
    s->issued_until = s->stall_since = s->port_free = sm->now + hold;
}

/* When the warp may issue next, and the result of its instruction be used. */
typedef struct {
    Until next, ready;
} Follows;

/* What most instructions do not do: be in a unit for a while, issue again, have operands that cannot be read at once. `again`: cycles. */
static G_GNUC_NO_INLINE Follows take_longer(Sm *sm, Scheduler *s, Warp *w, Follows follows, uint32_t again)
{
    const IssueStep *step = w->step;
    InsnCounts *counts = step->counts;
    if (step->busy) enter_unit(sm, s, w, step->units & 1u << UNIT_DP ? UNIT_DP : UNIT_SFU, step->busy);
    if (again) {
        follows.next = hold_port(s, counts, again, STALL_bank_conflict);
        s->again_until = s->port_free;
    }
    const uint32_t further = step->collect ? collect(sm, w, counts) : 0;
    if (further) {
        follows.next = hold_port(s, counts, further, STALL_operand);
        if (follows.ready < UNTIL_REPLY && is_late(sm, s, w)) follows.ready += until(further, 0);
    }
    return follows;
}

static inline void write_registers(Warp *w, Until ready)
{
    const IssueStep *step = w->step;
    w->ready[step->written] = ready;
    for (unsigned i = 1; i < step->n_dst; i++)
        w->ready[step->regs[i]] = ready;
}

/* Leads the warp to its next instruction, which may not issue before `next`. */
static inline void move_on(Sm *sm, Scheduler *s, Warp *w, InsnCounts *counts, Until next)
{
    if (!cursor_goes_straight(&w->cursor)) {
        const bool decides = w->step->decides;
        cursor_find(&w->cursor);
        sm->max_depth = MAX(sm->max_depth, w->cursor.depth);
        if (decides && w->cursor.diverged) counts->diverged++;
        if (G_UNLIKELY(!w->cursor.insn)) {
            w->next = next;
            sm_proceed(sm, w);
            return;
        }
    }
    settle(sm, w, next, s->port_free);
}

/* The same for those that may have to wait for something else. */
static G_GNUC_NO_INLINE void halt(Sm *sm, Warp *w, Until next)
{
    w->next = w->held ? UNTIL_REPLY | STALL_cache : next;
    if (w->step->kind == ISSUE_BARRIER) {
        sm_arrive(sm, w);
        return;
    }
    cursor_next(&w->cursor);
    sm_proceed(sm, w);
}

/* ---- issue ---- */

/* The lanes that an instruction acts on, counted. False: the cursor has a fault. */
static inline bool count(Sm *sm, Warp *w, InsnCounts *counts, LaneMask *ret_mask)
{
    *ret_mask = w->cursor.active;
    if (w->step->predicated && !cursor_mask(&w->cursor, ret_mask)) return false;
    counts->issued++;
    counts->lanes += lanes_count(*ret_mask);
    sm->cluster->issued++;
    return true;
}

void sm_issue(Sm *sm, Scheduler *s, Warp *w)
{
    const IssueStep *step = w->step;
    InsnCounts *counts = step->counts;
    LaneMask mask;
    if (G_UNLIKELY(!count(sm, w, counts, &mask))) {
        sm_fail(sm, w);
        return;
    }
    Follows follows = {.ready = until(sm->now, 0) + step->result};
    uint32_t extra = 0, again = 0;
    if (G_UNLIKELY(step->turns)) sm->first_scheduler = s + 1 == sm->schedulers_end ? sm->schedulers : s + 1;
    if (step->kind > ISSUE_PLAIN_TO) {
        const Issued r = step->kind <= ISSUE_SHARED_TO ? issue_shared(sm, w, step, mask) : issue(sm, w, step, mask);
        if (G_UNLIKELY(r.failed)) {
            sm_fail(sm, w);
            return;
        }
        follows.ready = r.ready;
        if (G_UNLIKELY(r.again))
            again = r.extra;
        else
            extra = r.extra;
    }
    take_port(sm, s, w, step->hold + extra, counts);
    follows.next = until(sm->now + extra, 0) + step->follow;
    if (G_UNLIKELY(step->longer || again)) follows = take_longer(sm, s, w, follows, again);
    if (follows.ready < UNTIL_REPLY) write_registers(w, follows.ready);
    if (G_UNLIKELY(step->kind >= ISSUE_HALTS_FROM))
        halt(sm, w, follows.next);
    else
        move_on(sm, s, w, counts, follows.next);
}

void sm_issue_extra(Sm *sm, Scheduler *s, Warp *w)
{
    const IssueStep *step = w->step;
    InsnCounts *counts = step->counts;
    LaneMask mask;
    if (!count(sm, w, counts, &mask)) {
        sm_fail(sm, w);
        return;
    }
    enter_unit(sm, s, w, UNIT_SFU, sm->cluster->setup.sm->sfu_mul_cycles);
    write_registers(w, until(sm->now, 0) + step->result);
    move_on(sm, s, w, counts, until(sm->now, 0) + step->follow);
}
