/*
 * What must not change: the work that a kernel does, with how fast the machine is and with what its caches hold; anything at all, with how
 * the engine cuts time into windows (on odd machines; timing-windows has the shipped ones) or with another run. And every counter counts
 * something.
 */
#include <math.h>
#include <string.h>

#include "holds.h"
#include "same-result.h"
#include "workload-list.h"

/* On the default machine with the abilities of a GT200 and one entry more of the mask stack, so that all workloads run. */
static KernelResult run(unsigned workload, const char *overrides, Cycle window)
{
    g_autofree char *text = simulate_workload(WORKLOAD_LIST[workload].name);
    g_autofree char *all =
        g_strdup_printf("sm.compute_capability=1.3 sm.mask_stack_depth=5%s%s", *overrides ? " " : "", overrides);
    return simulate(text, WORKLOAD_LIST[workload].settings, all, window);
}

START_TEST(the_list_has_every_workload)
{
    g_autoptr(GDir) dir = g_dir_open(WORKLOADS, 0, NULL);
    ck_assert_ptr_nonnull(dir);
    for (const char *file; (file = g_dir_read_name(dir));) {
        if (!g_str_has_suffix(file, ".trace")) continue;
        g_autofree char *name = g_strndup(file, strlen(file) - strlen(".trace"));
        bool found = false;
        for (unsigned i = 0; i < N_WORKLOADS; i++)
            found = found || g_str_equal(WORKLOAD_LIST[i].name, name);
        ck_assert_msg(found, "%s", name);
    }
}
END_TEST

/* ---- the work ---- */

/* Latency, bandwidth, policies: each alone, and all at once. */
static const char *const MACHINES[] = {
    "op.alu_latency=100 op.mul_latency=7 op.rem_latency=9 op.branch_latency=3",
    "op.alu_issue=1 op.rcp_issue=99 op.imul_issue=5",
    "shared.latency=200 shared.pass_cycles=7",
    "icnt.request_cycles=400 icnt.reply_cycles=49",
    "icnt.khz=100000",
    "partition.pipeline_cycles=0",
    "dram.bus_bytes=2",
    "dram.khz=300000",
    "dram.scheduler=fcfs",
    "dram.page=closed",
    "dram.t_refi=0",
    "sm.scheduler=gto",
    "sm.scheduler=oldest",
    "sm.memory_slots=2",
    "sm.barrier_cycles=77 sm.memory_cycles=3 sm.transaction_cycles=9 sm.writeback_cycles=1",
    "launch.dispatch_cycles=500 occupancy.max_blocks=1",
    "sm.schedulers=2 sm.lanes=16",
    "sm.count=3 sm.per_cluster=1",
    "constant.pass_cycles=9 constant.latency=77 constant.l2_lookup_cycles=99 constant.l2_hit_cycles=1 constant.l2_fill_cycles=0",
    "constant.l3_request_cycles=100 constant.l3_hit_cycles=0 constant.l3_fill_cycles=77 constant.l3_reply_cycles=49",
    "texture.texels_per_clock=1 texture.lookup_cycles=200 texture.hit_cycles=0 texture.fill_cycles=300",
    "tlb.entries=1 tlb.walk_cycles=500",
    "tlb.entries=0",
    "l2.hit_cycles=200 l2.miss_cycles=1",
    "atomic.words_per_clock=1 atomic.same_word_cycles=99",
    "shared.atomic_cycles=55",
    "op.alu_latency=3 shared.latency=1 icnt.khz=2000000 dram.khz=3000000 dram.scheduler=fcfs dram.page=closed sm.scheduler=gto "
    "sm.count=30 sm.per_cluster=3",
};
/* What its caches hold, how they choose, and whether there are any. */
static const char *const CACHES[] = {
    "l1.bytes=16384",
    "l1.bytes=1024 l1.ways=2 l1.line_bytes=64 l1.sector_bytes=32 l1.mshrs=1 l1.merges=1 l1.write=evict l1.replacement=random",
    "l1.bytes=16384 l1.serves=local l1.sector_bytes=32 l1.replacement=fifo",
    "l1.unified_bytes=65536",
    "l2.serves=none",
    "l2.serves=all",
    "l2.serves=all l2.bytes=2048 l2.ways=2 l2.line_bytes=128 l2.sector_bytes=32 l2.mshrs=1 l2.merges=1 l2.replacement=random",
    "l2.serves=all l2.bytes=4096 l2.ways=2 l2.line_bytes=64 l2.sector_bytes=32 l2.write=back-fetch l2.mshrs=3 "
    "l2.replacement=plru",
    "l2.serves=all l2.bytes=4096 l2.ways=4 l2.write=through l2.replacement=fifo l2.merges=2",
    "l2.serves=all l2.bytes=4096 l2.ways=4 l2.write=evict l1.bytes=4096",
    "texture.bytes=320 texture.ways=10 texture.mshrs=1 texture.merges=1",
    "texture.bytes=8192 texture.ways=8 texture.replacement=random texture.mshrs=2 texture.merges=3",
    "constant.l1_bytes=16384 constant.l1_mshrs=1 constant.l1_merges=1",
    "constant.l2_bytes=512 constant.l2_ways=2 constant.l2_mshrs=1 constant.l2_merges=1 constant.l2_replacement=plru",
    "constant.l3_bytes=0",
    "constant.l3_bytes=1024 constant.l3_ways=4 constant.l3_mshrs=1 constant.l3_merges=1 constant.l3_replacement=random",
};
enum { N_CACHES = G_N_ELEMENTS(CACHES) };

enum { N_MACHINES = G_N_ELEMENTS(MACHINES) };

static void assert_same_transfers(const TransferStats *a, const TransferStats *b)
{
    HOLDS(a->requests == b->requests);
    HOLDS(a->transactions == b->transactions);
    HOLDS(a->bytes_moved == b->bytes_moved);
    HOLDS(a->bytes_used == b->bytes_used);
    HOLDS(a->bytes_requested == b->bytes_requested);
}

static void assert_same_work(const KernelResult *a, const KernelResult *b)
{
    HOLDS(a->kernel.launches == b->kernel.launches);
    HOLDS(a->kernel.warp_instructions == b->kernel.warp_instructions);
    HOLDS(a->kernel.thread_instructions == b->kernel.thread_instructions);
    HOLDS(a->kernel.flops == b->kernel.flops);
    HOLDS(a->kernel.useful_bytes == b->kernel.useful_bytes);
    HOLDS(a->kernel.steps == b->kernel.steps);
    HOLDS(memcmp(&a->registers, &b->registers, sizeof a->registers) == 0);
    SharedStats shared = b->shared;
    shared.replay_cycles = a->shared.replay_cycles; /* cycles of the port, not work */
    HOLDS(memcmp(&a->shared, &shared, sizeof shared) == 0);
    assert_same_transfers(&a->global_load, &b->global_load);
    assert_same_transfers(&a->global_store, &b->global_store);
    assert_same_transfers(&a->global_atomic, &b->global_atomic);
    assert_same_transfers(&a->local, &b->local);
    HOLDS(memcmp(&a->constant, &b->constant, sizeof a->constant) == 0);
    HOLDS(memcmp(&a->texture, &b->texture, sizeof a->texture) == 0);
    HOLDS(memcmp(&a->divergence, &b->divergence, sizeof a->divergence) == 0);
    assert_same_lines(a, b);
}

/* What the caches have fetched depends on who came first. The rest of the DRAM's traffic is the kernel's own. */
static void assert_same_traffic(const KernelResult *a, const KernelResult *b)
{
    HOLDS(a->dram.bytes - a->memory.l2.fetched_bytes == b->dram.bytes - b->memory.l2.fetched_bytes);
    HOLDS(a->dram.dram.writes == b->dram.dram.writes);
    if (a->memory.l2.accesses == 0) HOLDS(a->dram.dram.reads == b->dram.dram.reads);
    HOLDS(a->memory.texture.accesses == b->memory.texture.accesses);
    HOLDS(a->memory.constant_l1.accesses == b->memory.constant_l1.accesses);
}

START_TEST(the_work_does_not_change_with_the_machine)
{
    KernelResult plain = run((unsigned)_i, "", 0);
    for (unsigned i = 0; i < N_MACHINES; i++) {
        if (!HAS_TURN(i, _i)) continue;
        KernelResult other = run((unsigned)_i, MACHINES[i], 0);
        assert_same_work(&plain, &other);
        assert_same_traffic(&plain, &other);
        result_clear(&other);
    }
    result_clear(&plain);
}
END_TEST

START_TEST(nor_does_it_with_the_caches)
{
    KernelResult plain = run((unsigned)_i, "", 0);
    for (unsigned i = 0; i < N_CACHES; i++) {
        if (!HAS_TURN(i, _i)) continue;
        KernelResult other = run((unsigned)_i, CACHES[i], 0);
        assert_same_work(&plain, &other);
        result_clear(&other);
    }
    result_clear(&plain);
}
END_TEST

/* The latencies and rates do reach the cycles: else the test above shows nothing. */
START_TEST(the_cycles_change_with_the_machine)
{
    const char *machine = _i < N_MACHINES ? MACHINES[_i] : CACHES[_i - N_MACHINES];
    for (unsigned w = 0; w < N_WORKLOADS; w++) {
        KernelResult plain = run(w, "", 0), other = run(w, machine, 0);
        const bool changed = plain.kernel.cycles != other.kernel.cycles;
        result_clear(&plain);
        result_clear(&other);
        if (changed) return;
    }
    ck_abort_msg("%s", machine);
}
END_TEST

/* ---- windows and repetition ---- */

/* L is 48: the least of the ways between components. */
static const Cycle WINDOWS[] = {1, 2, 7, 31, 47, 48};

/* Machines on which many things fall on one cycle, and one whose clocks have awkward ratios. */
static const char *const ODD_MACHINES[] = {
    "op.alu_latency=1 op.alu_issue=1 shared.latency=1 sm.lanes=32 sm.memory_cycles=1 sm.transaction_cycles=1 icnt.khz=1350000 "
    "dram.khz=1350000 launch.dispatch_cycles=1",
    "icnt.request_cycles=1 icnt.reply_cycles=1 partition.pipeline_cycles=0 dram.scheduler=fcfs",
    "sm.khz=1349999 icnt.khz=612001 dram.khz=799993 sm.schedulers=2 sm.count=12 sm.per_cluster=3 sm.memory_slots=3",
    "dram.page=closed sm.scheduler=gto occupancy.max_blocks=1 partition.count=5 dram.t_refi=400",
    "texture.lookup_cycles=1 texture.hit_cycles=0 texture.fill_cycles=0 constant.l2_lookup_cycles=1 constant.l2_hit_cycles=0 "
    "constant.l2_fill_cycles=0 constant.l3_request_cycles=1 constant.l3_hit_cycles=0 constant.l3_fill_cycles=0 "
    "constant.l3_reply_cycles=1 tlb.entries=2 tlb.walk_cycles=1 l2.hit_cycles=1 l2.miss_cycles=1",
    "l1.bytes=1024 l1.ways=2 l1.mshrs=2 l1.merges=2 l1.write=evict l2.serves=all l2.bytes=4096 l2.ways=2 l2.line_bytes=128 "
    "l2.sector_bytes=32 l2.mshrs=4 l2.merges=2 tlb.entries=3 tlb.page_bytes=4096 tlb.walk_cycles=33",
    "l2.serves=all l2.bytes=2048 l2.ways=2 l2.line_bytes=64 l2.sector_bytes=64 l2.write=back-fetch l2.mshrs=2 l2.hit_cycles=1 "
    "l2.miss_cycles=1 "
    "atomic.same_word_cycles=77 atomic.words_per_clock=1 partition.pipeline_cycles=0 texture.mshrs=1 constant.l1_mshrs=1",
    "l2.serves=none partition.pipeline_cycles=0 atomic.words_per_clock=1 atomic.same_word_cycles=1 dram.t_refi=0 "
    "constant.l3_bytes=0 "
    "constant.l2_mshrs=1 constant.l2_merges=1",
    "sm.short_branch=predicate sm.scheduler=oldest",
    "sm.short_branch=auto",
};

START_TEST(nothing_changes_with_the_window_on_an_odd_machine)
{
    for (unsigned m = 0; m < G_N_ELEMENTS(ODD_MACHINES); m++) {
        if (!HAS_TURN(m, _i)) continue;
        KernelResult longest = run((unsigned)_i, ODD_MACHINES[m], 0), shortest = run((unsigned)_i, ODD_MACHINES[m], 1);
        assert_identical(&longest, &shortest);
        result_clear(&longest);
        result_clear(&shortest);
    }
}
END_TEST

START_TEST(the_same_run_counts_the_same)
{
    KernelResult a = run((unsigned)_i, "", 0), b = run((unsigned)_i, "", 0);
    assert_identical(&a, &b);
    result_clear(&a);
    result_clear(&b);
}
END_TEST

START_TEST(a_window_beyond_the_look_ahead_is_refused)
{
    MachineConfig machine;
    gs_config_defaults(machine_parts, machine_n_parts, &machine);
    ck_assert_uint_eq(machine_lookahead(&machine), 48);
    g_autoptr(GError) error = NULL;
    g_autoptr(Gpu) longest = gpu_new(&machine, 48, NULL);
    ck_assert_ptr_nonnull(longest);
    ck_assert_ptr_null(gpu_new(&machine, 49, &error));
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_USAGE));
}
END_TEST

/* Blocks fail one after the other on several SMs, the first of them not on the first SM. Which fault is reported is a matter of simulated time. */
START_TEST(the_first_fault_does_not_depend_on_the_window)
{
    static const char TEXT[] = "g80trace 1\nglobal G[64] : u32\nkernel k\n  grid 64\n  block 64\n  regs 2\n"
                               "  loop i = 0 to 20 + hash(ctaid.x*2 + warpid) % 30\n    mov r0\n  end\n  ld r1, G[ctaid.x*2 + "
                               "warpid + 1000 - tid.x]\nend\n";
    g_autofree char *first = NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS(WINDOWS); i++) {
        g_autoptr(GError) error = NULL;
        KernelResult r;
        ck_assert(!simulate_or_fail(TEXT, "", "", WINDOWS[i], &r, &error));
        ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_TRACE));
        if (first)
            ck_assert_str_eq(error->message, first);
        else
            first = g_strdup(error->message);
    }
}
END_TEST

/* ---- liveness ---- */

/* Counters that no shipped workload moves, and why. */
static const struct {
    const char *path, *name, *why;
} STILL[] = {
    {"l1", "writebacks", "it is written through"},
    {"texture.cache", "writebacks", "textures are only read"},
    {"texture.cache", "written_bytes", "textures are only read"},
    {"constant.l1", "writebacks", "constants are only read"},
    {"constant.l1", "written_bytes", "constants are only read"},
    {"constant.l2", "writebacks", "constants are only read"},
    {"constant.l2", "written_bytes", "constants are only read"},
    {"constant.l3", "writebacks", "constants are only read"},
    {"constant.l3", "written_bytes", "constants are only read"},
};

static const char *why_still(const char *path, const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(STILL); i++)
        if (g_str_equal(STILL[i].path, path) && g_str_equal(STILL[i].name, name)) return STILL[i].why;
    return NULL;
}

START_TEST(every_counter_counts_something)
{
    static const char *const LEVELS[] = {"constant.l2_bytes=1024",
                                         "l1.bytes=16384 l2.serves=all l2.bytes=4096 constant.l3_bytes=2048"};
    KernelResult total = {0};
    for (unsigned i = 0; i < 2 * N_WORKLOADS; i++) {
        KernelResult r = run(i / 2, LEVELS[i % 2], 0);
        result_add(&total, &r);
        result_clear(&r);
    }
    for (size_t g = 0; g < result_n_groups; g++) {
        const GsStatTable *table = result_groups[g].table;
        for (size_t i = 0; i < table->n_stats; i++) {
            const double value = gs_stats_value(&table->stats[i], (const char *)&total + result_groups[g].offset);
            const char *why = why_still(table->path, table->stats[i].name);
            if (why)
                ck_assert_msg(value == 0 || isnan(value), "%s.%s is not still: %s", table->path, table->stats[i].name, why);
            else
                ck_assert_msg(isfinite(value) && value > 0, "%s.%s = %g", table->path, table->stats[i].name, value);
        }
    }
    for (unsigned i = 0; i < total.n_partitions; i++)
        ck_assert_uint_gt(total.partitions[i].reads, 0);
    result_clear(&total);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, the_list_has_every_workload);
    tcase_add_loop_test(tcase, the_work_does_not_change_with_the_machine, 0, N_WORKLOADS);
    tcase_add_loop_test(tcase, nor_does_it_with_the_caches, 0, N_WORKLOADS);
    tcase_add_loop_test(tcase, the_cycles_change_with_the_machine, 0, N_MACHINES + N_CACHES);
    tcase_add_loop_test(tcase, nothing_changes_with_the_window_on_an_odd_machine, 0, N_WORKLOADS);
    tcase_add_loop_test(tcase, the_same_run_counts_the_same, 0, N_WORKLOADS);
    tcase_add_test(tcase, a_window_beyond_the_look_ahead_is_refused);
    tcase_add_test(tcase, the_first_fault_does_not_depend_on_the_window);
    tcase_add_test(tcase, every_counter_counts_something);
}

int main(void)
{
    return unit_main("timing-invariance", add);
}
