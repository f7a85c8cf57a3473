#pragma once
/*
 * Expressions of the trace language worked out lane by lane, straight from the words of the language: 64-bit signed integers, C's
 * operators, division truncates, overflow, division by zero and shifts by a count outside 0..63 are errors, `&& || ?:` look at their
 * further operands on demand. It shares nothing with the simulator but the tree of the expression.
 */
#include <glib.h>

#include "trace/ast.h"

__extension__ typedef __int128 RefWide;

typedef struct {
    int64_t ids[BI_N];
    /* The value of a name; false: *why says what went wrong. */
    bool (*name)(void *user, const char *name, int64_t *ret);
    void *user;
    const AstExpr *at; /* set by a fault: the operator */
    const char *why;   /* and what was wrong with it */
} RefLane;

static bool ref_fail(RefLane *lane, const AstExpr *e, const char *why)
{
    lane->at = e;
    lane->why = why;
    return false;
}

static int64_t ref_hash(int64_t x)
{
    uint64_t z = (uint64_t)x + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (int64_t)((z ^ z >> 31) & INT64_MAX); /* the top bit cleared */
}

/* a op b where no operand can be at fault. */
static RefWide ref_plain(ExprOp op, RefWide a, RefWide b)
{
    switch (op) {
    case EX_NEG: return -a;
    case EX_NOT: return a == 0;
    case EX_INV: return -a - 1;
    case EX_MUL: return a * b;
    case EX_ADD: return a + b;
    case EX_SUB: return a - b;
    case EX_LT: return a < b;
    case EX_LE: return a <= b;
    case EX_GT: return a > b;
    case EX_GE: return a >= b;
    case EX_EQ: return a == b;
    case EX_NE: return a != b;
    case EX_AND: return (int64_t)a & (int64_t)b;
    case EX_XOR: return (int64_t)a ^ (int64_t)b;
    case EX_OR: return (int64_t)a | (int64_t)b;
    case EX_MIN: return a < b ? a : b;
    case EX_MAX: return a > b ? a : b;
    default: return ref_hash((int64_t)a);
    }
}

/* a / 2^b, rounded down. */
static RefWide ref_shift_right(RefWide a, RefWide b)
{
    for (; b > 0; b--)
        a = a >= 0 ? a / 2 : (a - 1) / 2;
    return a;
}

static bool ref_binary(RefLane *lane, const AstExpr *e, RefWide a, RefWide b, RefWide *ret)
{
    switch (e->op) {
    case EX_DIV:
    case EX_REM:
        if (b == 0) return ref_fail(lane, e, "division by zero");
        *ret = a / b; /* a remainder whose quotient overflows is an overflow */
        if (*ret > INT64_MAX) return ref_fail(lane, e, "overflow of 64 bits");
        if (e->op == EX_REM) *ret = a - *ret * b;
        return true;
    case EX_SHL:
    case EX_SHR:
        if (b < 0 || b > 63) return ref_fail(lane, e, "shift by a count outside 0..63");
        *ret = e->op == EX_SHR ? ref_shift_right(a, b) : a * ((RefWide)1 << b);
        return true;
    default: *ret = ref_plain(e->op, a, b); return true;
    }
}

static bool ref_eval(RefLane *lane, const AstExpr *e, int64_t *ret)
{
    int64_t a = 0, b = 0;
    RefWide wide = 0;
    switch (e->op) {
    case EX_CONST: *ret = e->value; return true;
    case EX_BUILTIN: *ret = lane->ids[e->builtin]; return true;
    case EX_NAME: return lane->name(lane->user, e->name, ret);
    case EX_COND:
        if (!ref_eval(lane, e->a, &a)) return false;
        return ref_eval(lane, a != 0 ? e->b : e->c, ret);
    case EX_LAND:
    case EX_LOR:
        if (!ref_eval(lane, e->a, &a)) return false;
        if ((a != 0) == (e->op == EX_LAND) && !ref_eval(lane, e->b, &a)) return false;
        *ret = a != 0;
        return true;
    default: break;
    }
    if (!ref_eval(lane, e->a, &a) || (e->b && !ref_eval(lane, e->b, &b))) return false;
    if (!ref_binary(lane, e, a, b, &wide)) return false;
    if (wide < INT64_MIN || wide > INT64_MAX) return ref_fail(lane, e, "overflow of 64 bits");
    *ret = (int64_t)wide;
    return true;
}
