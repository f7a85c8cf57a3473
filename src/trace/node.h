#pragma once
/*
 * Bound expressions: an AstExpr in which every parameter has become its value. A node is a pure function of the hardware's
 * identities (tid, ctaid, ...) and of the iteration counts of the loops around it. With each node goes what can be known before
 * anything runs: what it depends on, the range of its value, and whether evaluating it can fail at all. Where it cannot, sums are
 * taken apart into linear forms (linear.h) and array bounds need no check while the kernel runs.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/faults.h"
#include "trace/table.h"

/* Node kinds beyond ExprOp's. EX_NAME does not occur in nodes. */
enum {
    ND_VAR = EX_TABLE + 1, /* a loop variable: start + step * iteration; `loop` */
    ND_ITER,               /* the iteration count of a loop, from 0; `loop` */
};

/* What a value varies with. */
enum {
    DEP_LANE = 1,  /* differs between the lanes of a warp */
    DEP_WARP = 2,  /* differs between the warps of a block */
    DEP_BLOCK = 4, /* differs between blocks */
    DEP_LOOP = 8,  /* differs between iterations of a loop */
};

typedef struct Node Node;
struct Node {
    uint8_t op;   /* ExprOp or ND_* */
    uint8_t deps; /* DEP_* */
    bool safe;    /* evaluating it cannot fail */
    uint8_t builtin;
    int loop;        /* ND_VAR, ND_ITER: index into the loops of the program */
    int64_t value;   /* EX_CONST */
    int64_t lo, hi;  /* every value it yields lies in lo..hi */
    uint32_t weight; /* nodes of the tree below, shared ones counted each time */
    int line, column;
    const Node *a, *b, *c; /* ND_VAR: a = start, b = step. EX_TABLE: the indices */
    const Table *table;
};

enum { NODE_WEIGHT_MAX = 2000 }; /* bounds the time and the stack of one evaluation */

typedef struct NodePool NodePool; /* owns nodes */

/* ranges: lo..hi of each Builtin, for the launch at hand. */
NodePool *node_pool_new(const int64_t lo[BI_N], const int64_t hi[BI_N]);
void node_pool_free(NodePool *pool);

/* The tables that expressions look up, by their AstTable.index; they must outlive the nodes. Without them none may occur. */
void node_pool_set_tables(NodePool *pool, const Table *tables);

/* Value of a name in scope; NULL when it is unknown there. */
typedef const Node *(*NodeLookup)(void *scope, const char *name);

/* Binds an expression. Constant parts are evaluated; a fault in them (division by zero, overflow) goes to `faults` and NULL is
 * returned. An index outside its table is none before it is looked up: like one outside its array, it may never be. */
const Node *node_bind(NodePool *pool, const AstExpr *expr, NodeLookup lookup, void *scope, Faults *faults);

const Node *node_const(NodePool *pool, int64_t value);
const Node *node_builtin(NodePool *pool, Builtin builtin);

/* The variable of loop number `loop`, with the values it can take; and that loop's iteration count. */
const Node *node_var(NodePool *pool, int loop, const Node *start, const Node *end, const Node *step);
const Node *node_iter(NodePool *pool, int loop, int64_t max_trips);

/* ---- arithmetic of the language, shared by folding and evaluation ---- */

typedef enum {
    ARITH_OK,
    ARITH_OVERFLOW,
    ARITH_DIV_ZERO,
    ARITH_SHIFT,
    ARITH_INDEX, /* of a table: not from arith_apply */
} Arith;

/* a op b for a unary, binary, min, max or hash operator; not for && || ?: whose operands are evaluated on demand. */
Arith arith_apply(int op, int64_t a, int64_t b, int64_t *ret);

/* "division by zero" ... */
const char *arith_text(Arith fault);

/* The 64-bit mixer behind hash(): splitmix64's finalizer of x, top bit cleared. The same on every machine, for ever. */
int64_t arith_hash(int64_t x);
