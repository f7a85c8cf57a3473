#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/error.h"
#include "trace-faults.h"
#include "trace/ast.h"
#include "trace/parser-private.h"
#include "unit.h"

/* What is said of a faulty text, "" of a good one. */
static char *verdict(const char *text, gsize length)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(AstTrace) trace = ast_trace_parse("f", text, length, &error);

    ck_assert((trace == NULL) == (error != NULL));
    if (!error) return g_strdup("");
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_TRACE));
    return g_strdup(error->message);
}

static void check_fault(const char *before, const FaultRow *row, const char *after)
{
    g_autofree char *text = g_strconcat(before, row->text, after, NULL), *message = verdict(text, strlen(text));
    ck_assert_str_eq(message, row->message);
}

START_TEST(a_faulty_file_is_refused)
{
    check_fault("", &FILES[_i], "");
}
END_TEST

START_TEST(a_fault_outside_of_kernels_is_told)
{
    check_fault(HEAD, &TOP[_i], TAIL);
}
END_TEST

START_TEST(a_fault_in_a_kernel_is_told)
{
    check_fault(KERNEL, &BODY[_i], g_str_has_prefix(BODY[_i].text, "end") ? "" : "bar\nend\n");
}
END_TEST

/* ---- limits: n is good, n + 1 is told ---- */

/* `before`, then `n` times `piece` with its number in place of each #, then `after`. */
static char *repeated(const char *before, const char *piece, unsigned n, const char *after)
{
    GString *text = g_string_new(before);

    for (unsigned i = 0; i < n; i++) {
        for (const char *c = piece; *c; c++) {
            if (*c == '#')
                g_string_append_printf(text, "%u", i);
            else
                g_string_append_c(text, *c);
        }
    }
    g_string_append(text, after);
    return g_string_free(text, FALSE);
}

#define VERSION "g80trace 1\n"
#define SMALL "kernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n"
#define OPEN "g80trace 1\nkernel k\ngrid 1\nblock 1\nregs 1\n"

/* clang-format off */
static const struct {
    const char *before, *piece, *after;
    unsigned most;
    const char *message; /* of one more */
} LIMITS[] = {
    {VERSION "param M = ", "-", "1\n" SMALL, EXPR_NESTING_MAX, "f:2:211: expression = -: at most 200 levels of nesting were wanted"},
    {VERSION "param M = ", "0 ? 1 : ", "1\n" SMALL, EXPR_NESTING_MAX,
     "f:2:1615: expression = 1: at most 200 levels of nesting were wanted"},
    {VERSION "param M = 1", "+1", "\n" SMALL, EXPR_HEIGHT_MAX - 1,
     "f:2:2010: expression = +: at most 1000 operations on each other's results were wanted"},
    {OPEN "bar\n", "if 1\n", "end\n", BLOCK_NESTING_MAX, "f:71:1: block = if: at most 64 blocks inside each other were wanted"},
    {VERSION SMALL, "repeat 1\n", "", BLOCK_NESTING_MAX, "f:72:1: block = repeat: at most 64 blocks inside each other were wanted"},
    {VERSION, "param p# = 1\n", SMALL, PARAMS_MAX, "f:1002:7: parameter = p1000: at most 1000 parameters were wanted"},
    {VERSION, "global a#[1] : u8\n", SMALL, ARRAYS_MAX, "f:1002:8: array = a1000: at most 1000 arrays were wanted"},
    {OPEN, "shared a#[1] : u8\n", "bar\nend\n", ARRAYS_MAX, "f:1006:8: array = a1000: at most 1000 arrays were wanted"},
    {OPEN, "let l# = 1\n", "bar\nend\n", LETS_MAX, "f:1006:5: let = l1000: at most 1000 lets in a kernel were wanted"},
    {VERSION, "kernel k#\ngrid 1\nblock 1\nregs 1\nbar\nend\n", "", KERNELS_MAX,
     "f:6002:8: kernel = k1000: at most 1000 kernels were wanted"},
};
/* clang-format on */

/* Blocks need as many ends: those of the rows that open some. */
static char *limit_text(int row, unsigned n)
{
    g_autofree char *text = repeated(LIMITS[row].before, LIMITS[row].piece, n, "");
    bool opens = strstr(LIMITS[row].message, ": block = ") != NULL;
    return opens ? repeated(text, "end\n", n, LIMITS[row].after) : g_strconcat(text, LIMITS[row].after, NULL);
}

START_TEST(a_limit_holds_exactly)
{
    g_autofree char *good = limit_text(_i, LIMITS[_i].most), *bad = limit_text(_i, LIMITS[_i].most + 1);
    g_autofree char *of_good = verdict(good, strlen(good)), *of_bad = verdict(bad, strlen(bad));

    ck_assert_str_eq(of_good, "");
    ck_assert_str_eq(of_bad, LIMITS[_i].message);
}
END_TEST

START_TEST(brackets_without_end_do_not_exhaust_the_stack)
{
    g_autofree char *open = g_strnfill(TRACE_LINE_MAX - 20, '('),
                    *text = g_strconcat(VERSION "param M = ", open, "\n" SMALL, NULL);
    g_autofree char *message = verdict(text, strlen(text));
    ck_assert_str_eq(message, "f:2:212: expression = (: at most 200 levels of nesting were wanted");
}
END_TEST

START_TEST(a_file_has_a_largest_size)
{
    g_autofree char *text = g_malloc(TRACE_FILE_MAX + 1);
    memset(text, '\n', TRACE_FILE_MAX + 1);
    memcpy(text, VERSION SMALL, strlen(VERSION SMALL));
    g_autofree char *bad = verdict(text, TRACE_FILE_MAX + 1);
    ck_assert_str_eq(bad, "f: size = 67108865 bytes: at most 67108864 were wanted");
}
END_TEST

START_TEST(a_nul_is_told)
{
    static const char TEXT[] = VERSION "param M = 1 # \0\n" SMALL;
    g_autofree char *message = verdict(TEXT, sizeof(TEXT) - 1), *binary = verdict("\0\0", 2);
    ck_assert_str_eq(message, "f:2:15: byte = 0x00: text was wanted");
    ck_assert_str_eq(binary, "f:1:1: first statement = unreadable (byte = 0x00: text was wanted): 'g80trace 1' was wanted");
}
END_TEST

/* ---- the expression of the command line ---- */

static const FaultRow EXPRS[] = {
    {"", "--address:1:1: text = end of line: an expression was wanted"},
    {"tid.x*", "--address:1:7: text = end of line: an expression was wanted"},
    {"tid.x 4", "--address:1:7: text = 4: the end of the expression was wanted"},
    {"tid.x*N", "--address:1:7: name = N: only numbers and the names of the hardware may be used here"},
    {"1\n2", "--address:2:1: text = 2: an expression of one line was wanted"},
    {"1;", "--address:1:2: character = ;: this sign means nothing here"},
};

START_TEST(a_faulty_expression_is_a_fault_of_usage)
{
    const AstExpr *expr = NULL;
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(ast_expr_parse("--address", EXPRS[_i].text, &expr, &error));
    ck_assert_ptr_null(expr);
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_USAGE));
    ck_assert_str_eq(error->message, EXPRS[_i].message);
}
END_TEST

/* ---- files ---- */

static char *load_verdict(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(AstTrace) trace = ast_trace_load(path, &error);

    if (trace) return g_strdup("");
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_TRACE));
    return g_strdup(error->message);
}

START_TEST(a_file_that_cannot_be_read_is_told)
{
    g_autofree char *folder = g_dir_make_tmp("g80sim-XXXXXX", NULL), *path = g_build_filename(folder, "none.trace", NULL);
    g_autofree char *of_none = load_verdict(path), *of_folder = load_verdict(folder);
    g_autofree char *none = g_strdup_printf("%s: %s", path, g_strerror(ENOENT));
    g_autofree char *is_folder = g_strdup_printf("%s: %s", folder, g_strerror(EISDIR));

    ck_assert_str_eq(of_none, none);
    ck_assert_str_eq(of_folder, is_folder);
    g_rmdir(folder);
}
END_TEST

START_TEST(a_file_is_read)
{
    g_autofree char *folder = g_dir_make_tmp("g80sim-XXXXXX", NULL), *path = g_build_filename(folder, "a.trace", NULL);

    ck_assert(g_file_set_contents(path, VERSION SMALL, -1, NULL));
    g_autofree char *good = load_verdict(path);
    ck_assert(g_file_set_contents(path, "", 0, NULL));
    g_autofree char *empty = load_verdict(path),
                    *wanted =
                        g_strconcat(path, ":1:1: first statement = nothing: 'g80trace 1' was wanted, the file is empty", NULL);
    ck_assert_str_eq(good, "");
    ck_assert_str_eq(empty, wanted);
    g_remove(path);
    g_rmdir(folder);
}
END_TEST

/* ---- time ---- */

START_TEST(time_is_linear_in_the_size)
{
    g_autofree char *good = repeated(OPEN "shared S[9] : f32\n", "if 1\nlet v# = #\nadd r0, r0, S[v#%9]\nend\n", 100000, "end\n");
    g_autofree char *bad = repeated(OPEN, "st array_#[unknown_#], r0\n", 100000, "end\n");
    g_autofree char *of_good = verdict(good, strlen(good)), *of_bad = verdict(bad, strlen(bad));

    ck_assert_str_eq(of_good, "f:4008:5: let = v1000: at most 1000 lets in a kernel were wanted");
    ck_assert(g_str_has_suffix(of_bad, "\nf: 199950 more faults"));
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, a_faulty_file_is_refused, 0, G_N_ELEMENTS(FILES));
    tcase_add_loop_test(tcase, a_fault_outside_of_kernels_is_told, 0, G_N_ELEMENTS(TOP));
    tcase_add_loop_test(tcase, a_fault_in_a_kernel_is_told, 0, G_N_ELEMENTS(BODY));
    tcase_add_loop_test(tcase, a_limit_holds_exactly, 0, G_N_ELEMENTS(LIMITS));
    tcase_add_test(tcase, brackets_without_end_do_not_exhaust_the_stack);
    tcase_add_test(tcase, a_file_has_a_largest_size);
    tcase_add_test(tcase, a_nul_is_told);
    tcase_add_loop_test(tcase, a_faulty_expression_is_a_fault_of_usage, 0, G_N_ELEMENTS(EXPRS));
    tcase_add_test(tcase, a_file_that_cannot_be_read_is_told);
    tcase_add_test(tcase, a_file_is_read);
    tcase_add_test(tcase, time_is_linear_in_the_size);
}

int main(void)
{
    return unit_main("parser-faults", add);
}
