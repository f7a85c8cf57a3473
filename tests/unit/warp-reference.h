#pragma once
/*
 * A naive interpreter of kernels, written from the words of the language over the syntax tree: a warp is walked recursively with the set
 * of lanes that are on, every expression is worked out lane by lane. No linear forms, no ranges, no compiled code.
 */
#include <string.h>

#include "base/bits.h"
#include "base/cycle.h"
#include "expr-reference.h"
#include "trace/launch.h"
#include "trace/program.h"

enum { REF_EVENTS_MAX = 2500, REF_STEPS_MAX = 60000 };

/* An instruction that issues. */
typedef struct {
    int line, kind;
    LaneMask active, mask; /* lanes on; those whose predicate holds */
    bool has_addr;
    Addr addr[LANES]; /* of the mask, else 0 */
} RefEvent;

typedef struct {
    const char *name;
    const AstExpr *let; /* or NULL: a loop variable */
    int64_t value[LANES];
} RefName;

/* In predicated code: what a lane must fulfil, from the innermost condition outwards. */
typedef struct RefGuard {
    const AstExpr *cond;
    bool opposite;
    const struct RefGuard *outer;
} RefGuard;

typedef struct {
    const LaunchPlan *plan;
    const Launch *launch;
    const ProgramOptions *options;
    const Program *program; /* says which `if` is a branch, and nothing else */
    const RefGuard *guard;  /* or NULL */
    GArray *events;         /* of RefEvent */
    GPtrArray *said;        /* of char*: any of these may be the message of the fault */
    GPtrArray *names;       /* of RefName */
    bool stopped, gave_up;
    unsigned steps;
    LaneMask live;
    int lane; /* being evaluated */
    RefLane lanes[LANES];
} Ref;

/* ---- expressions ---- */

static bool ref_name(void *user, const char *name, int64_t *ret)
{
    Ref *r = user;
    for (unsigned i = r->names->len; i-- > 0;) {
        const RefName *n = r->names->pdata[i];
        if (strcmp(n->name, name) != 0) continue;
        if (n->let) return ref_eval(&r->lanes[r->lane], n->let, ret);
        *ret = n->value[r->lane];
        return true;
    }
    const GPtrArray *params = r->plan->trace->params;
    for (unsigned i = 0; i < params->len; i++) {
        const AstNamed *param = params->pdata[i];
        if (strcmp(param->name, name) == 0) *ret = r->launch->params[i];
    }
    return true;
}

static void ref_say(Ref *r, int line, int lane, const char *text)
{
    const RefLane *x = &r->lanes[lane];
    const int64_t *c = &x->ids[BI_CTAID_X], *t = &x->ids[BI_TID_X];
    char *all = g_strdup_printf("f:%d: %s (block %d,%d,%d)", line, text, (int)c[0], (int)c[1], (int)c[2]);
    g_ptr_array_add(r->said, all);
    all = g_strdup_printf("f:%d: %s (block %d,%d,%d thread %d,%d,%d)", line, text, (int)c[0], (int)c[1], (int)c[2], (int)t[0],
                          (int)t[1], (int)t[2]);
    g_ptr_array_add(r->said, all);
    r->stopped = true;
}

static bool ref_value(Ref *r, const AstExpr *e, int lane, int64_t *ret)
{
    r->lane = lane;
    if (ref_eval(&r->lanes[lane], e, ret)) return true;
    const RefLane *x = &r->lanes[lane];
    g_autofree char *text = g_strdup_printf("expression at column %d: %s", x->at->column, x->why);
    ref_say(r, x->at->line, lane, text);
    return false;
}

/* Lanes in which it is not 0. */
static LaneMask ref_holds(Ref *r, const AstExpr *e, LaneMask lanes)
{
    LaneMask yes = 0;
    int64_t value;
    for (int i = 0; i < LANES; i++)
        if (lanes >> i & 1 && ref_value(r, e, i, &value) && value != 0) yes |= (LaneMask)1 << i;
    return yes;
}

/* ---- arrays ---- */

static int64_t ref_number(Ref *r, const AstExpr *e)
{
    int64_t value = 0;
    r->lane = 0;
    ref_eval(&r->lanes[0], e, &value);
    return value;
}

/* Rows of a texture of two or three dimensions are padded to 64 bytes, their number to 8; other arrays are packed. */
static bool ref_tiled(const AstArray *a)
{
    return a->space == SPACE_TEX && a->n_dims > 1;
}

static Addr ref_row_bytes(Ref *r, const AstArray *a)
{
    Addr bytes = (Addr)ref_number(r, a->dims[a->n_dims - 1]) * a->elem_bytes;
    while (ref_tiled(a) && bytes % 64)
        bytes++;
    return bytes;
}

static Addr ref_bytes(Ref *r, const AstArray *a)
{
    Addr rows = 1;
    for (unsigned d = 0; d + 1 < a->n_dims; d++)
        rows *= (Addr)ref_number(r, a->dims[d]);
    while (ref_tiled(a) && rows % 8)
        rows++;
    return rows * ref_row_bytes(r, a);
}

/* Shared and local arrays lie each in a memory of their own, the arrays of the file in one. */
static Addr ref_base(Ref *r, const AstArray *array)
{
    const bool own = array->space == SPACE_SHARED || array->space == SPACE_LOCAL;
    const GPtrArray *all = own ? r->launch->kernel->arrays : r->plan->trace->arrays;
    if (array->at) return (Addr)ref_number(r, array->at);
    Addr next = 0;
    for (unsigned i = 0; i < all->len; i++) {
        const AstArray *a = all->pdata[i];
        const Addr unit = !own ? 256 : a->space == SPACE_LOCAL && a->elem_bytes < 4 ? 4 : a->elem_bytes;
        if (a->at || (own && a->space != array->space)) continue;
        while (next % unit)
            next++;
        if (a == array) return next;
        next += ref_bytes(r, a);
    }
    return next;
}

/* Byte address of the operand in one lane: row by row, and within the row. */
static bool ref_address(Ref *r, const AstMem *mem, int line, int lane, Addr base, Addr *ret)
{
    Addr row = 0, column = 0;
    for (unsigned d = 0; d < mem->n_indices; d++) {
        const int64_t dim = ref_number(r, mem->array->dims[d]);
        int64_t index;
        if (!ref_value(r, mem->indices[d], lane, &index)) return false;
        if (index < 0 || index >= dim) {
            g_autofree char *text = g_strdup_printf("%s: index %u = %" G_GINT64_FORMAT ": want 0..%" G_GINT64_FORMAT,
                                                    mem->array->name, d + 1, index, dim - 1);
            ref_say(r, line, lane, text);
            return false;
        }
        if (d + 1 < mem->n_indices)
            row = row * (Addr)dim + (Addr)index;
        else
            column = (Addr)index;
    }
    *ret = base + row * ref_row_bytes(r, mem->array) + column * mem->array->elem_bytes;
    return true;
}

/* ---- instructions ---- */

/* Lanes that the predicated code around acts on. */
static LaneMask ref_guarded(Ref *r, const RefGuard *guard, LaneMask active)
{
    if (!guard) return active;
    const LaneMask lanes = ref_guarded(r, guard->outer, active), yes = ref_holds(r, guard->cond, lanes);
    if (r->stopped) return 0;
    return guard->opposite ? lanes & ~yes : yes;
}

static RefEvent *ref_issue(Ref *r, int line, int kind, LaneMask active)
{
    static RefEvent none;
    if (!active || r->stopped) return &none;
    if (r->events->len == REF_EVENTS_MAX) {
        r->stopped = r->gave_up = true;
        return &none;
    }
    const RefEvent event = {.line = line, .kind = kind, .active = active, .mask = ref_guarded(r, r->guard, active)};
    g_array_append_val(r->events, event);
    return &g_array_index(r->events, RefEvent, r->events->len - 1);
}

static void ref_access(Ref *r, const AstStmt *s, RefEvent *event)
{
    if (!event->mask) return;
    const Addr base = ref_base(r, s->mem.array);
    bool good = true;
    for (int i = 0; i < LANES; i++)
        if (event->mask >> i & 1) good &= ref_address(r, &s->mem, s->line, i, base, &event->addr[i]);
    event->has_addr = good;
    if (!good) memset(event->addr, 0, sizeof event->addr);
}

static LaneMask ref_one(Ref *r, const AstStmt *s, int kind, bool access, LaneMask active)
{
    RefEvent *event = ref_issue(r, s->line, kind, active);
    if (r->stopped) return 0;
    if (s->predicate) event->mask = ref_holds(r, s->predicate, event->mask);
    if (r->stopped) event->mask = 0;
    if (!r->stopped && access) ref_access(r, s, event);
    return event->mask;
}

static void ref_insn(Ref *r, const AstStmt *s, LaneMask active)
{
    static const int KINDS[] = {[ST_LD] = INSN_MEM,  [ST_ST] = INSN_MEM,  [ST_ATOM] = INSN_MEM,      [ST_TEX] = INSN_MEM,
                                [ST_ALU] = INSN_ALU, [ST_BAR] = INSN_BAR, [ST_MEMBAR] = INSN_MEMBAR, [ST_EXIT] = INSN_EXIT};
    const bool ahead = s->kind == ST_ALU && s->has_mem && !r->options->memory_operands;
    if (ahead) ref_one(r, s, INSN_MEM, true, active);
    const LaneMask mask = ref_one(r, s, KINDS[s->kind], s->has_mem && !ahead, active);
    if (s->kind == ST_EXIT && !r->stopped) r->live &= ~mask;
}

/* ---- statements ---- */

static void ref_body(Ref *r, const GPtrArray *body, LaneMask lanes);

static bool ref_is_short(const Ref *r, const AstStmt *s)
{
    for (uint32_t i = 0; i < r->program->n_code; i++)
        if (r->program->code[i].kind == CTL_IF && r->program->code[i].line == s->line) return false;
    return true;
}

static void ref_short_if(Ref *r, const AstStmt *s, LaneMask lanes)
{
    ref_issue(r, s->line, INSN_ALU, lanes);
    RefGuard guard = {s->a, false, r->guard};
    r->guard = &guard;
    ref_body(r, s->body, lanes);
    guard.opposite = true;
    ref_body(r, s->other, lanes);
    r->guard = guard.outer;
}

static void ref_if(Ref *r, const AstStmt *s, LaneMask lanes)
{
    if (ref_is_short(r, s)) {
        ref_short_if(r, s, lanes);
        return;
    }
    ref_issue(r, s->line, INSN_ALU, lanes);
    ref_issue(r, s->line, INSN_BRANCH, lanes);
    if (r->stopped) return;
    const LaneMask yes = ref_holds(r, s->a, lanes), no = lanes & ~yes;
    if (yes) ref_body(r, s->body, yes);
    if (s->has_else && yes && no) ref_issue(r, s->else_line, INSN_BRANCH, yes & r->live);
    if (s->has_else && no) ref_body(r, s->other, no);
    if (yes && no) ref_issue(r, s->end_line, INSN_BRANCH, (s->has_else ? no : yes) & r->live);
}

/* Does it issue anything at all, ever? */
static bool ref_has_insn(const GPtrArray *body)
{
    for (unsigned i = 0; i < body->len; i++) {
        const AstStmt *s = body->pdata[i];
        if (s->kind == ST_LET) continue;
        if (s->kind != ST_FOR || ref_has_insn(s->body)) return true;
    }
    return false;
}

/* Fewest instructions of one pass, when loops inside may run zero times. */
static unsigned ref_fewest(const Ref *r, const GPtrArray *body)
{
    unsigned n = 0;
    for (unsigned i = 0; i < body->len; i++) {
        const AstStmt *s = body->pdata[i];
        if (s->kind < ST_LET) n += s->kind == ST_ALU && s->has_mem && !r->options->memory_operands ? 2 : 1;
        if (s->kind != ST_IF) continue;
        const unsigned yes = ref_fewest(r, s->body), no = ref_fewest(r, s->other);
        n += ref_is_short(r, s) ? 1 + yes + no : 2 + (yes < no ? yes : no);
    }
    return n;
}

typedef struct {
    int64_t start[LANES], end[LANES], step[LANES];
} RefBounds;

static void ref_bounds(Ref *r, const AstStmt *s, LaneMask lanes, RefBounds *ret)
{
    for (int i = 0; i < LANES; i++) {
        ret->step[i] = 1;
        if (!(lanes >> i & 1) || !ref_value(r, s->a, i, &ret->start[i]) || !ref_value(r, s->b, i, &ret->end[i])) continue;
        if (s->c && !ref_value(r, s->c, i, &ret->step[i])) continue;
        if (ret->step[i] == 0) ref_say(r, s->line, i, "step = 0: want a step that is not 0");
    }
}

/* Refuses a loop of which some lane runs more often than the machine allows instructions. */
static void ref_limit(Ref *r, const AstStmt *s, LaneMask lanes, const RefBounds *b)
{
    RefWide most = 0;
    for (int i = 0; i < LANES; i++) {
        if (!(lanes >> i & 1)) continue;
        const RefWide way = b->step[i] > 0 ? (RefWide)b->end[i] - b->start[i] : (RefWide)b->start[i] - b->end[i];
        const RefWide step = b->step[i] > 0 ? b->step[i] : -(RefWide)b->step[i];
        if (way >= 0 && way / step + 1 > most) most = way / step + 1;
    }
    const unsigned fewest = ref_fewest(r, s->body) + (s->kind == ST_LOOP ? 3 : 0);
    if (most > (RefWide)(r->options->max_instructions / (fewest ? fewest : 1)))
        ref_say(r, s->line, (int)bits_lowest(lanes), "loop of");
}

static LaneMask ref_inside(LaneMask lanes, const RefBounds *b, const RefWide at[LANES])
{
    LaneMask on = 0;
    for (int i = 0; i < LANES; i++)
        if (lanes >> i & 1 && (b->step[i] > 0 ? at[i] <= b->end[i] : at[i] >= b->end[i])) on |= (LaneMask)1 << i;
    return on;
}

static void ref_loop(Ref *r, const AstStmt *s, LaneMask lanes)
{
    RefBounds b = {{0}};
    if (!ref_has_insn(s->body) && s->kind == ST_FOR) return;
    ref_bounds(r, s, lanes, &b);
    if (!r->stopped) ref_limit(r, s, lanes, &b);
    if (r->stopped) return;
    RefName name = {.name = s->name ? s->name : ""};
    RefWide at[LANES];
    for (int i = 0; i < LANES; i++)
        at[i] = b.start[i];
    g_ptr_array_add(r->names, &name);
    for (LaneMask on = ref_inside(lanes, &b, at); on && !r->stopped; on = ref_inside(on & r->live, &b, at)) {
        if (r->steps++ > REF_STEPS_MAX) r->stopped = r->gave_up = true;
        for (int i = 0; i < LANES; i++)
            name.value[i] = on >> i & 1 ? (int64_t)at[i] : 0;
        ref_body(r, s->body, on);
        if (s->kind == ST_LOOP) {
            ref_issue(r, s->line, INSN_ALU, on & r->live);
            ref_issue(r, s->line, INSN_ALU, on & r->live);
            ref_issue(r, s->line, INSN_BRANCH, on & r->live);
        }
        for (int i = 0; i < LANES; i++)
            at[i] += b.step[i];
    }
    g_ptr_array_set_size(r->names, (int)r->names->len - 1);
}

static void ref_let(Ref *r, const char *name, const AstExpr *value, GPtrArray *mine)
{
    RefName *n = g_new0(RefName, 1);
    n->name = name;
    n->let = value;
    g_ptr_array_add(r->names, n);
    g_ptr_array_add(mine, n);
}

static void ref_body(Ref *r, const GPtrArray *body, LaneMask lanes)
{
    g_autoptr(GPtrArray) mine = g_ptr_array_new_with_free_func(g_free);
    const unsigned outside = r->names->len;
    for (unsigned i = 0; i < body->len && !r->stopped; i++) {
        const AstStmt *s = body->pdata[i];
        const LaneMask active = lanes & r->live;
        if (!active) break;
        switch (s->kind) {
        case ST_LET: ref_let(r, s->name, s->a, mine); break;
        case ST_FOR:
        case ST_LOOP: ref_loop(r, s, active); break;
        case ST_IF: ref_if(r, s, active); break;
        default: ref_insn(r, s, active);
        }
    }
    g_ptr_array_set_size(r->names, (int)outside);
}

/* ---- a warp ---- */

static void ref_lane_ids(Ref *r, uint64_t block, uint32_t warp, int lane)
{
    const uint32_t *b = r->launch->block, *g = r->launch->grid;
    const uint64_t thread = (uint64_t)warp * LANES + (uint64_t)lane;
    const uint64_t at[] = {thread % b[0], thread / b[0] % b[1], thread / b[0] / b[1]};
    const uint64_t cta[] = {block % g[0], block / g[0] % g[1], block / g[0] / g[1]};
    RefLane *x = &r->lanes[lane];
    *x = (RefLane){.name = ref_name, .user = r};
    for (int d = 0; d < 3; d++) {
        x->ids[BI_TID_X + d] = (int64_t)at[d];
        x->ids[BI_CTAID_X + d] = (int64_t)cta[d];
        x->ids[BI_NTID_X + d] = b[d];
        x->ids[BI_NCTAID_X + d] = g[d];
    }
    x->ids[BI_LANEID] = lane;
    x->ids[BI_WARPID] = warp;
}

static void ref_clear(Ref *r)
{
    g_array_set_size(r->events, 0);
    g_ptr_array_set_size(r->said, 0);
    g_ptr_array_set_size(r->names, 0);
}

/* Runs one warp; afterwards `events` and, if it ended by a fault, `said`. */
static void ref_run(Ref *r, uint64_t block, uint32_t warp)
{
    const AstKernel *kernel = r->launch->kernel;
    const uint64_t threads = (uint64_t)r->launch->block[0] * r->launch->block[1] * r->launch->block[2];
    g_autoptr(GPtrArray) mine = g_ptr_array_new_with_free_func(g_free);
    ref_clear(r);
    r->stopped = r->gave_up = false;
    r->guard = NULL;
    r->steps = 0;
    r->live = 0;
    for (int i = 0; i < LANES; i++) {
        ref_lane_ids(r, block, warp, i);
        if ((uint64_t)warp * LANES + (uint64_t)i < threads) r->live |= (LaneMask)1 << i;
    }
    for (unsigned i = 0; i < kernel->lets->len; i++) {
        const AstNamed *let = kernel->lets->pdata[i];
        ref_let(r, let->name, let->value, mine);
    }
    ref_body(r, kernel->body, r->live);
    g_ptr_array_set_size(r->names, 0);
}
