#include <string.h>

#include "base/error.h"
#include "trace/ast.h"
#include "traces.h"
#include "unit.h"

/* ---- trees as text: operators in front, statements ended by ';' ---- */

/* clang-format off */
static const char *const OPERATORS[] = {
    [EX_NEG] = "neg", [EX_NOT] = "!", [EX_INV] = "~",
#define OPERATOR(name, text, prec) [EX_##name] = text,
    AST_BINARY(OPERATOR)
#undef OPERATOR
    [EX_COND] = "?", [EX_MIN] = "min", [EX_MAX] = "max", [EX_HASH] = "hash",
};
/* clang-format on */

/* clang-format off */
static const char *const BUILTINS[BI_N] = {
    "tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z",
    "laneid", "warpid",
};
/* clang-format on */

static void put_expr(GString *out, const AstExpr *e)
{
    ck_assert_ptr_nonnull(e);
    ck_assert_int_ge(e->line, 1);
    ck_assert_int_ge(e->column, 1);
    if (e->op == EX_CONST)
        g_string_append_printf(out, "%" G_GINT64_FORMAT, e->value);
    else if (e->op == EX_NAME)
        g_string_append(out, e->name);
    else if (e->op == EX_BUILTIN)
        g_string_append(out, BUILTINS[e->builtin]);
    else {
        const AstExpr *operands[] = {e->a, e->b, e->c};
        g_string_append_printf(out, "(%s", OPERATORS[e->op]);
        for (unsigned i = 0; i < 3 && operands[i]; i++) {
            g_string_append_c(out, ' ');
            put_expr(out, operands[i]);
        }
        g_string_append_c(out, ')');
    }
}

static void put_exprs(GString *out, const char *word, const AstExpr *const *exprs, unsigned n)
{
    if (n) g_string_append(out, word);
    for (unsigned i = 0; i < n && exprs[i]; i++) {
        g_string_append_c(out, i ? ' ' : '[');
        put_expr(out, exprs[i]);
    }
    if (n) g_string_append(out, "]");
}

static void put_regs(GString *out, const char *word, const AstReg *regs, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        g_string_append_printf(out, "%sr:", i ? " " : word);
        put_expr(out, regs[i].index);
    }
}

static void put_stmts(GString *out, const GPtrArray *stmts);

static void put_instruction(GString *out, const AstStmt *s)
{
    static const char *const NAMES[] = {"ld", "st", "atom", "tex", "", "bar", "membar", "exit"};

    if (s->predicate) {
        g_string_append_c(out, '@');
        put_expr(out, s->predicate);
        g_string_append_c(out, ' ');
    }
    g_string_append(out, s->kind == ST_ALU ? s->op->name : NAMES[s->kind]);
    if (s->has_dst) put_regs(out, " ", &s->dst, 1);
    if (s->n_sources) put_regs(out, " < ", s->sources, s->n_sources);
    if (s->has_mem) {
        g_string_append_printf(out, " %s.%s", space_name(s->mem.array->space), s->mem.array->name);
        put_exprs(out, "", s->mem.indices, s->mem.n_indices);
    }
    if (s->n_via) put_regs(out, " via ", s->via, s->n_via);
}

static void put_block(GString *out, const AstStmt *s)
{
    static const char *const NAMES[] = {[ST_LET] = "let", [ST_FOR] = "for", [ST_LOOP] = "loop", [ST_IF] = "if"};
    const AstExpr *operands[] = {s->a, s->b, s->c};

    ck_assert(s->kind == ST_LET || s->end_line > s->line);
    g_string_append_printf(out, "%s %s", NAMES[s->kind], s->name ? s->name : "");
    put_exprs(out, "", operands, 3);
    if (s->body) put_stmts(out, s->body);
    if (s->has_else) g_string_append(out, " else");
    if (s->has_else) put_stmts(out, s->other);
}

static void put_stmts(GString *out, const GPtrArray *stmts)
{
    g_string_append(out, "{");
    for (guint i = 0; i < stmts->len; i++) {
        const AstStmt *s = g_ptr_array_index(stmts, i);
        if (s->kind < ST_LET)
            put_instruction(out, s);
        else
            put_block(out, s);
        g_string_append(out, ";");
    }
    g_string_append(out, "}");
}

static void put_arrays(GString *out, const GPtrArray *arrays)
{
    for (guint i = 0; i < arrays->len; i++) {
        const AstArray *a = g_ptr_array_index(arrays, i);
        g_string_append_printf(out, "%s %s:%u/%u", space_name(a->space), a->name, a->elem_bytes, a->elem_regs);
        put_exprs(out, "", a->dims, a->n_dims);
        put_exprs(out, "@", &a->at, a->at ? 1 : 0);
        g_string_append(out, "; ");
    }
}

static void put_named(GString *out, const char *word, const GPtrArray *list)
{
    for (guint i = 0; i < list->len; i++) {
        const AstNamed *n = g_ptr_array_index(list, i);
        g_string_append_printf(out, "%s %s=", word, n->name);
        put_expr(out, n->value);
        g_string_append(out, "; ");
    }
}

static void put_requires(GString *out, const GPtrArray *requires)
{
    for (guint i = 0; i < requires->len; i++) {
        const AstRequire *r = g_ptr_array_index(requires, i);
        g_string_append_printf(out, "require '%s' ", r->text);
        put_expr(out, r->cond);
        g_string_append(out, "; ");
    }
}

static void put_kernel(GString *out, const AstKernel *k)
{
    g_string_append_printf(out, "kernel %s ", k->name);
    put_exprs(out, "grid", k->grid, k->n_grid);
    put_exprs(out, " block", k->block, k->n_block);
    put_exprs(out, " regs", &k->regs, 1);
    put_exprs(out, " args", &k->args, k->args ? 1 : 0);
    put_exprs(out, " shmem", &k->shmem, k->shmem ? 1 : 0);
    put_exprs(out, " useful", &k->useful, k->useful ? 1 : 0);
    put_exprs(out, " steps", &k->steps, k->steps ? 1 : 0);
    put_exprs(out, " flops", &k->flops, k->flops ? 1 : 0);
    g_string_append(out, "; ");
    put_arrays(out, k->arrays);
    put_named(out, "let", k->lets);
    put_requires(out, k->requires);
    put_stmts(out, k->body);
    g_string_append_printf(out, " params %u uses", k->n_params_used);
    for (guint i = 0; i < k->uses->len; i++)
        g_string_append_printf(out, " %s", ((const AstArray *)g_ptr_array_index(k->uses, i))->name);
    g_string_append(out, "\n");
}

static void put_launches(GString *out, const GPtrArray *launches)
{
    for (guint i = 0; i < launches->len; i++) {
        const AstLaunch *l = g_ptr_array_index(launches, i);
        const AstExpr *operands[] = {l->a, l->b, l->c};
        g_string_append_printf(out, "%s", l->kernel ? l->kernel->name : l->name ? l->name : "repeat");
        put_exprs(out, " grid", l->grid, l->n_grid);
        put_exprs(out, " block", l->block, l->n_block);
        if (!l->kernel) put_exprs(out, "", operands, 3);
        put_named(out, " with", l->with);
        if (l->kernel)
            g_string_append(out, "; ");
        else {
            g_string_append(out, "{");
            put_launches(out, l->body);
            g_string_append(out, "}");
        }
    }
}

static char *dump(const AstTrace *trace)
{
    GString *out = g_string_new(NULL);

    put_named(out, "param", trace->params);
    put_requires(out, trace->requires);
    put_arrays(out, trace->arrays);
    g_string_append(out, "\n");
    for (guint i = 0; i < trace->kernels->len; i++)
        put_kernel(out, g_ptr_array_index(trace->kernels, i));
    put_launches(out, trace->launches);
    return g_string_free(out, FALSE);
}

static AstTrace *parse(const char *text)
{
    GError *error = NULL;
    AstTrace *trace = ast_trace_parse("t", text, strlen(text), &error);

    ck_assert_msg(trace != NULL, "%s", error ? error->message : "");
    return trace;
}

/* ---- expressions ---- */

static const struct {
    const char *text, *tree;
} EXPRS[] = {
    {"7", "7"},
    {"0x10", "16"},
    {"tid.x*4 + 1", "(+ (* tid.x 4) 1)"},
    {"1 + 2*3 - 4/5%6", "(- (+ 1 (* 2 3)) (% (/ 4 5) 6))"},
    {"1 - 2 - 3", "(- (- 1 2) 3)"},
    {"1 << 2 + 3 >> 4", "(>> (<< 1 (+ 2 3)) 4)"},
    {"1 < 2 == 3 >= 4", "(== (< 1 2) (>= 3 4))"},
    {"1 & 2 == 3 ^ 4 | 5", "(| (^ (& 1 (== 2 3)) 4) 5)"},
    {"1 || 2 && 3 | 4", "(|| 1 (&& 2 (| 3 4)))"},
    {"1 ? 2 : 3 ? 4 : 5", "(? 1 2 (? 3 4 5))"},
    {"1 || 0 ? 2 ? 6 : 7 : 3", "(? (|| 1 0) (? 2 6 7) 3)"},
    {"-~!1 * -2", "(* (neg (~ (! 1))) (neg 2))"},
    {"2 - -1", "(- 2 (neg 1))"},
    {"(1 + 2) * 3", "(* (+ 1 2) 3)"},
    {"min(1, 2) + max(3, laneid)", "(+ (min 1 2) (max 3 laneid))"},
    {"hash(warpid % 4)", "(hash (% warpid 4))"},
    {"tid.y+ntid.z+ctaid.x+nctaid.y", "(+ (+ (+ tid.y ntid.z) ctaid.x) nctaid.y)"},
};

START_TEST(an_expression_has_the_precedence_of_c)
{
    const AstExpr *expr = NULL;
    GError *error = NULL;
    g_autoptr(AstTrace) trace = ast_expr_parse("--address", EXPRS[_i].text, &expr, &error);
    g_autoptr(GString) tree = g_string_new(NULL);

    ck_assert_msg(trace != NULL, "%s", error ? error->message : "");
    put_expr(tree, expr);
    ck_assert_str_eq(tree->str, EXPRS[_i].tree);
}
END_TEST

START_TEST(an_operator_knows_its_place)
{
    const AstExpr *expr = NULL;
    g_autoptr(AstTrace) trace = ast_expr_parse("e", "laneid  / (1-1)", &expr, NULL);

    ck_assert_int_eq(expr->column, 9);
    ck_assert_int_eq(expr->a->column, 1);
    ck_assert_int_eq(expr->b->column, 13);
}
END_TEST

/* ---- whole files ---- */

static const char MATMUL_TREE[] =
    "param N=256; param T=16; require 'N % T == 0' (== (% N T) 0); "
    "global A:4/1[N N]; global B:4/1[N N]; global C:4/1[N N]; \n"
    "kernel matmul_tiled grid[(/ N T) (/ N T)] block[T T] regs[10]; shared As:4/1[T T]; shared Bs:4/1[T T]; "
    "let row=(+ (* ctaid.y T) tid.y); let col=(+ (* ctaid.x T) tid.x); "
    "{mov r:0;loop m[0 (- (/ N T) 1)]{ld r:1 global.A[row (+ (* m T) tid.x)];ld r:2 global.B[(+ (* m T) tid.y) col];"
    "st < r:1 shared.As[tid.y tid.x];st < r:2 shared.Bs[tid.y tid.x];bar;"
    "loop k[0 (- T 1)]{ld r:3 shared.As[tid.y k];mad r:0 < r:3 r:0 shared.Bs[k tid.x];};bar;};st < r:0 global.C[row col];}"
    " params 2 uses A B C\n";

static const char EVERYTHING_TREE[] =
    "param N=64; param M=(* N 2); require 'N > 0 && M % N == 0' (&& (> N 0) (== (% M N) 0)); "
    "global G:16/4[N M 2]@[65536]; const K:1/1[N]; tex X:4/1[N]; \n"
    "kernel one grid[(- 2 1) N (/ M 2)] block[N 1 1] regs[(/ N 4)] args[16] shmem[M] useful[(* N 4)] steps[(/ M 2)] flops[(* 2 "
    "N)]; "
    "shared S:8/2[(+ N 1)]; local L:2/1[4]; let i=(+ tid.x (* ctaid.x ntid.x)); let j=(^ i (% (hash i) 7)); "
    "require 'N < 1000' (< N 1000); "
    "{mov r:0;let t[(/ i 2)];for u[0 3 2]{fma r:(+ u 1) < r:0 shared.S[t];let v[(* u t)];"
    "@(|| (< v 4) (! i)) ld r:4 global.G[i j (& u 1)] via r:2 r:u;};"
    "for [1 4]{atom r:5 < r:1 shared.S[i];atom < r:1 shared.S[t] via r:0;};"
    "if [(< laneid 16)]{let v[1];@(== warpid 0) min r:0 < r:1;} else{let v[2];tex r:8 tex.X[(max v t)];membar;@i exit;};"
    "st < r:0 local.L[j];} params 2 uses G X\n"
    "kernel two grid[1] block[1] regs[1]; {bar;} params 0 uses\n"
    "two grid[4] block[2 2] with M=(+ N 1);  with N=2; ; p[N 1 (neg 1)]{one with N=p; ; repeat[1 2]{two; }}";

START_TEST(the_matrix_multiply_is_read)
{
    g_autoptr(AstTrace) trace = parse(MATMUL);
    g_autofree char *tree = dump(trace);
    ck_assert_str_eq(tree, MATMUL_TREE);
}
END_TEST

START_TEST(every_construct_is_read)
{
    g_autoptr(AstTrace) trace = parse(EVERYTHING);
    g_autofree char *tree = dump(trace);
    ck_assert_str_eq(tree, EVERYTHING_TREE);
}
END_TEST

START_TEST(windows_lines_and_a_byte_order_mark_change_nothing)
{
    g_auto(GStrv) lines = g_strsplit(MATMUL, "\n", -1);
    g_autofree char *joined = g_strjoinv("\r\n", lines), *text = g_strconcat("\xef\xbb\xbf", joined, NULL);
    g_autoptr(AstTrace) trace = parse(text);
    g_autofree char *tree = dump(trace);
    ck_assert_str_eq(tree, MATMUL_TREE);
    ck_assert_str_eq(ast_trace_line(trace, 27), "bar");
}
END_TEST

START_TEST(a_statement_knows_its_lines)
{
    g_autoptr(AstTrace) trace = parse(EVERYTHING);
    const AstKernel *kernel = g_ptr_array_index(trace->kernels, 0);
    const AstStmt *branch = g_ptr_array_index(kernel->body, 4);

    ck_assert_int_eq(kernel->line, 9);
    ck_assert_int_eq(kernel->end_line, 44);
    ck_assert_int_eq(branch->line, 34);
    ck_assert_int_eq(branch->column, 3);
    ck_assert_int_eq(branch->else_line, 37);
    ck_assert_int_eq(branch->end_line, 42);
}
END_TEST

START_TEST(the_source_is_kept)
{
    g_autoptr(AstTrace) trace = parse(EVERYTHING);
    g_autofree char *sha256 = g_compute_checksum_for_string(G_CHECKSUM_SHA256, EVERYTHING, -1);

    ck_assert_str_eq(trace->file, "t");
    ck_assert_str_eq(trace->text, EVERYTHING);
    ck_assert_str_eq(trace->sha256, sha256);
    ck_assert_str_eq(ast_trace_line(trace, 0), "");
    ck_assert_str_eq(ast_trace_line(trace, 1), "");
    ck_assert_str_eq(ast_trace_line(trace, 2), "g80trace 1");
    ck_assert_str_eq(ast_trace_line(trace, 28), "@v < 4 || !i ld r4, G[i][j][u&1] via r2, r[u]");
    ck_assert_str_eq(ast_trace_line(trace, 57), "end");
    ck_assert_str_eq(ast_trace_line(trace, 58), "");
}
END_TEST

/* ---- nothing breaks the parser ---- */

/* clang-format off */
static const char *const PIECES[] = {
    "end\n", "\n", "else\n", "loop k = 0 to 3\n", "if 1\n", "kernel ", "r0", "r[", "]", "(", ")", ", ",
    "@", "N", "T", " via r1", "-", "\"",
    "# ", "launch two\n", "for i = 1 to N\n", "let x = ", "tid.x", "tid", "9223372036854775808", "1.5",
    "?", ":", "\xff", "\r", "grid ",
    "g80trace 1\n", "param N = 1\n", "min(", "As[0][0]", "global Z[1] : f32\n", "\xc3\xa9", "\x1b", "table", "lda ", "repeat 2\n",
};
/* clang-format on */

static gint32 below(GRand *rand, gsize n)
{
    return n ? g_rand_int_range(rand, 0, (gint32)n) : 0;
}

static void mutate(GRand *rand, GString *text)
{
    gssize at = below(rand, text->len + 1), length = below(rand, 40);
    length = MIN(length, (gssize)text->len - at);
    g_autofree char *copy = g_strndup(text->str + at, (gsize)length);
    const char *piece = PIECES[below(rand, G_N_ELEMENTS(PIECES))];

    switch (below(rand, 6)) {
    case 0: g_string_erase(text, at, length); break;
    case 1: g_string_insert(text, below(rand, text->len + 1), copy); break;
    case 2: g_string_insert(text, at, piece); break;
    case 3: g_string_insert_c(text, at, (char)below(rand, 256)); break;
    case 4: g_string_truncate(text, (gsize)at); break;
    default: g_string_overwrite_len(text, (gsize)at, piece, MIN((gssize)strlen(piece), (gssize)text->len - at)); break;
    }
}

/* Either a tree that can be walked, or faults that all have the form of the manual. */
static void check_survives(const GRegex *form, const char *text, gsize length)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(AstTrace) trace = ast_trace_parse("t", text, length, &error);

    if (trace) {
        ck_assert_ptr_null(error);
        g_autofree char *tree = dump(trace);
        return;
    }
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_TRACE));
    ck_assert_msg(g_regex_match(form, error->message, 0, NULL), "%s", error->message);
}

static GRegex *form_new(void)
{
    return g_regex_new("\\A(t:[0-9]+:[0-9]+: [a-z ]+ = [^[:cntrl:]]+: [^[:cntrl:]]+(\n(?!\\z)|\\z))+(t: [0-9]+ more faults?)?\\z",
                       0, 0, NULL);
}

enum { MUTATIONS = 25000 }; /* of each trace */

START_TEST(mutations_do_not_break_it)
{
    const char *source = _i ? EVERYTHING : MATMUL;
    GRand *rand = g_rand_new_with_seed(80 + (guint32)_i);
    g_autoptr(GRegex) form = form_new();

    for (unsigned i = 0; i < MUTATIONS; i++) {
        g_autoptr(GString) text = g_string_new(source);
        for (gint32 n = 1 + below(rand, 4); n > 0; n--)
            mutate(rand, text);
        check_survives(form, text->str, text->len);
    }
    g_rand_free(rand);
}
END_TEST

START_TEST(truncation_does_not_break_it)
{
    const char *source = _i ? EVERYTHING : MATMUL;
    g_autoptr(GRegex) form = form_new();

    for (gsize length = 0; length <= strlen(source); length++) {
        g_autofree char *text = g_strndup(source, length); /* its end is where the sanitizer sees reads beyond it */
        check_survives(form, text, length);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, an_expression_has_the_precedence_of_c, 0, G_N_ELEMENTS(EXPRS));
    tcase_add_test(tcase, an_operator_knows_its_place);
    tcase_add_test(tcase, the_matrix_multiply_is_read);
    tcase_add_test(tcase, every_construct_is_read);
    tcase_add_test(tcase, windows_lines_and_a_byte_order_mark_change_nothing);
    tcase_add_test(tcase, a_statement_knows_its_lines);
    tcase_add_test(tcase, the_source_is_kept);
    tcase_add_loop_test(tcase, mutations_do_not_break_it, 0, 2);
    tcase_add_loop_test(tcase, truncation_does_not_break_it, 0, 2);
}

int main(void)
{
    return unit_main("parser", add);
}
