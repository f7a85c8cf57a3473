#include "sm/sm-config.h"

#include "sm/scheduler.h"
#include "sm/store-queue.h"
#include "trace/program.h"

static const char *const UNIT_OWNERS[] = {[UNITS_OF_SM] = "sm", [UNITS_OF_SCHEDULER] = "scheduler", NULL};

/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY(SmConfig, khz, "kHz", 1350000, 1000, 10000000, "8800 GTX shader clock: GPU Gems 3, chapter 31 (sources A1)", "SM (shader) clock; the clock of all cycles reported."),
    GS_KEY_MILLI(SmConfig, compute_capability, "version", 1000, 1000, 99000, "8800 GTX: CUDA programming guide 2.0, appendix A (sources A1)", "Compute capability: atomic operations from 1.1 on, in shared memory from 1.2, double precision from 1.3."),
    GS_KEY(SmConfig, count, "count", 16, 1, 1024, "CUDA programming guide 2.0, appendix A (sources A1)", "SMs of the chip."),
    GS_KEY(SmConfig, per_cluster, "count", 2, 1, 16, "8 TPCs of 2 SMs: CUDA programming guide 4.0, F.3.1 (sources A1)", "SMs that share a port of the interconnect."),
    GS_KEY(SmConfig, schedulers, "count", 1, 1, SCHEDULERS_MAX, "CUDA programming guide 4.0, F.3.1 (sources A2)", "Warp schedulers of one SM."),
    GS_KEY_NAME(SmConfig, scheduler, scheduler_names, 0, "model choice: G80's policy is not published", "Warp scheduling policy."),
    GS_KEY_NAME(SmConfig, units, UNIT_OWNERS, UNITS_OF_SM, "CUDA programming guide 4.0, F.3.1: 2 SFUs for the one scheduler (sources A2)", "Special-function and double-precision units: one set for the SM, or one for each scheduler."),
    GS_KEY_BOOL(SmConfig, units_turn, false, "model choice: who is first is not published (docs/accuracy.md, S32)", "Schedulers take turns at the memory path and shared memory; else the first of those that want one has it."),
    GS_KEY(SmConfig, lanes, "count", 8, 1, 32, "8 SPs: CUDA programming guide 4.0, F.3.1 (sources A2)", "Lanes of one scheduler; a divisor of 32."),
    GS_KEY_BOOL(SmConfig, memory_operands, true, "machine code of cc 1.x (sources A7, D7)", "An ALU operation may take one shared or constant operand."),
    GS_KEY(SmConfig, shared_operand_cycles, "cycle", 6, 1, 1000, "Volkov and Demmel, SC08: 2/3 of peak, 230 of 346 GFLOP/s (sources A7)", "Issue cycles of an operation with a shared operand, and, with memory_operands, of a shared load, which is a move of one."),
    GS_KEY(SmConfig, sfu_mul_cycles, "cycle", 0, 0, 1000, "rarely reached on G80: CUDA programming guide 4.0, F.3.1, and recalled (sources A3)", "The SFU's multiplier: cycles for a multiplication that it takes while the port is held for another instruction; 0: unused."),
    GS_KEY(SmConfig, barrier_cycles, "cycle", 20, 1, 1000, "Wong et al., ISPASS 2010: __syncthreads of one warp, GT200 (sources A8)", "Last arrival at a barrier until its warps may issue."),
    GS_KEY(SmConfig, mask_stack_depth, "count", 4, 1, 64, "course notes on the G80: the mask stack is 4 deep (sources A2)", "Nested control statements with lane-dependent conditions."),
    GS_KEY_NAME(SmConfig, short_branch, short_branch_names, 0, "model choice: the trace says what branches; thresholds of auto: CUDA programming guide 2.0, 5.1.1.2 (sources A3)", "What an if becomes: a branch; predicated code where it can; that for at most 7 instructions, 4 where all lanes agree."),
    GS_KEY(SmConfig, loop_cycles, "cycle", 0, 0, 1000, "model choice: the machine code of cc 1.x counts where the trace does", "Loops whose count and compare are begun at the head of the turn: from a loop's branch until the next count may end; 0: each waits for the one before."),
    GS_KEY(SmConfig, join_cycles, "cycle", 0, 0, 1000, "cc 1.x has a mask stack, and no such instruction (sources A2)", "Lanes that wait for each other behind an if of theirs, whether they disagreed or not: from that, or from their branch at else, to the next instruction; 0: a branch where they disagreed."),
    GS_KEY(SmConfig, memory_slots, "count", 16, 1, 65535, "model choice: 86.4 GB/s x 380 ns of latency is 16 warp loads per SM (sources A6, A7)", "Warp memory instructions that one SM may have in flight."),
    GS_KEY(SmConfig, memory_cycles, "cycle", 20, 1, 1000, "model choice: address path, part of the measured latency (sources A7)", "Issue of a memory instruction until its first transaction leaves."),
    GS_KEY(SmConfig, transaction_cycles, "cycle", 2, 1, 1000, "model choice: one half-warp every two clocks (sources A3)", "Between two transactions of one instruction."),
    GS_KEY(SmConfig, store_requests, "count", 0, 0, STORE_REQUESTS_MAX, "model choice: no chip is known to join stores before Hopper", "Stores that wait for their turn to leave, where a later one's words of the same sectors join them; 0: stores leave as they issue."),
    GS_KEY(SmConfig, store_lines, "count", 31, 1, 32, "model choice: no figure at hand", "Lines of a store that may join others, or that others may join, at most."),
    GS_KEY(SmConfig, store_cycles, "cycle", 4, 1, 1000, "model choice: no figure at hand", "From the end of the last store on the load/store path until the first of those that wait leaves."),
    GS_KEY(SmConfig, writeback_cycles, "cycle", 10, 1, 1000, "model choice: register write, part of the measured latency (sources A7)", "Last data of a load until a dependent instruction may issue."),
};
/* clang-format on */

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    const SmConfig *c = config;
    if (c->count % c->per_cluster)
        gs_config_fault(faults, table, config, "per_cluster", "want a divisor of count = %u", c->count);
    if (32 % c->lanes) gs_config_fault(faults, table, config, "lanes", "want a divisor of 32");
}

static const char *idle(const void *config, const char *key)
{
    const SmConfig *c = config;
    if (c->schedulers == 1 && (g_str_equal(key, "units") || g_str_equal(key, "units_turn"))) return "schedulers = 1";
    if (!c->memory_operands && g_str_equal(key, "shared_operand_cycles"))
        return "memory_operands = no: operands are loaded ahead";
    if (!c->store_requests && (g_str_equal(key, "store_lines") || g_str_equal(key, "store_cycles"))) return "store_requests = 0";
    return NULL;
}

const GsConfigTable sm_config = {
    .section = "sm",
    .doc = "Streaming multiprocessors: their number, schedulers and latencies.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(SmConfig),
    .check = check,
    .idle = idle,
};
