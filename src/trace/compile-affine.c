#include <string.h>

#include "trace/compile-private.h"

static const Node *iter_of(void *loops, int loop)
{
    return ((const Compiler *)loops)->iters->pdata[loop];
}

Linear compile_linear(Compiler *c, const Node *node)
{
    return linear_of(node, iter_of, c);
}

/* Where each kind of term of a form goes. */
typedef struct {
    Linear fixed, block, uniform, varying;
} Parts;

static void sort_terms(Compiler *c, const Linear *form, int32_t slot, Parts *parts)
{
    for (unsigned i = 0; i < form->n; i++) {
        const LinearTerm t = form->terms[i];
        const unsigned deps = t.atom->deps;
        Linear *to;
        if (t.atom->op == ND_ITER) {
            const SlotStep step = {slot, t.coef};
            g_array_append_val(g_array_index(c->loops, Loop, t.atom->loop).steps, step);
            continue;
        }
        if (t.atom->safe && !(deps & ~(unsigned)(DEP_LANE | DEP_WARP)))
            to = &parts->fixed;
        else if (t.atom->safe && deps == DEP_BLOCK)
            to = &parts->block;
        else
            to = deps & DEP_LANE ? &parts->varying : &parts->uniform;
        to->terms[to->n++] = t;
    }
}

static const Term *own_terms(Compiler *c, const Linear *form)
{
    Term *terms = compile_own(c, sizeof *terms * form->n);
    for (unsigned i = 0; i < form->n; i++)
        terms[i] = (Term){form->terms[i].atom, form->terms[i].coef};
    return terms;
}

/* Offsets of one warp's lanes; the smallest over the lanes that exist is taken out and returned. */
static int64_t warp_offsets(Compiler *c, const Linear *fixed, uint32_t warp, Pattern *ret)
{
    EvalContext x = {.tid = (const int32_t(*)[LANES])c->p->tid[warp]};
    x.ids[BI_WARPID] = warp;
    EvalFault fault;
    uint64_t sum[LANES] = {0};
    for (unsigned t = 0; t < fixed->n; t++) {
        int64_t v[LANES];
        eval_lanes(fixed->terms[t].atom, &x, c->p->natural[warp], v, &fault); /* atoms here are safe */
        for (int i = 0; i < LANES; i++)
            sum[i] += (uint64_t)v[i] * (uint64_t)fixed->terms[t].coef;
    }
    const LaneMask lanes = c->p->natural[warp];
    int64_t least = (int64_t)sum[bits_lowest(lanes)];
    for (LaneMask left = lanes; left; left &= left - 1)
        least = MIN(least, (int64_t)sum[bits_lowest(left)]);
    ret->span = 0;
    for (unsigned i = 0; i < LANES; i++) {
        ret->offset[i] = lanes >> i & 1 ? (int64_t)(sum[i] - (uint64_t)least) : 0;
        ret->span = ret->offset[i] < 0 ? INT64_MAX : MAX(ret->span, ret->offset[i]); /* offsets that wrap round have no span */
    }
    return least;
}

static const Pattern *intern(Compiler *c, GPtrArray *known, const Pattern *pattern)
{
    for (unsigned i = 0; i < known->len; i++) {
        const Pattern *k = known->pdata[i];
        if (!memcmp(k->offset, pattern->offset, sizeof k->offset)) return k;
    }
    Pattern *own = compile_own_copy(c, pattern, sizeof *pattern);
    own->id = c->p->n_patterns++;
    g_ptr_array_add(known, own);
    return own;
}

static const WarpPattern *lane_patterns(Compiler *c, const Linear *fixed)
{
    WarpPattern *lanes = compile_own(c, sizeof *lanes * c->p->n_warps);
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    for (uint32_t w = 0; w < c->p->n_warps; w++) {
        Pattern pattern = {.id = 0};
        lanes[w].base = warp_offsets(c, fixed, w, &pattern);
        lanes[w].pattern = intern(c, known, &pattern);
        lanes[w].id = lanes[w].pattern->id;
    }
    return lanes;
}

Affine compile_affine(Compiler *c, const Linear *form, bool pattern)
{
    Affine affine = {.slot = (int32_t)c->slots->len};
    Parts parts = {.fixed.n = 0};
    sort_terms(c, form, affine.slot, &parts);
    const SlotInit init = {.c = form->c, .terms = own_terms(c, &parts.block), .n = parts.block.n};
    g_array_append_val(c->slots, init);
    if (pattern || parts.fixed.n) affine.lanes = lane_patterns(c, &parts.fixed);
    affine.uniform = own_terms(c, &parts.uniform);
    affine.n_uniform = (uint16_t)parts.uniform.n;
    affine.varying = own_terms(c, &parts.varying);
    affine.n_varying = (uint16_t)parts.varying.n;
    return affine;
}
