#include "trace/range.h"

__extension__ typedef __int128 Wide; /* holds every sum and product of two 64-bit integers */

typedef struct {
    Wide lo, hi;
    bool safe;
} Range;

static Range span(Wide lo, Wide hi)
{
    return (Range){lo, hi, true};
}

static Range any(bool safe)
{
    return (Range){INT64_MIN, INT64_MAX, safe};
}

static void widen(Range *r, Wide v)
{
    if (v < r->lo) r->lo = v;
    if (v > r->hi) r->hi = v;
}

static Range multiply(const Node *a, const Node *b)
{
    Range r = span((Wide)a->lo * b->lo, (Wide)a->lo * b->lo);
    widen(&r, (Wide)a->lo * b->hi);
    widen(&r, (Wide)a->hi * b->lo);
    widen(&r, (Wide)a->hi * b->hi);
    return r;
}

static Range divide(const Node *a, const Node *b)
{
    if (b->lo <= 0 && b->hi >= 0) return any(false);
    Range r = span((Wide)a->lo / b->lo, (Wide)a->lo / b->lo);
    widen(&r, (Wide)a->lo / b->hi);
    widen(&r, (Wide)a->hi / b->lo);
    widen(&r, (Wide)a->hi / b->hi);
    return r;
}

static Range remainder_of(const Node *a, const Node *b)
{
    if (b->lo <= 0) return any(!(b->lo <= 0 && b->hi >= 0) && a->lo != INT64_MIN);
    if (a->lo >= 0 && a->hi < b->lo) return span(a->lo, a->hi);
    const Wide most = (Wide)b->hi - 1;
    return span(a->lo < 0 ? MAX(-most, (Wide)a->lo) : 0, a->hi > 0 ? MIN(most, (Wide)a->hi) : 0);
}

static Range shift(int op, const Node *a, const Node *b)
{
    if (b->lo < 0 || b->hi > 62) return any(false);
    const Wide least = (Wide)1 << b->lo, most = (Wide)1 << b->hi;
    Range r;
    if (op == EX_SHL) {
        r = span((Wide)a->lo * least, (Wide)a->lo * least);
        widen(&r, (Wide)a->lo * most);
        widen(&r, (Wide)a->hi * least);
        widen(&r, (Wide)a->hi * most);
    } else {
        r = span((Wide)a->lo >> b->lo, (Wide)a->lo >> b->lo);
        widen(&r, (Wide)a->lo >> b->hi);
        widen(&r, (Wide)a->hi >> b->lo);
        widen(&r, (Wide)a->hi >> b->hi);
    }
    return r;
}

static Range bitwise(int op, const Node *a, const Node *b)
{
    if (op == EX_AND) {
        if (a->lo >= 0 && b->lo >= 0) return span(0, MIN(a->hi, b->hi));
        if (a->lo >= 0) return span(0, a->hi);
        if (b->lo >= 0) return span(0, b->hi);
        return any(true);
    }
    if (a->lo < 0 || b->lo < 0) return any(true);
    uint64_t bits = (uint64_t)(a->hi | b->hi);
    for (unsigned s = 1; s < 64; s *= 2)
        bits |= bits >> s;
    return span(0, (Wide)bits);
}

/* 1 or 0 when the ranges decide the comparison, else both. */
static Range compare(int op, const Node *a, const Node *b)
{
    bool can_be[2] = {true, true}; /* false, true */
    switch (op) {
    case EX_LT:
        can_be[1] = a->lo < b->hi;
        can_be[0] = a->hi >= b->lo;
        break;
    case EX_LE:
        can_be[1] = a->lo <= b->hi;
        can_be[0] = a->hi > b->lo;
        break;
    case EX_GT:
        can_be[1] = a->hi > b->lo;
        can_be[0] = a->lo <= b->hi;
        break;
    case EX_GE:
        can_be[1] = a->hi >= b->lo;
        can_be[0] = a->lo < b->hi;
        break;
    default: {
        const bool overlap = a->lo <= b->hi && b->lo <= a->hi;
        const bool single = a->lo == a->hi && b->lo == b->hi && a->lo == b->lo;
        can_be[op == EX_EQ] = overlap;
        can_be[op != EX_EQ] = !single;
    }
    }
    return span(!can_be[0], can_be[1]);
}

/* A value of the table, whatever the index; it can fail unless every index lies inside. */
static Range look_up(const Node *n)
{
    const Node *const indices[] = {n->a, n->b, n->c};
    Range r = span(n->table->min, n->table->max);
    for (unsigned d = 0; d < n->table->n_dims; d++)
        if (indices[d]->lo < 0 || (uint64_t)indices[d]->hi >= n->table->dims[d]) r.safe = false;
    return r;
}

static Range infer(const Node *n)
{
    const Node *a = n->a, *b = n->b, *c = n->c;
    switch (n->op) {
    case EX_NEG: return span(-(Wide)a->hi, -(Wide)a->lo);
    case EX_INV: return span(~(Wide)a->hi, ~(Wide)a->lo);
    case EX_ADD: return span((Wide)a->lo + b->lo, (Wide)a->hi + b->hi);
    case EX_SUB: return span((Wide)a->lo - b->hi, (Wide)a->hi - b->lo);
    case EX_MUL: return multiply(a, b);
    case EX_DIV: return divide(a, b);
    case EX_REM: return remainder_of(a, b);
    case EX_SHL:
    case EX_SHR: return shift(n->op, a, b);
    case EX_AND:
    case EX_OR:
    case EX_XOR: return bitwise(n->op, a, b);
    case EX_MIN: return span(MIN(a->lo, b->lo), MIN(a->hi, b->hi));
    case EX_MAX: return span(MAX(a->lo, b->lo), MAX(a->hi, b->hi));
    case EX_COND: return span(MIN(b->lo, c->lo), MAX(b->hi, c->hi));
    case EX_HASH: return span(0, INT64_MAX);
    case EX_TABLE: return look_up(n);
    case EX_LT:
    case EX_LE:
    case EX_GT:
    case EX_GE:
    case EX_EQ:
    case EX_NE: return compare(n->op, a, b);
    default: return span(0, 1); /* ! && || */
    }
}

void range_infer(Node *node)
{
    Range r = infer(node);
    if (r.lo < INT64_MIN || r.hi > INT64_MAX) r.safe = false;
    /* what does not fail fits in 64 bits */
    node->lo = (int64_t)CLAMP(r.lo, (Wide)INT64_MIN, (Wide)INT64_MAX);
    node->hi = (int64_t)CLAMP(r.hi, (Wide)INT64_MIN, (Wide)INT64_MAX);
    node->safe = r.safe && node->a->safe && (!node->b || node->b->safe) && (!node->c || node->c->safe);
}
