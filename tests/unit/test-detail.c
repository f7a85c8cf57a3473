/* The detail of a result: by hand on small kernels, and what must sum to what on all workloads. */
#include <string.h>

#include "holds.h"
#include "same-result.h"
#include "workload-list.h"

#define ONE_SM "sm.count=1 sm.per_cluster=1"
#define KERNEL(block, regs) "g80trace 1\nglobal G[2048] : u32\nkernel k\n  grid 1\n  block " block "\n  regs " regs "\n"

static KernelResult small(const char *text, const char *overrides)
{
    g_autofree char *all = g_strconcat(ONE_SM, *overrides ? " " : "", overrides, NULL);
    return simulate_detail(NULL, text, "", all, 0);
}

/* What one warp is to have: places that are not named are 0. */
static void want_warp(const KernelResult *r, unsigned warp, uint64_t resident, const uint64_t want[WARP_PLACES_N])
{
    ck_assert_uint_lt(warp, r->detail->n_warps);
    const WarpDetail *w = &r->detail->warps[warp];
    ck_assert_uint_eq(w->warps, 1);
    for (unsigned p = 0; p < WARP_PLACES_N; p++)
        ck_assert_msg(w->cycles[p] == want[p], "warp %u: %s: %" G_GUINT64_FORMAT ", want %" G_GUINT64_FORMAT, warp,
                      p < STALL_N ? stall_name((StallReason)p) : "not_selected", w->cycles[p], want[p]);
    ck_assert_uint_eq(w->resident, resident);
}
#define WANT_WARP(r, warp, resident, ...) want_warp(r, warp, resident, (const uint64_t[WARP_PLACES_N]){__VA_ARGS__})

/* `want`: of 1, 2, ... n warps that can issue; 0 is the rest of the cycles. */
static void want_ready(const KernelResult *r, const uint64_t *want, unsigned n)
{
    uint64_t none = r->kernel.cycles;
    for (unsigned k = 1; k <= SM_WARPS_MAX; k++) {
        const uint64_t cycles = k <= n ? want[k - 1] : 0;
        ck_assert_msg(r->detail->ready[k] == cycles, "%u: %" G_GUINT64_FORMAT, k, r->detail->ready[k]);
        none -= cycles;
    }
    ck_assert_uint_eq(r->detail->ready[0], none);
}
#define WANT_READY(r, ...) \
    want_ready(r, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* ---- by hand: an addition holds the port for 4 cycles, its result is there after 24 ---- */

#define CHAIN "  repeat 100\n    add r0, r0\n  end\nend\n"

/*
 * Addition i at 48 + 24 i, the last at 2424: 4 cycles of the port after it the warp is gone. No other warp, so nobody waits for the port.
 * 2428 cycles are 38 buckets of 64: 48 .. 63 in the first, 36 full ones, 2368 .. 2427 in the last.
 */
START_TEST(a_chain_waits_twenty_of_24_cycles)
{
    KernelResult r = small(KERNEL("32", "1") CHAIN, "");
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 99 * 24 + 4);
    WANT_WARP(&r, 0, 99 * 24 + 4, [STALL_issued] = 400, [STALL_alu] = 99 * 20);
    WANT_READY(&r, 0);
    const Timeline *t = &r.detail->resident;
    ck_assert_uint_eq(t->width, 64);
    for (unsigned i = 0; i < TIMELINE_BUCKETS; i++)
        ck_assert_uint_eq(t->warp_cycles[i], i == 0 ? 16 : i < 37 ? 64 : i == 37 ? 60 : 0);
    result_clear(&r);
}
END_TEST

/* Warps 4 cycles apart, up to six of them never in each other's way after the first addition: warp w waits 4 w for that. */
START_TEST(six_warps_hide_the_latency)
{
    KernelResult r = small(KERNEL("192", "1") CHAIN, "");
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 99 * 24 + 6 * 4);
    for (unsigned w = 0; w < 6; w++)
        WANT_WARP(&r, w, 99 * 24 + 4 + 4 * w, [STALL_issued] = 400, [STALL_alu] = 99 * 20, [WARP_NOT_SELECTED] = 4 * w);
    WANT_READY(&r, 4, 4, 4, 4, 4);
    result_clear(&r);
}
END_TEST

/*
 * Eight: a round takes 32 cycles, so a warp that is ready after 24 waits 8 more, each of 99 times; warp w has waited 4 w at the start.
 * While one holds the port the next two are ready, but: 7 to 3 in the first five turns of the first round, 1 and 0 in the last two of all.
 */
START_TEST(eight_warps_wait_for_their_turn)
{
    KernelResult r = small(KERNEL("256", "1") CHAIN, "");
    ck_assert_uint_eq(r.kernel.cycles, DISPATCH + 100 * 32);
    for (unsigned w = 0; w < 8; w++)
        WANT_WARP(&r, w, 99 * 32 + 4 + 4 * w, [STALL_issued] = 400, [STALL_alu] = 99 * 20, [WARP_NOT_SELECTED] = 4 * w + 99 * 8);
    WANT_READY(&r, 4, (800 - 5 - 2) * 4, 4, 4, 4, 4, 4);
    result_clear(&r);
}
END_TEST

/*
 * Warp 0: bar 48, waits 52 .. 72, mov 72 .. 76. Warp 1: its turn at 52, opens the barrier for 72, waits from 56 on; its mov is second.
 */
START_TEST(a_barrier_holds_both_until_it_opens)
{
    KernelResult r = small(KERNEL("64", "1") "  bar\n  mov r0\nend\n", "");
    ck_assert_uint_eq(r.kernel.cycles, 80);
    WANT_WARP(&r, 0, 76 - 48, [STALL_issued] = 8, [STALL_barrier] = 20);
    WANT_WARP(&r, 1, 80 - 48, [STALL_issued] = 8, [STALL_barrier] = 16, [WARP_NOT_SELECTED] = 4 + 4);
    WANT_READY(&r, 4 + 4);
    result_clear(&r);
}
END_TEST

/*
 * The barrier opens at 54 for warp 0, while warp 1 holds the port until 56. The SM takes no step at 54, the accounts do: 52 .. 54 barrier,
 * 54 .. 56 not selected. Warp 1 holds the port until 56, then waits for that of warp 0, until 60.
 */
START_TEST(who_is_ready_before_the_port_is_counts_from_then_on)
{
    KernelResult r = small(KERNEL("64", "1") "  bar\n  mov r0\nend\n", "sm.barrier_cycles=2");
    ck_assert_uint_eq(r.kernel.cycles, 64);
    WANT_WARP(&r, 0, 60 - 48, [STALL_issued] = 8, [STALL_barrier] = 2, [WARP_NOT_SELECTED] = 2);
    WANT_WARP(&r, 1, 64 - 48, [STALL_issued] = 8, [WARP_NOT_SELECTED] = 4 + 4);
    WANT_READY(&r, 4 + 2 + 4);
    result_clear(&r);
}
END_TEST

/* 32 transactions hold the path from 48 to 112. Warp 1 waits for it all the time, also while the port is held by the other. */
START_TEST(a_taken_unit_is_the_reason_before_the_port)
{
    KernelResult r = small(KERNEL("64", "1") "  ld r0, G[tid.x*32]\nend\n", "");
    const WarpDetail *w = r.detail->warps;
    ck_assert_uint_eq(w[1].cycles[STALL_memory_pipe], 64);
    ck_assert_uint_eq(w[1].cycles[STALL_memory], w[1].resident - 64 - 4);
    ck_assert_uint_eq(w[0].cycles[STALL_memory],
                      w[0].resident - 4); /* its last instruction is its only one: it waits for the data */
    ck_assert_uint_gt(w[0].cycles[STALL_memory], 400);
    WANT_READY(&r, 0);
    result_clear(&r);
}
END_TEST

/* One slot: warp 1 gets it when warp 0 has its data, and with them goes. */
START_TEST(a_slot_is_waited_for_as_the_path_is)
{
    KernelResult r = small(KERNEL("64", "1") "  ld r0, G[tid.x]\nend\n", "sm.memory_slots=1");
    const WarpDetail *w = r.detail->warps;
    ck_assert_uint_eq(w[1].cycles[STALL_memory_pipe], w[0].resident);
    ck_assert_uint_eq(w[1].cycles[WARP_NOT_SELECTED], 0);
    WANT_READY(&r, 0);
    result_clear(&r);
}
END_TEST

/*
 * Shared memory: 16 passes for each half-warp, 64 cycles of the banks in all (see timing-stalls), which the port does not take part in. Warp 1 can use the port at 52 and the
 * banks at 112.
 */
START_TEST(busy_banks_are_a_unit)
{
    KernelResult r =
        small("g80trace 1\nkernel k\n  grid 1\n  block 64\n  regs 1\n  shared S[1024] : f32\n  ld r0, S[tid.x*16]\nend\n",
              "shared.replay=unit");
    const WarpDetail *w = r.detail->warps;
    ck_assert_uint_eq(w[1].cycles[STALL_bank_conflict], 64);
    ck_assert_uint_eq(w[1].cycles[WARP_NOT_SELECTED], 0);
    WANT_READY(&r, 0);
    result_clear(&r);
}
END_TEST

/* Two schedulers, warps 0 2 4 and 1 3 5: each has three warps in the way of each other at the start only. */
START_TEST(schedulers_have_accounts_of_their_own)
{
    KernelResult r = small(KERNEL("192", "1") CHAIN, "sm.schedulers=2");
    const uint64_t cycles = DISPATCH + 99 * 24 + 3 * 4;
    ck_assert_uint_eq(r.kernel.cycles, cycles);
    for (unsigned w = 0; w < 6; w++)
        WANT_WARP(&r, w,
                  99 * 24 + 4 + 4 * (w / 2), [STALL_issued] = 400, [STALL_alu] = 99 * 20, [WARP_NOT_SELECTED] = 4 * (w / 2));
    for (unsigned s = 0; s < 2; s++)
        ck_assert_uint_eq(r.detail->stalls[s].cycles[STALL_issued], 3 * 400);
    ck_assert_uint_eq(r.detail->ready[2], 2 * 4);
    ck_assert_uint_eq(r.detail->ready[1], 2 * 4);
    ck_assert_uint_eq(r.detail->ready[0], 2 * cycles - 16);
    result_clear(&r);
}
END_TEST

/*
 * Three instructions of 4 cycles and three branches of 16 hold the port. The warp goes 3 cycles after the start of its last branch: the 13
 * that are left are nobody's, also when the warp of the next block starts in its place 2 cycles later. Blocks one after the other.
 */
START_TEST(a_port_held_for_a_warp_that_is_gone_is_not_its_successors)
{
    static const char TEXT[] = "g80trace 1\nkernel k\n  grid 3\n  block 32\n  regs 2\n  if laneid < 16\n    mov r0\n  else\n"
                               "    mov r1\n  end\nend\n";
    KernelResult r = small(TEXT, "op.branch_issue=16 op.branch_latency=3 occupancy.max_blocks=1 launch.dispatch_cycles=2");
    const WarpDetail *w = r.detail->warps;
    ck_assert_uint_eq(w->warps, 3);
    ck_assert_uint_eq(r.stalls.cycles[STALL_issued], 3 * (3 * 4 + 3 * 16));
    ck_assert_uint_eq(w->cycles[STALL_issued], 3 * (3 * 4 + 3 * 16 - 13));
    ck_assert_uint_eq(w->cycles[WARP_NOT_SELECTED], 2 * (13 - 2)); /* of the second and the third */
    uint64_t sum = 0;
    for (unsigned p = 0; p < WARP_PLACES_N; p++)
        sum += w->cycles[p];
    ck_assert_uint_eq(sum, w->resident);
    ck_assert_uint_eq(w->resident, r.occupancy.warp_cycles);
    result_clear(&r);
}
END_TEST

/* ---- sums ---- */

/* `window`: to be compared with the longest. */
static const struct {
    const char *config, *overrides;
    Cycle window;
} MACHINES[] = {
    {"g80", "", 1},
    {"gt200", "sm.schedulers=2", 7},
    {"gf100", "", 7},
    {"h200", "", 1},
    {"lab-cache", "sm.scheduler=gto l1.mshrs=1", 2},
    {"exercise", "sm.memory_slots=2 launch.dispatch_cycles=2 occupancy.max_blocks=2", 1},
    {"gk110", "op.alu_latency=1 shared.latency=1 sm.scheduler=oldest sm.barrier_cycles=1", 31},
};
enum {
    N_MACHINES = G_N_ELEMENTS(MACHINES),
    MACHINES_EACH = 3
}; /* that each workload is run on, in turns: all of them take minutes */

static void assert_schedulers_sum(const KernelResult *r)
{
    const DetailResult *d = r->detail;
    StallStats sum = {{0}};
    ck_assert_uint_eq(d->sms, r->sms);
    ck_assert_uint_eq(d->schedulers, r->schedulers);
    for (uint32_t i = 0; i < d->sms * d->schedulers; i++) {
        uint64_t cycles = 0;
        for (int reason = 0; reason < STALL_N; reason++) {
            cycles += d->stalls[i].cycles[reason];
            sum.cycles[reason] += d->stalls[i].cycles[reason];
        }
        HOLDS(cycles == r->kernel.cycles);
    }
    ck_assert_mem_eq(&sum, &r->stalls, sizeof sum);
}

/* Returns for how many warp-cycles a warp could issue and did not. */
static uint64_t assert_warps_sum(const KernelResult *r)
{
    uint64_t resident = 0, issued = 0, able = 0;
    for (uint32_t i = 0; i < r->detail->n_warps; i++) {
        const WarpDetail *w = &r->detail->warps[i];
        uint64_t sum = 0;
        for (unsigned p = 0; p < WARP_PLACES_N; p++)
            sum += w->cycles[p];
        HOLDS(sum == w->resident);
        HOLDS(w->cycles[STALL_no_warp] == 0 && w->cycles[STALL_dispatch] == 0); /* no members of a warp in JSON */
        resident += w->resident;
        issued += w->cycles[STALL_issued];
        able += w->cycles[WARP_NOT_SELECTED];
    }
    ck_assert_uint_eq(resident, r->occupancy.warp_cycles);
    ck_assert_uint_eq(issued, r->stalls.cycles[STALL_issued]);
    return able;
}

static void assert_ready_sums(const KernelResult *r, uint64_t able)
{
    uint64_t cycles = 0, warps = 0;
    for (unsigned k = 0; k <= SM_WARPS_MAX; k++) {
        cycles += r->detail->ready[k];
        warps += k * r->detail->ready[k];
    }
    ck_assert_uint_eq(cycles, r->kernel.cycles * r->schedulers * r->sms);
    ck_assert_uint_eq(warps, able);
}

static void assert_timeline_sums(const KernelResult *r)
{
    const DetailResult *d = r->detail;
    ck_assert(d->has_timeline == (r->kernel.launches == 1));
    if (!d->has_timeline) return;
    const Cycle width = d->resident.width;
    ck_assert_uint_eq(d->cycles, r->kernel.cycles);
    ck_assert_uint_ge(width * TIMELINE_BUCKETS, d->cycles);
    ck_assert(width == 1 || width / 2 * TIMELINE_BUCKETS < d->cycles);
    uint64_t sum = 0;
    for (unsigned i = 0; i < TIMELINE_BUCKETS; i++) {
        HOLDS(d->resident.warp_cycles[i] <= width * r->sms * r->occupancy.max_warps_per_sm);
        sum += d->resident.warp_cycles[i];
    }
    ck_assert_uint_eq(sum, r->occupancy.warp_cycles);
}

static void assert_same_detail(const DetailResult *a, const DetailResult *b)
{
    ck_assert_uint_eq(a->n_warps, b->n_warps);
    ck_assert_mem_eq(a->warps, b->warps, a->n_warps * sizeof *a->warps);
    ck_assert_mem_eq(a->stalls, b->stalls, a->sms * a->schedulers * sizeof *a->stalls);
    ck_assert_mem_eq(a->ready, b->ready, sizeof a->ready);
    ck_assert(a->has_timeline == b->has_timeline);
    ck_assert_uint_eq(a->cycles, b->cycles);
    ck_assert_mem_eq(&a->resident, &b->resident, sizeof a->resident);
}

/* What the machine refuses is tested in timing-windows. */
START_TEST(sums_are_those_of_the_kernel_and_nothing_else_changes)
{
    const unsigned workload = (unsigned)_i % N_WORKLOADS;
    const unsigned machine = (workload + 2 * ((unsigned)_i / N_WORKLOADS)) % N_MACHINES;
    const char *config = MACHINES[machine].config, *overrides = MACHINES[machine].overrides;
    const char *settings = WORKLOAD_LIST[workload].settings;
    g_autofree char *text = simulate_workload(WORKLOAD_LIST[workload].name);
    KernelResult plain;
    if (!simulate_on_or_fail(config, text, settings, overrides, 0, &plain, NULL)) return;
    ck_assert_ptr_null(plain.detail);
    KernelResult r = simulate_detail(config, text, settings, overrides, 0);
    assert_identical(&plain, &r);
    assert_schedulers_sum(&r);
    assert_ready_sums(&r, assert_warps_sum(&r));
    assert_timeline_sums(&r);
    KernelResult other = simulate_detail(config, text, settings, overrides, MACHINES[machine].window);
    assert_identical(&r, &other);
    assert_same_detail(r.detail, other.detail);
    result_clear(&plain);
    result_clear(&other);
    result_clear(&r);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, a_chain_waits_twenty_of_24_cycles);
    tcase_add_test(tcase, six_warps_hide_the_latency);
    tcase_add_test(tcase, eight_warps_wait_for_their_turn);
    tcase_add_test(tcase, a_barrier_holds_both_until_it_opens);
    tcase_add_test(tcase, who_is_ready_before_the_port_is_counts_from_then_on);
    tcase_add_test(tcase, a_taken_unit_is_the_reason_before_the_port);
    tcase_add_test(tcase, a_slot_is_waited_for_as_the_path_is);
    tcase_add_test(tcase, busy_banks_are_a_unit);
    tcase_add_test(tcase, schedulers_have_accounts_of_their_own);
    tcase_add_test(tcase, a_port_held_for_a_warp_that_is_gone_is_not_its_successors);
    tcase_add_loop_test(tcase, sums_are_those_of_the_kernel_and_nothing_else_changes, 0, MACHINES_EACH * N_WORKLOADS);
}

int main(void)
{
    return unit_main("detail", add);
}
