#include "trace/node.h"

int64_t arith_hash(int64_t x)
{
    /* Constants of the splitmix64 finalizer (Steele, Lea, Flood, OOPSLA 2014). */
    uint64_t z = (uint64_t)x + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int64_t)((z ^ (z >> 31)) & INT64_MAX);
}

static Arith divide(int op, int64_t a, int64_t b, int64_t *ret)
{
    if (b == 0) return ARITH_DIV_ZERO;
    if (a == INT64_MIN && b == -1) return ARITH_OVERFLOW;
    *ret = op == EX_DIV ? a / b : a % b;
    return ARITH_OK;
}

static Arith shift(int op, int64_t a, int64_t b, int64_t *ret)
{
    if (b < 0 || b > 63) return ARITH_SHIFT;
    if (op == EX_SHR) {
        *ret = a >> b;
        return ARITH_OK;
    }
    const int64_t r = (int64_t)((uint64_t)a << b);
    if (r >> b != a) return ARITH_OVERFLOW;
    *ret = r;
    return ARITH_OK;
}

Arith arith_apply(int op, int64_t a, int64_t b, int64_t *ret)
{
    switch (op) {
    case EX_NEG: return __builtin_sub_overflow(INT64_C(0), a, ret) ? ARITH_OVERFLOW : ARITH_OK;
    case EX_ADD: return __builtin_add_overflow(a, b, ret) ? ARITH_OVERFLOW : ARITH_OK;
    case EX_SUB: return __builtin_sub_overflow(a, b, ret) ? ARITH_OVERFLOW : ARITH_OK;
    case EX_MUL: return __builtin_mul_overflow(a, b, ret) ? ARITH_OVERFLOW : ARITH_OK;
    case EX_DIV:
    case EX_REM: return divide(op, a, b, ret);
    case EX_SHL:
    case EX_SHR: return shift(op, a, b, ret);
    case EX_NOT: *ret = !a; break;
    case EX_INV: *ret = ~a; break;
    case EX_LT: *ret = a < b; break;
    case EX_LE: *ret = a <= b; break;
    case EX_GT: *ret = a > b; break;
    case EX_GE: *ret = a >= b; break;
    case EX_EQ: *ret = a == b; break;
    case EX_NE: *ret = a != b; break;
    case EX_AND: *ret = a & b; break;
    case EX_XOR: *ret = a ^ b; break;
    case EX_OR: *ret = a | b; break;
    case EX_MIN: *ret = a < b ? a : b; break;
    case EX_MAX: *ret = a > b ? a : b; break;
    case EX_HASH: *ret = arith_hash(a); break;
    }
    return ARITH_OK;
}

const char *arith_text(Arith fault)
{
    switch (fault) {
    case ARITH_OVERFLOW: return "overflow of 64 bits";
    case ARITH_DIV_ZERO: return "division by zero";
    case ARITH_SHIFT: return "shift by a count outside 0..63";
    case ARITH_INDEX: return "index outside its table";
    case ARITH_OK: break;
    }
    return "no fault";
}
