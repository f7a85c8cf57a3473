#include "trace/program.h"

#include <string.h>

#include "trace/compile-private.h"

struct ProgramOwned {
    NodePool *pool;
    GPtrArray *memory;
    GPtrArray *steps; /* of GArray: of the loops */
};

void *compile_own(Compiler *c, gsize bytes)
{
    void *memory = g_malloc0(bytes + 1);
    g_ptr_array_add(c->owned, memory);
    return memory;
}

void *compile_own_copy(Compiler *c, const void *data, gsize bytes)
{
    void *copy = compile_own(c, bytes);
    if (bytes) memcpy(copy, data, bytes); /* an empty array may have no address */
    return copy;
}

/* ---- names ---- */

static const Node *look_up(void *scope, const char *name)
{
    const Compiler *c = scope;
    for (unsigned i = c->scope->len; i-- > 0;) {
        const Named *named = &g_array_index(c->scope, Named, i);
        if (g_str_equal(named->name, name)) return named->value;
    }
    const GPtrArray *params = c->plan->trace->params;
    for (unsigned i = 0; i < params->len; i++)
        if (g_str_equal(((const AstNamed *)params->pdata[i])->name, name)) return node_const(c->pool, c->launch->params[i]);
    return NULL;
}

const Node *compile_bind(Compiler *c, const AstExpr *expr)
{
    return node_bind(c->pool, expr, look_up, c, c->faults);
}

void compile_name(Compiler *c, const char *name, const AstExpr *value)
{
    const Node *node = compile_bind(c, value);
    const Named named = {name, node ? node : node_const(c->pool, 0)};
    g_array_append_val(c->scope, named);
}

/* A header item that must be a number in lo..hi; `otherwise` when it is absent. */
static int64_t header_value(Compiler *c, const AstExpr *expr, const char *what, int64_t lo, int64_t hi, int64_t otherwise)
{
    if (!expr) return otherwise;
    const Node *node = compile_bind(c, expr);
    if (!node) return lo;
    if (node->op == EX_CONST && node->value >= lo && node->value <= hi) return node->value;
    faults_add(c->faults, expr->line, expr->column, "%s = %" G_GINT64_FORMAT ": want %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT,
               what, node->value, lo, hi);
    return lo;
}

/* ---- the shape of the launch ---- */

static void identity_ranges(const Program *p, int64_t lo[BI_N], int64_t hi[BI_N])
{
    for (int d = 0; d < 3; d++) {
        lo[BI_TID_X + d] = lo[BI_CTAID_X + d] = 0;
        hi[BI_TID_X + d] = p->block[d] - 1;
        hi[BI_CTAID_X + d] = p->grid[d] - 1;
        lo[BI_NTID_X + d] = hi[BI_NTID_X + d] = p->block[d];
        lo[BI_NCTAID_X + d] = hi[BI_NCTAID_X + d] = p->grid[d];
    }
    lo[BI_LANEID] = lo[BI_WARPID] = 0;
    hi[BI_LANEID] = MIN(p->n_threads, LANES) - 1;
    hi[BI_WARPID] = p->n_warps - 1;
}

static void lay_out_threads(Program *p)
{
    p->n_threads = p->block[0] * p->block[1] * p->block[2];
    p->n_warps = (p->n_threads + LANES - 1) / LANES;
    p->tid = g_malloc0(sizeof *p->tid * p->n_warps);
    p->natural = g_new0(LaneMask, p->n_warps);
    for (uint32_t t = 0; t < p->n_threads; t++) {
        const uint32_t w = t / LANES, lane = t % LANES;
        p->natural[w] |= (LaneMask)1 << lane;
        p->tid[w][0][lane] = (int32_t)(t % p->block[0]);
        p->tid[w][1][lane] = (int32_t)(t / p->block[0] % p->block[1]);
        p->tid[w][2][lane] = (int32_t)(t / p->block[0] / p->block[1]);
    }
}

/* ---- header ---- */

/* Shared arrays follow each other in the block's memory, local ones in the thread's, where a word is the least that moves. */
static void place_array(Compiler *c, const AstArray *array)
{
    int64_t dims[AST_DIMS_MAX];
    for (unsigned d = 0; d < array->n_dims; d++)
        dims[d] = header_value(c, array->dims[d], "dimension", 1, INT64_MAX, 1);
    const bool local = array->space == SPACE_LOCAL;
    uint64_t *bytes = local ? &c->p->local_bytes : &c->p->shared_bytes;
    const uint64_t base = layout_align(*bytes, local ? MAX(array->elem_bytes, 4) : array->elem_bytes);
    ArrayPlace *place = compile_own(c, sizeof *place);
    if (!array_lay_out(array, dims, base, place, c->faults)) return;
    g_ptr_array_add(c->places, place);
    *bytes = base + place->bytes;
}

/* Reported at the array that goes beyond the space. */
static void check_local(Compiler *c)
{
    for (unsigned i = 0; i < c->places->len; i++) {
        const ArrayPlace *place = c->places->pdata[i];
        if (place->array->space != SPACE_LOCAL || place->base + place->bytes <= LOCAL_BYTES_MAX) continue;
        faults_add(c->faults, place->array->line, place->array->column,
                   "%s: the local arrays together take %" G_GUINT64_FORMAT " bytes of a thread: want at most %d",
                   place->array->name, c->p->local_bytes, LOCAL_BYTES_MAX);
        return;
    }
}

static void compile_header(Compiler *c)
{
    const AstKernel *k = c->launch->kernel;
    Program *p = c->p;
    p->regs = (uint32_t)header_value(c, k->regs, "regs", 1, 255, 1);
    for (unsigned i = 0; i < k->arrays->len; i++)
        place_array(c, k->arrays->pdata[i]);
    check_local(c);
    p->local_bytes = layout_align(p->local_bytes, LOCAL_ALIGN_BYTES);
    p->shared_bytes += (uint64_t)header_value(c, k->shmem, "shmem", 0, INT32_MAX, 0);
    p->args_bytes = (uint64_t)header_value(c, k->args, "args", 0, INT32_MAX, 4 * ((int64_t)k->uses->len + k->n_params_used));
    p->useful_bytes = header_value(c, k->useful, "useful", 0, INT64_MAX, -1);
    p->flops = header_value(c, k->flops, "flops", 0, INT64_MAX, -1);
    if (k->steps) p->steps = (uint64_t)header_value(c, k->steps, "steps", 1, INT64_MAX, 0);
    for (unsigned i = 0; i < k->lets->len; i++) {
        const AstNamed *let = k->lets->pdata[i];
        compile_name(c, let->name, let->value);
    }
}

/* ---- the whole ---- */

static void start(Compiler *c)
{
    c->owned = g_ptr_array_new_with_free_func(g_free);
    c->scope = g_array_new(FALSE, FALSE, sizeof(Named));
    c->code = g_array_new(FALSE, TRUE, sizeof(Insn));
    c->accesses = g_array_new(FALSE, TRUE, sizeof(Access));
    c->conds = g_ptr_array_new();
    c->loops = g_array_new(FALSE, TRUE, sizeof(Loop));
    c->branches = g_array_new(FALSE, TRUE, sizeof(Branch));
    c->slots = g_array_new(FALSE, TRUE, sizeof(SlotInit));
    c->dynamics = g_array_new(FALSE, TRUE, sizeof(DynamicRegs));
    c->iters = g_ptr_array_new();
    c->places = g_ptr_array_new();
    c->loop_issues = g_array_new(FALSE, FALSE, sizeof(bool));
    c->faults = faults_new(c->plan->trace->file);
}

static void mark_plain(GArray *code)
{
    const Insn *before = NULL;
    for (Insn *insn = (Insn *)(void *)code->data, *end = insn + code->len; insn < end; before = insn++)
        insn->plain = insn->kind < INSN_ISSUES_N && !insn->if_diverged && insn->dynamic < 0 && before && before->kind < INSN_EXIT;
}

/* Hands the compiler's arrays over to the program. */
static void finish(Compiler *c)
{
    Program *p = c->p;
    mark_plain(c->code);
    p->n_regs = p->regs + HIDDEN_NESTED + c->hidden_max;
    p->n_code = c->code->len;
    p->n_accesses = c->accesses->len;
    p->n_conds = c->conds->len;
    p->n_loops = c->loops->len;
    p->n_branches = c->branches->len;
    p->n_slots = c->slots->len;
    p->n_dynamics = c->dynamics->len;
    for (unsigned i = 0; i < c->loops->len; i++)
        g_ptr_array_add(p->owned->steps, g_array_index(c->loops, Loop, i).steps);
    p->code = compile_own_copy(c, c->code->data, sizeof(Insn) * p->n_code);
    p->accesses = compile_own_copy(c, c->accesses->data, sizeof(Access) * p->n_accesses);
    p->conds = compile_own_copy(c, c->conds->pdata, sizeof(Cond *) * p->n_conds);
    p->loops = compile_own_copy(c, c->loops->data, sizeof(Loop) * p->n_loops);
    p->branches = compile_own_copy(c, c->branches->data, sizeof(Branch) * p->n_branches);
    p->slots = compile_own_copy(c, c->slots->data, sizeof(SlotInit) * p->n_slots);
    p->dynamics = compile_own_copy(c, c->dynamics->data, sizeof(DynamicRegs) * p->n_dynamics);
    p->owned->memory = c->owned;
    p->owned->pool = c->pool;
    g_array_unref(c->scope);
    g_array_unref(c->code);
    g_array_unref(c->accesses);
    g_ptr_array_unref(c->conds);
    g_array_unref(c->loops);
    g_array_unref(c->branches);
    g_array_unref(c->slots);
    g_array_unref(c->dynamics);
    g_ptr_array_unref(c->iters);
    g_ptr_array_unref(c->places);
    g_array_unref(c->loop_issues);
    faults_free(c->faults);
}

Program *program_new(const LaunchPlan *plan, const Launch *launch, const ProgramOptions *options, GError **error)
{
    Program *p = g_new0(Program, 1);
    p->trace = plan->trace;
    p->kernel = launch->kernel;
    p->max_instructions = options->max_instructions;
    p->one_path = options->one_path;
    p->owned = g_new0(struct ProgramOwned, 1);
    p->owned->steps = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    memcpy(p->grid, launch->grid, sizeof p->grid);
    memcpy(p->block, launch->block, sizeof p->block);
    p->n_blocks = (uint64_t)p->grid[0] * p->grid[1] * p->grid[2];
    lay_out_threads(p);
    int64_t lo[BI_N], hi[BI_N];
    identity_ranges(p, lo, hi);
    Compiler c = {.p = p, .plan = plan, .launch = launch, .options = options, .pool = node_pool_new(lo, hi), .guard.cond = -1};
    node_pool_set_tables(c.pool, plan->tables);
    start(&c);
    compile_header(&c);
    compile_body(&c, launch->kernel->body);
    compile_emit(&c, CTL_END, launch->kernel->end_line);
    const bool ok = faults_none(c.faults, G80SIM_ERROR_TRACE, error);
    finish(&c);
    if (ok) return p;
    program_free(p);
    return NULL;
}

void program_free(Program *program)
{
    if (!program) return;
    g_ptr_array_unref(program->owned->steps);
    g_ptr_array_unref(program->owned->memory);
    node_pool_free(program->owned->pool);
    g_free(program->owned);
    g_free(program->tid);
    g_free(program->natural);
    g_free(program);
}
