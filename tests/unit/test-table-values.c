/* What look-ups in tables yield: in each lane, at the end of their tables, for the analysis of ranges. */
#include <string.h>

#include "random.h"
#include "trace/cursor.h"
#include "unit.h"

/* ---- running a kernel ---- */

typedef struct {
    AstTrace *trace;
    LaunchPlan *plan;
    Program *program;
    GError *error;
} Compiled;

static void compiled_clear(Compiled *c)
{
    program_free(c->program);
    launch_plan_free(c->plan);
    ast_trace_free(c->trace);
    g_clear_error(&c->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Compiled, compiled_clear)

static Compiled compile(const char *text, const char *const *settings)
{
    static const ProgramOptions OPTIONS = {UINT64_C(1) << 40, true};
    Compiled c = {.trace = NULL};
    c.trace = ast_trace_parse("f", text, strlen(text), &c.error);
    if (c.trace) c.plan = launch_plan_new(c.trace, settings, &c.error);
    if (c.plan)
        c.program = program_new(c.plan, &g_array_index(c.plan->launches, Launch, c.plan->launches->len - 1), &OPTIONS, &c.error);
    return c;
}

static void put_addresses(GString *out, Cursor *cursor)
{
    AccessLanes lanes;
    LaneMask mask;

    if (!cursor_mask(cursor, &mask) || !mask || !cursor_access(cursor, mask, &lanes)) return;
    if (out->len) g_string_append_c(out, ' ');
    for (LaneMask left = lanes.mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        g_string_append_printf(out, "%s%" G_GINT64_FORMAT, left == lanes.mask ? "" : ",", lanes.base + lanes.offset[i]);
    }
}

/* The addresses of each access, those of its lanes together; or the message of a fault. */
static char *run(const char *text, const char *const *settings)
{
    g_auto(Compiled) c = compile(text, settings);
    if (!c.program) return g_strdup(c.error->message);
    g_autofree void *storage = g_malloc0(cursor_storage(c.program));
    g_autoptr(GString) out = g_string_new(NULL);
    Cursor cursor;
    cursor_init(&cursor, c.program, storage);
    for (uint64_t block = 0; block < c.program->n_blocks; block++) {
        for (cursor_start(&cursor, block, 0); cursor.insn; cursor_next(&cursor))
            if (cursor.insn->access >= 0) put_addresses(out, &cursor);
        if (!cursor.fault) continue;
        g_string_assign(out, cursor.fault->message);
        g_error_free(cursor.fault);
        break;
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}

/* ---- values ---- */

#define TABLES                                  \
    "g80trace 1\n"                              \
    "param N = 4\n"                             \
    "table t[N] = {10, 20, 30, 2*N}\n"          \
    "table u[2][3] = {1, 2, 3, 4, 5, 6}\n"      \
    "table v[2][1][2] = {100, 200, 300, 400}\n" \
    "table p[5] = {0, 2, 2, 3, 6}\n"            \
    "table neg[2] = {-7, 7}\n"                  \
    "global A[1 << 40] : u8\n"                  \
    "kernel k\n"                                \
    "grid 2\n"                                  \
    "block 4\n"                                 \
    "regs 1\n"

/* clang-format off */
/* Of two blocks of four threads: from line 13 on. */
static const struct {
    const char *body, *addresses;
} VALUES[] = {
    /* one for all lanes, folded or not */
    {"ld r0, A[t[1]]\n", "20,20,20,20 20,20,20,20"},
    {"ld r0, A[t[N-1]]\n", "8,8,8,8 8,8,8,8"},
    {"ld r0, A[t[ctaid.x]]\n", "10,10,10,10 20,20,20,20"},
    {"ld r0, A[u[ctaid.x][2]]\n", "3,3,3,3 6,6,6,6"},
    {"ld r0, A[v[1][0][ctaid.x]]\n", "300,300,300,300 400,400,400,400"},
    {"ld r0, A[-neg[0]]\n", "7,7,7,7 7,7,7,7"},
    /* one for each lane */
    {"ld r0, A[t[tid.x]]\n", "10,20,30,8 10,20,30,8"},
    {"ld r0, A[t[3 - tid.x] + ctaid.x]\n", "8,30,20,10 9,31,21,11"},
    {"ld r0, A[u[tid.x/2][tid.x%2 + ctaid.x]]\n", "1,2,4,5 2,3,5,6"},
    {"ld r0, A[v[ctaid.x][0][tid.x & 1]*2]\n", "200,400,200,400 600,800,600,800"},
    {"ld r0, A[t[p[tid.x]]]\n", "10,30,30,8 10,30,30,8"},
    {"ld r0, A[t[tid.x] - t[tid.x] + t[0]]\n", "10,10,10,10 10,10,10,10"},
    {"ld r0, A[hash(t[tid.x]) % 1]\n", "0,0,0,0 0,0,0,0"},
    /* in lets, conditions and predicates */
    {"let i = t[tid.x] + 1\nlet j = i*2\nld r0, A[j]\n", "22,42,62,18 22,42,62,18"},
    {"@t[tid.x] > 10 ld r0, A[tid.x]\n", "1,2 1,2"},
    {"if t[tid.x] < 15\nld r0, A[tid.x]\nelse\nld r0, A[100]\nend\n", "0,3 100,100 0,3 100,100"},
    {"if t[ctaid.x] == 20\nld r0, A[5]\nend\n", "5,5,5,5"},
    {"@t[tid.x] > tid.x*10 + 8*ctaid.x ld r0, A[tid.x]\n", "0,1,2 0,1,2"},
    /* lazily */
    {"@tid.x < 2 && u[tid.x][0] == 4 ld r0, A[tid.x]\n", "1 1"},
    {"@tid.x >= 2 || u[tid.x][0] == 4 ld r0, A[tid.x]\n", "1,2,3 1,2,3"},
    {"ld r0, A[tid.x < 2 ? u[tid.x][1] : 9]\n", "2,5,9,9 2,5,9,9"},
    {"ld r0, A[ctaid.x ? 7 : u[ctaid.x*5][0]]\n", "1,1,1,1 7,7,7,7"},
    {"@tid.x < 0 && t[9] ld r0, A[0]\n", ""},
    {"@tid.x < 2 ld r0, A[u[tid.x][0]]\n", "1,4 1,4"},
    {"if tid.x == 1\nld r0, A[u[tid.x][0]]\nend\n", "4 4"},
    {"if ctaid.x > 1\nld r0, A[t[99]]\nend\nld r0, A[0]\n", "0,0,0,0 0,0,0,0"},
    /* bounds of loops: the rows of a sparse matrix */
    {"for k = p[ctaid.x] to p[ctaid.x+1]-1\nld r0, A[k]\nend\n", "0,0,0,0 1,1,1,1"},
    {"for k = p[tid.x] to p[tid.x+1]-1\nld r0, A[10*tid.x + k]\nend\n", "0,22,33 1,34 35 0,22,33 1,34 35"},
    {"loop k = t[3] to t[0]\n@tid.x == 0 ld r0, A[k]\nend\n", "8 9 10 8 9 10"},
    {"for k = 0 to 3\n@tid.x == 0 ld r0, A[t[k]]\nend\n", "10 20 30 8 10 20 30 8"},
    {"for k = 0 to 2\nld r0, A[u[k & 1][(k + tid.x) % 3]]\nend\n", "1,2,3,1 5,6,4,5 3,1,2,3 1,2,3,1 5,6,4,5 3,1,2,3"},
    /* outside; where all threads of a warp ask for the same, none is named */
    {"ld r0, A[t[4]]\n", "f:13: t: index 1 = 4: want 0..3 (block 0,0,0)"},
    {"ld r0, A[t[tid.x + ctaid.x]]\n", "f:13: t: index 1 = 4: want 0..3 (block 1,0,0 thread 3,0,0)"},
    {"ld r0, A[t[tid.x - 1]]\n", "f:13: t: index 1 = -1: want 0..3 (block 0,0,0 thread 0,0,0)"},
    {"ld r0, A[u[0][tid.x]]\n", "f:13: u: index 2 = 3: want 0..2 (block 0,0,0 thread 3,0,0)"},
    {"ld r0, A[v[0][tid.x/2][0]]\n", "f:13: v: index 2 = 1: want 0..0 (block 0,0,0 thread 2,0,0)"},
    {"ld r0, A[t[t[ctaid.x]]]\n", "f:13: t: index 1 = 10: want 0..3 (block 0,0,0)"},
    {"let i = t[tid.x*2]\nmov r0\nld r0, A[i]\n", "f:13: t: index 1 = 4: want 0..3 (block 0,0,0 thread 2,0,0)"},
    {"@t[tid.x*2] ld r0, A[0]\n", "f:13: t: index 1 = 4: want 0..3 (block 0,0,0 thread 2,0,0)"},
    {"for k = 0 to t[5]\nmov r0\nend\n", "f:13: t: index 1 = 5: want 0..3 (block 0,0,0)"},
    {"for k = 0 to t[tid.x+1]\nmov r0\nend\n", "f:13: t: index 1 = 4: want 0..3 (block 0,0,0 thread 3,0,0)"},
    {"ld r0, A[neg[tid.x & 1]]\n", "f:13: A: index 1 = -7: want 0..1099511627775 (block 0,0,0 thread 0,0,0)"},
    {"ld r0, A[1/(t[tid.x] - 30)]\n", "f:13: expression at column 11: division by zero (block 0,0,0 thread 2,0,0)"},
    {"ld r0, A[t[1/tid.x]]\n", "f:13: expression at column 13: division by zero (block 0,0,0 thread 0,0,0)"},
    {"ld r0, A[t[(1 << 62)*(ctaid.x + 1)]]\n", "f:13: t: index 1 = 4611686018427387904: want 0..3 (block 0,0,0)"},
};
/* clang-format on */

START_TEST(a_look_up_yields_the_value)
{
    g_autofree char *text = g_strconcat(TABLES, VALUES[_i].body, "end\n", NULL), *addresses = run(text, NULL);
    ck_assert_str_eq(addresses, VALUES[_i].addresses);
}
END_TEST

START_TEST(a_table_has_the_parameters_of_the_file)
{
    static const char TEXT[] =
        "g80trace 1\nparam N = 3\ntable t[N] = {N, 2*N, 3*N}\nglobal A[100] : u8\nkernel k\ngrid 1\nblock 3\nregs 1\n"
        "ld r0, A[t[tid.x]*10 + N]\nend\nlaunch k with N=1\n";
    g_autofree char *addresses = run(TEXT, NULL), *other = run(TEXT, (const char *[]){"N=4", NULL});
    ck_assert_str_eq(addresses, "31,61,91");
    ck_assert_str_eq(other, "f:3:1: t[4]: 3 values: want 4");
}
END_TEST

/* ---- what the analysis knows ---- */

/* clang-format off */
/* Whether the access to A[8] needs a check as it runs, and how many of its terms are evaluated then. */
static const struct {
    const char *tables, *index;
    unsigned n_checks, n_uniform, n_varying;
} RANGES[] = {
    {"table t[4] = {0, 7, 3, 4}\n", "t[tid.x]", 0, 0, 0},              /* part of the lanes' pattern */
    {"table t[4] = {0, 8, 3, 4}\n", "t[tid.x]", 1, 0, 0},
    {"table t[4] = {-1, 7, 3, 4}\n", "t[tid.x]", 1, 0, 0},
    {"table t[4] = {0, 8, 3, 4}\n", "t[tid.x] - 1", 1, 0, 0},
    {"table t[4] = {1, 8, 3, 4}\n", "t[tid.x] - 1", 0, 0, 0},
    {"table t[4] = {1, 7, 3, 4}\n", "t[tid.x+1]", 1, 0, 1},            /* may fail, so it is looked up when it is asked for */
    {"table t[4] = {1, 7, 3, 4}\n", "t[ctaid.x]", 0, 0, 0},            /* a part of the warp's running sum */
    {"table t[3] = {1, 7, 3}\n", "t[ctaid.x + 2]", 1, 1, 0},
    {"table t[4] = {1, 7, 3, 4}\n", "t[ctaid.x*2 + tid.x/2]", 0, 0, 1},
    {"table t[4] = {5, 5, 5, 5}\n", "t[tid.x]", 0, 0, 0},              /* one value */
    {"table t[4] = {5, 9, 5, 5}\n", "t[2]", 0, 0, 0},                  /* the value, not the range */
    {"table t[4] = {5, 9, 5, 5}\n", "t[1]", 1, 0, 0},
    {"table t[2][2] = {0, 1, 2, 3}\n", "t[tid.x/2][tid.x%2]*2 + 1", 0, 0, 0},
    {"table t[2][2] = {0, 1, 2, 3}\n", "t[tid.x/2][tid.x%2]*3", 1, 0, 0},
};
/* clang-format on */

START_TEST(ranges_come_from_the_values)
{
    g_autofree char *text =
        g_strconcat("g80trace 1\n", RANGES[_i].tables, "global A[8] : u8\nkernel k\ngrid 2\nblock 4\nregs 1\nld r0, A[",
                    RANGES[_i].index, "]\nend\n", NULL);
    g_auto(Compiled) c = compile(text, NULL);
    ck_assert_msg(c.program != NULL, "%s", c.error ? c.error->message : "");
    const Access *access = &c.program->accesses[0];
    ck_assert_uint_eq(access->n_checks, RANGES[_i].n_checks);
    ck_assert_uint_eq(access->address.n_uniform, RANGES[_i].n_uniform);
    ck_assert_uint_eq(access->address.n_varying, RANGES[_i].n_varying);
}
END_TEST

START_TEST(a_plan_holds_the_values)
{
    g_auto(Compiled) c = compile(TABLES "mov r0\nend\nlaunch k\nlaunch k\n", NULL);
    ck_assert_ptr_nonnull(c.program);
    const Table *u = &c.plan->tables[1], *neg = &c.plan->tables[4];
    ck_assert_uint_eq(u->dims[0], 2);
    ck_assert_uint_eq(u->dims[1], 3);
    ck_assert_uint_eq(u->n, 6);
    ck_assert_int_eq(u->values[4], 5);
    ck_assert_ptr_null(u->file);
    ck_assert_ptr_null(u->sha256);
    ck_assert_int_eq(neg->min, -7);
    ck_assert_int_eq(neg->max, 7);
}
END_TEST

/* ---- random look-ups against a plain one ---- */

enum { ROUNDS = 2000, LANES_RUN = 8 };

/* Index d of a look-up, as text, and its value in a lane. */
static void random_index(uint64_t *state, GString *text, int64_t ret[LANES_RUN])
{
    const int64_t a = (int64_t)random_below(state, 3), b = (int64_t)random_below(state, 7) - 3,
                  m = 1 + (int64_t)random_below(state, 5);
    g_string_append_printf(text, "[(%" G_GINT64_FORMAT "*tid.x + (%" G_GINT64_FORMAT ")) %% %" G_GINT64_FORMAT "]", a, b, m);
    for (int i = 0; i < LANES_RUN; i++)
        ret[i] = (a * i + b) % m;
}

/* The addresses of the lanes, or how the message of the fault begins. */
static void plain_reading(unsigned n_dims, const int64_t dims[3], int64_t index[3][LANES_RUN], GString *ret)
{
    for (unsigned d = 0; d < n_dims; d++)
        for (int i = 0; i < LANES_RUN; i++)
            if (index[d][i] < 0 || index[d][i] >= dims[d]) {
                g_string_printf(ret, "f:8: t: index %u = %" G_GINT64_FORMAT ": want 0..%" G_GINT64_FORMAT " (block 0,0,0", d + 1,
                                index[d][i], dims[d] - 1);
                return;
            }
    for (int i = 0; i < LANES_RUN; i++) {
        const int64_t k = (index[0][i] * dims[1] + index[1][i]) * dims[2] + index[2][i];
        g_string_append_printf(ret, "%" G_GINT64_FORMAT "%s", k * k + 1, i < LANES_RUN - 1 ? "," : "");
    }
}

START_TEST(look_ups_agree_with_a_plain_reading)
{
    uint64_t state = 7;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t dims[3] = {1, 1, 1}, index[3][LANES_RUN] = {{0}};
        const unsigned n_dims = 1 + (unsigned)random_below(&state, 3);
        g_autoptr(GString) shape = g_string_new(NULL), values = g_string_new(NULL), at = g_string_new(NULL),
                           wanted = g_string_new(NULL);
        for (unsigned d = 0; d < n_dims; d++) {
            dims[d] = 1 + (int64_t)random_below(&state, 4);
            g_string_append_printf(shape, "[%" G_GINT64_FORMAT "]", dims[d]);
            random_index(&state, at, index[d]);
        }
        /* the value at place k is k*k + 1 */
        for (int64_t k = 0; k < dims[0] * dims[1] * dims[2]; k++)
            g_string_append_printf(values, "%" G_GINT64_FORMAT ",", k * k + 1);
        plain_reading(n_dims, dims, index, wanted);
        g_autofree char *text = g_strdup_printf(
            "g80trace 1\ntable t%s = {%s}\nglobal A[5000] : u8\nkernel k\ngrid 1\nblock 8\nregs 1\nld r0, A[t%s]\nend\n",
            shape->str, values->str, at->str);
        g_autofree char *addresses = run(text, NULL);
        ck_assert_msg(g_str_has_prefix(addresses, wanted->str), "round %d: %s, wanted %s", round, addresses, wanted->str);
    }
}
END_TEST

/* ---- damaged texts: any answer, no crash ---- */

START_TEST(a_damaged_trace_is_survived)
{
    static const char SEED[] =
        TABLES "for k = p[tid.x] to p[tid.x+1]-1\n@t[tid.x] > u[0][k & 1] ld r0, A[v[0][0][k % 2] + t[t[0] - 10]]\nend\nend\n";
    static const char SIGNS[] = "{}[]\",;:=+-*/%&|<>?!~()@#\n\r\t 0123456789tuvpNAkx.\xff";
    uint64_t state = 11;
    for (int round = 0; round < 20000; round++) {
        g_autoptr(GString) text = g_string_new(SEED);
        for (uint64_t n = 1 + random_below(&state, 4); n > 0; n--) {
            const gssize at = (gssize)random_below(&state, text->len);
            const uint64_t what = random_below(&state, 4);
            if (what < 2)
                text->str[at] = SIGNS[random_below(&state, sizeof SIGNS - 1)];
            else if (what == 2)
                g_string_erase(text, at, (gssize)random_below(&state, MIN(20, text->len - (gsize)at)));
            else
                g_string_insert_len(text, at, SEED + random_below(&state, sizeof SEED - 40), (gssize)random_below(&state, 40));
        }
        g_auto(Compiled) c = compile(text->str, NULL);
        ck_assert((c.program != NULL) == (c.error == NULL));
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, a_look_up_yields_the_value, 0, G_N_ELEMENTS(VALUES));
    tcase_add_test(tcase, a_table_has_the_parameters_of_the_file);
    tcase_add_loop_test(tcase, ranges_come_from_the_values, 0, G_N_ELEMENTS(RANGES));
    tcase_add_test(tcase, a_plan_holds_the_values);
    tcase_add_test(tcase, look_ups_agree_with_a_plain_reading);
    tcase_add_test(tcase, a_damaged_trace_is_survived);
}

int main(void)
{
    return unit_main("table-values", add);
}
