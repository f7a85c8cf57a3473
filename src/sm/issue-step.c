#include "sm/issue-step.h"

static unsigned unit(Unit u)
{
    return 1u << u;
}

/* The special function unit computes these itself; divisions and 32-bit multiplications are sequences on the SPs (docs/accuracy.md, S8). */
static bool is_special(OpClass cls)
{
    return cls == OP_CLASS_rcp || cls == OP_CLASS_lg2 || cls == OP_CLASS_ex2 || cls == OP_CLASS_sincos || cls == OP_CLASS_sqrt;
}

static unsigned units_of_access(const Insn *insn)
{
    if (insn->access < 0 || insn->space == SPACE_CONST) return 0; /* the constant path has no unit of its own */
    return unit(insn->space == SPACE_SHARED ? UNIT_SHARED : UNIT_MEMORY);
}

static IssueKind kind_of_memory(const Insn *insn)
{
    switch ((Space)insn->space) {
    case SPACE_SHARED: return ISSUE_SHARED;
    case SPACE_CONST: return ISSUE_CONSTANT;
    case SPACE_TEX: return ISSUE_TEXTURE;
    default: return ISSUE_MEMORY;
    }
}

static void set_alu(IssueStep *s, const Insn *insn, const SmConfig *sm, const OpTiming *op)
{
    const OpClass cls = (OpClass)insn->cls;
    s->kind = insn->access < 0 ? ISSUE_ALU : insn->space == SPACE_SHARED ? ISSUE_ALU_SHARED : ISSUE_ALU_CONSTANT;
    s->result = (uint32_t)until(op->latency, STALL_alu);
    if (is_special(cls) || cls == OP_CLASS_dp) {
        s->units |= (uint8_t)unit(cls == OP_CLASS_dp ? UNIT_DP : UNIT_SFU);
        s->busy = (uint16_t)op->issue;
        s->hold = MIN(s->hold, s->busy);
    } else {
        s->hold = (uint16_t)op->issue;
        if (cls == OP_CLASS_mul && insn->access < 0 && sm->sfu_mul_cycles) s->units |= 1u << UNIT_EXTRA_MUL;
    }
    if (s->kind == ISSUE_ALU_SHARED) s->hold = (uint16_t)MAX(s->hold, sm->shared_operand_cycles);
}

static void set_memory(IssueStep *s, const Insn *insn, const IssueSetup *setup, const OpTiming *alu)
{
    const bool load = insn->mem == MEM_LOAD;
    s->kind = kind_of_memory(insn);
    /* Such machine code has no shared load: it moves an operand from shared memory into a register. */
    if (s->kind == ISSUE_SHARED && load && setup->sm->memory_operands)
        s->hold = (uint16_t)MAX(s->hold, setup->sm->shared_operand_cycles);
    if (s->kind == ISSUE_SHARED) s->result = (uint32_t)until(setup->shared->latency, STALL_memory);
    if (s->kind == ISSUE_CONSTANT) s->result = (uint32_t)until(alu->latency + setup->constant->latency, STALL_cache);
}

static IssueKind kind_of_control(const Insn *insn)
{
    switch (insn->kind) {
    case INSN_BRANCH: return ISSUE_BRANCH;
    case INSN_BAR: return ISSUE_BARRIER;
    case INSN_EXIT: return ISSUE_EXIT;
    default: return ISSUE_FENCE;
    }
}

static IssueStep step_of(const Insn *insn, const IssueSetup *setup, const OpTiming ops[OP_CLASS_N])
{
    const OpTiming *branch = &ops[OP_CLASS_branch];
    IssueStep s = {.hold = (uint16_t)(LANES / setup->sm->lanes),
                   .units = (uint8_t)units_of_access(insn),
                   .predicated = insn->predicate >= 0,
                   .decides = insn->decides};
    if (insn->kind == INSN_ALU)
        set_alu(&s, insn, setup->sm, &ops[insn->cls]);
    else if (insn->kind == INSN_MEM)
        set_memory(&s, insn, setup, &ops[OP_CLASS_alu]);
    else
        s.kind = kind_of_control(insn);
    if (s.kind == ISSUE_BRANCH) s.hold = (uint16_t)branch->issue;
    const unsigned shared = unit(UNIT_MEMORY) | unit(UNIT_SHARED);
    s.turns = setup->sm->units_turn && (s.units & shared);
    if (insn->ahead) s.result = (uint32_t)until(s.kind == ISSUE_BRANCH ? setup->sm->loop_cycles : s.hold, STALL_alu);
    s.follow = (uint32_t)(s.kind == ISSUE_BRANCH ? until(branch->latency, STALL_branch) : until(s.hold, STALL_alu));
    if (s.kind == ISSUE_BRANCH && !insn->decides && setup->sm->join_cycles)
        s.follow = (uint32_t)until(setup->sm->join_cycles, STALL_branch);
    return s;
}

/* ---- registers ---- */

/* Adds regs[from .. to) of an instruction to a list of `n`, each once; the length of the list. */
static unsigned add_regs(const Insn *insn, unsigned from, unsigned to, uint16_t *list, unsigned n)
{
    for (unsigned i = from; i < to; i++) {
        unsigned known = 0;
        while (known < n && list[known] != insn->regs[i])
            known++;
        if (known == n) list[n++] = insn->regs[i];
    }
    return n;
}

/* Whether an instruction reads what the one before it writes. Then the compiler lets others go between them, and marks no operand to be kept. */
static bool waits_for(const Insn *insn, const Operands *before)
{
    for (unsigned d = 0; d < before->n_dst; d++)
        for (unsigned i = insn->n_dst; i < insn->n_regs; i++)
            if (insn->regs[i] == before->regs[d]) return true;
    return false;
}

/* Registers that the trace does not name (loop counters, operands loaded ahead) are the compiler's to place: they conflict with none. Those
 * that it names are taken for the machine's (docs/accuracy.md, S31). */
unsigned issue_collect(const RegisterConfig *config, const Insn *insn, const Operands *before, const Program *p, uint32_t warp)
{
    uint16_t regs[INSN_REGS_MAX];
    const bool kept = config->reuse && before && !waits_for(insn, before);
    unsigned named = 0;
    for (unsigned i = insn->n_dst; i < insn->n_regs; i++) {
        const unsigned at = i - insn->n_dst;
        if (kept && before->n_dst + at < before->n_regs && before->regs[before->n_dst + at] == insn->regs[i]) continue;
        unsigned known = 0;
        while (known < named && regs[known] != insn->regs[i])
            known++;
        if (known == named && insn->regs[i] < p->regs) regs[named++] = insn->regs[i];
    }
    return register_collect(config, regs, named, (RegisterReader){p->n_threads, warp});
}

/* The instruction that stands before, if it is one that reads registers: where others lead here, that is one that steers. */
static const Operands *operands_before(const Program *p, const Insn *insn, Operands *before)
{
    if (insn == p->code || insn[-1].kind != INSN_ALU || insn[-1].dynamic >= 0) return NULL;
    *before = operands_of(insn - 1);
    return before;
}

static void set_registers(IssueStep *s, const Insn *insn, const Program *p, const RegisterConfig *config)
{
    Operands before;
    s->dynamic = insn->dynamic >= 0;
    const bool later = s->dynamic || register_collect_varies(config, p->n_threads);
    s->collect = later ? COLLECT_LATER : (uint16_t)issue_collect(config, insn, operands_before(p, insn, &before), p, 0);
    s->n_dst = insn->n_dst;
    s->n_regs = insn->n_regs;
    const uint16_t always_ready = (uint16_t)p->n_regs, unread = (uint16_t)(p->n_regs + 1);
    for (unsigned i = 0; i < INSN_REGS_MAX; i++)
        s->regs[i] = always_ready;
    s->written = unread;
    if (s->dynamic) return; /* which of them are the same is not known yet */
    s->n_dst = (uint8_t)add_regs(insn, 0, insn->n_dst, s->regs, 0);
    s->n_regs = (uint8_t)add_regs(insn, insn->n_dst, insn->n_regs, s->regs, s->n_dst);
    if (s->n_dst) s->written = s->regs[0];
}

IssueStep *issue_steps_new(const Program *p, const IssueSetup *setup)
{
    OpTiming ops[OP_CLASS_N];
    op_timings(setup->op, ops);
    IssueStep *steps = g_aligned_alloc0(p->n_code, sizeof(IssueStep), sizeof(IssueStep));
    for (uint32_t i = 0; i < p->n_code; i++) {
        const Insn *insn = &p->code[i];
        if (insn->kind >= INSN_ISSUES_N) continue;
        steps[i] = step_of(insn, setup, ops);
        set_registers(&steps[i], insn, p, setup->registers);
        steps[i].longer = steps[i].busy || steps[i].collect;
    }
    return steps;
}
