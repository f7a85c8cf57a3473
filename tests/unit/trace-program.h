#pragma once
/* Traces compiled for a test: from text to the program of its first launch, and its first warps as text. */
#include <string.h>

#include "trace/cursor.h"
#include "unit.h"

typedef struct {
    AstTrace *trace;
    LaunchPlan *plan;
    Program *program;
    char *refusal; /* message of the fault, or NULL */
} Compiled;

static void compiled_clear(Compiled *c)
{
    program_free(c->program);
    launch_plan_free(c->plan);
    ast_trace_free(c->trace);
    g_free(c->refusal);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Compiled, compiled_clear)

static Compiled compile_with(const char *text, const ProgramOptions *options)
{
    Compiled c = {NULL};
    GError *error = NULL;
    c.trace = ast_trace_parse("f", text, strlen(text), &error);
    if (c.trace) c.plan = launch_plan_new(c.trace, NULL, &error);
    if (c.plan) c.program = program_new(c.plan, &g_array_index(c.plan->launches, Launch, 0), options, &error);
    ck_assert_int_eq(c.program == NULL, error != NULL);
    if (!error) return c;
    ck_assert_int_eq(error->code, G80SIM_ERROR_TRACE);
    c.refusal = g_strdup(error->message);
    g_error_free(error);
    return c;
}

static inline Compiled compile_text(const char *text)
{
    return compile_with(text, &(ProgramOptions){.max_instructions = UINT64_C(1) << 40, .memory_operands = true});
}

/* A cursor with storage of its own. */
typedef struct {
    Cursor cursor;
    void *storage;
} Walker;

static void walker_clear(Walker *w)
{
    g_clear_error(&w->cursor.fault);
    g_free(w->storage);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Walker, walker_clear)

static void walker_start(Walker *w, const Program *program, uint64_t block, uint32_t warp)
{
    w->storage = g_malloc0(cursor_storage(program));
    cursor_init(&w->cursor, program, w->storage);
    cursor_start(&w->cursor, block, warp);
}

/* Executes the present instruction as far as the cursor is concerned. */
static void walker_step(Walker *w)
{
    Cursor *c = &w->cursor;
    LaneMask mask;
    AccessLanes lanes;
    if (!cursor_mask(c, &mask)) return;
    if (c->insn->access >= 0 && mask && !cursor_access(c, mask, &lanes)) return;
    if (c->insn->kind == INSN_EXIT) cursor_exit(c, mask);
    cursor_next(c);
}

/* Every instruction of a warp as `LINE KIND MASK DEPTH`, one a line; then its fault. Free with g_free. */
static inline char *walk(const Program *program, uint64_t block, uint32_t warp)
{
    static const char *const KINDS[] = {"alu", "mem", "bar", "membar", "exit", "bra"};
    g_auto(Walker) w = {.storage = NULL};
    GString *out = g_string_new(NULL);
    unsigned n = 0;
    for (walker_start(&w, program, block, warp); w.cursor.insn && n < 10000; n++) {
        const Cursor *c = &w.cursor;
        g_string_append_printf(out, "%d %s %08x %u\n", c->insn->line, KINDS[c->insn->kind], c->active, c->depth);
        walker_step(&w);
    }
    if (w.cursor.fault) g_string_append_printf(out, "%s\n", w.cursor.fault->message);
    return g_string_free(out, FALSE);
}
