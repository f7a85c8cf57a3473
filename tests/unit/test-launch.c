/* From parameters to launches: settings, requirements, the places of arrays, launch statements and the loops around them. */
#include <string.h>

#include "trace/launch.h"
#include "unit.h"

typedef struct {
    AstTrace *trace;
    LaunchPlan *plan;
    int code; /* of the fault, or -1 */
    char *fault;
} Planned;

static void planned_clear(Planned *p)
{
    launch_plan_free(p->plan);
    ast_trace_free(p->trace);
    g_free(p->fault);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Planned, planned_clear)

static Planned plan(const char *text, const char *const *settings)
{
    Planned p = {.code = -1};
    GError *error = NULL;
    p.trace = ast_trace_parse("f", text, strlen(text), &error);
    ck_assert_msg(p.trace != NULL, "%s", p.trace ? "" : error->message);
    p.plan = launch_plan_new(p.trace, settings, &error);
    ck_assert_int_eq(p.plan == NULL, error != NULL);
    if (!error) return p;
    p.code = error->code;
    p.fault = g_strdup(error->message);
    g_error_free(error);
    return p;
}

/* Launches as text: `NAME grid XxYxZ block XxYxZ PARAMS`, one a line. */
static char *launches(const LaunchPlan *p)
{
    GString *out = g_string_new(NULL);
    for (unsigned i = 0; i < p->launches->len; i++) {
        const Launch *l = &g_array_index(p->launches, Launch, i);
        g_string_append_printf(out, "%d %s %ux%ux%u %ux%ux%u", l->line, l->kernel->name, l->grid[0], l->grid[1], l->grid[2],
                               l->block[0], l->block[1], l->block[2]);
        for (unsigned k = 0; k < p->trace->params->len; k++)
            g_string_append_printf(out, " %" G_GINT64_FORMAT, l->params[k]);
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}

#define KERNEL(name) "kernel " name "\ngrid N M\nblock 32 M\nregs 1\nbar\nend\n"

/* ---- parameters and settings ---- */

static const char PARAMS[] = "g80trace 1\nparam N = 8\nparam M = N/4\nparam Long_name = M*M + N\n" KERNEL("k");

static const struct {
    const char *settings[4];
    int64_t want[3];
} SETTINGS[] = {
    {{NULL}, {8, 2, 12}},
    {{"N=64", NULL}, {64, 16, 320}},
    {{"M=3", NULL}, {8, 3, 17}},
    {{"M=3", "N=1", "Long_name=-5", NULL}, {1, 3, -5}},
    {{"N=1<<4", NULL}, {16, 4, 32}},
    {{"N = 3", NULL}, {0, 0, 0}}, /* refused: the name is `N ` */
    {{"N=0x10", NULL}, {16, 4, 32}},
    {{"N=hash(3) % 7 == hash(3) % 7 ? 12 : 0", NULL}, {12, 3, 21}},
};

START_TEST(settings_come_before_what_is_written)
{
    g_auto(Planned) p = plan(PARAMS, SETTINGS[_i].settings);
    if (SETTINGS[_i].want[0] == 0) {
        ck_assert_int_eq(p.code, G80SIM_ERROR_USAGE);
        return;
    }
    ck_assert_msg(p.plan != NULL, "%s", p.fault);
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(p.plan->params[k], SETTINGS[_i].want[k]);
}
END_TEST

static const struct {
    const char *settings[3], *want;
} BAD_SETTINGS[] = {
    {{"Lon_name=3", NULL}, "-p Lon_name: no such parameter in f: did you mean Long_name?"},
    {{"zzzzzzzzzzzz=3", NULL}, "-p zzzzzzzzzzzz: no such parameter in f: want one of N, M, Long_name"},
    {{"N", NULL}, "-p N: want NAME=VALUE"},
    {{"N=3", "N=3", NULL}, "-p N=3: given twice"},
    {{"N=tid.x", NULL}, "-p N=tid.x: want an integer"},
    {{"N=1/0", NULL}, "-p N=1/0:1:2: expression: division by zero"},
    {{"N=9223372036854775807+1", NULL}, "-p N=9223372036854775807+1:1:20: expression: overflow of 64 bits"},
};

START_TEST(bad_settings_are_faults_of_usage)
{
    g_auto(Planned) p = plan(PARAMS, BAD_SETTINGS[_i].settings);
    ck_assert_int_eq(p.code, G80SIM_ERROR_USAGE);
    ck_assert_str_eq(p.fault, BAD_SETTINGS[_i].want);
}
END_TEST

START_TEST(settings_that_are_no_expressions)
{
    static const char *const SETTING[] = {"N=", "N=3 4", "N=M", "N=(3", "N=1.5", "N=3\n4", "N==3"};
    const char *const settings[] = {SETTING[_i], NULL};
    g_auto(Planned) p = plan(PARAMS, settings);
    ck_assert_int_eq(p.code, G80SIM_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(p.fault, "-p N="));
}
END_TEST

START_TEST(a_trace_without_parameters_says_so)
{
    g_auto(Planned) p = plan("g80trace 1\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n", (const char *const[]){"N=2", NULL});
    ck_assert_str_eq(p.fault, "-p N: no such parameter in f: want one of none: it has no parameters");
}
END_TEST

/* ---- what is refused ---- */

static const struct {
    const char *text, *want;
} FAULTS[] = {
    {"g80trace 1\nparam N = 8\nparam M = 3\nrequire N % M == 0 && N < 99\n" KERNEL("k"),
     "f:4:9: require N % M == 0 && N < 99: does not hold with N = 8, M = 3"},
    {"g80trace 1\nrequire 1 > 2\nrequire 2 > 3\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n",
     "f:2:9: require 1 > 2: does not hold\nf:3:9: require 2 > 3: does not hold"},
    {"g80trace 1\nparam N = 8\nkernel k\ngrid 1\nblock 1\nregs 1\nrequire N < 8\nbar\nend\nlaunch k with N=7\nlaunch k with "
     "N=9\n",
     "f:7:9: require N < 8: does not hold with N = 9"},
    {"g80trace 1\nparam N = 8\nparam M = N/(N-8)\n" KERNEL("k"), "f:3:12: expression: division by zero"},
    {"g80trace 1\nparam N = 8\nparam M = 2\n" KERNEL("k") "for i = 1 to 0\nlaunch k\nend\n",
     "f: no kernel is launched: want at least one launch"},
    {"g80trace 1\nparam N = 0\nparam M = 1\n" KERNEL("k"), "f:5:6: grid = 0: want 1..2147483647"},
    {"g80trace 1\nparam N = 1<<31\nparam M = 1\n" KERNEL("k"), "f:5:6: grid = 2147483648: want 1..2147483647"},
    {"g80trace 1\nparam N = 1\nparam M = 33\n" KERNEL("k"), "f:4: kernel k: block 32 x 33 x 1 = 1056 threads: want at most 1024"},
    {"g80trace 1\nparam N = 1\nparam M = 1025\n" KERNEL("k"), "f:6:10: block = 1025: want 1..1024"},
    {"g80trace 1\nkernel k\ngrid 2147483647 513\nblock 1\nregs 1\nbar\nend\n",
     "f:2: kernel k: grid 2147483647 x 513 x 1: want at most 2^40 blocks"},
    {"g80trace 1\nkernel k\ngrid 1048576 1048576 2\nblock 1\nregs 1\nbar\nend\n",
     "f:2: kernel k: grid 1048576 x 1048576 x 2: want at most 2^40 blocks"},
    {"g80trace 1\nglobal A[3][1-1] : f32\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n",
     "f:2:1: A[...] dimension 2 = 0: want 1 or more"},
    {"g80trace 1\nglobal A[1<<40][5] : f32\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n",
     "f:2:1: A: want an array of at most 2^44 bytes"},
    {"g80trace 1\nglobal A[1<<62][1<<62][1<<62] : f32\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n",
     "f:2:1: A: want an array of at most 2^44 bytes"},
    {"g80trace 1\nglobal A[1<<41] : f32\nglobal B[1<<41] : f32\nglobal C[1] : u8\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n",
     "f:4:1: C: the arrays together exceed 2^44 bytes"},
    {"g80trace 1\nglobal A[65] : u32 @ 0xfffffffff00\nkernel k\n  grid 1\n  block 1\n  regs 1\n  mov r0\nend\n",
     "f:2:1: A @ 17592186044160: want an array that ends by 2^44"},
    {"g80trace 1\nglobal A[1] : f64 @ 4\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n",
     "f:2:1: A @ 4: want an address in 0..2^44 that is a multiple of 8"},
    {"g80trace 1\nglobal A[1] : f64 @ -8\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n",
     "f:2:1: A @ -8: want an address in 0..2^44 that is a multiple of 8"},
    {"g80trace 1\nglobal A[1] : u8 @ (1<<44) + 1\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n",
     "f:2:1: A @ 17592186044417: want an address in 0..2^44 that is a multiple of 1"},
    {"g80trace 1\ntex X[1] : u8 @ 128\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n",
     "f:2:1: X @ 128: want an address in 0..2^44 that is a multiple of 256"},
    {"g80trace 1\ntex X[3][1 << 42] : u8x4\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n",
     "f:2:1: X: want an array of at most 2^44 bytes"},
    /* 9 rows take less; 16, two tiles high, 2^44 + 1024. */
    {"g80trace 1\ntex X[9][(1 << 40) + 1] : u8\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n",
     "f:2:1: X: want an array of at most 2^44 bytes"},
    {"g80trace 1\nconst K[16384] : f32\nconst J[1] : u8\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n",
     "f:3:1: J: the const arrays together take 65537 bytes: want at most 65536"},
    {"g80trace 1\nconst K[4096] : f32x4\nglobal A[1] : f32\nconst J[2] : f64 @ 0\nconst I[3] : f32\nkernel k\ngrid 1\n"
     "block 1\nregs 1\nbar\nend\n",
     "f:4:1: J: the const arrays together take 65564 bytes: want at most 65536"},
    {"g80trace 1\nparam N = 1\nparam M = 1\n" KERNEL("k") "for i = 1 to 3 step N-1\nlaunch k\nend\n",
     "f:10:1: step = 0: want a step that is not 0"},
    {"g80trace 1\nparam N = 1\nparam M = 1\n" KERNEL("k") "for i = 1 to 100001\nlaunch k\nend\n",
     "f:10:1: for: want at most 100000 rounds"},
    {"g80trace 1\nparam N = 1\nparam M = 1\n" KERNEL("k") "repeat 1000\nrepeat 101\nlaunch k\nend\nend\n",
     "f:12:1: launch: want at most 100000 launches in all"},
    {"g80trace 1\nparam N = 1\nparam M = 1\n" KERNEL("k") "for i = 0 to 9\nlaunch k grid 5 - i\nend\n",
     "f:11:17: grid = 0: want 1..2147483647"},
    {"g80trace 1\nparam N = 1\nparam M = 1\n" KERNEL("k") "launch k block 64 17\n",
     "f:10: kernel k: block 64 x 17 x 1 = 1088 threads: want at most 1024"},
};

START_TEST(faults_of_the_plan)
{
    g_auto(Planned) p = plan(FAULTS[_i].text, NULL);
    ck_assert_msg(p.fault != NULL, "no fault, want %s", FAULTS[_i].want);
    ck_assert_int_eq(p.code, G80SIM_ERROR_TRACE);
    ck_assert_str_eq(p.fault, FAULTS[_i].want);
}
END_TEST

/* ---- arrays ---- */

START_TEST(arrays_lie_on_256_byte_boundaries)
{
    static const char TEXT[] =
        "g80trace 1\nparam N = 5\nglobal A[N] : u8\nglobal B[2][N][3] : f32x4\nglobal P[N] : f32 @ 0x10000 + 4*N\n"
        "const K[64] : f32\ntex X[65] : f32\nglobal Z[1] : f64\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n";
    static const struct {
        uint64_t base, bytes, dims[3], strides[3];
    } WANT[] = {
        {0, 5, {5, 1, 1}, {1, 0, 0}},      {256, 480, {2, 5, 3}, {240, 48, 16}}, {0x10014, 20, {5, 1, 1}, {4, 0, 0}},
        {768, 256, {64, 1, 1}, {4, 0, 0}}, {1024, 260, {65, 1, 1}, {4, 0, 0}},   {1536, 8, {1, 1, 1}, {8, 0, 0}},
    };
    g_auto(Planned) p = plan(TEXT, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(WANT); i++) {
        const ArrayPlace *a = &p.plan->arrays[i];
        ck_assert_ptr_eq(a->array, p.trace->arrays->pdata[i]);
        ck_assert_uint_eq(a->base, WANT[i].base);
        ck_assert_uint_eq(a->bytes, WANT[i].bytes);
        for (unsigned d = 0; d < 3; d++)
            ck_assert_uint_eq(a->dims[d], WANT[i].dims[d]);
        for (unsigned d = 0; d < a->array->n_dims; d++)
            ck_assert_uint_eq(a->strides[d], WANT[i].strides[d]);
    }
}
END_TEST

/* All spaces of the file, also what has its place by `@`: 0x1000 + 64 bytes of f32 is the end. */
START_TEST(arrays_move_together)
{
    static const char TEXT[] = "g80trace 1\nglobal A[5] : u8\nglobal P[16] : f32 @ 0x1000\nconst K[64] : f32\ntex X[65] : f32\n"
                               "kernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n";
    static const uint64_t WANT[] = {0, 0x1000, 256, 512};
    g_auto(Planned) p = plan(TEXT, NULL);
    ck_assert_uint_eq(launch_plan_extent(p.plan), 0x1040);
    for (uint64_t moved = 0; moved <= 3 << 20; moved += 1 << 20) {
        for (unsigned i = 0; i < G_N_ELEMENTS(WANT); i++)
            ck_assert_uint_eq(p.plan->arrays[i].base, WANT[i] + moved);
        launch_plan_move(p.plan, 1 << 20);
    }
}
END_TEST

START_TEST(textures_have_whole_tiles)
{
    static const char TEXT[] =
        "g80trace 1\ntex P[10][20] : f32\ntex Q[3][5][1] : u8x4\ntex L[100] : u8\ntex R[1][16] : f32 @ 0x300\n"
        "global G[3][5] : f32\ntex S[8][17] : f32\nkernel k\ngrid 1\nblock 1\nregs 1\nbar\nend\n";
    static const struct {
        uint64_t base, bytes, pitch, strides[3];
    } WANT[] = {
        {0, 2048, 128, {128, 4, 0}},      /* 80 bytes a row: 2 tiles; 10 rows: 2 tiles, 16 rows of 128 */
        {2048, 1024, 64, {320, 64, 4}},   /* 3*5 rows of one tile's width: 16 of 64 */
        {3072, 100, 0, {1, 0, 0}},        /* one dimension: linear */
        {0x300, 512, 64, {64, 4, 0}},     /* one tile exactly */
        {3328, 60, 0, {20, 4, 0}},        /* next multiple of 256 after 3172; no texture */
        {3584, 8 * 128, 128, {128, 4, 0}} /* 68 bytes a row: 2 tiles */
    };
    g_auto(Planned) p = plan(TEXT, NULL);
    ck_assert_msg(p.plan != NULL, "%s", p.fault);
    for (unsigned i = 0; i < G_N_ELEMENTS(WANT); i++) {
        const ArrayPlace *a = &p.plan->arrays[i];
        ck_assert_uint_eq(a->base, WANT[i].base);
        ck_assert_uint_eq(a->bytes, WANT[i].bytes);
        ck_assert_uint_eq(a->pitch, WANT[i].pitch);
        for (unsigned d = 0; d < a->array->n_dims; d++)
            ck_assert_uint_eq(a->strides[d], WANT[i].strides[d]);
    }
}
END_TEST

START_TEST(constants_may_fill_their_space)
{
    g_auto(Planned) p = plan("g80trace 1\nconst K[16383] : f32\nconst J[4] : u8\nglobal A[100000] : f32\nkernel k\ngrid 1\n"
                             "block 1\nregs 1\nbar\nend\n",
                             NULL);
    ck_assert_msg(p.plan != NULL, "%s", p.fault);
}
END_TEST

/* ---- launches ---- */

#define TWO "g80trace 1\nparam N = 8\nparam M = 2\n" KERNEL("a") KERNEL("b")

static const struct {
    const char *text, *want;
} LAUNCHES[] = {
    {TWO, "4 a 8x2x1 32x2x1 8 2\n10 b 8x2x1 32x2x1 8 2\n"},
    {TWO "launch b\n", "16 b 8x2x1 32x2x1 8 2\n"},
    {TWO "launch a with M=N-5, N=M\nlaunch a\n", "16 a 2x3x1 32x3x1 2 3\n17 a 8x2x1 32x2x1 8 2\n"},
    {TWO "launch a grid 3 block 4 5 6 with N=9\n", "16 a 3x1x1 4x5x6 9 2\n"},
    {TWO "launch a grid N M N with N=9\n", "16 a 8x2x8 32x2x1 9 2\n"},
    {TWO "for i = 5 to 1 step -2\nlaunch b grid i with M=i\nend\nlaunch a\n",
     "17 b 5x1x1 32x5x1 8 5\n17 b 3x1x1 32x3x1 8 3\n17 b 1x1x1 32x1x1 8 1\n19 a 8x2x1 32x2x1 8 2\n"},
    {TWO "for i = 1 to 2\nrepeat i\nlaunch b with M=i\nend\nend\n",
     "18 b 8x1x1 32x1x1 8 1\n18 b 8x2x1 32x2x1 8 2\n18 b 8x2x1 32x2x1 8 2\n"},
    {TWO "for i = 9223372036854775806 to 9223372036854775807\nlaunch a with M=i - 9223372036854775805\nend\n",
     "17 a 8x1x1 32x1x1 8 1\n17 a 8x2x1 32x2x1 8 2\n"},
    {TWO "for i = -9223372036854775807 - 1 to -9223372036854775807 - 1 step -1\nlaunch a\nend\n", "17 a 8x2x1 32x2x1 8 2\n"},
    {"g80trace 1\nkernel k\ngrid 1048576 1048576\nblock 1024 1 1\nregs 1\nbar\nend\n", "2 k 1048576x1048576x1 1024x1x1\n"},
};

START_TEST(launches_in_order)
{
    g_auto(Planned) p = plan(LAUNCHES[_i].text, NULL);
    ck_assert_msg(p.plan != NULL, "%s", p.fault);
    g_autofree char *have = launches(p.plan);
    ck_assert_str_eq(have, LAUNCHES[_i].want);
}
END_TEST

START_TEST(settings_reach_the_launches)
{
    g_auto(Planned) p = plan(TWO "launch a with M=N+1\nlaunch b\n", (const char *const[]){"N=3", NULL});
    g_autofree char *have = launches(p.plan);
    ck_assert_str_eq(have, "16 a 3x4x1 32x4x1 3 4\n17 b 3x2x1 32x2x1 3 2\n");
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, settings_come_before_what_is_written, 0, G_N_ELEMENTS(SETTINGS));
    tcase_add_loop_test(tcase, bad_settings_are_faults_of_usage, 0, G_N_ELEMENTS(BAD_SETTINGS));
    tcase_add_loop_test(tcase, settings_that_are_no_expressions, 0, 7);
    tcase_add_test(tcase, a_trace_without_parameters_says_so);
    tcase_add_loop_test(tcase, faults_of_the_plan, 0, G_N_ELEMENTS(FAULTS));
    tcase_add_test(tcase, arrays_lie_on_256_byte_boundaries);
    tcase_add_test(tcase, arrays_move_together);
    tcase_add_test(tcase, textures_have_whole_tiles);
    tcase_add_test(tcase, constants_may_fill_their_space);
    tcase_add_loop_test(tcase, launches_in_order, 0, G_N_ELEMENTS(LAUNCHES));
    tcase_add_test(tcase, settings_reach_the_launches);
}

int main(void)
{
    return unit_main("launch", add);
}
