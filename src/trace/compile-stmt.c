#include "trace/compile-private.h"

__extension__ typedef __int128 Wide;

/* ---- what loops and branches issue: a fixed pattern (docs/accuracy.md, S3) ---- */

static void emit_counter_step(Compiler *c, int line, unsigned counter)
{
    Insn *add = compile_emit(c, INSN_ALU, line);
    insn_uses(add, counter, 1);
    add->n_dst = add->reads = add->writes = 1;
    add->ahead = c->options->loops_ahead;
}

void compile_set(Compiler *c, int line, unsigned predicate, int counter)
{
    Insn *set = compile_emit(c, INSN_ALU, line);
    set->cls = OP_CLASS_compare;
    insn_uses(set, predicate, 1);
    set->n_dst = 1;
    if (counter >= 0) {
        insn_uses(set, (unsigned)counter, 1);
        set->reads = 1;
    }
    insn_guard(c, set);
}

unsigned compile_hidden(Compiler *c)
{
    const unsigned reg = c->p->regs + HIDDEN_NESTED + c->hidden++;
    c->hidden_max = MAX(c->hidden_max, c->hidden);
    return reg;
}

static Insn *emit_bra(Compiler *c, int line, bool decides)
{
    Insn *bra = compile_emit(c, INSN_BRANCH, line);
    bra->cls = OP_CLASS_branch;
    bra->decides = decides;
    bra->if_diverged = !decides;
    if (decides) insn_uses(bra, c->p->regs + HIDDEN_PREDICATE, 1);
    return bra;
}

/* The end of a turn. A branch that gives the counter out writes it: first of its registers. */
static void emit_loop_end(Compiler *c, int line, unsigned counter)
{
    emit_counter_step(c, line, counter);
    compile_set(c, line, c->p->regs + HIDDEN_PREDICATE, (int)counter);
    if (!c->options->loops_ahead) {
        emit_bra(c, line, true);
        return;
    }
    g_array_index(c->code, Insn, c->code->len - 1).ahead = true;
    Insn *bra = emit_bra(c, line, true);
    bra->ahead = true;
    insn_uses(bra, counter, 1);
    bra->regs[1] = bra->regs[0];
    bra->regs[0] = (uint16_t)counter;
    bra->n_dst = 1;
}

static void need_mask_stack(Compiler *c, int line)
{
    c->mask_depth++;
    if (!c->p->mask_stack_line[c->mask_depth]) c->p->mask_stack_line[c->mask_depth] = line;
    c->p->mask_stack_depth = MAX(c->p->mask_stack_depth, c->mask_depth);
}

void compile_nested(Compiler *c, const GPtrArray *body)
{
    const unsigned names = c->scope->len;
    compile_body(c, body);
    g_array_set_size(c->scope, names);
}

/* ---- if ---- */

/* Whether an expression names a thread's or a lane's number. A compiler, which does not know the parameters, cannot tell that its lanes agree. */
static bool names_lanes(Compiler *c, const AstExpr *e)
{
    if (!e) return false;
    if (e->op == EX_BUILTIN) return e->builtin <= BI_TID_Z || e->builtin == BI_LANEID;
    if (e->op == EX_NAME) {
        const Node *node = compile_bind(c, e);
        return node && node->deps & DEP_LANE;
    }
    return names_lanes(c, e->a) || names_lanes(c, e->b) || names_lanes(c, e->c);
}

static void compile_if(Compiler *c, const AstStmt *s)
{
    const Node *node = compile_bind(c, s->a);
    if (!node) return;
    if (compile_is_short(c, s)) {
        compile_short(c, s, node);
        return;
    }
    Branch branch = {.varies = node->deps & DEP_LANE, .has_else = s->has_else, .line = s->line};
    const int cond = compile_cond(c, node);
    branch.cond = c->conds->pdata[cond];
    const int index = (int)c->branches->len;
    g_array_append_val(c->branches, branch);
    if (branch.varies) need_mask_stack(c, s->line); /* by the text of the condition (docs/accuracy.md, S5) */

    compile_set(c, s->line, c->p->regs + HIDDEN_PREDICATE, -1); /* of no register (docs/accuracy.md, S4) */
    emit_bra(c, s->line, true);
    compile_emit(c, CTL_IF, s->line)->ctl = index;
    const uint32_t start = c->code->len;
    compile_nested(c, s->body);
    uint32_t other = 0;
    if (s->has_else) {
        if (branch.varies) emit_bra(c, s->else_line, false);
        other = c->code->len;
        compile_emit(c, CTL_ELSE, s->else_line)->ctl = index;
        compile_nested(c, s->other);
    }
    const bool joins = c->options->convergence && names_lanes(c, s->a);
    if (branch.varies || joins) emit_bra(c, s->end_line, false)->if_diverged = !joins;
    const uint32_t end = c->code->len - joins; /* who comes from elsewhere is to meet that branch, too */
    compile_emit(c, CTL_ENDIF, s->end_line)->ctl = index;
    Branch *b = &g_array_index(c->branches, Branch, index);
    b->other = s->has_else ? other : end;
    b->end = end;
    b->joins = joins;
    b->longer_else = end - b->other > b->other - start;
    if (branch.varies) c->mask_depth--;
}

/* ---- for, loop ---- */

/* Iterations of a loop whose bounds are at their extremes; saturates. */
int64_t compile_most_trips(const Node *start, const Node *end, const Node *step)
{
    if (step->lo <= 0 && step->hi >= 0) return INT64_MAX;
    const Wide distance = step->lo > 0 ? (Wide)end->hi - start->lo : (Wide)start->hi - end->lo;
    const Wide stride = step->lo > 0 ? step->lo : -(Wide)step->hi;
    return distance < 0 ? 0 : (int64_t)MIN(distance / stride + 1, (Wide)INT64_MAX);
}

static int open_loop(Compiler *c, const AstStmt *s, const Node *start, const Node *end, const Node *step)
{
    const int index = (int)c->loops->len;
    const bool constant = start->op == EX_CONST && end->op == EX_CONST && step->op == EX_CONST;
    const int64_t most = compile_most_trips(start, end, step);
    Loop loop = {.start = start, .end = end, .step = step, .trips = constant ? most : -1, .line = s->line};
    loop.unrolled = s->kind != ST_LOOP;
    loop.varies = (start->deps | end->deps | step->deps) & DEP_LANE;
    loop.steps = g_array_new(FALSE, FALSE, sizeof(SlotStep));
    g_array_append_val(c->loops, loop);
    const bool issues = !loop.unrolled;
    g_array_append_val(c->loop_issues, issues);
    g_ptr_array_add(c->iters, (gpointer)node_iter(c->pool, index, most));
    if (s->name) {
        const Named name = {s->name, node_var(c->pool, index, start, end, step)};
        g_array_append_val(c->scope, name);
    }
    return index;
}

/* Does any instruction of code[from..) issue? */
static bool any_issues(const Compiler *c, uint32_t from)
{
    for (uint32_t i = from; i < c->code->len; i++)
        if (g_array_index(c->code, Insn, i).kind < INSN_ISSUES_N) return true;
    return false;
}

/* Instructions that code[from..to) issues at the least: of an if the shorter part, of a loop inside none. */
static uint32_t least_issues(const Compiler *c, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++) {
        const Insn *insn = &g_array_index(c->code, Insn, i);
        if (insn->kind == CTL_LOOP) {
            i = g_array_index(c->loops, Loop, insn->ctl).exit - 1;
        } else if (insn->kind == CTL_IF) {
            const Branch *b = &g_array_index(c->branches, Branch, insn->ctl);
            if (b->has_else) n += MIN(least_issues(c, i + 1, b->other), least_issues(c, b->other + 1, b->end));
            i = b->end;
        } else {
            n += insn->kind < INSN_ISSUES_N && !insn->if_diverged;
        }
    }
    return n;
}

static void compile_loop(Compiler *c, const AstStmt *s)
{
    const Node *start = compile_bind(c, s->a), *end = compile_bind(c, s->b);
    const Node *step = s->c ? compile_bind(c, s->c) : node_const(c->pool, 1);
    if (!start || !end || !step) return;
    if (step->op == EX_CONST && step->value == 0) {
        faults_add(c->faults, s->c->line, s->c->column, "step = 0: want a step that is not 0");
        return;
    }
    if ((uint64_t)start->weight + step->weight >= NODE_WEIGHT_MAX) { /* a variable of a variable's variable ... */
        faults_add(c->faults, s->line, s->column, "%s: want at most %d operators once every `let` is put in",
                   s->name ? s->name : "repeat", NODE_WEIGHT_MAX);
        return;
    }
    const unsigned names = c->scope->len;
    const uint32_t head = c->code->len;
    const int index = open_loop(c, s, start, end, step);
    const bool varies = g_array_index(c->loops, Loop, index).varies;
    if (varies) need_mask_stack(c, s->line);
    compile_emit(c, CTL_LOOP, s->line)->ctl = index;
    const unsigned counter = s->kind == ST_LOOP ? compile_hidden(c) : 0;
    compile_nested(c, s->body);
    if (s->kind == ST_LOOP) {
        c->hidden--;
        emit_loop_end(c, s->line, counter);
    }
    const Loop *compiled = &g_array_index(c->loops, Loop, index);
    const bool never =
        compiled->unrolled && compiled->trips == 0 && c->hidden; /* in a loop that is entered: each turn would pass it */
    if (never || !any_issues(c, head)) { /* an unrolled loop around nothing is nothing, and so is one without a turn */
        g_array_set_size(c->code, head);
    } else {
        Loop *loop = &g_array_index(c->loops, Loop, index);
        loop->issues = MAX(1, least_issues(c, head + 1, c->code->len));
        compile_emit(c, CTL_NEXT, s->line)->ctl = index;
        loop->body = head + 1;
        loop->exit = c->code->len;
    }
    g_array_set_size(c->scope, names);
    if (varies) c->mask_depth--;
}

/* ---- bodies ---- */

static void compile_let(Compiler *c, const AstStmt *s)
{
    compile_name(c, s->name, s->a);
}

void compile_body(Compiler *c, const GPtrArray *body)
{
    for (unsigned i = 0; i < body->len; i++) {
        const AstStmt *s = body->pdata[i];
        switch (s->kind) {
        case ST_LET: compile_let(c, s); break;
        case ST_FOR:
        case ST_LOOP: compile_loop(c, s); break;
        case ST_IF: compile_if(c, s); break;
        default: compile_insn(c, s);
        }
    }
}
