/*
 * What an operation costs, as a benchmark on the machine would find it: the workloads op-throughput and op-latency, run at two lengths, and
 * the cycles by which they differ over the instructions by which they differ. What is wanted is what the publications say, never what the
 * configuration holds.
 */
#include <math.h>
#include <string.h>

#include "simulate.h"

/* ---- two runs ---- */

/* The workload with one launch of one of its kernels in place of all. */
static char *kernel_alone(const char *workload, const char *op)
{
    g_autofree char *text = simulate_workload(workload);
    char *launches = strstr(text, "\nlaunch ");
    ck_assert_ptr_nonnull(launches);
    *launches = '\0';
    return g_strdup_printf("%s\nlaunch op_%s\n", text, op);
}

static Cycle cycles_of(const char *machine, const char *text, const char *settings)
{
    KernelResult r = simulate_on(machine, text, settings, "", 0);
    const Cycle cycles = r.kernel.cycles;
    result_clear(&r);
    return cycles;
}

/* 16 turns more are 16 * 8 instructions of each of the 8 warps of an SM: 1024. */
enum { STREAM_INSTRUCTIONS = 16 * 8 * 8 };

static Cycle stream_cycles(const char *machine, const char *text)
{
    return cycles_of(machine, text, "n=32") - cycles_of(machine, text, "n=16");
}

enum { CHAIN_INSTRUCTIONS = 32 };

static Cycle chain_cycles(const char *machine, const char *text)
{
    return cycles_of(machine, text, "n=64") - cycles_of(machine, text, "n=32");
}

/* ---- the 8800 GTX ---- */

/* Cycles of a warp instruction: CUDA programming guide 2.0, 5.1.1.1 (sources A3). `shl` stands there among the bitwise operations, `sel`
 * among the comparisons. */
static const struct {
    const char *op;
    unsigned cycles;
} ISSUE[] = {
    {"add", 4},  {"mul", 4},    {"mad", 4},  {"set", 4},  {"sel", 4},   {"cvt", 4},  {"shl", 4},   {"mul24", 4},
    {"rcp", 16}, {"rsqrt", 16}, {"lg2", 16}, {"ex2", 32}, {"imul", 16}, {"sin", 32}, {"sqrt", 32}, {"div", 36},
};

START_TEST(the_8800_gtx_takes_the_cycles_of_the_guide)
{
    g_autofree char *text = kernel_alone("op-throughput", ISSUE[_i].op);
    ck_assert_uint_eq(stream_cycles("g80", text), (Cycle)STREAM_INSTRUCTIONS * ISSUE[_i].cycles);
}
END_TEST

/* The same for what the workload does not have: integer add, min, max and bitwise operations 4, cos 32; and for an instruction without
 * arithmetic, a move. A shared load without conflicts is a move with a shared operand: 6 (sources A7). */
static const struct {
    const char *insn;
    unsigned cycles;
} MORE_ISSUE[] = {
    {"sub r[k], r[k], r[k]", 4}, {"min r[k], r[k], r[k]", 4},         {"max r[k], r[k], r[k]", 4},
    {"and r[k], r[k], r[k]", 4}, {"or r[k], r[k], r[k]", 4},          {"xor r[k], r[k], r[k]", 4},
    {"shr r[k], r[k]", 4},       {"mad24 r[k], r[k], r[k], r[k]", 4}, {"mov r[k]", 4},
    {"cos r[k], r[k]", 32},      {"ld r[k], S[tid.x] via r[k]", 6},
};

START_TEST(so_do_the_operations_that_share_a_class)
{
    g_autofree char *text =
        g_strdup_printf("g80trace 1\nparam n = 1\nkernel k\n  grid 16\n  block 256\n  regs 8\n"
                        "  shared S[256] : f32\n  repeat n\n    for k = 0 to 7\n      %s\n    end\n  end\nend\n",
                        MORE_ISSUE[_i].insn);
    ck_assert_uint_eq(stream_cycles("g80", text), (Cycle)STREAM_INSTRUCTIONS * MORE_ISSUE[_i].cycles);
}
END_TEST

/* Memory instructions and a barrier issue in 4 cycles (guide 2.0, 5.1.1.3 and 5.1.1.4), whatever they wait for afterwards: the cycles in which
 * they hold the port. The shared load is none in machine code: it is an operation with a shared operand, 6 cycles (sources A7). */
static const struct {
    const char *insn;
    unsigned cycles;
} PLAIN[] = {
    {"ld r0, G[tid.x]", 4}, {"st G[tid.x], r0", 4},  {"ld r0, S[tid.x]", 6}, {"st S[tid.x], r0", 4},
    {"ld r0, L[0]", 4},     {"tex r0, T[tid.x]", 4}, {"membar", 4},          {"bar", 4},
};
enum { PLAIN_LINE = 10 };

START_TEST(memory_instructions_and_barriers_issue_in_4_cycles_shared_loads_in_6)
{
    g_autofree char *text = g_strdup_printf("g80trace 1\nglobal G[32] : f32\ntex T[32] : f32\nkernel k\n  grid 1\n  block 32\n"
                                            "  regs 1\n  shared S[32] : f32\n  local L[1] : f32\n  %s\nend\n",
                                            PLAIN[_i].insn);
    KernelResult r = simulate_on("g80", text, "", "", 0);
    ck_assert_uint_eq(simulate_line(&r, PLAIN_LINE)->issued, 1);
    ck_assert_uint_eq(simulate_line(&r, PLAIN_LINE)->port_cycles, PLAIN[_i].cycles);
    ck_assert_uint_eq(r.stalls.cycles[STALL_issued], PLAIN[_i].cycles);
    result_clear(&r);
}
END_TEST

/*
 * The same in time: a second warp, of another block, issues as soon as the port is free. 100 instructions of the one and 400 of the other
 * take 4 cycles each, 6 the shared loads, however long those of the first take to be done (20 cycles of a barrier; 36 of a shared load).
 */
static const struct {
    const char *insn;
    unsigned cycles;
} IN_TIME[] = {{"bar", 4}, {"ld r[i % 8], S[tid.x]", 6}, {"st S[tid.x], r0", 4}, {"membar", 4}};

START_TEST(the_port_is_free_after_the_issue_cycles)
{
    g_autofree char *text = g_strdup_printf("g80trace 1\nparam n = 1\nkernel k\n  grid 32\n  block 32\n  regs 8\n"
                                            "  shared S[32] : f32\n  for i = 1 to ctaid.x < 16 ? n : 0\n    %s\n  end\n"
                                            "  for i = 1 to ctaid.x < 16 ? 0 : 4*n\n    mov r[i %% 8]\n  end\nend\n",
                                            IN_TIME[_i].insn);
    ck_assert_uint_eq(cycles_of("g80", text, "n=200") - cycles_of("g80", text, "n=100"), 100 * IN_TIME[_i].cycles + 400 * 4);
}
END_TEST

/* ---- the GTX 280 ---- */

/* Wong et al., ISPASS 2010, as listed in sources A8: cycles from an operation to one that depends on it, and operations per clock and SM.
 * add: also subtraction and logic; rem: of signed integers. */
static const struct {
    const char *op;
    unsigned latency;
    double throughput;
} MEASURED[] = {
    {"add", 24, 7.9},   {"mad", 24, 7.9},  {"mul", 24, 11.2}, {"shl", 24, 7.9},  {"mul24", 24, 7.9}, {"imul", 96, 1.7},
    {"imad", 120, 1.4}, {"dadd", 48, 0.9}, {"dmul", 48, 0.9}, {"dfma", 48, 0.9}, {"div", 137, 1.5},  {"sqrt", 56, 2.0},
    {"rsqrt", 28, 2.0}, {"sin", 48, 2.0},  {"ex2", 48, 2.0},  {"lg2", 28, 2.0},  {"rem", 784, 0.20},
};

START_TEST(the_gtx_280_has_the_measured_latencies)
{
    g_autofree char *text = kernel_alone("op-latency", MEASURED[_i].op);
    const double latency = (double)chain_cycles("gt200", text) / CHAIN_INSTRUCTIONS;
    ck_assert_msg(fabs(latency - MEASURED[_i].latency) <= 2, "%s: %.2f cycles, not %u", MEASURED[_i].op, latency,
                  MEASURED[_i].latency);
}
END_TEST

START_TEST(the_gtx_280_has_the_measured_throughputs)
{
    g_autofree char *text = kernel_alone("op-throughput", MEASURED[_i].op);
    const double throughput = 32.0 * STREAM_INSTRUCTIONS / (double)stream_cycles("gt200", text), want = MEASURED[_i].throughput;
    ck_assert_msg(fabs(throughput - want) <= 0.05 * want, "%s: %.3f operations per clock, not %.2f", MEASURED[_i].op, throughput,
                  want);
}
END_TEST

/* ---- the workloads ---- */

/* The file as it is: 18 kernels, and the three of double precision where they are asked for, which cc 1.0 refuses by the line. */
static const struct {
    const char *workload, *settings;
    uint64_t launches, instructions;
} WHOLE[] = {
    {"op-throughput", "n=1 W=3 blocks=2", 18, 18 * 2 * 3 * 8},
    {"op-throughput", "n=2 W=1 blocks=1 double=1", 21, 21 * 2 * 8},
    {"op-latency", "n=5", 18, 18 * 5},
    {"op-latency", "n=1 double=1", 21, 21},
};

START_TEST(a_workload_has_a_kernel_for_each_operation)
{
    g_autofree char *text = simulate_workload(WHOLE[_i].workload);
    KernelResult r = simulate_on("gt200", text, WHOLE[_i].settings, "", 0);
    ck_assert_uint_eq(r.kernel.launches, WHOLE[_i].launches);
    ck_assert_uint_eq(r.kernel.warp_instructions, WHOLE[_i].instructions);
    ck_assert_uint_eq(r.kernel.thread_instructions, 32 * WHOLE[_i].instructions);
    result_clear(&r);
}
END_TEST

START_TEST(the_8800_gtx_refuses_double_precision)
{
    static const char *const OPS[] = {"dadd", "dmul", "dfma"};
    g_autofree char *text = kernel_alone(_i % 2 ? "op-latency" : "op-throughput", OPS[_i / 2]);
    g_autoptr(GError) error = NULL;
    KernelResult r;
    ck_assert(!simulate_on_or_fail("g80", text, "n=1", "", 0, &r, &error));
    ck_assert(strstr(error->message, "double precision: want compute capability 1.3") != NULL);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, the_8800_gtx_takes_the_cycles_of_the_guide, 0, G_N_ELEMENTS(ISSUE));
    tcase_add_loop_test(tcase, so_do_the_operations_that_share_a_class, 0, G_N_ELEMENTS(MORE_ISSUE));
    tcase_add_loop_test(tcase, memory_instructions_and_barriers_issue_in_4_cycles_shared_loads_in_6, 0, G_N_ELEMENTS(PLAIN));
    tcase_add_loop_test(tcase, the_port_is_free_after_the_issue_cycles, 0, G_N_ELEMENTS(IN_TIME));
    tcase_add_loop_test(tcase, the_gtx_280_has_the_measured_latencies, 0, G_N_ELEMENTS(MEASURED));
    tcase_add_loop_test(tcase, the_gtx_280_has_the_measured_throughputs, 0, G_N_ELEMENTS(MEASURED));
    tcase_add_loop_test(tcase, a_workload_has_a_kernel_for_each_operation, 0, G_N_ELEMENTS(WHOLE));
    tcase_add_loop_test(tcase, the_8800_gtx_refuses_double_precision, 0, 6);
}

int main(void)
{
    return unit_main("op-costs", add);
}
