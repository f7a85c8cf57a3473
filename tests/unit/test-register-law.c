/*
 * Registers read and written: exactly, for two small kernels; and for every workload at least one access for each lane of each operation that
 * names a register. Which lanes those are the test finds by itself, from the warps' ways through the program.
 */
#include <string.h>

#include "holds.h"
#include "simulate.h"
#include "trace/cursor.h"
#include "workload-list.h"

/* ---- exactly ---- */

typedef struct {
    const char *text;
    uint64_t reads, writes;
} Exact;

/*
 * 40 threads: warps of 32 and of 8 lanes. A register of double precision and an f64 are two, an f32x4 four; what has no operand, and a lane that
 * a predicate or a branch switches off, accesses none; a `via` names no access.
 *
 *   line  instruction                    lanes     reads each  writes each   reads  writes
 *    9    mov r0                         40        0           1                 0      40
 *   10    add r1, r0, r0                 40        2           1                80      40
 *   11    mad r2, r0, r1, r2             40        3           1               120      40
 *   12    @laneid < 5 add r3, r0, r1     5 + 5     2           1                20      10
 *   13    @laneid > 40 mul r3, r0, r1    0         2           1                 0       0
 *   14    mul r3, r0, 2                  40        1           1                40      40   a number is no register
 *   15    dfma r4, r6, r8, r10           40        3*2         2               240      80
 *   16    @laneid < 5 dadd r4, r6, r8    10        2*2         2                40      20
 *   17    ld r12, D[tid.x] via r0        40        0           2                 0      80
 *   18    st D[tid.x], r12               40        2           0                80       0
 *   19    ld r16, Q[tid.x]               40        0           4                 0     160
 *   20    atom r20, A[0], r1             40        1           1                40      40
 *   21    atom A[1], r1                  40        1           0                40       0
 *   22    bar                            40        0           0                 0       0
 *   23    if laneid < 3                  40, 40    0           0                 0       0   set and bra: of no register it is known
 *   24      mov r0                       3 + 3     0           1                 0       6
 *   25    end                            3 + 3     0           0                 0       0
 *   26    loop i = 1 to 2                2*40      1 + 1       1               160      80   add reads and writes the counter, set reads it
 *   27      membar                       2*40      0           0                 0       0
 *   29    @laneid >= 16 exit             16        0           0                 0       0
 *   30    st G[tid.x], r1                16 + 8    1           0                24       0
 *                                                              sum             884     636
 */
static const Exact DOUBLES = {
    "g80trace 1\nglobal D[40] : f64\nglobal Q[40] : f32x4\nglobal A[2] : u32\nglobal G[40] : f32\nkernel k\n  grid 1\n  block "
    "40\n"
    "  regs 21\n  mov r0\n  add r1, r0, r0\n  mad r2, r0, r1, r2\n  @laneid < 5 add r3, r0, r1\n  @laneid > 40 mul r3, r0, r1\n"
    "  mul r3, r0, 2\n  dfma r4, r6, r8, r10\n  @laneid < 5 dadd r4, r6, r8\n  ld r12, D[tid.x] via r0\n  st D[tid.x], r12\n"
    "  ld r16, Q[tid.x]\n  atom r20, A[0], r1\n  atom A[1], r1\n  bar\n  if laneid < 3\n    mov r0\n  end\n  loop i = 1 to 2\n"
    "    membar\n  end\n  @laneid >= 16 exit\n  st G[tid.x], r1\nend\n",
    884, 636};

/*
 * 3 blocks of 64 threads, with an operand from shared memory, which is no register: mov 0 and 1; st 1 and 0; mad 2 and 1, four times; add 1 and
 * 1; sel 3 and 1 in half of the lanes. 192 * (1 + 4*2 + 1) + 96 * 3 = 2208 and 192 * (1 + 4 + 1) + 96 = 1248.
 */
static const Exact SHARED_OPERANDS = {
    "g80trace 1\nkernel k\n  grid 3\n  block 64\n  regs 4\n  shared S[64] : f32\n  mov r0\n  st S[tid.x], r0\n  bar\n  for i = 0 "
    "to 3\n"
    "    mad r0, r0, S[tid.x ^ i], r0\n  end\n  add r1, S[tid.x], r0\n  @tid.x % 2 == 0 sel r2, r0, r1, r2\nend\n",
    2208, 1248};

static const char *const MACHINES[] = {"gt200", "h200"};

START_TEST(small_kernels_access_exactly_these_registers)
{
    const Exact *exact = _i / 2 ? &SHARED_OPERANDS : &DOUBLES;
    KernelResult r = simulate_on(MACHINES[_i % 2], exact->text, "", "", 0);
    ck_assert_uint_eq(r.registers.reads, exact->reads);
    ck_assert_uint_eq(r.registers.writes, exact->writes);
    result_clear(&r);
}
END_TEST

/* ---- at least ---- */

/* Arithmetic or memory, with a register of the program: not the hidden ones that a branch or a loop counts and decides with. */
static bool names_a_register(const Program *program, const Insn *insn)
{
    if (insn->kind != INSN_ALU && insn->kind != INSN_MEM) return false;
    for (unsigned i = 0; i < insn->n_regs; i++)
        if (insn->regs[i] < program->regs) return true;
    return false;
}

static uint64_t lanes_of_program(const Program *program)
{
    g_autofree void *storage = g_malloc0(cursor_storage(program));
    Cursor cursor;
    uint64_t lanes = 0;
    cursor_init(&cursor, program, storage);
    for (uint64_t block = 0; block < program->n_blocks; block++) {
        for (uint32_t warp = 0; warp < program->n_warps; warp++) {
            for (cursor_start(&cursor, block, warp); cursor.insn; cursor_next(&cursor)) {
                LaneMask mask;
                HOLDS(cursor_mask(&cursor, &mask));
                if (names_a_register(program, cursor.insn)) lanes += bits_count(mask);
                if (cursor.insn->kind == INSN_EXIT) cursor_exit(&cursor, mask);
            }
        }
    }
    return lanes;
}

/* Of all launches, on a machine whose arithmetic takes operands from memory: what loads them ahead elsewhere is no operation of the kernel. */
static uint64_t lanes_of_trace(const char *text, const char *settings)
{
    static const ProgramOptions OPTIONS = {.max_instructions = UINT64_C(1) << 40, .memory_operands = true};
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) words = g_strsplit(settings, " ", -1);
    g_autoptr(AstTrace) trace = ast_trace_parse("test", text, strlen(text), &error);
    ck_assert_ptr_nonnull(trace);
    g_autoptr(LaunchPlan) plan = launch_plan_new(trace, (const char *const *)words, &error);
    ck_assert_ptr_nonnull(plan);
    uint64_t lanes = 0;
    for (unsigned i = 0; i < plan->launches->len; i++) {
        g_autoptr(Program) program = program_new(plan, &g_array_index(plan->launches, Launch, i), &OPTIONS, &error);
        ck_assert_ptr_nonnull(program);
        lanes += lanes_of_program(program);
    }
    return lanes;
}

/* The 8800 GTX with what some workloads want beside it: atomic operations and one entry more of the mask stack. */
static const char *const LAW_MACHINES[][2] = {{"g80", "sm.compute_capability=1.3 sm.mask_stack_depth=5"}, {"h200", ""}};
enum { N_LAW_MACHINES = G_N_ELEMENTS(LAW_MACHINES) };

START_TEST(no_operation_goes_without_its_registers)
{
    const unsigned workload = (unsigned)_i / N_LAW_MACHINES, machine = (unsigned)_i % N_LAW_MACHINES;
    const char *settings = WORKLOAD_LIST[workload].settings;
    g_autofree char *text = simulate_workload(WORKLOAD_LIST[workload].name);
    KernelResult r = simulate_on(LAW_MACHINES[machine][0], text, settings, LAW_MACHINES[machine][1], 0);
    const uint64_t lanes = lanes_of_trace(text, settings);
    ck_assert_uint_gt(lanes, 0);
    ck_assert_uint_le(lanes, r.kernel.thread_instructions);
    ck_assert_uint_ge(r.registers.reads + r.registers.writes, lanes);
    result_clear(&r);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, small_kernels_access_exactly_these_registers, 0, 2 * 2);
    tcase_add_loop_test(tcase, no_operation_goes_without_its_registers, 0, N_WORKLOADS * N_LAW_MACHINES);
}

int main(void)
{
    return unit_main("register-law", add);
}
