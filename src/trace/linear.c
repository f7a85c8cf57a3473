#include "trace/linear.h"

static int64_t wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrap_mul(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static bool add_term(Linear *to, const Node *atom, int64_t coef)
{
    if (coef == 0) return true;
    for (unsigned i = 0; i < to->n; i++) {
        if (to->terms[i].atom != atom) continue;
        to->terms[i].coef = wrap_add(to->terms[i].coef, coef);
        if (to->terms[i].coef == 0) to->terms[i] = to->terms[--to->n];
        return true;
    }
    if (to->n == LINEAR_TERMS_MAX) return false;
    to->terms[to->n++] = (LinearTerm){atom, coef};
    return true;
}

bool linear_add(Linear *to, const Linear *from, int64_t scale)
{
    to->c = wrap_add(to->c, wrap_mul(from->c, scale));
    for (unsigned i = 0; i < from->n; i++)
        if (!add_term(to, from->terms[i].atom, wrap_mul(from->terms[i].coef, scale))) return false;
    return true;
}

static bool sum(Linear *ret, const Node *a, int64_t scale_a, const Node *b, int64_t scale_b, LinearIter iter, void *loops)
{
    const Linear la = linear_of(a, iter, loops), lb = linear_of(b, iter, loops);
    return linear_add(ret, &la, scale_a) && linear_add(ret, &lb, scale_b);
}

static bool scaled(Linear *ret, const Node *a, int64_t scale, LinearIter iter, void *loops)
{
    const Linear la = linear_of(a, iter, loops);
    return linear_add(ret, &la, scale);
}

static bool take_apart(Linear *ret, const Node *n, LinearIter iter, void *loops)
{
    switch (n->op) {
    case EX_CONST: ret->c = n->value; return true;
    case EX_NEG: return scaled(ret, n->a, -1, iter, loops);
    case EX_ADD: return sum(ret, n->a, 1, n->b, 1, iter, loops);
    case EX_SUB: return sum(ret, n->a, 1, n->b, -1, iter, loops);
    case EX_MUL:
        if (n->a->op == EX_CONST) return scaled(ret, n->b, n->a->value, iter, loops);
        if (n->b->op == EX_CONST) return scaled(ret, n->a, n->b->value, iter, loops);
        return false;
    case EX_SHL:
        if (n->b->op == EX_CONST) return scaled(ret, n->a, (int64_t)(UINT64_C(1) << n->b->value), iter, loops);
        return false;
    case ND_VAR:
        if (!n->a->safe || n->b->op != EX_CONST) return false;
        return scaled(ret, n->a, 1, iter, loops) && add_term(ret, iter(loops, n->loop), n->b->value);
    default: return false;
    }
}

Linear linear_of(const Node *node, LinearIter iter, void *loops)
{
    Linear form = {0};
    if (node->safe && take_apart(&form, node, iter, loops)) return form;
    return (Linear){.n = 1, .terms = {{node, 1}}};
}
