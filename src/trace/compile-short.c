/*
 * Short branches: an `if` compiled as predicated code. One `set` computes a predicate and its complement, and every instruction of
 * both parts issues with one of them; there is no `bra`, no entry of the mask stack, and nothing to reconverge.
 *
 * The compiler does so when the branch controls few instructions: at most 7 where the lanes of a warp may disagree, else at most 4
 * (sources A3). What it cannot predicate is a loop, which needs a `bra` of its own, and a barrier, which is for whole warps.
 */
#include "trace/compile-private.h"

enum { SHORT_VARYING = 7, SHORT_UNIFORM = 4 };

const char *const short_branch_names[] = {"branch", "predicate", "auto", NULL};

/* ---- how many instructions a part issues ---- */

enum { LONG = -1 }; /* it holds something that cannot be predicated */

static int64_t count_body(Compiler *c, const GPtrArray *body);

/* A sum or product of counts that saturates. */
static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    return a == LONG || b == LONG ? LONG : __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t product;
    return a == LONG || b == LONG ? LONG : __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* An unrolled loop counts by its turns, which must be known: a compiler unrolls no other. */
static int64_t count_for(Compiler *c, const AstStmt *s)
{
    const Node *start = compile_bind(c, s->a), *end = compile_bind(c, s->b);
    const Node *step = s->c ? compile_bind(c, s->c) : node_const(c->pool, 1);
    if (!start || !end || !step || start->op != EX_CONST || end->op != EX_CONST || step->op != EX_CONST || !step->value)
        return LONG;
    const unsigned names = c->scope->len;
    if (s->name) {
        const Named name = {s->name, node_var(c->pool, (int)c->loops->len, start, end, step)};
        g_array_append_val(c->scope, name);
    }
    const int64_t turn = count_body(c, s->body);
    g_array_set_size(c->scope, names);
    return times(compile_most_trips(start, end, step), turn);
}

/* The instructions that an `if` controls, its own `set` not among them; LONG when it stays a branch. */
static int64_t count_if(Compiler *c, const AstStmt *s)
{
    const Node *node = compile_bind(c, s->a);
    if (!node) return LONG;
    const int64_t n = plus(count_body(c, s->body), s->has_else ? count_body(c, s->other) : 0);
    if (c->options->short_branch == SHORT_BRANCH_PREDICATE) return n;
    return n <= (node->deps & DEP_LANE ? SHORT_VARYING : SHORT_UNIFORM) ? n : LONG;
}

static int64_t count_stmt(Compiler *c, const AstStmt *s)
{
    switch (s->kind) {
    case ST_LET: compile_name(c, s->name, s->a); return 0;
    case ST_IF: return plus(count_if(c, s), 1);
    case ST_FOR: return count_for(c, s);
    case ST_LOOP:
    case ST_BAR: return LONG;
    case ST_ALU: return s->has_mem && !c->options->memory_operands ? 2 : 1;
    default: return 1;
    }
}

static int64_t count_body(Compiler *c, const GPtrArray *body)
{
    const unsigned names = c->scope->len;
    int64_t n = 0;
    for (unsigned i = 0; i < body->len && n != LONG; i++)
        n = plus(n, count_stmt(c, body->pdata[i]));
    g_array_set_size(c->scope, names);
    return n;
}

bool compile_is_short(Compiler *c, const AstStmt *s)
{
    if (c->guard.cond >= 0) return true; /* found short with the `if` around it */
    if (c->options->short_branch == SHORT_BRANCH_NEVER) return false;
    Faults *faults = c->faults;
    g_autoptr(Faults) unsaid = faults_new(NULL); /* what is wrong inside will be said when it is compiled */
    c->faults = unsaid;
    const bool is_short = count_if(c, s) != LONG && faults_count(unsaid) == 0;
    c->faults = faults;
    return is_short;
}

/* ---- predicated code ---- */

/* Every level has a predicate of its own: what follows an inner `if` does not wait for that one's `set`. */
void compile_short(Compiler *c, const AstStmt *s, const Node *node)
{
    const Guard outer = c->guard;
    const int cond = compile_cond(c, node);
    const unsigned reg = compile_hidden(c);
    compile_set(c, s->line, reg, -1);
    c->guard = (Guard){compile_both(c, outer.cond, cond), reg};
    compile_nested(c, s->body);
    if (s->has_else) {
        c->guard.cond = compile_both(c, outer.cond, compile_not(c, cond));
        compile_nested(c, s->other);
    }
    c->guard = outer;
    c->hidden--;
}
