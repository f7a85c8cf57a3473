/*
 * What is known of a node before anything runs must hold whenever it is evaluated: random trees over atoms of random ranges, evaluated
 * at random points, against the plain reading of the expression.
 */
#include <string.h>

#include "expr-reference.h"
#include "holds.h"
#include "random.h"
#include "trace/eval.h"
#include "trace/linear.h"
#include "unit.h"

enum { TREES = 20000, POINTS = 12, EXPRS_MAX = 4000, LOOPS = 2 };

typedef struct {
    uint64_t seed;
    int64_t lo[BI_N], hi[BI_N];
    NodePool *pool;
    AstExpr exprs[EXPRS_MAX]; /* of one tree */
    unsigned n_exprs;
    /* loops i0 and i1; the second starts where it likes, the first inside it */
    const AstExpr *start[LOOPS], *end[LOOPS], *step[LOOPS];
    const Node *var[LOOPS], *iter[LOOPS];
    int64_t iters[LOOPS], value[LOOPS];
    RefLane lane;
    int32_t tid[3][LANES];
} World;

static uint64_t pick(World *w, uint64_t n)
{
    return random_below(&w->seed, n);
}

/* ---- random trees ---- */

static int64_t number(World *w)
{
    static const int64_t ODD[] = {INT64_MAX,        INT64_MIN,           INT64_MIN + 1,   0, -1, 1, 62, 63, 64,
                                  INT64_C(1) << 62, -(INT64_C(1) << 62), INT64_C(1) << 32};
    const uint64_t kind = pick(w, 10);
    if (kind == 0) return ODD[pick(w, G_N_ELEMENTS(ODD))];
    if (kind == 1) return (int64_t)random_next(&w->seed) >> pick(w, 64);
    return (int64_t)pick(w, 21) - 6;
}

static AstExpr *new_expr(World *w, ExprOp op)
{
    HOLDS(w->n_exprs < EXPRS_MAX);
    AstExpr *e = &w->exprs[w->n_exprs++];
    *e = (AstExpr){.op = op, .line = 1, .column = (int)w->n_exprs};
    return e;
}

static const AstExpr *atom(World *w, bool uniform)
{
    static const char *const VARS[LOOPS] = {"i0", "i1"};
    const uint64_t kind = pick(w, 10);
    AstExpr *e = new_expr(w, kind < 3 ? EX_CONST : kind < 5 ? EX_NAME : EX_BUILTIN);
    e->value = number(w);
    e->name = VARS[pick(w, LOOPS)];
    e->builtin = (Builtin)pick(w, BI_N);
    if (uniform && (e->builtin <= BI_TID_Z || e->builtin == BI_LANEID)) e->builtin = BI_CTAID_X;
    return e;
}

static const AstExpr *tree(World *w, unsigned depth, bool uniform)
{
    if (depth == 0 || pick(w, 6) == 0) return atom(w, uniform);
    const ExprOp op = pick(w, 3) ? EX_MUL + (ExprOp)pick(w, EX_LOR - EX_MUL + 1) : EX_NEG + (ExprOp)pick(w, EX_HASH - EX_NEG + 1);
    AstExpr *e = new_expr(w, op);
    e->a = tree(w, depth - 1, uniform);
    if (op >= EX_MUL && op <= EX_MAX) e->b = tree(w, depth - 1, uniform);
    if (op == EX_COND) e->c = tree(w, depth - 1, uniform);
    return e;
}

/* Sums, and products with constants, of atoms: what linear forms take apart. */
static const AstExpr *sum(World *w, unsigned depth, bool uniform)
{
    static const ExprOp OPS[] = {EX_ADD, EX_SUB, EX_MUL, EX_SHL, EX_NEG};
    if (depth == 0) return atom(w, uniform);
    AstExpr *e = new_expr(w, OPS[pick(w, G_N_ELEMENTS(OPS))]);
    e->a = sum(w, depth - 1, uniform);
    if (e->op == EX_ADD || e->op == EX_SUB) e->b = sum(w, depth - 1, uniform);
    if (e->op != EX_MUL && e->op != EX_SHL) return e;
    AstExpr *factor = new_expr(w, EX_CONST);
    factor->value = e->op == EX_SHL ? (int64_t)pick(w, 5) : number(w);
    e->b = factor;
    return e;
}

/* ---- names ---- */

static const Node *look_up(void *world, const char *name)
{
    return ((World *)world)->var[name[1] - '0'];
}

static const Node *iter_of(void *world, int loop)
{
    return ((World *)world)->iter[loop];
}

static bool value_of_name(void *world, const char *name, int64_t *ret)
{
    *ret = ((World *)world)->value[name[1] - '0'];
    return true;
}

/* ---- worlds and points ---- */

static void random_ranges(World *w)
{
    for (int i = 0; i < BI_N; i++) {
        const int64_t a = number(w), b = pick(w, 4) ? number(w) : a;
        w->lo[i] = MIN(a, b);
        w->hi[i] = MAX(a, b);
    }
    for (int d = 0; d < 3; d++) {
        w->lo[BI_TID_X + d] = 0;
        w->hi[BI_TID_X + d] = (int64_t)pick(w, 1024);
    }
    w->lo[BI_LANEID] = 0;
    w->hi[BI_LANEID] = LANES - 1;
}

/* Loop k: its bounds are trees; the variable of a loop that cannot be bound stands still. */
static void random_loop(World *w, int k)
{
    w->start[k] = pick(w, 2) ? tree(w, 1, true) : new_expr(w, EX_CONST);
    w->end[k] = tree(w, 1, true);
    AstExpr *step = new_expr(w, EX_CONST);
    step->value = pick(w, 3) ? 1 : number(w);
    w->step[k] = pick(w, 4) ? step : tree(w, 1, true);
    Faults *faults = faults_new("f");
    const Node *n[] = {node_bind(w->pool, w->start[k], look_up, w, faults), node_bind(w->pool, w->end[k], look_up, w, faults),
                       node_bind(w->pool, w->step[k], look_up, w, faults)};
    if (faults_count(faults)) {
        w->start[k] = w->end[k] = w->step[k] = NULL;
        n[0] = n[1] = node_const(w->pool, 0);
        n[2] = node_const(w->pool, 1);
    }
    w->iter[k] = node_iter(w->pool, k, INT64_MAX);
    w->var[k] = node_var(w->pool, k, n[0], n[1], n[2]);
    faults_free(faults);
}

static void random_world(World *w)
{
    w->n_exprs = 0;
    random_ranges(w);
    w->pool = node_pool_new(w->lo, w->hi);
    for (int k = 0; k < LOOPS; k++)
        w->var[k] = node_const(w->pool, 0);
    for (int k = 0; k < LOOPS; k++)
        random_loop(w, k);
}

static int64_t point_in(World *w, int64_t lo, int64_t hi)
{
    const uint64_t span = (uint64_t)hi - (uint64_t)lo, kind = pick(w, 4);
    if (kind == 0) return lo;
    if (kind == 1) return hi;
    return (int64_t)((uint64_t)lo + (span == UINT64_MAX ? random_next(&w->seed) : pick(w, span + 1)));
}

/* An iteration that loop k makes; false when it makes none. */
static bool random_iteration(World *w, int k)
{
    int64_t start = 0, end = 0, step = 1;
    if (w->start[k] && (!ref_eval(&w->lane, w->start[k], &start) || !ref_eval(&w->lane, w->end[k], &end) ||
                        !ref_eval(&w->lane, w->step[k], &step)))
        return false;
    if (step == 0 || (step > 0 ? start > end : start < end)) return false;
    const RefWide way = step > 0 ? (RefWide)end - start : (RefWide)start - end, stride = step > 0 ? step : -(RefWide)step;
    const RefWide most = way / stride;
    w->iters[k] = point_in(w, 0, (int64_t)(most > INT64_MAX ? INT64_MAX : most));
    w->value[k] = (int64_t)(start + (RefWide)step * w->iters[k]);
    return true;
}

/* Identities and iterations; false when a loop does not run at them. */
static bool random_point(World *w)
{
    w->lane = (RefLane){.name = value_of_name, .user = w};
    memset(w->value, 0, sizeof w->value);
    for (int i = 0; i < BI_N; i++)
        w->lane.ids[i] = point_in(w, w->lo[i], w->hi[i]);
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < LANES; i++)
            w->tid[d][i] = (int32_t)point_in(w, 0, w->hi[BI_TID_X + d]);
    for (int k = 0; k < LOOPS; k++)
        if (!random_iteration(w, k)) return false;
    return true;
}

/* ---- checks ---- */

static EvalContext context_of(const World *w)
{
    EvalContext x = {.tid = (const int32_t(*)[LANES])w->tid, .iters = w->iters};
    memcpy(x.ids, w->lane.ids, sizeof x.ids);
    return x;
}

/* Every node of the tree: inside its range, good when safe, equal to its linear form. */
static void check_node(World *w, const Node *n, const EvalContext *x)
{
    int64_t value;
    EvalFault fault;
    const bool good = eval_uniform(n, x, &value, &fault);
    HOLDS(good || !n->safe);
    if (good) {
        if (value < n->lo || value > n->hi)
            ck_abort_msg("op %d: %" G_GINT64_FORMAT " not in %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, n->op, value, n->lo,
                         n->hi);
        const Linear form = linear_of(n, iter_of, w);
        uint64_t total = (uint64_t)form.c;
        for (unsigned i = 0; i < form.n; i++) {
            int64_t v = 0;
            HOLDS(form.terms[i].coef != 0);
            HOLDS(eval_uniform(form.terms[i].atom, x, &v, &fault));
            total += (uint64_t)v * (uint64_t)form.terms[i].coef;
        }
        HOLDS((int64_t)total == value);
    }
    if (n->op == ND_VAR) return;
    if (n->a && n->op != ND_ITER) check_node(w, n->a, x);
    if (n->b) check_node(w, n->b, x);
    if (n->c) check_node(w, n->c, x);
}

static void check_uniform(World *w, const AstExpr *e, const Node *n)
{
    const EvalContext x = context_of(w);
    int64_t want, have;
    EvalFault fault = {0};
    const bool good = ref_eval(&w->lane, e, &want);
    HOLDS(eval_uniform(n, &x, &have, &fault) == good);
    if (good) {
        HOLDS(have == want);
        check_node(w, n, &x);
    } else {
        ck_assert_str_eq(arith_text(fault.kind), w->lane.why);
        HOLDS(fault.node->column == w->lane.at->column);
    }
}

static void check_lanes(World *w, const AstExpr *e, const Node *n)
{
    const EvalContext x = context_of(w);
    LaneMask mask = (LaneMask)random_next(&w->seed), failing = 0;
    int64_t have[LANES] = {0}, want[LANES] = {0};
    EvalFault fault;
    if (!mask) return;
    for (int i = 0; i < LANES; i++) {
        for (int d = 0; d < 3; d++)
            w->lane.ids[BI_TID_X + d] = w->tid[d][i];
        w->lane.ids[BI_LANEID] = i;
        if (mask >> i & 1 && !ref_eval(&w->lane, e, &want[i])) failing |= (LaneMask)1 << i;
    }
    const bool good = eval_lanes(n, &x, mask, have, &fault);
    HOLDS(good == (failing == 0));
    if (!good) {
        HOLDS(fault.lane < 0 || failing >> fault.lane & 1);
        HOLDS(!n->safe);
    }
    for (int i = 0; good && i < LANES; i++)
        if (mask >> i & 1) {
            HOLDS(have[i] == want[i]);
            HOLDS(have[i] >= n->lo && have[i] <= n->hi);
        }
}

typedef void (*Check)(World *w, const AstExpr *e, const Node *n);
typedef const AstExpr *(*Maker)(World *w, unsigned depth, bool uniform);

/* Runs a check over many trees; returns at how many points it ran with a node that is safe. */
static unsigned over_trees(uint64_t seed, unsigned trees, Maker make, bool uniform, Check check)
{
    World *w = g_new0(World, 1);
    unsigned safe = 0;
    w->seed = seed;
    for (unsigned i = 0; i < trees; i++) {
        random_world(w);
        Faults *faults = faults_new("f");
        const AstExpr *e = make(w, 1 + (unsigned)pick(w, 4), uniform);
        const Node *n = node_bind(w->pool, e, look_up, w, faults);
        for (unsigned k = 0; n && k < POINTS; k++) {
            if (!random_point(w)) continue;
            check(w, e, n);
            safe += n->safe && n->op != EX_CONST;
        }
        HOLDS((n == NULL) == (faults_count(faults) > 0));
        faults_free(faults);
        node_pool_free(w->pool);
    }
    g_free(w);
    return safe;
}

START_TEST(ranges_hold_for_any_tree)
{
    ck_assert_uint_gt(over_trees(11, TREES, tree, true, check_uniform), TREES);
}
END_TEST

START_TEST(ranges_and_linear_forms_hold_for_sums)
{
    ck_assert_uint_gt(over_trees(12, TREES, sum, true, check_uniform), TREES);
}
END_TEST

START_TEST(lanes_are_evaluated_as_each_alone)
{
    ck_assert_uint_gt(over_trees(13, TREES / 3, tree, false, check_lanes), TREES / 3);
}
END_TEST

/* With every atom a constant, binding is evaluation. */
START_TEST(folding_equals_evaluation)
{
    World *w = g_new0(World, 1);
    const Node *folded;
    w->seed = 14;
    for (unsigned i = 0; i < 4 * TREES; i++) {
        w->n_exprs = 0;
        for (int k = 0; k < BI_N; k++)
            w->lo[k] = w->hi[k] = number(w);
        memcpy(w->lane.ids, w->lo, sizeof w->lo);
        w->lane.name = value_of_name;
        w->lane.user = w;
        w->pool = node_pool_new(w->lo, w->hi);
        for (int k = 0; k < LOOPS; k++)
            w->var[k] = node_const(w->pool, w->value[k] = number(w));
        Faults *faults = faults_new("f");
        const AstExpr *e = tree(w, 4, false);
        int64_t want = 0;
        const bool good = ref_eval(&w->lane, e, &want);
        folded = node_bind(w->pool, e, look_up, w, faults);
        HOLDS((folded != NULL) == good);
        if (folded) HOLDS(folded->op == EX_CONST);
        if (folded) HOLDS(folded->value == want);
        faults_free(faults);
        node_pool_free(w->pool);
    }
    g_free(w);
}
END_TEST

/* splitmix64's first output of seed 0, top bit cleared; and two more points of the same function. */
START_TEST(hash_is_splitmix64_for_ever)
{
    ck_assert_int_eq(arith_hash(0), INT64_C(0x6220A8397B1DCDAF));
    ck_assert_int_eq(arith_hash((int64_t)UINT64_C(0x9e3779b97f4a7c15)), INT64_C(0x6E789E6AA1B965F4));
    ck_assert_int_eq(arith_hash((int64_t)(2 * UINT64_C(0x9e3779b97f4a7c15))), INT64_C(0x06C45D188009454F));
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, ranges_hold_for_any_tree);
    tcase_add_test(tcase, ranges_and_linear_forms_hold_for_sums);
    tcase_add_test(tcase, lanes_are_evaluated_as_each_alone);
    tcase_add_test(tcase, folding_equals_evaluation);
    tcase_add_test(tcase, hash_is_splitmix64_for_ever);
}

int main(void)
{
    return unit_main("range", add);
}
