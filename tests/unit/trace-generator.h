#pragma once
/*
 * Random kernels as text: valid by the grammar, mostly tame (indices inside their arrays), now and then wild (any operator on any
 * numbers, so that indices leave their arrays and arithmetic fails).
 */
#include <stdbool.h>

#include <glib.h>

#include "random.h"

enum { GEN_NAMES_MAX = 24, GEN_ARRAYS_MAX = 9 };

typedef struct {
    char name[8];
    unsigned n_dims;
    unsigned may; /* of the GEN_ uses below */
} GenArray;

/* What may be done with an array. */
enum { GEN_LD = 1, GEN_ST = 2, GEN_ATOM = 4, GEN_TEX = 8, GEN_OPERAND = 16 };

typedef struct {
    uint64_t seed;
    GString *text;
    bool wild, tame_now; /* some statements of a wild kernel are tame */
    unsigned budget;     /* statements still to be written */
    unsigned n_params, n_names, serial, depth, loops;
    char names[GEN_NAMES_MAX][8]; /* in scope: parameters, lets, loop variables */
    unsigned n_arrays;
    GenArray arrays[GEN_ARRAYS_MAX];
} Gen;

static bool gen_chance(Gen *g, unsigned percent)
{
    return random_below(&g->seed, 100) < percent;
}

static unsigned gen_below(Gen *g, unsigned n)
{
    return (unsigned)random_below(&g->seed, n);
}

static void gen_put(Gen *g, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void gen_put(Gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_string_append_vprintf(g->text, format, args);
    va_end(args);
}

/* ---- expressions ---- */

static void gen_constant(Gen *g)
{
    static const char *const ODD[] = {
        "9223372036854775807", "(-9223372036854775807-1)", "4611686018427387904",  "-1", "63", "64", "0x100000000",
        "-4294967296",         "2305843009213693952",      "-9223372036854775807", "62", "0"};
    if (g->wild && !g->tame_now && gen_chance(g, 12))
        gen_put(g, "%s", ODD[gen_below(g, G_N_ELEMENTS(ODD))]);
    else
        gen_put(g, "%u", gen_below(g, gen_chance(g, 80) ? 6 : 40));
}

static void gen_atom(Gen *g, bool params_only)
{
    static const char *const BUILTIN[] = {"tid.x",   "tid.y",  "tid.z",  "laneid",   "laneid",   "warpid", "ctaid.x",  "ctaid.y",
                                          "ctaid.z", "ntid.x", "ntid.y", "nctaid.x", "nctaid.y", "ntid.z", "nctaid.z", "tid.x"};
    const unsigned pick = gen_below(g, 10);
    if (pick < 3)
        gen_constant(g);
    else if (params_only)
        gen_put(g, "%s", g->names[gen_below(g, g->n_params)]);
    else if (pick < 6)
        gen_put(g, "%s", g->names[gen_below(g, g->n_names)]);
    else
        gen_put(g, "%s", BUILTIN[gen_below(g, G_N_ELEMENTS(BUILTIN))]);
}

static void gen_expr(Gen *g, unsigned depth);

static void gen_any_operator(Gen *g, unsigned depth)
{
    static const char *const OPS[] = {
        "+", "-", "*", "/", "%", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|", "&&", "||"};
    gen_put(g, gen_chance(g, 60) ? "((laneid - " : "((ctaid.x + "); /* few are constant, so that few kernels are refused */
    gen_expr(g, depth - 1);
    gen_put(g, ") %s ", OPS[gen_below(g, G_N_ELEMENTS(OPS))]);
    gen_expr(g, depth - 1);
    gen_put(g, ")");
}

static void gen_tame_operator(Gen *g, unsigned depth)
{
    static const char *const OPS[] = {"+", "+", "+", "-", "-", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|", "&&", "||"};
    static const char *const RIGHT[] = {" * %u", " * %u", " / %u", " %% %u", " >> %u", " << (%u & 3)", " - %u", " + %u", " < %u"};
    gen_put(g, "(");
    gen_expr(g, depth - 1);
    if (gen_chance(g, 50)) {
        gen_put(g, RIGHT[gen_below(g, G_N_ELEMENTS(RIGHT))], 1 + gen_below(g, 7));
    } else {
        gen_put(g, " %s ", OPS[gen_below(g, G_N_ELEMENTS(OPS))]);
        gen_expr(g, depth - 1);
    }
    gen_put(g, ")");
}

static void gen_call(Gen *g, unsigned depth)
{
    const unsigned pick = gen_below(g, 3);
    if (pick == 2) {
        gen_put(g, "(hash(");
        gen_expr(g, depth - 1);
        gen_put(g, ") %% %u)", 1 + gen_below(g, 30));
        return;
    }
    gen_put(g, pick ? "min(" : "max(");
    gen_expr(g, depth - 1);
    gen_put(g, ", ");
    gen_expr(g, depth - 1);
    gen_put(g, ")");
}

static void gen_choice(Gen *g, unsigned depth)
{
    gen_put(g, "(");
    gen_expr(g, depth - 1);
    gen_put(g, " ? ");
    gen_expr(g, depth - 1);
    gen_put(g, " : ");
    gen_expr(g, depth - 1);
    gen_put(g, ")");
}

static void gen_expr(Gen *g, unsigned depth)
{
    const unsigned pick = gen_below(g, 20);
    if (depth == 0 || pick < 4) {
        gen_atom(g, false);
    } else if (pick < 5) {
        gen_put(g, "%c", "-!~"[gen_below(g, 3)]);
        gen_put(g, "(");
        gen_expr(g, depth - 1);
        gen_put(g, ")");
    } else if (pick < 7) {
        gen_call(g, depth);
    } else if (pick < 8) {
        gen_choice(g, depth);
    } else if (g->wild && !g->tame_now && pick < 14) {
        gen_any_operator(g, depth);
    } else {
        gen_tame_operator(g, depth);
    }
}

/* A sum of products with constants: what kernels are made of. */
static void gen_affine(Gen *g)
{
    const unsigned n = 1 + gen_below(g, 4);
    for (unsigned i = 0; i < n; i++) {
        if (i) gen_put(g, " %c ", gen_chance(g, 80) ? '+' : '-');
        gen_atom(g, false);
        if (gen_chance(g, 40)) gen_put(g, "*%u", gen_below(g, 9));
    }
}

static void gen_index(Gen *g)
{
    const unsigned pick = gen_below(g, g->wild && !g->tame_now ? 12 : 10);
    if (pick < 5) {
        gen_put(g, "190 + ");
        gen_affine(g);
    } else if (pick < 7) {
        gen_put(g, "(");
        gen_expr(g, 3);
        gen_put(g, ") & %u", (1u << (1 + gen_below(g, 6))) - 1);
    } else if (pick < 8) {
        gen_put(g, "max(0, min(63, ");
        gen_affine(g);
        gen_put(g, "))");
    } else if (pick < 10) {
        gen_put(g, "hash(");
        gen_affine(g);
        gen_put(g, ") %% %u", 1 + gen_below(g, 60));
    } else {
        gen_expr(g, 4);
    }
}

/* ---- instructions ---- */

static bool gen_can(const Gen *g, unsigned use)
{
    for (unsigned i = 0; i < g->n_arrays; i++)
        if (g->arrays[i].may & use) return true;
    return false;
}

static void gen_memory(Gen *g, unsigned use)
{
    unsigned pick = gen_below(g, g->n_arrays);
    while (!(g->arrays[pick].may & use))
        pick = (pick + 1) % g->n_arrays;
    gen_put(g, "%s", g->arrays[pick].name);
    for (unsigned d = 0; d < g->arrays[pick].n_dims; d++) {
        gen_put(g, "[");
        gen_index(g);
        gen_put(g, "]");
    }
}

static void gen_indent(Gen *g)
{
    gen_put(g, "%*s", (int)(2 * g->depth + 2), "");
}

static void gen_insn(Gen *g)
{
    const unsigned pick = gen_below(g, 20);
    gen_indent(g);
    if (gen_chance(g, 20)) {
        gen_put(g, "@");
        gen_expr(g, 3);
        gen_put(g, " ");
    }
    if (pick < 5) {
        gen_put(g, "ld r%u, ", gen_below(g, 8));
        gen_memory(g, GEN_LD);
    } else if (pick < 8 && gen_can(g, GEN_TEX)) {
        gen_put(g, "tex r%u, ", gen_below(g, 8));
        gen_memory(g, GEN_TEX);
    } else if (pick < 11) {
        gen_put(g, "st ");
        gen_memory(g, GEN_ST);
        gen_put(g, ", r%u", gen_below(g, 8));
    } else if (pick < 12 && gen_can(g, GEN_ATOM)) {
        gen_put(g, gen_chance(g, 50) ? "atom " : "atom r4, ");
        gen_memory(g, GEN_ATOM);
        gen_put(g, ", r2");
    } else if (pick < 15) {
        gen_put(g, "mad r%u, r%u, ", gen_below(g, 8), gen_below(g, 8));
        gen_memory(g, GEN_OPERAND);
        gen_put(g, ", r0");
    } else {
        static const char *const PLAIN[] = {"add r0, r1, r2", "bar", "membar", "mov r3", "rcp r1, r1"};
        gen_put(g, "%s", PLAIN[gen_below(g, G_N_ELEMENTS(PLAIN))]);
    }
    gen_put(g, "\n");
}

static void gen_exit(Gen *g)
{
    gen_indent(g);
    gen_put(g, "@(");
    gen_expr(g, 3);
    gen_put(g, ") %% 3 == %u exit\n", gen_below(g, 3));
}

/* ---- blocks ---- */

static void gen_statements(Gen *g);

static void gen_name(Gen *g, const char *prefix)
{
    const unsigned at = g->n_names < GEN_NAMES_MAX ? g->n_names++ : GEN_NAMES_MAX - 1;
    g_snprintf(g->names[at], sizeof g->names[at], "%s%u", prefix, g->serial++);
}

static void gen_inside(Gen *g)
{
    const unsigned names = g->n_names;
    g->depth++;
    gen_statements(g);
    g->depth--;
    g->n_names = names;
}

static void gen_bounds(Gen *g, char *name)
{
    static const char *const STEPS[] = {" step 2", " step 3", " step 1 + laneid % 2", " step 1 + ctaid.x", " step 1 + tid.x / 3"};
    const bool down = gen_chance(g, 20);
    gen_put(g, " %s = ", name);
    if (g->wild && !g->tame_now && gen_chance(g, 10)) {
        gen_expr(g, 3);
        gen_put(g, " to ");
        gen_expr(g, 3);
        gen_put(g, " step ");
        gen_expr(g, 2);
        return;
    }
    if (gen_chance(g, 50))
        gen_put(g, "%u", gen_below(g, 5));
    else
        gen_affine(g);
    gen_put(g, " to (");
    if (gen_chance(g, 40))
        gen_affine(g);
    else
        gen_atom(g, gen_chance(g, 50));
    gen_put(g, ") %% %u %c %u", 2 + gen_below(g, 5), down ? '-' : '+', gen_below(g, 3));
    if (down)
        gen_put(g, " step -%u", 1 + gen_below(g, 2));
    else if (gen_chance(g, 25))
        gen_put(g, "%s", STEPS[gen_below(g, G_N_ELEMENTS(STEPS))]);
}

static void gen_loop(Gen *g)
{
    const unsigned pick = gen_below(g, 5), names = g->n_names;
    gen_indent(g);
    if (pick == 0) {
        gen_put(g, "repeat (");
        gen_expr(g, 2);
        gen_put(g, ") %% 4");
    } else {
        char name[12];
        g_snprintf(name, sizeof name, "i%u", g->serial++);
        gen_put(g, pick < 3 ? "for" : "loop");
        gen_bounds(g, name);
        if (g->n_names < GEN_NAMES_MAX) g_strlcpy(g->names[g->n_names++], name, sizeof g->names[0]);
    }
    gen_put(g, "\n");
    g->loops++;
    gen_inside(g);
    g->loops--;
    g->n_names = names;
    gen_indent(g);
    gen_put(g, "end\n");
}

static void gen_if(Gen *g)
{
    static const char *const CONDS[] = {"laneid < 16",  "tid.x % 2", "warpid == 0",
                                        "ctaid.x == 1", "tid.y > 0", "laneid >= ctaid.x*4"};
    gen_indent(g);
    gen_put(g, "if ");
    if (gen_chance(g, 30))
        gen_put(g, "%s", CONDS[gen_below(g, G_N_ELEMENTS(CONDS))]);
    else
        gen_expr(g, 3);
    gen_put(g, "\n");
    gen_inside(g);
    if (gen_chance(g, 50)) {
        gen_indent(g);
        gen_put(g, "else\n");
        gen_inside(g);
    }
    gen_indent(g);
    gen_put(g, "end\n");
}

static void gen_let(Gen *g)
{
    if (g->n_names + 1 >= GEN_NAMES_MAX) return;
    char name[12];
    g_snprintf(name, sizeof name, "v%u", g->serial++);
    gen_indent(g);
    gen_put(g, "let %s = ", name);
    if (gen_chance(g, 60))
        gen_affine(g);
    else
        gen_expr(g, 3);
    gen_put(g, "\n");
    g_strlcpy(g->names[g->n_names++], name, sizeof g->names[0]);
}

static void gen_statements(Gen *g)
{
    for (unsigned n = gen_below(g, 5); n > 0 && g->budget > 0; n--) {
        const unsigned pick = gen_below(g, 20);
        g->budget--;
        g->tame_now = gen_chance(g, 75);
        if (pick < 10 || g->depth > 4)
            gen_insn(g);
        else if (pick < 12)
            gen_let(g);
        else if (pick < 15 && g->loops < 3)
            gen_loop(g);
        else if (pick < 19)
            gen_if(g);
        else if (gen_chance(g, 50))
            gen_exit(g);
    }
}

/* ---- the file ---- */

/* Constant and local arrays are small, since their spaces are. */
static void gen_array(Gen *g, const char *space, bool small, unsigned may)
{
    static const char *const TYPES[] = {"u8", "u16", "f32", "f64", "f32x2", "f32x4", "s32"};
    static const char *const SIZES[][3] = {{"P0 + 900"}, {"P0 + 700", "800+1"}, {"600", "P1 + 700", "820"}};
    static const char *const SMALL_SIZES[][3] = {{"P0 + 300"}, {"P0 + 9", "17"}, {"5", "P1 + 7", "3"}};
    GenArray *a = &g->arrays[g->n_arrays];
    const unsigned type = gen_below(g, G_N_ELEMENTS(TYPES));
    *a = (GenArray){.n_dims = 1 + gen_below(g, 3), .may = may};
    if (type != 2 && type != 3 && type != 6) a->may &= ~(unsigned)GEN_ATOM;
    g_snprintf(a->name, sizeof a->name, "A%u", g->n_arrays++);
    gen_put(g, "%s %s", space, a->name);
    for (unsigned d = 0; d < a->n_dims; d++)
        gen_put(g, "[%s]", (small ? SMALL_SIZES : SIZES)[a->n_dims - 1][d]);
    gen_put(g, " : %s", TYPES[type]);
    if (g_str_equal(space, "global") && gen_chance(g, 20)) gen_put(g, " @ 0x%x", 0x1000 * (1 + gen_below(g, 9)));
    gen_put(g, "\n");
}

static void gen_shape(Gen *g)
{
    static const char *const BLOCKS[] = {"32", "16 2", "8 4 2", "40", "5", "7 3 2", "33", "64", "17 3", "1 32", "1", "4 4", "70"};
    static const char *const GRIDS[] = {"1", "3", "2 2", "2 1 3", "4", "1 3"};
    gen_put(g, "kernel k\n  grid %s\n  block %s\n  regs 16\n", GRIDS[gen_below(g, G_N_ELEMENTS(GRIDS))],
            BLOCKS[gen_below(g, G_N_ELEMENTS(BLOCKS))]);
}

/* A file with one kernel; the caller frees it. */
static char *gen_trace(uint64_t seed, bool wild)
{
    Gen g = {.seed = seed, .text = g_string_new("g80trace 1\n"), .wild = wild, .budget = 30};
    while (g.n_params < 3) {
        gen_name(&g, "P");
        gen_put(&g, "param %s = %u\n", g.names[g.n_params++], gen_below(&g, 9));
    }
    for (unsigned n = 1 + gen_below(&g, 2); n > 0; n--)
        gen_array(&g, "global", false, GEN_LD | GEN_ST | GEN_ATOM);
    for (unsigned n = gen_below(&g, 3); n > 0; n--)
        gen_array(&g, "tex", false, GEN_TEX);
    if (gen_chance(&g, 50)) gen_array(&g, "const", true, GEN_LD | GEN_OPERAND);
    gen_shape(&g);
    for (unsigned n = 1 + gen_below(&g, 2); n > 0; n--)
        gen_array(&g, "shared", false, GEN_LD | GEN_ST | GEN_ATOM | GEN_OPERAND);
    for (unsigned n = gen_below(&g, 3); n > 0; n--)
        gen_array(&g, "local", true, GEN_LD | GEN_ST);
    for (unsigned n = gen_below(&g, 3); n > 0; n--)
        gen_let(&g);
    gen_insn(&g);
    while (g.budget > 0)
        gen_statements(&g);
    gen_put(&g, "end\n");
    return g_string_free(g.text, FALSE);
}
