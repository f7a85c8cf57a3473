/* Random kernels: what the compiled program issues, instruction by instruction, against a naive interpreter of the syntax tree. */
#include <string.h>

#include "holds.h"
#include "trace-generator.h"
#include "trace/cursor.h"
#include "unit.h"
#include "warp-reference.h"

enum { KERNELS = 400, BLOCKS = 3, LIMIT = 1 << 20 };

typedef struct {
    unsigned kernels, refused, predicated, warps, faults, out_of_bounds, unfinished;
    uint64_t instructions;
} Tally;

static void show(const char *text, const Ref *r, const Cursor *c, unsigned at)
{
    const RefEvent *e = at < r->events->len ? &g_array_index(r->events, RefEvent, at) : NULL;
    g_printerr("%s", text);
    g_printerr("block %d warp %u event %u of %u\n", (int)c->block, c->warp, at, r->events->len);
    if (e)
        g_printerr("want line %d kind %d active %08x mask %08x addresses %d\n", e->line, e->kind, e->active, e->mask,
                   e->has_addr);
    for (unsigned i = 0; i < r->said->len; i++)
        g_printerr("want %s\n", (char *)r->said->pdata[i]);
    if (c->insn) g_printerr("have line %d kind %d active %08x\n", c->insn->line, c->insn->kind, c->active);
    if (c->fault) g_printerr("have %s\n", c->fault->message);
    ck_abort_msg("cursor and reference differ");
}

/* The present instruction as an event; false when it fails. */
static bool take(Cursor *c, RefEvent *e)
{
    memset(e, 0, sizeof *e);
    e->line = c->insn->line;
    e->kind = c->insn->kind;
    e->active = c->active;
    const Insn *insn = c->insn;
    if (!cursor_mask(c, &e->mask)) {
        e->mask = 0;
        return false;
    }
    if (insn->access < 0 || !e->mask) return true;
    AccessLanes lanes;
    if (!cursor_access(c, e->mask, &lanes)) return false;
    HOLDS(lanes.mask == e->mask);
    e->has_addr = true;
    for (unsigned i = 0; i < LANES; i++)
        if (e->mask >> i & 1) e->addr[i] = (Addr)lanes.base + (Addr)lanes.offset[i];
    return true;
}

static bool same_fault(const Ref *r, const GError *fault)
{
    for (unsigned i = 0; i < r->said->len; i++) {
        const char *said = r->said->pdata[i], *loop = strstr(said, ": loop of");
        if (loop && fault->code == G80SIM_ERROR_SIM && g_str_has_prefix(fault->message, "f:") &&
            !strncmp(said, fault->message, (size_t)(loop - said) + 9))
            return true;
        if (!loop && fault->code == G80SIM_ERROR_TRACE && g_str_equal(said, fault->message)) return true;
    }
    return false;
}

static bool same_event(const RefEvent *a, const RefEvent *b)
{
    return a->line == b->line && a->kind == b->kind && a->active == b->active && a->mask == b->mask &&
           a->has_addr == b->has_addr && !memcmp(a->addr, b->addr, sizeof a->addr);
}

/* Instructions of one warp, both ways; they end alike or the reference gave up. */
static void compare_warp(const char *text, Ref *r, Cursor *c, uint64_t block, uint32_t warp, Tally *tally)
{
    unsigned n = 0;
    bool good = true;
    ref_run(r, block, warp);
    for (cursor_start(c, block, warp); c->insn && good && n < r->events->len; n++) {
        RefEvent e;
        const unsigned before = c->index;
        good = take(c, &e);
        HOLDS(c->index == before);
        const RefEvent *want = &g_array_index(r->events, RefEvent, n);
        if (!same_event(&e, want)) show(text, r, c, n);
        if (!good) continue;
        if (e.kind == INSN_EXIT) cursor_exit(c, e.mask);
        cursor_next(c);
    }
    tally->instructions += n;
    tally->warps++;
    tally->unfinished += r->gave_up;
    if (r->gave_up) return;
    if (n < r->events->len || c->insn || (r->said->len > 0) != (c->fault != NULL)) show(text, r, c, n);
    if (!c->fault) return;
    if (!same_fault(r, c->fault)) show(text, r, c, n);
    tally->faults++;
    tally->out_of_bounds += strstr(c->fault->message, ": index ") != NULL;
}

static void compare_program(const char *text, Ref *r, const Program *program, uint64_t *seed, Tally *tally)
{
    const size_t bytes = cursor_storage(program);
    for (int i = 0; i < BLOCKS; i++) {
        const uint64_t block = random_below(seed, program->n_blocks);
        for (uint32_t warp = 0; warp < program->n_warps; warp++) {
            g_autofree void *storage = g_malloc0(bytes);
            Cursor cursor;
            cursor_init(&cursor, program, storage);
            compare_warp(text, r, &cursor, block, warp, tally);
            g_clear_error(&cursor.fault);
        }
    }
}

/* A kernel may be refused for what its constants do, before it runs. */
static void check_refusal(const char *text, const GError *error)
{
    if (g_str_has_prefix(error->message, "f:") && error->code == G80SIM_ERROR_TRACE &&
        (strstr(error->message, "overflow of 64 bits") || strstr(error->message, "division by zero") ||
         strstr(error->message, "shift by a count") || strstr(error->message, "step = 0") ||
         strstr(error->message, "once every `let` is put in")))
        return;
    g_printerr("%s%s\n", text, error->message);
    ck_abort_msg("a kernel was refused");
}

static unsigned count_ifs(const GPtrArray *body)
{
    unsigned n = 0;
    for (unsigned i = 0; body && i < body->len; i++) {
        const AstStmt *s = body->pdata[i];
        n += (s->kind == ST_IF) + count_ifs(s->body) + count_ifs(s->other);
    }
    return n;
}

static void run_kernel(uint64_t seed, bool wild, Tally *tally)
{
    g_autofree char *text = gen_trace(seed, wild);
    g_autoptr(GError) error = NULL;
    g_autoptr(AstTrace) trace = ast_trace_parse("f", text, strlen(text), &error);
    if (!trace) g_printerr("%s%s\n", text, error->message);
    ck_assert_ptr_nonnull(trace);
    g_autoptr(LaunchPlan) plan = launch_plan_new(trace, NULL, &error);
    ck_assert_msg(plan != NULL, "%s", plan ? "" : error->message);
    const ProgramOptions options = {
        .max_instructions = LIMIT, .memory_operands = seed & 1, .short_branch = (ShortBranch)(seed / 2 % 3)};
    const Launch *launch = &g_array_index(plan->launches, Launch, 0);
    g_autoptr(Program) program = program_new(plan, launch, &options, &error);
    tally->kernels++;
    if (!program) {
        check_refusal(text, error);
        tally->refused++;
        return;
    }
    tally->predicated += count_ifs(launch->kernel->body) > program->n_branches;
    Ref r = {.plan = plan, .launch = launch, .options = &options, .program = program};
    r.events = g_array_new(FALSE, TRUE, sizeof(RefEvent));
    r.said = g_ptr_array_new_with_free_func(g_free);
    r.names = g_ptr_array_new();
    compare_program(text, &r, program, &seed, tally);
    g_array_unref(r.events);
    g_ptr_array_unref(r.said);
    g_ptr_array_unref(r.names);
}

static Tally run_kernels(unsigned first, bool wild)
{
    Tally tally = {0};
    for (unsigned i = 0; i < KERNELS; i++)
        run_kernel(UINT64_C(1000003) * (first + i) + 1, wild, &tally);
    if (g_getenv("G80SIM_TEST_VERBOSE"))
        g_printerr("kernels %u refused %u predicated %u warps %u faults %u (%u out of bounds) unfinished %u instructions "
                   "%" G_GUINT64_FORMAT "\n",
                   tally.kernels, tally.refused, tally.predicated, tally.warps, tally.faults, tally.out_of_bounds,
                   tally.unfinished, tally.instructions);
    return tally;
}

START_TEST(tame_kernels_issue_what_the_language_says)
{
    const Tally t = run_kernels((unsigned)_i * KERNELS, false);
    ck_assert_uint_lt(t.refused * 10, t.kernels);
    ck_assert_uint_lt(t.faults * 2, t.warps);
    ck_assert_uint_gt(t.instructions, 50 * t.kernels);
    ck_assert_uint_gt(t.predicated * 10, t.kernels);
}
END_TEST

START_TEST(wild_kernels_fail_where_the_language_says)
{
    const Tally t = run_kernels((unsigned)_i * KERNELS, true);
    ck_assert_uint_lt(t.refused * 2, t.kernels);
    ck_assert_uint_gt(t.faults * 10, t.warps);
    ck_assert_uint_gt(t.out_of_bounds, 10);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, tame_kernels_issue_what_the_language_says, 0, 5);
    tcase_add_loop_test(tcase, wild_kernels_fail_where_the_language_says, 5, 10);
}

int main(void)
{
    return unit_main("program-random", add);
}
