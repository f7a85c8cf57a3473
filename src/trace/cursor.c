#include "trace/cursor.h"

#include "base/check.h"
#include "trace/cursor-private.h"

/* Steering steps without an instruction in between: an unrolled loop around loops that run zero times could spin for ever. */
enum { SPIN_MAX = 1 << 24 };

/* ---- storage ---- */

size_t cursor_storage(const Program *p)
{
    const size_t bytes = sizeof(int64_t) * (p->n_slots + 2 * (size_t)p->n_loops) + sizeof(int64_t[LANES]) * p->n_loops +
                         sizeof(MaskEntry) * (p->mask_stack_depth + 1);
    return round_up(bytes, sizeof(int64_t));
}

void cursor_init(Cursor *c, const Program *p, void *storage)
{
    *c = (Cursor){.program = p, .code = p->code};
    c->slots = storage;
    c->iters = c->slots + p->n_slots;
    c->trips = c->iters + p->n_loops;
    c->lane_trips = (int64_t(*)[LANES])(c->trips + p->n_loops);
    c->stack = (MaskEntry *)(c->lane_trips + p->n_loops);
    c->context.iters = c->iters;
    for (int d = 0; d < 3; d++) {
        c->context.ids[BI_NTID_X + d] = p->block[d];
        c->context.ids[BI_NCTAID_X + d] = p->grid[d];
    }
}

/* ---- faults ---- */

void cursor_fail(Cursor *c, G80simError code, int line, int lane, const char *format, ...)
{
    if (c->fault) return;
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    const int64_t *ids = c->context.ids;
    g_autofree char *thread = g_strdup("");
    if (lane >= 0) {
        g_free(thread);
        thread = g_strdup_printf(" thread %d,%d,%d", c->context.tid[0][lane], c->context.tid[1][lane], c->context.tid[2][lane]);
    }
    c->fault = g_error_new(G80SIM_ERROR, (int)code, "%s:%d: %s (block %d,%d,%d%s)", c->program->trace->file, line, message,
                           (int)ids[BI_CTAID_X], (int)ids[BI_CTAID_Y], (int)ids[BI_CTAID_Z], thread);
    c->insn = NULL;
}

bool cursor_arith_fault(Cursor *c, const EvalFault *fault)
{
    const int lane = fault->lane; /* -1: not of one thread */
    if (fault->kind == ARITH_INDEX) {
        const Table *table = fault->node->table;
        cursor_fail(c, G80SIM_ERROR_TRACE, fault->node->line, lane,
                    "%s: index %u = %" G_GINT64_FORMAT ": want 0..%" G_GUINT64_FORMAT, table->name, fault->which + 1,
                    fault->index, table->dims[fault->which] - 1);
        return false;
    }
    cursor_fail(c, G80SIM_ERROR_TRACE, fault->node->line, lane, "expression at column %d: %s", fault->node->column,
                arith_text(fault->kind));
    return false;
}

/* ---- mask stack ---- */

static MaskEntry *push(Cursor *c, LaneMask other, bool diverged)
{
    GS_CHECK(c->depth < c->program->mask_stack_depth, "mask stack of %u", c->depth);
    MaskEntry *top = &c->stack[c->depth++];
    *top = (MaskEntry){c->active, other, diverged};
    return top;
}

static void pop(Cursor *c)
{
    c->active = c->stack[--c->depth].restore & c->live;
}

/* ---- loops ---- */

/* Values start, start + step, ... up to end: their number, at most UINT64_MAX. Step is not 0. */
static uint64_t count_trips(int64_t start, int64_t end, int64_t step)
{
    if (step > 0 ? end < start : end > start) return 0;
    const uint64_t way = step > 0 ? (uint64_t)end - (uint64_t)start : (uint64_t)start - (uint64_t)end;
    const uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    const uint64_t after_first = way / stride;
    return after_first == UINT64_MAX ? after_first : after_first + 1;
}

static bool trips_fault(Cursor *c, const Loop *loop, uint64_t trips)
{
    cursor_fail(c, G80SIM_ERROR_SIM, loop->line, -1,
                "loop of %" G_GUINT64_FORMAT
                " iterations of %u or more instructions: want at most limit.max_instructions = %" G_GUINT64_FORMAT
                " instructions of a warp",
                trips, loop->issues, c->program->max_instructions);
    return false;
}

static bool step_fault(Cursor *c, const Loop *loop, int lane)
{
    cursor_fail(c, G80SIM_ERROR_TRACE, loop->line, lane, "step = 0: want a step that is not 0");
    return false;
}

static bool uniform_trips(Cursor *c, const Loop *loop, uint64_t *ret)
{
    int64_t start, end, step;
    EvalFault fault;
    if (!eval_uniform(loop->start, &c->context, &start, &fault) || !eval_uniform(loop->end, &c->context, &end, &fault) ||
        !eval_uniform(loop->step, &c->context, &step, &fault))
        return cursor_arith_fault(c, &fault);
    if (step == 0) return step_fault(c, loop, -1);
    *ret = count_trips(start, end, step);
    return true;
}

/* Trips of each active lane; the largest of them. */
static bool lane_trips(Cursor *c, const Loop *loop, int64_t trips[LANES], uint64_t *ret)
{
    int64_t start[LANES], end[LANES], step[LANES];
    EvalFault fault;
    if (!eval_lanes(loop->start, &c->context, c->active, start, &fault) ||
        !eval_lanes(loop->end, &c->context, c->active, end, &fault) ||
        !eval_lanes(loop->step, &c->context, c->active, step, &fault))
        return cursor_arith_fault(c, &fault);
    *ret = 0;
    for (LaneMask left = c->active; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        if (step[i] == 0) return step_fault(c, loop, (int)i);
        const uint64_t n = count_trips(start[i], end[i], step[i]);
        *ret = MAX(*ret, n);
        trips[i] = (int64_t)MIN(n, (uint64_t)INT64_MAX);
    }
    return true;
}

/* Active lanes with more than `done` trips. */
static LaneMask lanes_left(const Cursor *c, const int64_t trips[LANES], int64_t done)
{
    LaneMask left = 0;
    for (unsigned i = 0; i < LANES; i++)
        left |= (LaneMask)(trips[i] > done) << i;
    return left & c->active;
}

static bool enter_loop(Cursor *c, int32_t index)
{
    const Loop *loop = &c->program->loops[index];
    uint64_t trips = (uint64_t)loop->trips;
    if (!c->active) {
        c->index = loop->exit;
        return true;
    }
    c->iters[index] = 0;
    if (loop->varies) {
        if (!lane_trips(c, loop, c->lane_trips[index], &trips)) return false;
    } else if (loop->trips < 0 && !uniform_trips(c, loop, &trips)) {
        return false;
    }
    if (trips > c->program->max_instructions / loop->issues) return trips_fault(c, loop, trips);
    c->trips[index] = (int64_t)trips;
    c->index = trips ? loop->body : loop->exit;
    if (trips && loop->varies) {
        push(c, 0, false);
        c->active = lanes_left(c, c->lane_trips[index], 0);
    }
    return true;
}

static inline void advance_sums(Cursor *c, const Loop *loop, int64_t by)
{
    const SlotStep *steps = (const SlotStep *)loop->steps->data;
    for (unsigned i = 0; i < loop->steps->len; i++)
        c->slots[steps[i].slot] = (int64_t)((uint64_t)c->slots[steps[i].slot] + (uint64_t)steps[i].coef * (uint64_t)by);
}

/* The frequent end of an iteration: all lanes alike go on to the next one. False: it is another. */
static inline bool goes_round(Cursor *c, int32_t index)
{
    const Loop *loop = &c->program->loops[index];
    if (loop->varies || !c->active || c->iters[index] + 1 >= c->trips[index]) return false;
    c->iters[index]++;
    if (!loop->unrolled) c->diverged = false;
    advance_sums(c, loop, 1);
    c->index = loop->body;
    return true;
}

static void next_iteration(Cursor *c, int32_t index)
{
    const Loop *loop = &c->program->loops[index];
    const int64_t done = ++c->iters[index];
    const LaneMask stay = loop->varies ? lanes_left(c, c->lane_trips[index], done) : done < c->trips[index] ? c->active : 0;
    if (!loop->unrolled) c->diverged = stay && stay != c->active;
    if (stay) {
        c->active = stay;
        advance_sums(c, loop, 1);
        c->index = loop->body;
        return;
    }
    advance_sums(c, loop, 1 - done);
    c->iters[index] = 0;
    if (loop->varies) pop(c);
    c->index = loop->exit;
}

/* ---- branches ---- */

/* An ideal: the lanes of the shorter side wait behind the `if` and issue nothing. */
static void G_GNUC_NO_INLINE take_one_path(Cursor *c, const Branch *branch, LaneMask yes, LaneMask no)
{
    const bool other = branch->has_else && branch->longer_else;
    push(c, 0, false);
    c->active = other ? no : yes;
    c->index = other ? branch->other + 1 : c->index + 1;
}

static bool enter_if(Cursor *c, int32_t index)
{
    const Branch *branch = &c->program->branches[index];
    c->diverged = false;
    if (!c->active) {
        c->index = branch->end + branch->joins + 1;
        return true;
    }
    LaneMask yes;
    if (!cond_lanes(c, branch->cond, c->active, &yes)) return false;
    const LaneMask no = c->active & ~yes;
    if (branch->varies && yes && no && c->program->one_path) {
        take_one_path(c, branch, yes, no);
        return true;
    }
    if (branch->varies) {
        c->diverged = yes && no;
        push(c, branch->has_else && yes ? no : 0, c->diverged);
        if (yes) c->active = yes;
    }
    if (yes)
        c->index++;
    else if (branch->has_else)
        c->index = branch->other + 1;
    else
        c->index = branch->varies || branch->joins ? branch->end : branch->end + 1;
    return true;
}

static void enter_else(Cursor *c, int32_t index)
{
    const Branch *branch = &c->program->branches[index];
    if (branch->varies) {
        MaskEntry *top = &c->stack[c->depth - 1];
        if (top->other) {
            c->active = top->other;
            top->other = 0;
            c->index++;
            return;
        }
    }
    c->index = branch->end;
}

static void end_if(Cursor *c, int32_t index)
{
    if (c->program->branches[index].varies) pop(c);
    c->index++;
}

/* ---- from instruction to instruction ---- */

/* Not inlined: cursor_find would save the registers of the host for it at each iteration of a loop. */
static G_GNUC_NO_INLINE bool steer(Cursor *c, const Insn *insn)
{
    switch (insn->kind) {
    case CTL_LOOP: return enter_loop(c, insn->ctl);
    case CTL_NEXT: next_iteration(c, insn->ctl); return true;
    case CTL_IF: return enter_if(c, insn->ctl);
    case CTL_ELSE: enter_else(c, insn->ctl); return true;
    case CTL_ENDIF: end_if(c, insn->ctl); return true;
    default: c->insn = NULL; return false; /* CTL_END */
    }
}

static bool issues(const Cursor *c, const Insn *insn)
{
    if (!c->active) return false;
    return !insn->if_diverged || c->stack[c->depth - 1].diverged;
}

/* Puts the values of register expressions in. */
static G_GNUC_NO_INLINE const Insn *patch(Cursor *c, const Insn *insn)
{
    const DynamicRegs *dynamic = &c->program->dynamics[insn->dynamic];
    c->patched = *insn;
    for (unsigned i = 0; i < dynamic->n; i++) {
        const DynamicReg *reg = &dynamic->regs[i];
        int64_t value;
        EvalFault fault;
        if (!eval_uniform(reg->node, &c->context, &value, &fault)) {
            cursor_arith_fault(c, &fault);
            return NULL;
        }
        if (value < 0 || value > (int64_t)c->program->regs - reg->n) {
            cursor_fail(c, G80SIM_ERROR_TRACE, insn->line, -1, "register r[%" G_GINT64_FORMAT "]: want r0..r%u (regs %u)", value,
                        c->program->regs - 1, c->program->regs);
            return NULL;
        }
        for (unsigned k = 0; k < reg->n; k++)
            c->patched.regs[reg->at + k] = (uint16_t)(value + k);
    }
    return &c->patched;
}

void cursor_find(Cursor *c)
{
    for (unsigned spins = 0; spins < SPIN_MAX; spins++) {
        const Insn *insn = &c->code[c->index];
        if (insn->kind >= INSN_ISSUES_N) {
            if (insn->kind == CTL_NEXT && goes_round(c, insn->ctl)) continue;
            if (!steer(c, insn)) return;
        } else if (issues(c, insn)) {
            c->insn = insn->dynamic < 0 ? insn : patch(c, insn);
            return;
        } else {
            c->index++;
        }
    }
    cursor_fail(c, G80SIM_ERROR_SIM, c->program->code[c->index].line, -1,
                "loop: want an instruction within %d unrolled iterations", SPIN_MAX);
}

static void start_sums(Cursor *c)
{
    const Program *p = c->program;
    for (uint32_t s = 0; s < p->n_slots; s++) {
        uint64_t sum = (uint64_t)p->slots[s].c;
        for (unsigned i = 0; i < p->slots[s].n; i++) {
            int64_t value = 0;
            EvalFault fault;
            eval_uniform(p->slots[s].terms[i].node, &c->context, &value, &fault); /* these cannot fail */
            sum += (uint64_t)value * (uint64_t)p->slots[s].terms[i].coef;
        }
        c->slots[s] = (int64_t)sum;
    }
}

void cursor_start(Cursor *c, uint64_t block, uint32_t warp)
{
    const Program *p = c->program;
    c->block = block;
    c->warp = warp;
    c->context.tid = (const int32_t(*)[LANES])p->tid[warp];
    c->context.ids[BI_WARPID] = warp;
    const uint64_t row = block < p->grid[0] ? 0 : block / p->grid[0];
    c->context.ids[BI_CTAID_X] = (int64_t)(block - row * p->grid[0]);
    c->context.ids[BI_CTAID_Y] = (int64_t)(row ? row % p->grid[1] : 0);
    c->context.ids[BI_CTAID_Z] = (int64_t)(row ? row / p->grid[1] : 0);
    c->active = c->live = p->natural[warp];
    c->depth = 0;
    c->diverged = false;
    c->index = 0;
    c->insn = NULL;
    start_sums(c);
    cursor_find(c);
}

void cursor_exit(Cursor *c, LaneMask lanes)
{
    c->live &= ~lanes;
    c->active &= ~lanes;
}
