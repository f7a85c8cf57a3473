/* Tables as text: their syntax trees, and what is said of faulty ones. Their values: test-table-values.c, test-table-file.c. */
#include <string.h>

#include "trace/launch.h"
#include "trace/parser-private.h"
#include "unit.h"

/* ---- trees ---- */

static void put(GString *out, const AstExpr *e)
{
    const AstExpr *operands[] = {e->a, e->b, e->c};

    if (e->op == EX_CONST)
        g_string_append_printf(out, "%" G_GINT64_FORMAT, e->value);
    else if (e->op == EX_NAME || e->op == EX_TABLE)
        g_string_append(out, e->name);
    else
        g_string_append_printf(out, "op%d", e->op == EX_ADD ? 1 : e->op == EX_NEG ? 2 : 0);
    if (e->op == EX_TABLE) ck_assert_str_eq(e->table->name, e->name);
    for (unsigned i = 0; i < 3 && operands[i]; i++) {
        g_string_append_c(out, i ? ' ' : '(');
        put(out, operands[i]);
    }
    if (e->a) g_string_append_c(out, ')');
}

static char *tree(const AstTrace *trace)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < trace->tables->len; i++) {
        const AstTable *t = trace->tables->pdata[i];
        ck_assert_uint_eq(t->index, i);
        ck_assert_int_eq(t->column, 1);
        g_string_append_printf(out, "%s%d %s", i ? "; " : "", t->line, t->name);
        for (unsigned d = 0; d < t->n_dims; d++) {
            g_string_append_c(out, '[');
            put(out, t->dims[d]);
            g_string_append_c(out, ']');
        }
        if (t->from) g_string_append_printf(out, " from <%s>", t->from);
        for (guint k = 0; k < t->values->len; k++) {
            g_string_append_c(out, k ? ',' : '=');
            put(out, t->values->pdata[k]);
        }
    }
    const AstKernel *kernel = trace->kernels->pdata[0];
    for (guint i = 0; i < kernel->lets->len; i++) {
        g_string_append(out, " let ");
        put(out, ((const AstNamed *)kernel->lets->pdata[i])->value);
    }
    g_string_append_printf(out, " params %u", kernel->n_params_used);
    return g_string_free(out, FALSE);
}

#define HEAD "g80trace 1\nparam N = 8\n"
#define KERNEL "kernel k\ngrid 1\nblock 1\nregs 2\n"

/* clang-format off */
static const struct {
    const char *top, *let, *tree;
} TREES[] = {
    {"table t[3] = {1, 2, 3}\n", "let a = t[2]\n", "3 t[3]=1,2,3 let t(2) params 0"},
    {"table t[2][N] = { 1 }\n", "let a = t[1][tid.x]\n", "3 t[2][N]=1 let t(1 op0) params 0"},
    {"table t[1][2][3] = {\n}\n", "let a = t[0][1][2] + 1\n", "3 t[1][2][3] let op1(t(0 1 2) 1) params 0"},
    {"table t[3] = {1,\n  N + 1, # why\n\n -3,\n}\n", "let a = t[t[N]]\n", "3 t[3]=1,op1(N 1),op2(3) let t(t(N)) params 1"},
    {"table t[3] = {\n1\n,\n2\n}  # done\ntable u[1] = {7,}\n", "let a = t[u[0]]\n", "3 t[3]=1,2; 8 u[1]=7 let t(u(0)) params 0"},
    {"table t[N] from \"a b/#c.txt\"  # far away\n", "let a = t[0]\n", "3 t[N] from <a b/#c.txt> let t(0) params 0"},
    {"param from = 2\ntable t[1] = {from}\n", "let a = t[0]*from\n", "4 t[1]=from let op0(t(0) from) params 1"},
    {"table t[2] = {min(1, 2),\nmax(3, 4)}\n", "", "3 t[2]=op0(1 2),op0(3 4) params 0"},
};
/* clang-format on */

START_TEST(a_table_is_read_as_it_is_written)
{
    g_autofree char *text = g_strconcat(HEAD, TREES[_i].top, KERNEL, TREES[_i].let, "mov r0\nend\n", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(AstTrace) trace = ast_trace_parse("f", text, strlen(text), &error);

    ck_assert_msg(trace != NULL, "%s", error ? error->message : "");
    g_autofree char *read = tree(trace);
    ck_assert_str_eq(read, TREES[_i].tree);
}
END_TEST

START_TEST(line_ends_of_windows_are_line_ends)
{
    static const char TEXT[] = HEAD "table t[2] = {1,\n\t2 # b\n}\n" KERNEL "let a = t[1]\nmov r0\nend\n";
    g_auto(GStrv) lines = g_strsplit(TEXT, "\n", -1);
    g_autofree char *text = g_strjoinv("\r\n", lines);
    g_autoptr(AstTrace) trace = ast_trace_parse("f", text, strlen(text), NULL);

    ck_assert_ptr_nonnull(trace);
    g_autofree char *read = tree(trace);
    ck_assert_str_eq(read, "3 t[2]=1,2 let t(1) params 0");
}
END_TEST

/* ---- faults of form ---- */

typedef struct {
    const char *text, *message;
} Row;

static char *verdict(const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(AstTrace) trace = ast_trace_parse("f", text, strlen(text), &error);
    g_autoptr(LaunchPlan) plan = trace ? launch_plan_new(trace, NULL, &error) : NULL;

    if (plan) return g_strdup("");
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_TRACE));
    return g_strdup(error->message);
}

/* clang-format off */

/* From line 3 on, with a kernel after them. */
static const Row TOP[] = {
    {"table\n", "f:3:6: table = end of line: a name was wanted"},
    {"table ld[2] = {1,\n2}\n", "f:3:7: table = ld: this word belongs to the language; another name was wanted"},
    {"table N[2] = {1,\n2}\n", "f:3:7: name = N: another name was wanted, it is a parameter of line 2"},
    {"table t[1] = {1}\ntable t[1] = {1}\n", "f:4:7: name = t: another name was wanted, it is a table of line 3"},
    {"table t[1] = {1}\nglobal t[1] : f32\n", "f:4:8: name = t: another name was wanted, it is a table of line 3"},
    {"table t = {1,\n2}\n", "f:3:9: text = =: '[' and the table's size was wanted"},
    {"table t[2][2][2][2] = {1}\n", "f:3:17: table = [: at most 3 dimensions were wanted"},
    {"table t[2 = {1, 2}\n", "f:3:11: text = =: ']' after the size was wanted"},
    {"table t[tid.x] = {1}\n", "f:3:9: name = tid.x: only parameters may be used here"},
    {"table t[1]\n", "f:3:11: text = end of line: '=' and values in braces, or from and a file name, was wanted"},
    {"table t[1] {1}\n", "f:3:12: text = {: '=' and values in braces, or from and a file name, was wanted"},
    {"table t[1] = 1\n", "f:3:14: text = 1: '{' and the table's values was wanted"},
    {"table t[1] =\n", "f:3:13: text = end of line: '{' and the table's values was wanted"},
    {"table t[2] = {1 2}\n", "f:3:17: text = 2: ',' or '}' after a value was wanted"},
    {"table t[2] = {1\n2\n3}\n", "f:4:1: text = 2: ',' or '}' after a value was wanted"},
    {"table t[2] = {1,,2}\n", "f:3:17: text = ,: an expression was wanted"},
    {"table t[2] = {,\n1}\n", "f:3:15: text = ,: an expression was wanted"},
    {"table t[2] = {1, 2.5,\n3}\n", "f:3:18: number = 2.5: an integer was wanted"},
    {"table t[2] = {1,\n$,\n3}\n", "f:4:1: character = $: this sign means nothing here"},
    {"table t[2] = {1, tid.x}\n", "f:3:18: name = tid.x: only parameters may be used here"},
    {"table t[2] = {1, M,\nM}\n", "f:3:18: name = M: a known name was wanted"},
    {"table t[2] = {1, t[0]}\n", "f:3:18: name = t: only parameters may be used here"},
    {"table t[1] = {1}\nparam M = t[0]\n", "f:4:11: name = t: only parameters may be used here"},
    {"table t[1] = {1}\nrequire t[0] == 1\n", "f:4:9: name = t: only parameters may be used here"},
    {"table t[1] = {1} 2\n", "f:3:18: text = 2: the end of the line was wanted"},
    {"table t[2] = {1,\n2\n", "f:3:1: table = t: a '}' after its values was wanted before the kernel of line 5"},
    {"table t[2] = {1,\n2\nparam M = t\n", "f:3:1: table = t: a '}' after its values was wanted before the param of line 5\n"
                                          "f:5:11: name = t: only parameters may be used here\n"
                                          "f:5:11: table = t: 1 index was wanted, 0 given"},
    {"table t[2] = {1\n$\n", "f:4:1: character = $: this sign means nothing here"},
    {"tabel t[2] = {1,\n2,\n3}\n", "f:3:1: statement = tabel: a known one was wanted; the nearest is table"},
    {"for i = 0 to 1\ntable t[2] = {1,\n2}\nend\n", "f:4:1: statement = table: only launches and their loops were wanted in the block of line 3"},
    {"table t[1] from\n", "f:3:16: text = end of line: a file name in double quotes was wanted"},
    {"table t[1] from x.txt\n", "f:3:17: text = x.txt: a file name in double quotes was wanted"},
    {"table t[1] from \"\"\n", "f:3:17: text = \"\": a file name in double quotes was wanted"},
    {"table t[1] from \"x.txt\n", "f:3:17: text = \"x.txt: a closing \" was wanted"},
    {"table t[1] from \"x.txt and so on and on\n", "f:3:17: text = \"x.txt and so on...: a closing \" was wanted"},
    {"table t[1] from \"x\ty\"\n", "f:3:19: character = 0x09: text without control characters was wanted"},
    {"table t[1] from \"x\xff\"\n", "f:3:19: byte = 0xff: UTF-8 text was wanted"},
    {"table t[1] from \"x\" \"y\"\n", "f:3:21: text = \"y\": the end of the line was wanted"},
    {"table order[2] = {1, 2}\nglobal B[1] : f32 @ oder[0]\n", "f:4:21: name = oder: a known name was wanted; the nearest is order"},
    {"param M = \"x\"\n", "f:3:11: text = \"x\": an expression was wanted"},
    {"{1, 2}\n", "f:3:1: statement = {: a statement was wanted"},
};

/* From line 10 on, in a kernel; t has one dimension, u two; A is an array, row a let, p a parameter. */
#define BODY_HEAD HEAD "table t[2] = {4, 5}\ntable u[1][2] = {4, 5}\nglobal A[8] : f32\n" KERNEL "let row = 0\n"
static const Row BODY[] = {
    {"ld r0, A[t]\n", "f:11:10: table = t: 1 index was wanted, 0 given"},
    {"ld r0, A[u[0]]\n", "f:11:10: table = u: 2 indices were wanted, 1 given"},
    {"ld r0, A[t[0][1]]\n", "f:11:10: table = t: 1 index was wanted, 2 given"},
    {"ld r0, A[t[0][1][2][3]]\n", "f:11:20: index = [: at most 3 indices were wanted"},
    {"ld r0, A[t[]]\n", "f:11:12: text = ]: an expression was wanted"},
    {"ld r0, A[t[0]\n", "f:11:14: text = end of line: ']' after the index was wanted"},
    {"ld r0, A[t[0]*]\n", "f:11:15: text = ]: an expression was wanted"},
    {"ld r0, t[0]\n", "f:11:8: operand = t: an array was wanted, this is a table (line 3)"},
    {"st t[0], r0\n", "f:11:4: operand = t: an array was wanted, this is a table (line 3)"},
    {"mov r0, t[0]\n", "f:11:9: operand = t: an array was wanted, this is a table (line 3)"},
    {"mov r0, t\n", "f:11:9: operand = t: a register, an array element, a number, a parameter or an expression in parentheses was wanted"},
    {"ld r0, A[A]\n", "f:11:10: name = A: a number was wanted, this is an array (line 5)"},
    {"ld r0, A[A[0]]\n", "f:11:10: name = A: a number was wanted, this is an array (line 5)"},
    {"ld r0, A[row[0]]\n", "f:11:10: name = row: a table was wanted before '[', this is a let (line 10)"},
    {"ld r0, A[N[0]]\n", "f:11:10: name = N: a table was wanted before '[', this is a parameter (line 2)"},
    {"ld r0, A[tt[0]]\n", "f:11:10: name = tt: a known name was wanted"},
    {"ld r0, A[zzz[0]]\nld r0, A[zzz[0]]\n", "f:11:10: name = zzz: a known name was wanted"},
    {"mov r[t[0]]\n", "f:11:7: name = t: only parameters and loop variables may be used here"},
    {"mov r0, (r1 + t[0])\n", "f:11:10: name = r1: an expression knows no registers"},
    {"let t = 1\n", "f:11:5: name = t: another name was wanted, it is a table of line 3"},
    {"table v[1] = {1}\nmov r0, (v[0])\n", "f:11:1: statement = table: a place outside of kernels was wanted; the kernel of line 6 is open"},
};
/* clang-format on */

START_TEST(a_faulty_table_is_told)
{
    g_autofree char *text = g_strconcat(HEAD, TOP[_i].text, KERNEL "mov r0\nend\n", NULL), *message = verdict(text);
    ck_assert_str_eq(message, TOP[_i].message);
}
END_TEST

START_TEST(a_faulty_look_up_is_told)
{
    g_autofree char *text = g_strconcat(BODY_HEAD, BODY[_i].text, "end\n", NULL), *message = verdict(text);
    ck_assert_str_eq(message, BODY[_i].message);
}
END_TEST

START_TEST(values_without_end_are_told)
{
    g_autofree char *message = verdict("g80trace 1\n table t[2] = {1,\n");
    ck_assert_str_eq(message, "f:2:2: table = t: a '}' after its values was wanted before the end of the file");
}
END_TEST

START_TEST(an_expression_of_the_command_line_knows_no_table)
{
    const AstExpr *expr;
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(ast_expr_parse("--address", "4*t[laneid]", &expr, &error));
    ck_assert_str_eq(error->message, "--address:1:3: name = t: only numbers and the names of the hardware may be used here");
}
END_TEST

/* ---- limits ---- */

static char *repeated(const char *before, const char *piece, unsigned n, const char *after)
{
    GString *text = g_string_new(before);
    for (unsigned i = 0; i < n; i++)
        for (const char *c = piece; *c; c++)
            if (*c == '#')
                g_string_append_printf(text, "%u", i);
            else
                g_string_append_c(text, *c);
    g_string_append(text, after);
    return g_string_free(text, FALSE);
}

START_TEST(a_file_has_so_many_tables)
{
    static const char TABLE[] = "table t#[1] = {#}\n", END[] = KERNEL "mov r0\nend\n";
    g_autofree char *good = repeated(HEAD, TABLE, TABLES_MAX, END), *bad = repeated(HEAD, TABLE, TABLES_MAX + 1, END);
    g_autofree char *of_good = verdict(good), *of_bad = verdict(bad);
    ck_assert_str_eq(of_good, "");
    ck_assert_str_eq(of_bad, "f:1003:7: table = t1000: at most 1000 tables were wanted");
}
END_TEST

START_TEST(a_trace_has_so_many_values)
{
    static const char END[] = "}\n" KERNEL "mov r0\nend\n";
    g_autofree char *good = repeated(HEAD "table t[1048576] = {\n", "7,\n", TABLE_INLINE_MAX, END);
    g_autofree char *bad = repeated(HEAD "table t[1048576] = {\n", "7,\n", TABLE_INLINE_MAX + 1, END);
    g_autofree char *of_good = verdict(good), *of_bad = verdict(bad);
    ck_assert_str_eq(of_good, "");
    ck_assert_str_eq(of_bad, "f:1048580:1: table = 7: at most 1048576 values were wanted here; more can come from a file");
}
END_TEST

START_TEST(look_ups_nest_only_so_deep)
{
    g_autofree char *open = g_strnfill(60000, '['), *text = NULL, *message = NULL, *deep = NULL, *of_deep = NULL;
    text = g_strconcat(BODY_HEAD "let a = t", open, "\nmov r0\nend\n", NULL);
    message = verdict(text);
    ck_assert_str_eq(message, "f:11:11: text = [: an expression was wanted");
    deep = repeated(BODY_HEAD "let a = ", "t[", 1000, "0\nmov r0\nend\n");
    of_deep = verdict(deep);
    ck_assert_str_eq(of_deep, "f:11:411: expression = t: at most 200 levels of nesting were wanted");
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, a_table_is_read_as_it_is_written, 0, G_N_ELEMENTS(TREES));
    tcase_add_test(tcase, line_ends_of_windows_are_line_ends);
    tcase_add_loop_test(tcase, a_faulty_table_is_told, 0, G_N_ELEMENTS(TOP));
    tcase_add_loop_test(tcase, a_faulty_look_up_is_told, 0, G_N_ELEMENTS(BODY));
    tcase_add_test(tcase, values_without_end_are_told);
    tcase_add_test(tcase, an_expression_of_the_command_line_knows_no_table);
    tcase_add_test(tcase, a_file_has_so_many_tables);
    tcase_add_test(tcase, a_trace_has_so_many_values);
    tcase_add_test(tcase, look_ups_nest_only_so_deep);
}

int main(void)
{
    return unit_main("table", add);
}
