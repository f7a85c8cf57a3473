/* Tables from files: what is read, where from, and what is said of files that are wrong. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "random.h"
#include "trace/launch.h"
#include "unit.h"

static char *folder; /* of the tests, with trailing slash */

static void write_file(const char *name, const char *bytes, gssize length)
{
    g_autofree char *path = g_strconcat(folder, name, NULL);
    ck_assert(g_file_set_contents(path, bytes, length, NULL));
}

static void make_folder(void)
{
    g_autofree char *made = g_dir_make_tmp("g80sim-XXXXXX", NULL);
    folder = g_strconcat(made, "/", NULL);
}

static void remove_file(const char *name)
{
    g_autofree char *path = g_strconcat(folder, name, NULL);
    remove(path);
}

static void remove_folder(void)
{
    remove_file("data");
    remove_file("sub/data");
    remove_file("sub");
    rmdir(folder);
    g_clear_pointer(&folder, g_free);
}

/* Loads the table `declaration` of a trace in the folder; NULL with the message, in which the folder is called `D/`. */
static LaunchPlan *load(const char *trace_file, const char *declaration, AstTrace **ret_trace, char **ret_message)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strconcat("g80trace 1\n", declaration, "\nkernel k\ngrid 1\nblock 1\nregs 1\nmov r0\nend\n", NULL);
    g_autofree char *path = g_strconcat(folder, trace_file, NULL);

    *ret_message = NULL;
    *ret_trace = ast_trace_parse(g_str_equal(trace_file, "<stdin>") ? trace_file : path, text, strlen(text), &error);
    ck_assert_msg(*ret_trace != NULL, "%s", error ? error->message : "");
    LaunchPlan *plan = launch_plan_new(*ret_trace, NULL, &error);
    if (plan) return plan;
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_TRACE));
    g_auto(GStrv) parts = g_strsplit(error->message, folder, -1);
    *ret_message = g_strjoinv("D/", parts);
    return NULL;
}

/* The values as text, or the message. */
static char *answer(const char *trace_file, const char *declaration)
{
    g_autoptr(AstTrace) trace = NULL;
    char *message;
    g_autoptr(LaunchPlan) plan = load(trace_file, declaration, &trace, &message);
    if (!plan) return message;
    GString *out = g_string_new(NULL);
    const Table *t = &plan->tables[0];
    for (uint64_t i = 0; i < t->n; i++)
        g_string_append_printf(out, "%s%" G_GINT64_FORMAT, i ? " " : "", t->values[i]);
    return g_string_free(out, FALSE);
}

/* ---- contents ---- */

#define MIN64 "-9223372036854775808"
#define MAX64 "9223372036854775807"

/* clang-format off */
static const struct {
    const char *bytes;
    const char *size;   /* of the table t, in line 2 of the trace */
    const char *answer; /* values, or a message without file names: D/data is the file, D/t.trace the trace */
} FILES[] = {
    {"1 2 3\n", "[3]", "1 2 3"},
    {"1 2 3", "[3]", "1 2 3"},
    {"1,2,3\n", "[3]", "1 2 3"},
    {" 1 ,\t2\n,3,\n\n", "[3]", "1 2 3"},
    {"1\n2\n3\n4\n5\n6\n", "[2][3]", "1 2 3 4 5 6"},
    {"1, 2,\r\n3, 4,\r\n", "[2][2]", "1 2 3 4"},
    {"\xef\xbb\xbf" "1 2\n", "[2]", "1 2"},
    {"# indices\n1 # the first\n#2\n3#\n#", "[2]", "1 3"},
    {"0x10 0XfF -0x10 -1 0 -0\n", "[6]", "16 255 -16 -1 0 0"},
    {MIN64 " " MAX64 "\n-0x8000000000000000 0x7fffffffffffffff", "[4]", MIN64 " " MAX64 " " MIN64 " " MAX64},
    {"# caf\xc3\xa9 \xff\n7", "[1]", "7"},

    {"", "[3]", "D/t.trace:2:1: t[3]: 0 values in D/data: want 3"},
    {"# nothing\n\n", "[3]", "D/t.trace:2:1: t[3]: 0 values in D/data: want 3"},
    {"1 2\n", "[3]", "D/t.trace:2:1: t[3]: 2 values in D/data: want 3"},
    {"1\n", "[3]", "D/t.trace:2:1: t[3]: 1 value in D/data: want 3"},
    {"1 2 3 4", "[3]", "D/t.trace:2:1: t[3]: 4 values in D/data: want 3"},
    {"1 2 3 4 5", "[2][3]", "D/t.trace:2:1: t[2][3]: 5 values in D/data: want 6"},
    {"1 x 3\n", "[3]", "D/data:1: value = x: want a decimal or 0x hexadecimal integer"},
    {"1\n# no\n2.5\n3", "[3]", "D/data:3: value = 2.5: want a decimal or 0x hexadecimal integer"},
    {"1 2 3-", "[3]", "D/data:1: value = 3-: want a decimal or 0x hexadecimal integer"},
    {"-", "[1]", "D/data:1: value = -: want a decimal or 0x hexadecimal integer"},
    {"--1", "[1]", "D/data:1: value = --1: want a decimal or 0x hexadecimal integer"},
    {"+1", "[1]", "D/data:1: value = +1: want a decimal or 0x hexadecimal integer"},
    {"0x", "[1]", "D/data:1: value = 0x: want a decimal or 0x hexadecimal integer"},
    {"0x1g", "[1]", "D/data:1: value = 0x1g: want a decimal or 0x hexadecimal integer"},
    {"12ab", "[1]", "D/data:1: value = 12ab: want a decimal or 0x hexadecimal integer"},
    {"1;2", "[2]", "D/data:1: value = 1;2: want a decimal or 0x hexadecimal integer"},
    {"010", "[1]", "D/data:1: value = 010: want a decimal integer without leading zeros"},
    {"9223372036854775808", "[1]", "D/data:1: value = 9223372036854775808: want " MIN64 ".." MAX64},
    {"-9223372036854775809", "[1]", "D/data:1: value = -9223372036854775809: want " MIN64 ".." MAX64},
    {"0xffffffffffffffff", "[1]", "D/data:1: value = 0xffffffffffffffff: want " MIN64 ".." MAX64},
    {"99999999999999999999999999", "[1]", "D/data:1: value = 99999999999999999999999999: want " MIN64 ".." MAX64},
    {"1111111111222222222233333333334444444444", "[1]", "D/data:1: value = 1111111111222222222233333333334444444444: want " MIN64 ".." MAX64},
    {"11111111112222222222333333333344444444445", "[1]",
     "D/data:1: value = 1111111111222222222233333333334444444444...: want a decimal or 0x hexadecimal integer"},
    {",1", "[1]", "D/data:1: text = ,: want a value before each comma"},
    {"1,,2", "[2]", "D/data:1: text = ,: want a value before each comma"},
    {"1,\n,2", "[2]", "D/data:2: text = ,: want a value before each comma"},
    {"1 a\nb 2\n", "[2]", "D/data:1: value = a: want a decimal or 0x hexadecimal integer\n"
                          "D/data:2: value = b: want a decimal or 0x hexadecimal integer"},
    {"1 \x01\x7f\xff 2", "[2]", "D/data:1: value = \\x01\\x7f\\xff: want a decimal or 0x hexadecimal integer"},
};
/* clang-format on */

START_TEST(a_file_is_read_or_refused)
{
    g_autofree char *declaration = g_strdup_printf("table t%s from \"data\"", FILES[_i].size);
    write_file("data", FILES[_i].bytes, -1);
    g_autofree char *got = answer("t.trace", declaration);
    ck_assert_str_eq(got, FILES[_i].answer);
}
END_TEST

START_TEST(a_binary_file_is_no_table)
{
    write_file("data", "1 2\n3\0\0\0\0", 10);
    g_autofree char *got = answer("t.trace", "table t[3] from \"data\"");
    ck_assert_str_eq(got, "D/data:2: byte = 0x00: want text");
    write_file("data", "\177ELF\002\001\000\000\000\n\000", 11);
    g_autofree char *elf = answer("t.trace", "table t[3] from \"data\"");
    ck_assert_str_eq(
        elf, "D/data:1: value = \\x7fELF\\x02\\x01: want a decimal or 0x hexadecimal integer\nD/data:1: byte = 0x00: want text");
}
END_TEST

START_TEST(many_faults_are_not_all_told)
{
    g_autofree char *bytes = g_strnfill(1 << 20, 'x');
    for (int i = 1; i < 1 << 20; i += 2)
        bytes[i] = '\n';
    write_file("data", bytes, 1 << 20);
    g_autofree char *got = answer("t.trace", "table t[3] from \"data\"");
    g_auto(GStrv) lines = g_strsplit(got, "\n", -1);
    ck_assert_uint_eq(g_strv_length(lines), FAULTS_MAX);
    ck_assert_str_eq(lines[49], "D/data:50: value = x: want a decimal or 0x hexadecimal integer");
}
END_TEST

/* ---- places ---- */

START_TEST(a_path_counts_from_the_trace)
{
    g_autofree char *sub = g_strconcat(folder, "sub", NULL);
    ck_assert_int_eq(mkdir(sub, 0700), 0);
    write_file("data", "1", -1);
    write_file("sub/data", "2", -1);
    g_autofree char *beside = answer("t.trace", "table t[1] from \"data\""),
                    *below = answer("t.trace", "table t[1] from \"sub/data\"");
    g_autofree char *inside = answer("sub/t.trace", "table t[1] from \"data\""),
                    *above = answer("sub/t.trace", "table t[1] from \"../data\"");
    g_autofree char *absolute_path = g_strdup_printf("table t[1] from \"%sdata\"", folder),
                    *absolute = answer("sub/t.trace", absolute_path);
    ck_assert_str_eq(beside, "1");
    ck_assert_str_eq(below, "2");
    ck_assert_str_eq(inside, "2");
    ck_assert_str_eq(above, "1");
    ck_assert_str_eq(absolute, "1");
}
END_TEST

START_TEST(a_trace_on_standard_input_counts_from_the_working_directory)
{
    g_autofree char *before = g_get_current_dir();
    write_file("data", "5", -1);
    ck_assert_int_eq(chdir(folder), 0);
    g_autofree char *got = answer("<stdin>", "table t[1] from \"data\"");
    write_file("data", "5 6", -1);
    g_autofree char *refused = answer("<stdin>", "table t[1] from \"data\"");
    ck_assert_int_eq(chdir(before), 0);
    ck_assert_str_eq(got, "5");
    ck_assert_str_eq(refused, "<stdin>:2:1: t[1]: 2 values in data: want 1");
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_told)
{
    g_autofree char *none = answer("t.trace", "  table t[1] from \"none.txt\""),
                    *is_folder = answer("t.trace", "table t[1] from \".\"");
    g_autofree char *of_none = g_strdup_printf("D/t.trace:2:3: t: D/none.txt: %s", g_strerror(ENOENT));
    g_autofree char *of_folder = g_strdup_printf("D/t.trace:2:1: t: D/.: %s", g_strerror(EISDIR));
    ck_assert_str_eq(none, of_none);
    ck_assert_str_eq(is_folder, of_folder);
}
END_TEST

START_TEST(all_tables_are_reported_at_once)
{
    write_file("data", "1 q", -1);
    g_autofree char *got =
        answer("t.trace", "table a[2] from \"data\"\ntable b[1][2] = {1}\ntable c[0] = {1}\ntable d[1] = {1/0}");
    ck_assert_str_eq(got, "D/t.trace:3:1: b[1][2]: 1 value: want 2\n"
                          "D/t.trace:4:1: c[...] dimension 1 = 0: want 1 or more\n"
                          "D/t.trace:5:16: expression: division by zero\n"
                          "D/data:1: value = q: want a decimal or 0x hexadecimal integer");
}
END_TEST

/* ---- sizes ---- */

/* clang-format off */
static const struct {
    const char *declaration, *message;
} SIZES[] = {
    {"table t[134217729] from \"data\"", "D/t.trace:2:1: t: want a table of at most 2^27 values"},
    {"table t[1<<20][1<<20][1<<40] from \"data\"", "D/t.trace:2:1: t: want a table of at most 2^27 values"},
    {"table t[1<<62][4] from \"data\"", "D/t.trace:2:1: t: want a table of at most 2^27 values"},
    {"table t[2][-1] from \"data\"", "D/t.trace:2:1: t[...] dimension 2 = -1: want 1 or more"},
    {"table t[2][0] = {}", "D/t.trace:2:1: t[...] dimension 2 = 0: want 1 or more"},
    {"table t[3] = {}", "D/t.trace:2:1: t[3]: 0 values: want 3"},
    {"table t[2] = {1, 2, 3}", "D/t.trace:2:1: t[2]: 3 values: want 2"},
    {"table t[134217728] from \"data\"", "D/t.trace:2:1: t[134217728]: 1 value in D/data: want 134217728"},
};
/* clang-format on */

START_TEST(a_size_is_checked)
{
    write_file("data", "1", -1);
    g_autofree char *got = answer("t.trace", SIZES[_i].declaration);
    ck_assert_str_eq(got, SIZES[_i].message);
}
END_TEST

START_TEST(a_file_of_many_buffers_is_read)
{
    enum { N = 300000 };
    g_autoptr(GString) bytes = g_string_new(NULL);
    for (int i = 0; i < N; i++)
        g_string_append_printf(bytes, "%d%s", i * 7000 - N, i % 10 == 9 ? ",\r\n" : ", ");
    write_file("data", bytes->str, (gssize)bytes->len);
    g_autoptr(AstTrace) trace = NULL;
    char *message;
    g_autoptr(LaunchPlan) plan = load("t.trace", "table t[3][100000] from \"data\"", &trace, &message);
    ck_assert_msg(plan != NULL, "%s", message);
    const Table *t = &plan->tables[0];
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(t->values[i], i * 7000 - N);
    ck_assert_int_eq(t->min, -N);
    ck_assert_int_eq(t->max, (N - 1) * INT64_C(7000) - N);
    g_autofree char *sha256 = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)bytes->str, bytes->len);
    g_autofree char *path = g_strconcat(folder, "data", NULL);
    ck_assert_str_eq(t->sha256, sha256);
    ck_assert_str_eq(t->file, path);
}
END_TEST

/* ---- damaged files: any answer, no crash ---- */

START_TEST(a_damaged_file_is_survived)
{
    static const char SIGNS[] = "0123456789xX-+, \t\r\n#abcf.\xef\xbb\xbf";
    uint64_t state = 5;
    for (int round = 0; round < 1000; round++) {
        char bytes[64];
        const uint64_t n = random_below(&state, sizeof bytes);
        for (uint64_t i = 0; i < n; i++)
            bytes[i] = SIGNS[random_below(&state, sizeof SIGNS)]; /* with its NUL */
        write_file("data", bytes, (gssize)n);
        g_autofree char *got = answer("t.trace", "table t[2] from \"data\"");
        ck_assert(got[0]);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, make_folder, remove_folder);
    tcase_add_loop_test(tcase, a_file_is_read_or_refused, 0, G_N_ELEMENTS(FILES));
    tcase_add_test(tcase, a_binary_file_is_no_table);
    tcase_add_test(tcase, many_faults_are_not_all_told);
    tcase_add_test(tcase, a_path_counts_from_the_trace);
    tcase_add_test(tcase, a_trace_on_standard_input_counts_from_the_working_directory);
    tcase_add_test(tcase, a_file_that_cannot_be_read_is_told);
    tcase_add_test(tcase, all_tables_are_reported_at_once);
    tcase_add_loop_test(tcase, a_size_is_checked, 0, G_N_ELEMENTS(SIZES));
    tcase_add_test(tcase, a_file_of_many_buffers_is_read);
    tcase_add_test(tcase, a_damaged_file_is_survived);
}

int main(void)
{
    return unit_main("table-file", add);
}
