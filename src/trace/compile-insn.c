#include "base/check.h"
#include "trace/compile-private.h"

Insn *compile_emit(Compiler *c, InsnKind kind, int line)
{
    const Insn insn = {
        .kind = (uint8_t)kind, .cls = OP_CLASS_alu, .access = -1, .predicate = -1, .dynamic = -1, .ctl = -1, .line = line};
    g_array_append_val(c->code, insn);
    return &g_array_index(c->code, Insn, c->code->len - 1);
}

void insn_uses(Insn *insn, unsigned reg, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        GS_CHECK(insn->n_regs < INSN_REGS_MAX, "%u registers", insn->n_regs);
        insn->regs[insn->n_regs++] = (uint16_t)(reg + i);
    }
}

/* Puts an instruction under the predicate of the code around it, beside its own. */
void insn_guard(Compiler *c, Insn *insn)
{
    if (c->guard.cond < 0) return;
    insn->predicate = compile_both(c, c->guard.cond, insn->predicate);
    insn_uses(insn, c->guard.reg, 1);
}

/* ---- register operands ---- */

/* A register given by an expression may vary only with loops that are unrolled: the machine has no indexed registers. */
static bool only_unrolled(const Compiler *c, const Node *n)
{
    if ((n->op == ND_VAR || n->op == ND_ITER) && g_array_index(c->loop_issues, bool, n->loop)) return false;
    return (!n->a || only_unrolled(c, n->a)) && (!n->b || only_unrolled(c, n->b)) && (!n->c || only_unrolled(c, n->c));
}

typedef struct {
    Insn *insn;
    DynamicReg regs[INSN_REGS_MAX];
    unsigned n_dynamic;
} Operands;

/* Adds register operand `reg`, which stands for n consecutive registers. */
static void add_register(Compiler *c, Operands *o, const AstReg *reg, unsigned n)
{
    const Node *index = compile_bind(c, reg->index);
    if (!index) return;
    if (index->deps & ~(unsigned)DEP_LOOP || !only_unrolled(c, index)) {
        faults_add(c->faults, reg->line, reg->column, "r[...]: want an expression of parameters and variables of `for` loops");
        return;
    }
    if (index->op != EX_CONST) {
        o->regs[o->n_dynamic++] = (DynamicReg){index, o->insn->n_regs, (uint8_t)n};
        insn_uses(o->insn, 0, n);
        return;
    }
    if (index->value < 0 || index->value > (int64_t)c->p->regs - (int64_t)n) {
        faults_add(c->faults, reg->line, reg->column, "register r%" G_GINT64_FORMAT "%s: want r0..r%u (regs %u)", index->value,
                   n > 1 ? " and those after it" : "", c->p->regs - 1, c->p->regs);
        return;
    }
    insn_uses(o->insn, (unsigned)index->value, n);
}

static void add_destination(Compiler *c, Operands *o, const AstStmt *s, unsigned n)
{
    if (!s->has_dst) return;
    add_register(c, o, &s->dst, n);
    o->insn->n_dst = o->insn->n_regs;
    o->insn->writes = o->insn->n_regs;
}

static void add_sources(Compiler *c, Operands *o, const AstStmt *s, unsigned n)
{
    const unsigned before = o->insn->n_regs;
    for (unsigned i = 0; i < s->n_sources; i++)
        add_register(c, o, &s->sources[i], n);
    o->insn->reads = (uint8_t)(o->insn->n_regs - before);
    for (unsigned i = 0; i < s->n_via; i++)
        add_register(c, o, &s->via[i], 1);
}

static void finish_operands(Compiler *c, const Operands *o)
{
    if (!o->n_dynamic) return;
    const DynamicRegs regs = {compile_own_copy(c, o->regs, sizeof *o->regs * o->n_dynamic), o->n_dynamic};
    g_array_append_val(c->dynamics, regs);
    o->insn->dynamic = (int32_t)c->dynamics->len - 1;
}

static void set_access(Compiler *c, Insn *insn, const AstMem *mem, MemOp op)
{
    insn->access = compile_access(c, mem);
    insn->mem = (uint8_t)op;
    insn->space = (uint8_t)mem->array->space;
    insn->width = (uint8_t)mem->array->elem_bytes;
}

static int predicate_of(Compiler *c, const AstStmt *s)
{
    const Node *node = s->predicate ? compile_bind(c, s->predicate) : NULL;
    return node ? compile_cond(c, node) : -1;
}

/* ---- instructions ---- */

static void memory_insn(Compiler *c, const AstStmt *s, int predicate)
{
    static const MemOp OPS[] = {[ST_LD] = MEM_LOAD, [ST_ST] = MEM_STORE, [ST_ATOM] = MEM_ATOMIC, [ST_TEX] = MEM_LOAD};
    Operands o = {.insn = compile_emit(c, INSN_MEM, s->line)};
    o.insn->predicate = predicate;
    set_access(c, o.insn, &s->mem, OPS[s->kind]);
    const unsigned n = s->mem.array->elem_regs;
    add_destination(c, &o, s, n);
    add_sources(c, &o, s, n);
    finish_operands(c, &o);
}

/* The operand loaded ahead, on a machine whose ALU operations take registers only. */
static void operand_load(Compiler *c, const AstStmt *s, int predicate)
{
    Operands o = {.insn = compile_emit(c, INSN_MEM, s->line)};
    o.insn->predicate = predicate;
    set_access(c, o.insn, &s->mem, MEM_LOAD);
    insn_uses(o.insn, c->p->regs + HIDDEN_OPERAND, MIN(s->mem.array->elem_regs, 2));
    o.insn->n_dst = o.insn->n_regs;
    for (unsigned i = 0; i < s->n_via; i++)
        add_register(c, &o, &s->via[i], 1);
    finish_operands(c, &o);
}

static void alu_insn(Compiler *c, const AstStmt *s, int predicate)
{
    const bool load_ahead = s->has_mem && !c->options->memory_operands;
    if (load_ahead) operand_load(c, s, predicate);
    Operands o = {.insn = compile_emit(c, INSN_ALU, s->line)};
    o.insn->cls = (uint8_t)s->op->cls;
    o.insn->flops = s->op->flops;
    o.insn->predicate = predicate;
    if (s->has_mem && !load_ahead) set_access(c, o.insn, &s->mem, MEM_LOAD);
    add_destination(c, &o, s, s->op->width);
    add_sources(c, &o, s, s->op->width);
    if (load_ahead) insn_uses(o.insn, c->p->regs + HIDDEN_OPERAND, MIN(s->mem.array->elem_regs, 2));
    finish_operands(c, &o);
}

void compile_insn(Compiler *c, const AstStmt *s)
{
    static const InsnKind PLAIN[] = {[ST_BAR] = INSN_BAR, [ST_MEMBAR] = INSN_MEMBAR, [ST_EXIT] = INSN_EXIT};
    const int predicate = predicate_of(c, s);
    const unsigned from = c->code->len;
    switch (s->kind) {
    case ST_LD:
    case ST_ST:
    case ST_ATOM:
    case ST_TEX: memory_insn(c, s, predicate); break;
    case ST_ALU: alu_insn(c, s, predicate); break;
    default: compile_emit(c, PLAIN[s->kind], s->line)->predicate = predicate;
    }
    for (unsigned i = from; i < c->code->len; i++)
        insn_guard(c, &g_array_index(c->code, Insn, i));
}
