#include "trace/compile-private.h"

static LaneMask nonzero(const int64_t v[LANES])
{
    LaneMask mask = 0;
    for (unsigned i = 0; i < LANES; i++)
        mask |= (LaneMask)(v[i] != 0) << i;
    return mask;
}

static const LaneMask *static_masks(Compiler *c, const Node *node)
{
    LaneMask *masks = compile_own(c, sizeof *masks * c->p->n_warps);
    for (uint32_t w = 0; w < c->p->n_warps; w++) {
        EvalContext x = {.tid = (const int32_t(*)[LANES])c->p->tid[w]};
        x.ids[BI_WARPID] = w;
        EvalFault fault;
        int64_t v[LANES];
        eval_lanes(node, &x, c->p->natural[w], v, &fault); /* the node is safe */
        masks[w] = nonzero(v) & c->p->natural[w];
    }
    return masks;
}

static bool is_compare(int op)
{
    return op >= EX_LT && op <= EX_NE;
}

/* a op b as (a - b) op 0, where the difference is exact. */
static bool compare_as_difference(Compiler *c, const Node *n, Cond *cond)
{
    int64_t least, most;
    if (!is_compare(n->op) || !n->safe || __builtin_sub_overflow(n->a->lo, n->b->hi, &least) ||
        __builtin_sub_overflow(n->a->hi, n->b->lo, &most))
        return false;
    Linear form = compile_linear(c, n->a);
    const Linear b = compile_linear(c, n->b);
    if (!linear_add(&form, &b, -1)) return false;
    cond->kind = COND_COMPARE;
    cond->op = n->op;
    cond->diff = compile_affine(c, &form, false);
    return true;
}

static const Cond *build(Compiler *c, const Node *n)
{
    Cond *cond = compile_own(c, sizeof *cond);
    cond->node = n;
    if (!(n->deps & DEP_LANE)) {
        cond->kind = COND_UNIFORM;
    } else if (n->safe && !(n->deps & (DEP_BLOCK | DEP_LOOP))) {
        cond->kind = COND_STATIC;
        cond->masks = static_masks(c, n);
    } else if (n->op == EX_LAND || n->op == EX_LOR) {
        cond->kind = n->op == EX_LAND ? COND_AND : COND_OR;
        cond->a = build(c, n->a);
        cond->b = build(c, n->b);
    } else if (n->op == EX_NOT) {
        cond->kind = COND_NOT;
        cond->a = build(c, n->a);
    } else if (!compare_as_difference(c, n, cond)) {
        cond->kind = COND_LANES;
    }
    return cond;
}

static int add(Compiler *c, const Cond *cond)
{
    g_ptr_array_add(c->conds, (gpointer)cond);
    return (int)c->conds->len - 1;
}

int compile_cond(Compiler *c, const Node *node)
{
    return add(c, build(c, node));
}

int compile_both(Compiler *c, int a, int b)
{
    if (a < 0 || b < 0) return MAX(a, b);
    Cond *both = compile_own(c, sizeof *both);
    *both = (Cond){.kind = COND_AND, .a = c->conds->pdata[a], .b = c->conds->pdata[b]};
    return add(c, both);
}

int compile_not(Compiler *c, int cond)
{
    Cond *opposite = compile_own(c, sizeof *opposite);
    *opposite = (Cond){.kind = COND_NOT, .a = c->conds->pdata[cond]};
    return add(c, opposite);
}
