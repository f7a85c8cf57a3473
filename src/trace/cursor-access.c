#include <string.h>

#include "trace/cursor-private.h"

bool affine_uniform(Cursor *c, const Affine *affine, int64_t *ret)
{
    uint64_t sum = (uint64_t)c->slots[affine->slot];
    if (affine->lanes) sum += (uint64_t)affine->lanes[c->warp].base;
    for (unsigned i = 0; i < affine->n_uniform; i++) {
        int64_t value;
        EvalFault fault;
        if (!eval_uniform(affine->uniform[i].node, &c->context, &value, &fault)) return cursor_arith_fault(c, &fault);
        sum += (uint64_t)value * (uint64_t)affine->uniform[i].coef;
    }
    *ret = (int64_t)sum;
    return true;
}

bool affine_varying(Cursor *c, const Affine *affine, LaneMask mask, int64_t sum[LANES])
{
    for (unsigned t = 0; t < affine->n_varying; t++) {
        int64_t v[LANES];
        EvalFault fault;
        if (!eval_lanes(affine->varying[t].node, &c->context, mask, v, &fault)) return cursor_arith_fault(c, &fault);
        const uint64_t coef = (uint64_t)affine->varying[t].coef;
        for (LaneMask left = mask; left; left &= left - 1) {
            const unsigned i = bits_lowest(left);
            sum[i] = (int64_t)((uint64_t)sum[i] + (uint64_t)v[i] * coef);
        }
    }
    return true;
}

/* Offsets of the lanes against the uniform part. */
static bool lane_offsets(Cursor *c, const Affine *affine, LaneMask mask, int64_t ret[LANES])
{
    if (affine->lanes)
        memcpy(ret, affine->lanes[c->warp].pattern->offset, sizeof(int64_t) * LANES);
    else
        memset(ret, 0, sizeof(int64_t) * LANES);
    return affine_varying(c, affine, mask, ret);
}

static bool index_fault(Cursor *c, const Access *access, const BoundCheck *check, unsigned lane, int64_t index)
{
    cursor_fail(c, G80SIM_ERROR_TRACE, c->insn->line, (int)lane,
                "%s: index %u = %" G_GINT64_FORMAT ": want 0..%" G_GUINT64_FORMAT, access->place->array->name, check->which + 1,
                index, check->dim - 1);
    return false;
}

static bool check_bounds(Cursor *c, const Access *access, const BoundCheck *check, LaneMask mask)
{
    int64_t base;
    if (!affine_uniform(c, &check->index, &base)) return false;
    if (!check->index.n_varying) { /* all lanes inside, seen from the extremes */
        const int64_t span = check->index.lanes ? check->index.lanes[c->warp].pattern->span : 0;
        int64_t most;
        if (base >= 0 && !__builtin_add_overflow(base, span, &most) && (uint64_t)most < check->dim) return true;
    }
    int64_t index[LANES];
    if (!lane_offsets(c, &check->index, mask, index)) return false;
    for (LaneMask left = mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        const int64_t value = (int64_t)((uint64_t)base + (uint64_t)index[i]);
        if (value < 0 || (uint64_t)value >= check->dim) return index_fault(c, access, check, i, value);
    }
    return true;
}

bool cursor_access(Cursor *c, LaneMask mask, AccessLanes *ret)
{
    const Access *access = &c->program->accesses[c->insn->access];
    for (unsigned i = 0; i < access->n_checks; i++)
        if (!check_bounds(c, access, &access->checks[i], mask)) return false;
    const Affine *address = &access->address;
    if (!affine_uniform(c, address, &ret->base)) return false;
    ret->mask = mask;
    if (!address->n_varying) {
        const Pattern *pattern = address->lanes[c->warp].pattern;
        ret->pattern = pattern->id;
        ret->offset = pattern->offset;
        return true;
    }
    ret->pattern = PATTERN_NONE;
    ret->offset = ret->scratch;
    return lane_offsets(c, address, mask, ret->scratch);
}

/* ---- conditions ---- */

static bool holds(int op, int64_t d)
{
    switch (op) {
    case EX_LT: return d < 0;
    case EX_LE: return d <= 0;
    case EX_GT: return d > 0;
    case EX_GE: return d >= 0;
    case EX_EQ: return d == 0;
    default: return d != 0;
    }
}

static bool compare_lanes(Cursor *c, const Cond *cond, LaneMask mask, LaneMask *ret)
{
    int64_t base;
    if (!affine_uniform(c, &cond->diff, &base)) return false;
    int64_t d[LANES];
    if (!lane_offsets(c, &cond->diff, mask, d)) return false;
    LaneMask yes = 0;
    for (unsigned i = 0; i < LANES; i++)
        yes |= (LaneMask)holds(cond->op, (int64_t)((uint64_t)base + (uint64_t)d[i])) << i;
    *ret = yes & mask;
    return true;
}

static bool general_lanes(Cursor *c, const Cond *cond, LaneMask mask, LaneMask *ret)
{
    int64_t v[LANES];
    EvalFault fault;
    if (!eval_lanes(cond->node, &c->context, mask, v, &fault)) return cursor_arith_fault(c, &fault);
    LaneMask yes = 0;
    for (LaneMask left = mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        yes |= (LaneMask)(v[i] != 0) << i;
    }
    *ret = yes;
    return true;
}

static bool uniform_lanes(Cursor *c, const Cond *cond, LaneMask mask, LaneMask *ret)
{
    int64_t value;
    EvalFault fault;
    if (!eval_uniform(cond->node, &c->context, &value, &fault)) return cursor_arith_fault(c, &fault);
    *ret = value ? mask : 0;
    return true;
}

/* && and ||: the second operand is asked only of the lanes that the first leaves open. */
static bool lazy_lanes(Cursor *c, const Cond *cond, LaneMask mask, LaneMask *ret)
{
    LaneMask first, second = 0;
    if (!cond_lanes(c, cond->a, mask, &first)) return false;
    const LaneMask open = cond->kind == COND_AND ? first : mask & ~first;
    if (open && !cond_lanes(c, cond->b, open, &second)) return false;
    *ret = cond->kind == COND_AND ? second : first | second;
    return true;
}

bool cond_lanes(Cursor *c, const Cond *cond, LaneMask mask, LaneMask *ret)
{
    switch (cond->kind) {
    case COND_UNIFORM: return uniform_lanes(c, cond, mask, ret);
    case COND_STATIC: *ret = cond->masks[c->warp] & mask; return true;
    case COND_COMPARE: return compare_lanes(c, cond, mask, ret);
    case COND_LANES: return general_lanes(c, cond, mask, ret);
    case COND_AND:
    case COND_OR: return lazy_lanes(c, cond, mask, ret);
    case COND_NOT: break;
    }
    if (!cond_lanes(c, cond->a, mask, ret)) return false;
    *ret = mask & ~*ret;
    return true;
}

bool cursor_mask(Cursor *c, LaneMask *ret)
{
    if (c->insn->predicate < 0) {
        *ret = c->active;
        return true;
    }
    return cond_lanes(c, c->program->conds[c->insn->predicate], c->active, ret);
}
