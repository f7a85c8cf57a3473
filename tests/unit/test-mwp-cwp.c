/* The closed form of Hong and Kim: the worked example of the paper (sources D9), each case and the edges by hand. */
#include "model/mwp-cwp.h"

#include "unit.h"

#define NEAR 1e-9

/* 80 blocks of 128 threads, five on an SM: 27 operations, 6 uncoalesced loads of 32 transactions and 6 barriers each warp; 1 GHz, 80 GB/s. */
static const MwpCwpInput EXAMPLE = {.mem_latency = 420,
                                    .departure_coalesced = 4,
                                    .departure_uncoalesced = 10,
                                    .issue_cycles = 4,
                                    .sm_hz = 1e9,
                                    .bytes_per_second = 80e9,
                                    .sms = 16,
                                    .blocks = 80,
                                    .blocks_per_sm = 5,
                                    .warps_per_block = 4,
                                    .compute_instructions = 27,
                                    .uncoalesced_accesses = 6,
                                    .transactions = 32,
                                    .bytes = 128,
                                    .barriers = 6};

START_TEST(the_worked_example)
{
    const MwpCwp m = mwp_cwp(&EXAMPLE);
    ck_assert_double_eq(m.warps, 20);
    ck_assert_double_eq(m.latency, 730);                       /* 420 + 31 * 10 */
    ck_assert_double_eq(m.departure, 320);                     /* 32 * 10 */
    ck_assert_double_eq(m.mwp_latency, 2.28125);               /* 730 / 320 */
    ck_assert_double_eq_tol(m.mwp_bandwidth, 28.515625, NEAR); /* 80 / (128/730 * 16) */
    ck_assert_double_eq(m.mwp, 2.28125);
    ck_assert_double_eq(m.compute_cycles, 132); /* 4 * 33 */
    ck_assert_double_eq(m.memory_cycles, 4380); /* 6 * 730 */
    ck_assert_double_eq(m.cwp, 20);             /* 4512 / 132 = 34, more than there are */
    ck_assert_double_eq(m.rounds, 1);
    ck_assert_int_eq(m.which, MWP_CWP_MEMORY);
    ck_assert_double_eq(m.barrier_cycles, 12300);                           /* 320 * 1.28125 * 6 * 5 */
    ck_assert_double_eq_tol(m.cycles - m.barrier_cycles, 38428.1875, NEAR); /* 4380 * 20/2.28125 + 132/6 * 1.28125 */
    ck_assert_double_eq_tol(m.cycles, 50728.1875, NEAR);
}
END_TEST

/* ---- each case: four warps on each of five SMs, in two rounds; two coalesced accesses of 400 cycles and a barrier ---- */

/* The bandwidth lets `wait` warps of 128 bytes in 400 cycles of 1 ns wait together on each SM. */
static MwpCwpInput four_warps(double compute, double wait)
{
    return (MwpCwpInput){.mem_latency = 400,
                         .departure_coalesced = 4,
                         .departure_uncoalesced = 10,
                         .issue_cycles = 4,
                         .sm_hz = 1e9,
                         .bytes_per_second = wait * 5 * 128e9 / 400,
                         .sms = 5,
                         .blocks = 20,
                         .blocks_per_sm = 2,
                         .warps_per_block = 2,
                         .compute_instructions = compute,
                         .coalesced_accesses = 2,
                         .bytes = 128,
                         .barriers = 1};
}

/* 400 / 4 = 100 warps could wait by their latency: the four of N, or what the bandwidth lets. A barrier costs 4 * (MWP - 1) * 2 blocks. */
static const struct {
    double compute, wait, mwp, cwp;
    MwpCwpCase which;
    double round, barrier;
} CASES[] = {
    {8, 50, 4, 4, MWP_CWP_FEW_WARPS, 800 + 40 + 20 * 3, 24},      /* Comp 40, Mem 800: CWP 21, more than 4 */
    {8, 2, 2, 4, MWP_CWP_MEMORY, 800 * 4 / 2 + 20 * 1, 8},        /* the bandwidth binds */
    {8, 0.5, 0.5, 4, MWP_CWP_MEMORY, 800 * 4 / 0.5, 0},           /* to less than one warp: none waits with it */
    {98, 3, 3, 3, MWP_CWP_MEMORY, 800.0 * 4 / 3 + 200 * 2, 16},   /* Comp 400: CWP 3, as much as MWP */
    {98, 50, 4, 3, MWP_CWP_COMPUTE, 400 + 400 * 4, 24},           /* and less */
    {198, 50, 4, 2, MWP_CWP_COMPUTE, 400 + 800 * 4, 24},          /* Comp 800, as much as Mem */
    {398, 50, 4, 1.5, MWP_CWP_MEMORY, 800 * 4 / 4 + 800 * 3, 24}, /* Comp 1600, more: the published rule */
};

START_TEST(each_case_by_hand)
{
    const MwpCwpInput in = four_warps(CASES[_i].compute, CASES[_i].wait);
    const MwpCwp m = mwp_cwp(&in);
    ck_assert_double_eq_tol(m.mwp, CASES[_i].mwp, NEAR);
    ck_assert_double_eq_tol(m.cwp, CASES[_i].cwp, NEAR);
    ck_assert_int_eq(m.which, CASES[_i].which);
    ck_assert_double_eq_tol(m.barrier_cycles, 2 * CASES[_i].barrier, NEAR);
    ck_assert_double_eq_tol(m.cycles, 2 * (CASES[_i].round + CASES[_i].barrier), NEAR);
}
END_TEST

/* ---- edges ---- */

START_TEST(no_access_is_computation_alone)
{
    MwpCwpInput in = four_warps(10, 50);
    in.coalesced_accesses = in.bytes = 0;
    const MwpCwp m = mwp_cwp(&in);
    ck_assert_int_eq(m.which, MWP_CWP_NO_MEMORY);
    ck_assert_double_eq(m.barrier_cycles, 0);
    ck_assert_double_eq(m.cycles, 4 * 10 * 4 * 2);
}
END_TEST

START_TEST(one_warp_waits_for_itself)
{
    MwpCwpInput in = four_warps(8, 50);
    in.blocks_per_sm = in.warps_per_block = in.sms = in.blocks = 1;
    const MwpCwp m = mwp_cwp(&in);
    ck_assert_double_eq(m.mwp, 1);
    ck_assert_double_eq(m.cwp, 1);
    ck_assert_int_eq(m.which, MWP_CWP_FEW_WARPS);
    ck_assert_double_eq(m.cycles, 800 + 40);
}
END_TEST

/* One coalesced and three of 8 transactions: 400 + 7 * 10 = 470 cycles. */
START_TEST(accesses_of_both_kinds_are_weighted)
{
    MwpCwpInput in = four_warps(8, 50);
    in.coalesced_accesses = 1;
    in.uncoalesced_accesses = 3;
    in.transactions = 8;
    const MwpCwp m = mwp_cwp(&in);
    ck_assert_double_eq(m.latency_uncoalesced, 470);
    ck_assert_double_eq(m.latency, (3 * 470 + 400) / 4.0);
    ck_assert_double_eq(m.departure, (3 * 80 + 4) / 4.0);
    ck_assert_double_eq(m.memory_cycles, 3 * 470 + 400);
}
END_TEST

START_TEST(a_part_of_a_round_is_a_part)
{
    MwpCwpInput in = four_warps(8, 50);
    const double two = mwp_cwp(&in).cycles;
    in.blocks = 25;
    ck_assert_double_eq(mwp_cwp(&in).rounds, 2.5);
    ck_assert_double_eq_tol(mwp_cwp(&in).cycles, two * 1.25, NEAR);
}
END_TEST

START_TEST(cases_have_names)
{
    ck_assert_str_eq(mwp_cwp_case_name(MWP_CWP_FEW_WARPS), "few-warps");
    for (int i = 0; i < MWP_CWP_N; i++)
        ck_assert(*mwp_cwp_case_doc((MwpCwpCase)i));
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, the_worked_example);
    tcase_add_loop_test(tcase, each_case_by_hand, 0, G_N_ELEMENTS(CASES));
    tcase_add_test(tcase, no_access_is_computation_alone);
    tcase_add_test(tcase, one_warp_waits_for_itself);
    tcase_add_test(tcase, accesses_of_both_kinds_are_weighted);
    tcase_add_test(tcase, a_part_of_a_round_is_a_part);
    tcase_add_test(tcase, cases_have_names);
}

int main(void)
{
    return unit_main("mwp-cwp", add);
}
