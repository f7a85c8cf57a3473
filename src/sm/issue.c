/* Issue of one instruction of one warp: what it occupies, when its result is ready, where the warp goes next. */
#include "sm/sm.h"

/* What issuing an instruction has come to. */
typedef struct {
    uint32_t hold; /* cycles the issue port is held */
    Until ready;   /* of its result, where there is one that needs no reply */
} Issued;

/* An operand from constant memory comes at the speed of a register when it is in the first level and all lanes want the same. */
static bool issue_alu_constant(Sm *sm, unsigned warp, const IssueStep *step, LaneMask mask, Issued *ret)
{
    uint32_t extra = 0;
    bool waits = false;
    if (mask && !sm_constant_access(sm, warp, mask, step->latency, &extra, &waits)) return false;
    ret->hold += extra;
    ret->ready = waits ? UNTIL_REPLY : until(sm->now + step->latency + extra, STALL_alu);
    return true;
}

static bool issue_alu_shared(Sm *sm, unsigned warp, const IssueStep *step, LaneMask mask, Issued *ret)
{
    uint32_t extra = 0;
    if (mask && !sm_shared_access(sm, warp, mask, &extra)) return false;
    if (extra) ret->ready = until(sm->now + step->latency + extra, STALL_bank_conflict);
    return true;
}

static bool issue_constant(Sm *sm, unsigned warp, LaneMask mask, Issued *ret)
{
    const Cluster *c = sm->cluster;
    uint32_t extra = 0;
    bool waits = false;
    if (mask && !sm_constant_access(sm, warp, mask, c->setup.sm->writeback_cycles, &extra, &waits)) return false;
    const Cycle hit = c->op[OP_CLASS_alu].latency + c->setup.constant->latency;
    ret->hold += extra;
    ret->ready = waits ? UNTIL_REPLY : until(sm->now + hit + extra, STALL_cache);
    return true;
}

static bool issue_shared(Sm *sm, unsigned warp, LaneMask mask, Issued *ret)
{
    uint32_t extra = 0;
    if (mask && !sm_shared_access(sm, warp, mask, &extra)) return false;
    ret->ready = until(sm->now + sm->cluster->setup.shared->latency + extra, extra ? STALL_bank_conflict : STALL_memory);
    return true;
}

static bool issue_memory(Sm *sm, unsigned warp, const IssueStep *step, LaneMask mask, Issued *ret)
{
    if (!mask) { /* no lane asks for anything: the register keeps its value */
        ret->ready = until(sm->now + step->hold, STALL_memory);
        return true;
    }
    ret->ready = UNTIL_REPLY;
    return step->kind == ISSUE_TEXTURE ? sm_issue_texture(sm, warp, mask) : sm_issue_memory(sm, warp, mask, &ret->ready);
}

static bool barrier_allowed(Warp *w, LaneMask mask)
{
    if (mask == w->cursor.live) return true;
    cursor_fail(&w->cursor, G80SIM_ERROR_TRACE, w->cursor.insn->line, (int)bits_lowest(w->cursor.live & ~mask),
                "bar in divergent code: want all lanes of the warp at the barrier, lanes 0x%08x of 0x%08x are", mask,
                w->cursor.live);
    return false;
}

/* Everything but plain arithmetic. False: the cursor has a fault. */
static bool carry_out(Sm *sm, unsigned warp, const IssueStep *step, LaneMask mask, Issued *ret)
{
    Warp *w = &sm->warps[warp];
    switch ((IssueKind)step->kind) {
    case ISSUE_ALU_SHARED: return issue_alu_shared(sm, warp, step, mask, ret);
    case ISSUE_ALU_CONSTANT: return issue_alu_constant(sm, warp, step, mask, ret);
    case ISSUE_SHARED: return issue_shared(sm, warp, mask, ret);
    case ISSUE_CONSTANT: return issue_constant(sm, warp, mask, ret);
    case ISSUE_MEMORY:
    case ISSUE_TEXTURE: return issue_memory(sm, warp, step, mask, ret);
    case ISSUE_BARRIER: return barrier_allowed(w, mask);
    case ISSUE_EXIT: cursor_exit(&w->cursor, mask); return true;
    case ISSUE_FENCE: w->fence = mask != 0; return true;
    default: return true;
    }
}

/* ---- what it leaves behind ---- */

/* Operands that cannot be read at once: the port is held for longer, and the result comes later. */
static uint32_t collect(Sm *sm, Scheduler *s, const Warp *w, const IssueStep *step, InsnCounts *counts)
{
    uint32_t cycles = step->collect;
    if (cycles == COLLECT_DYNAMIC) cycles = issue_collect(sm->cluster->setup.registers, w->cursor.insn, sm->program);
    counts->collect_cycles += cycles;
    s->stall = STALL_operand;
    s->stall_insn = (int32_t)w->cursor.index;
    return cycles;
}

static void hold_port(Sm *sm, Scheduler *s, unsigned warp, uint32_t hold, uint32_t further)
{
    s->last = warp;
    s->stall_since = sm->now + hold;
    s->port_free = s->stall_since + further;
    sm->stalls[STALL_issued] += hold;
    sm->last = cycle_max(sm->last, s->port_free);
}

/* Leads the warp to its next instruction. */
static void move_on(Sm *sm, unsigned warp, bool decides, InsnCounts *counts)
{
    Warp *w = &sm->warps[warp];
    cursor_next(&w->cursor);
    if (w->cursor.depth > sm->max_depth) sm->max_depth = w->cursor.depth;
    if (decides && w->cursor.diverged) counts->diverged++;
    if (w->cursor.insn)
        sm_settle(sm, warp);
    else if (w->cursor.fault)
        sm_fail(sm, warp);
    else
        sm_finish_warp(sm, warp);
}

/* The warp has issued: its registers, and when it may issue again. */
static void leave(Sm *sm, unsigned warp, const IssueStep *step, const Issued *r, InsnCounts *counts)
{
    Warp *w = &sm->warps[warp];
    const Insn *insn = w->cursor.insn;
    if (r->ready < UNTIL_REPLY)
        for (unsigned i = 0; i < insn->n_dst; i++)
            w->ready[insn->regs[i]] = r->ready;
    w->next = step->kind == ISSUE_BRANCH ? until(sm->now + step->latency, STALL_branch) : until(sm->now + r->hold, STALL_alu);
    if (G_UNLIKELY(w->held)) w->next = UNTIL_REPLY | STALL_cache;
    if (step->kind == ISSUE_BARRIER)
        sm_arrive(sm, warp);
    else
        move_on(sm, warp, insn->decides, counts);
}

/* ---- issue ---- */

/* Counts an instruction of the warp; the lanes it acts on. False: the cursor has a fault. */
static bool count(Sm *sm, Cursor *cursor, InsnCounts *counts, LaneMask *ret_mask)
{
    *ret_mask = cursor->active;
    if (cursor->insn->predicate >= 0 && !cursor_mask(cursor, ret_mask)) return false;
    counts->issued++;
    counts->lanes += lanes_count(*ret_mask);
    sm->cluster->issued++;
    return true;
}

void sm_issue(Sm *sm, Scheduler *s, unsigned warp)
{
    Warp *w = &sm->warps[warp];
    const IssueStep *step = &sm->cluster->steps[w->cursor.index];
    InsnCounts *counts = &sm->cluster->counts[w->cursor.index];
    Issued r = {step->hold, until(sm->now + step->latency, STALL_alu)};
    LaneMask mask;
    if (!count(sm, &w->cursor, counts, &mask) || (step->kind != ISSUE_ALU && !carry_out(sm, warp, step, mask, &r))) {
        sm_fail(sm, warp);
        return;
    }
    if (step->busy) *sm_alu_unit(sm, s, step->units & 1u << UNIT_DP ? UNIT_DP : UNIT_SFU) = sm->now + step->busy;
    uint32_t further = 0;
    if (G_UNLIKELY(step->collect)) {
        further = collect(sm, s, w, step, counts);
        if (r.ready < UNTIL_REPLY) r.ready += (Until)further << 4;
    }
    hold_port(sm, s, warp, r.hold, further);
    counts->port_cycles += r.hold;
    r.hold += further;
    leave(sm, warp, step, &r, counts);
}

void sm_issue_extra_mul(Sm *sm, Scheduler *s, unsigned warp)
{
    Warp *w = &sm->warps[warp];
    const IssueStep *step = &sm->cluster->steps[w->cursor.index];
    InsnCounts *counts = &sm->cluster->counts[w->cursor.index];
    const Issued r = {step->hold, until(sm->now + step->latency, STALL_alu)};
    LaneMask mask;
    if (!count(sm, &w->cursor, counts, &mask)) {
        sm_fail(sm, warp);
        return;
    }
    *sm_alu_unit(sm, s, UNIT_SFU) = sm->now + sm->cluster->setup.sm->sfu_mul_cycles;
    leave(sm, warp, step, &r, counts);
}
