#include "trace/node.h"

#include "trace/range.h"

struct NodePool {
    GPtrArray *nodes; /* of Node */
    int64_t lo[BI_N], hi[BI_N];
    const Node *builtins[BI_N]; /* one node each, so that linear forms can compare pointers */
    const Table *tables;
};

NodePool *node_pool_new(const int64_t lo[BI_N], const int64_t hi[BI_N])
{
    NodePool *pool = g_new0(NodePool, 1);
    pool->nodes = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < BI_N; i++) {
        pool->lo[i] = lo[i];
        pool->hi[i] = hi[i];
    }
    return pool;
}

void node_pool_free(NodePool *pool)
{
    if (!pool) return;
    g_ptr_array_unref(pool->nodes);
    g_free(pool);
}

void node_pool_set_tables(NodePool *pool, const Table *tables)
{
    pool->tables = tables;
}

static Node *new_node(NodePool *pool, int op, int line, int column)
{
    Node *node = g_new0(Node, 1);
    *node = (Node){.op = (uint8_t)op, .safe = true, .weight = 1, .line = line, .column = column};
    g_ptr_array_add(pool->nodes, node);
    return node;
}

static const Node *new_const(NodePool *pool, int64_t value, int line, int column)
{
    Node *node = new_node(pool, EX_CONST, line, column);
    node->value = node->lo = node->hi = value;
    return node;
}

const Node *node_const(NodePool *pool, int64_t value)
{
    return new_const(pool, value, 0, 0);
}

static uint8_t builtin_deps(Builtin builtin)
{
    switch (builtin) {
    case BI_TID_X:
    case BI_TID_Y:
    case BI_TID_Z: return DEP_LANE | DEP_WARP;
    case BI_LANEID: return DEP_LANE;
    case BI_WARPID: return DEP_WARP;
    case BI_CTAID_X:
    case BI_CTAID_Y:
    case BI_CTAID_Z: return DEP_BLOCK;
    default: return 0;
    }
}

const Node *node_builtin(NodePool *pool, Builtin builtin)
{
    if (pool->builtins[builtin]) return pool->builtins[builtin];
    if (pool->lo[builtin] == pool->hi[builtin]) {
        pool->builtins[builtin] = node_const(pool, pool->lo[builtin]);
        return pool->builtins[builtin];
    }
    Node *node = new_node(pool, EX_BUILTIN, 0, 0);
    node->builtin = (uint8_t)builtin;
    node->deps = builtin_deps(builtin);
    node->lo = pool->lo[builtin];
    node->hi = pool->hi[builtin];
    pool->builtins[builtin] = node;
    return node;
}

const Node *node_var(NodePool *pool, int loop, const Node *start, const Node *end, const Node *step)
{
    Node *node = new_node(pool, ND_VAR, start->line, start->column);
    node->loop = loop;
    node->a = start;
    node->b = step;
    node->deps = (uint8_t)(start->deps | step->deps | DEP_LOOP);
    node->weight = start->weight + step->weight + 1;
    node->lo = INT64_MIN;
    node->hi = INT64_MAX;
    if (step->lo > 0) { /* a variable that is never given a value may claim any range: its body does not run */
        node->lo = start->lo;
        node->hi = MAX(start->lo, end->hi);
    } else if (step->hi < 0) {
        node->lo = MIN(start->hi, end->lo);
        node->hi = start->hi;
    }
    return node;
}

const Node *node_iter(NodePool *pool, int loop, int64_t max_trips)
{
    Node *node = new_node(pool, ND_ITER, 0, 0);
    node->loop = loop;
    node->deps = DEP_LOOP;
    node->hi = MAX(0, max_trips - 1);
    return node;
}

static const Node *bind(NodePool *pool, const AstExpr *e, NodeLookup lookup, void *scope, Faults *faults);

/* A node of its operands, of which all but the range is known; NULL when it is too large. */
static Node *operator_node(NodePool *pool, const AstExpr *e, const Node *a, const Node *b, const Node *c, Faults *faults)
{
    const uint64_t weight = 1 + (uint64_t)a->weight + (b ? b->weight : 0) + (c ? c->weight : 0);
    if (weight > NODE_WEIGHT_MAX) {
        faults_add(faults, e->line, e->column, "expression: want at most %d operators once every `let` is put in",
                   NODE_WEIGHT_MAX);
        return NULL;
    }
    Node *node = new_node(pool, e->op, e->line, e->column);
    node->a = a;
    node->b = b;
    node->c = c;
    node->weight = (uint32_t)weight;
    node->deps = (uint8_t)(a->deps | (b ? b->deps : 0) | (c ? c->deps : 0));
    return node;
}

static const Node *with_range(NodePool *pool, Node *node)
{
    range_infer(node);
    if (node->safe && node->lo == node->hi) return new_const(pool, node->lo, node->line, node->column);
    return node;
}

static const Node *bind_operator(NodePool *pool, const AstExpr *e, const Node *a, const Node *b, const Node *c, Faults *faults)
{
    if (a->op == EX_CONST && (!b || b->op == EX_CONST) && !c && e->op != EX_LAND && e->op != EX_LOR) {
        int64_t value = 0;
        const Arith fault = arith_apply(e->op, a->value, b ? b->value : 0, &value);
        if (fault == ARITH_OK) return new_const(pool, value, e->line, e->column);
        faults_add(faults, e->line, e->column, "expression: %s", arith_text(fault));
        return NULL;
    }
    Node *node = operator_node(pool, e, a, b, c, faults);
    return node ? with_range(pool, node) : NULL;
}

static const Node *bind_table(NodePool *pool, const AstExpr *e, NodeLookup lookup, void *scope, Faults *faults)
{
    const Node *a = bind(pool, e->a, lookup, scope, faults);
    const Node *b = e->b ? bind(pool, e->b, lookup, scope, faults) : NULL;
    const Node *c = e->c ? bind(pool, e->c, lookup, scope, faults) : NULL;
    if (!a || (e->b && !b) || (e->c && !c)) return NULL;
    Node *node = operator_node(pool, e, a, b, c, faults);
    if (!node) return NULL;
    const Table *table = node->table = &pool->tables[e->table->index];
    const bool constant = a->op == EX_CONST && (!b || b->op == EX_CONST) && (!c || c->op == EX_CONST);
    const int64_t at[] = {a->lo, b ? b->lo : 0, c ? c->lo : 0};
    int64_t value;
    if (constant && table_look_up(table, at, &value)) return new_const(pool, value, e->line, e->column);
    return with_range(pool, node);
}

/* && || ?: evaluate their further operands on demand, so a constant first operand decides which are looked at at all. */
static const Node *bind_lazy(NodePool *pool, const AstExpr *e, NodeLookup lookup, void *scope, Faults *faults)
{
    const Node *a = bind(pool, e->a, lookup, scope, faults);
    if (!a) return NULL;
    if (a->op == EX_CONST) {
        if (e->op == EX_COND) return bind(pool, a->value ? e->b : e->c, lookup, scope, faults);
        if ((e->op == EX_LAND) == (a->value == 0)) return new_const(pool, a->value != 0, e->line, e->column);
    }
    const Node *b = bind(pool, e->b, lookup, scope, faults);
    const Node *c = e->op == EX_COND ? bind(pool, e->c, lookup, scope, faults) : NULL;
    if (!b || (e->op == EX_COND && !c)) return NULL;
    if (a->op == EX_CONST && b->op == EX_CONST && !c) return new_const(pool, b->value != 0, e->line, e->column);
    return bind_operator(pool, e, a, b, c, faults);
}

static const Node *bind(NodePool *pool, const AstExpr *e, NodeLookup lookup, void *scope, Faults *faults)
{
    switch (e->op) {
    case EX_CONST: return new_const(pool, e->value, e->line, e->column);
    case EX_BUILTIN: return node_builtin(pool, e->builtin);
    case EX_NAME: {
        const Node *node = lookup(scope, e->name);
        if (!node) faults_add(faults, e->line, e->column, "%s: has no value here", e->name);
        return node;
    }
    case EX_LAND:
    case EX_LOR:
    case EX_COND: return bind_lazy(pool, e, lookup, scope, faults);
    case EX_TABLE: return bind_table(pool, e, lookup, scope, faults);
    default: break;
    }
    const Node *a = bind(pool, e->a, lookup, scope, faults);
    const Node *b = e->b ? bind(pool, e->b, lookup, scope, faults) : NULL;
    if (!a || (e->b && !b)) return NULL;
    return bind_operator(pool, e, a, b, NULL, faults);
}

const Node *node_bind(NodePool *pool, const AstExpr *expr, NodeLookup lookup, void *scope, Faults *faults)
{
    return bind(pool, expr, lookup, scope, faults);
}
