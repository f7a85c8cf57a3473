#include "trace/eval.h"

#include <string.h>

static bool fail(EvalFault *fault, Arith kind, const Node *node, int lane)
{
    *fault = (EvalFault){kind, node, lane};
    return false;
}

static bool fail_index(EvalFault *fault, const Node *node, unsigned which, int64_t index, int lane)
{
    *fault = (EvalFault){ARITH_INDEX, node, lane, which, index};
    return false;
}

static bool uniform_table(const Node *n, const EvalContext *x, int64_t *ret, EvalFault *fault)
{
    const Node *const indices[] = {n->a, n->b, n->c};
    uint64_t at = 0;
    for (unsigned d = 0; d < n->table->n_dims; d++) {
        int64_t index;
        if (!eval_uniform(indices[d], x, &index, fault)) return false;
        if ((uint64_t)index >= n->table->dims[d]) return fail_index(fault, n, d, index, -1);
        at = at * n->table->dims[d] + (uint64_t)index;
    }
    *ret = n->table->values[at];
    return true;
}

static bool uniform_lazy(const Node *n, const EvalContext *x, int64_t *ret, EvalFault *fault)
{
    int64_t a;
    if (!eval_uniform(n->a, x, &a, fault)) return false;
    if (n->op == EX_COND) return eval_uniform(a ? n->b : n->c, x, ret, fault);
    if ((n->op == EX_LAND) == (a == 0)) {
        *ret = a != 0;
        return true;
    }
    if (!eval_uniform(n->b, x, &a, fault)) return false;
    *ret = a != 0;
    return true;
}

static bool uniform_var(const Node *n, const EvalContext *x, int64_t *ret, EvalFault *fault)
{
    int64_t start, step;
    if (!eval_uniform(n->a, x, &start, fault) || !eval_uniform(n->b, x, &step, fault)) return false;
    *ret = (int64_t)((uint64_t)start + (uint64_t)step * (uint64_t)x->iters[n->loop]); /* the product alone may not fit */
    return true;
}

bool eval_uniform(const Node *n, const EvalContext *x, int64_t *ret, EvalFault *fault)
{
    switch (n->op) {
    case EX_CONST: *ret = n->value; return true;
    case EX_BUILTIN: *ret = x->ids[n->builtin]; return true;
    case ND_ITER: *ret = x->iters[n->loop]; return true;
    case ND_VAR: return uniform_var(n, x, ret, fault);
    case EX_LAND:
    case EX_LOR:
    case EX_COND: return uniform_lazy(n, x, ret, fault);
    case EX_TABLE: return uniform_table(n, x, ret, fault);
    default: break;
    }
    int64_t a, b = 0;
    if (!eval_uniform(n->a, x, &a, fault) || (n->b && !eval_uniform(n->b, x, &b, fault))) return false;
    const Arith kind = arith_apply(n->op, a, b, ret);
    return kind == ARITH_OK || fail(fault, kind, n, -1);
}

static void lane_ids(const Node *n, const EvalContext *x, int64_t ret[LANES])
{
    for (int i = 0; i < LANES; i++)
        ret[i] = n->builtin == BI_LANEID ? i : x->tid[n->builtin - BI_TID_X][i];
}

static LaneMask lanes_nonzero(const int64_t v[LANES], LaneMask mask)
{
    LaneMask set = 0;
    for (unsigned i = 0; i < LANES; i++)
        set |= (LaneMask)(v[i] != 0) << i;
    return set & mask;
}

static bool lanes_lazy(const Node *n, const EvalContext *x, LaneMask mask, int64_t ret[LANES], EvalFault *fault)
{
    int64_t v[LANES] = {0};
    if (!eval_lanes(n->a, x, mask, v, fault)) return false;
    const LaneMask yes = lanes_nonzero(v, mask), no = mask & ~yes;
    if (n->op == EX_COND) {
        memset(ret, 0, LANES * sizeof *ret);
        if (yes && !eval_lanes(n->b, x, yes, ret, fault)) return false;
        if (no && !eval_lanes(n->c, x, no, v, fault)) return false;
        for (unsigned i = 0; i < LANES; i++)
            if (no >> i & 1) ret[i] = v[i];
        return true;
    }
    const LaneMask undecided = n->op == EX_LAND ? yes : no;
    LaneMask result = n->op == EX_LAND ? 0 : yes;
    if (undecided) {
        if (!eval_lanes(n->b, x, undecided, v, fault)) return false;
        result |= lanes_nonzero(v, undecided);
    }
    for (unsigned i = 0; i < LANES; i++)
        ret[i] = result >> i & 1;
    return true;
}

static bool lanes_var(const Node *n, const EvalContext *x, LaneMask mask, int64_t ret[LANES], EvalFault *fault)
{
    int64_t step[LANES] = {0};
    if (!eval_lanes(n->a, x, mask, ret, fault) || !eval_lanes(n->b, x, mask, step, fault)) return false;
    const uint64_t iter = (uint64_t)x->iters[n->loop];
    for (unsigned i = 0; i < LANES; i++)
        ret[i] = (int64_t)((uint64_t)ret[i] + (uint64_t)step[i] * iter);
    return true;
}

static bool lanes_table(const Node *n, const EvalContext *x, LaneMask mask, int64_t ret[LANES], EvalFault *fault)
{
    const Node *const indices[] = {n->a, n->b, n->c};
    uint64_t at[LANES] = {0};
    for (unsigned d = 0; d < n->table->n_dims; d++) {
        const uint64_t dim = n->table->dims[d];
        if (!eval_lanes(indices[d], x, mask, ret, fault)) return false;
        for (LaneMask left = mask; left; left &= left - 1) {
            const unsigned i = bits_lowest(left);
            if ((uint64_t)ret[i] >= dim) return fail_index(fault, n, d, ret[i], (int)i);
            at[i] = at[i] * dim + (uint64_t)ret[i];
        }
    }
    for (unsigned i = 0; i < LANES; i++)
        ret[i] = n->table->values[at[i]]; /* of the first one in lanes that are off */
    return true;
}

/* Sums and products of nodes that cannot fail: plain loops that the compiler makes vectors of. */
static bool lanes_fast(int op, int64_t ret[LANES], const int64_t b[LANES])
{
    switch (op) {
    case EX_ADD:
        for (int i = 0; i < LANES; i++)
            ret[i] = (int64_t)((uint64_t)ret[i] + (uint64_t)b[i]);
        return true;
    case EX_SUB:
        for (int i = 0; i < LANES; i++)
            ret[i] = (int64_t)((uint64_t)ret[i] - (uint64_t)b[i]);
        return true;
    case EX_MUL:
        for (int i = 0; i < LANES; i++)
            ret[i] = (int64_t)((uint64_t)ret[i] * (uint64_t)b[i]);
        return true;
    case EX_LT:
        for (int i = 0; i < LANES; i++)
            ret[i] = ret[i] < b[i];
        return true;
    case EX_EQ:
        for (int i = 0; i < LANES; i++)
            ret[i] = ret[i] == b[i];
        return true;
    default: return false;
    }
}

static bool lanes_operator(const Node *n, const EvalContext *x, LaneMask mask, int64_t ret[LANES], EvalFault *fault)
{
    int64_t b[LANES] = {0};
    if (!eval_lanes(n->a, x, mask, ret, fault) || (n->b && !eval_lanes(n->b, x, mask, b, fault))) return false;
    if (n->safe && lanes_fast(n->op, ret, b)) return true;
    for (LaneMask left = mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        const Arith kind = arith_apply(n->op, ret[i], b[i], &ret[i]);
        if (kind != ARITH_OK) return fail(fault, kind, n, (int)i);
    }
    return true;
}

bool eval_lanes(const Node *n, const EvalContext *x, LaneMask mask, int64_t ret[LANES], EvalFault *fault)
{
    if (!(n->deps & DEP_LANE)) {
        int64_t value;
        if (!eval_uniform(n, x, &value, fault)) return false;
        for (int i = 0; i < LANES; i++)
            ret[i] = value;
        return true;
    }
    switch (n->op) {
    case EX_BUILTIN: lane_ids(n, x, ret); return true;
    case ND_VAR: return lanes_var(n, x, mask, ret, fault);
    case EX_LAND:
    case EX_LOR:
    case EX_COND: return lanes_lazy(n, x, mask, ret, fault);
    case EX_TABLE: return lanes_table(n, x, mask, ret, fault);
    default: return lanes_operator(n, x, mask, ret, fault);
    }
}
