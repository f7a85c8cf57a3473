/* Issue of one instruction of one warp: what it occupies, when its result is ready, where the warp goes next. */
#include "sm/sm.h"

/* What issuing an instruction amounts to. */
typedef struct {
    uint32_t hold; /* cycles the issue port is held */
    Until ready;   /* of its result, where there is one that needs no reply */
    bool failed;
} Issued;

/* An operand from constant memory comes at the speed of a register when it is in the first level and all lanes want the same. */
static Issued issue_alu_constant(Sm *sm, unsigned warp, const OpTiming *op, LaneMask mask)
{
    Issued r = {.hold = op->issue};
    uint32_t extra = 0;
    bool waits = false;
    if (mask && !sm_constant_access(sm, warp, mask, op->latency, &extra, &waits)) r.failed = true;
    r.hold += extra;
    r.ready = waits ? UNTIL_REPLY : until(sm->now + op->latency + extra, STALL_alu);
    return r;
}

static Issued issue_alu_shared(Sm *sm, unsigned warp, const OpTiming *op, LaneMask mask)
{
    Issued r = {.hold = op->issue, .ready = until(sm->now + op->latency, STALL_alu)};
    r.hold = MAX(r.hold, sm->cluster->setup.sm->shared_operand_cycles);
    uint32_t extra = 0;
    if (mask && !sm_shared_access(sm, warp, mask, &extra)) r.failed = true;
    if (extra) r.ready = until(sm->now + op->latency + extra, STALL_bank_conflict);
    return r;
}

static Issued issue_alu(Sm *sm, unsigned warp, const Insn *insn, LaneMask mask)
{
    const OpTiming *op = &sm->cluster->op[insn->cls];
    if (insn->access < 0) return (Issued){.hold = op->issue, .ready = until(sm->now + op->latency, STALL_alu)};
    return insn->space == SPACE_SHARED ? issue_alu_shared(sm, warp, op, mask) : issue_alu_constant(sm, warp, op, mask);
}

static Issued issue_constant(Sm *sm, unsigned warp, LaneMask mask)
{
    const Cluster *c = sm->cluster;
    Issued r = {.hold = c->port_cycles};
    uint32_t extra = 0;
    bool waits = false;
    if (mask && !sm_constant_access(sm, warp, mask, c->setup.sm->writeback_cycles, &extra, &waits)) r.failed = true;
    const Cycle hit = c->op[OP_CLASS_alu].latency + c->setup.constant->latency;
    r.hold += extra;
    r.ready = waits ? UNTIL_REPLY : until(sm->now + hit + extra, STALL_cache);
    return r;
}

static Issued issue_shared(Sm *sm, unsigned warp, const Insn *insn, LaneMask mask)
{
    uint32_t extra = 0;
    Issued r = {.hold = sm->cluster->port_cycles};
    if (mask && !sm_shared_access(sm, warp, mask, &extra)) r.failed = true;
    r.ready = until(sm->now + sm->cluster->setup.shared->latency + extra, extra ? STALL_bank_conflict : STALL_memory);
    return r;
}

static Issued issue_memory(Sm *sm, unsigned warp, const Insn *insn, LaneMask mask)
{
    Issued r = {.hold = sm->cluster->port_cycles, .ready = UNTIL_REPLY};
    if (!mask) /* no lane asks for anything: the register keeps its value */
        r.ready = until(sm->now + r.hold, STALL_memory);
    else if (insn->space == SPACE_TEX)
        r.failed = !sm_issue_texture(sm, warp, mask);
    else
        r.failed = !sm_issue_memory(sm, warp, mask, &r.ready);
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

static Issued issue(Sm *sm, unsigned warp, LaneMask mask)
{
    Warp *w = &sm->warps[warp];
    const Insn *insn = w->cursor.insn;
    switch (insn->kind) {
    case INSN_ALU: return issue_alu(sm, warp, insn, mask);
    case INSN_MEM:
        if (insn->space == SPACE_SHARED) return issue_shared(sm, warp, insn, mask);
        return insn->space == SPACE_CONST ? issue_constant(sm, warp, mask) : issue_memory(sm, warp, insn, mask);
    case INSN_BRANCH: return (Issued){.hold = sm->cluster->op[OP_CLASS_branch].issue};
    case INSN_BAR: return (Issued){.hold = sm->cluster->port_cycles, .failed = !barrier_allowed(w, mask)};
    case INSN_EXIT: cursor_exit(&w->cursor, mask); break;
    default: w->fence = mask != 0; /* membar */
    }
    return (Issued){.hold = sm->cluster->port_cycles};
}

static void hold_port(Sm *sm, Scheduler *scheduler, unsigned warp, uint32_t hold)
{
    scheduler->last = warp;
    scheduler->port_free = scheduler->stall_since = sm->now + hold;
    sm->stalls[STALL_issued] += hold;
    sm->last = cycle_max(sm->last, scheduler->port_free);
}

/* Leads the warp to its next instruction. */
static void move_on(Sm *sm, unsigned warp, const Insn *insn, InsnCounts *counts)
{
    Warp *w = &sm->warps[warp];
    cursor_next(&w->cursor);
    if (w->cursor.depth > sm->max_depth) sm->max_depth = w->cursor.depth;
    if (insn->decides && w->cursor.diverged) counts->diverged++;
    if (w->cursor.insn)
        sm_settle(sm, warp);
    else if (w->cursor.fault)
        sm_fail(sm, warp);
    else
        sm_finish_warp(sm, warp);
}

void sm_issue(Sm *sm, Scheduler *scheduler, unsigned warp)
{
    Warp *w = &sm->warps[warp];
    const Insn *insn = w->cursor.insn;
    InsnCounts *counts = &sm->cluster->counts[w->cursor.index];
    LaneMask mask = w->cursor.active;
    if (insn->predicate >= 0 && !cursor_mask(&w->cursor, &mask)) {
        sm_fail(sm, warp);
        return;
    }
    counts->issued++;
    counts->lanes += lanes_count(mask);
    sm->cluster->issued++;
    const Issued r = issue(sm, warp, mask);
    if (r.failed) {
        sm_fail(sm, warp);
        return;
    }
    hold_port(sm, scheduler, warp, r.hold);
    counts->port_cycles += r.hold;
    if (r.ready < UNTIL_REPLY)
        for (unsigned i = 0; i < insn->n_dst; i++)
            w->ready[insn->regs[i]] = r.ready;
    w->next = insn->kind == INSN_BRANCH ? until(sm->now + sm->cluster->op[OP_CLASS_branch].latency, STALL_branch)
                                        : until(sm->now + r.hold, STALL_alu);
    if (G_UNLIKELY(w->held)) w->next = UNTIL_REPLY | STALL_cache;
    if (insn->kind == INSN_BAR)
        sm_arrive(sm, warp);
    else
        move_on(sm, warp, insn, counts);
}
