#include "unit.h"

#include "model/energy.h"

/* A machine without figures. */
static const EnergyConfig NONE;

static uint64_t sum_of(const Energy *e)
{
    uint64_t sum = 0;
    for (int i = 0; i < ENERGY_N; i++)
        sum += e->pj[i];
    return sum;
}

/* 7 reads of 36.5 pJ and 3 writes of 39: 255.5 + 117 = 372.5 pJ, rounded down. */
START_TEST(registers)
{
    const EnergyConfig c = {.register_read = 36500, .register_write = 39000};
    const EnergyCounts n = {.register_reads = 7, .register_writes = 3, .khz = 1};
    const Energy e = energy_of(&c, &n);
    ck_assert_uint_eq(e.pj[ENERGY_register], 372);
    ck_assert_uint_eq(sum_of(&e), 372);
}
END_TEST

/* In pJ: 2 x 10; 3 x 1 + 4 x 5; 5 x 2 + 6 x 3; 7 x 4 + 8 x 6; 9 x 7 + 10 x 8; 11 x 9. */
START_TEST(on_the_chip)
{
    const EnergyConfig c = {.shared_word = 10000,
                            .constant_access = 1000,
                            .constant_fill = 5000,
                            .texture_access = 2000,
                            .texture_fill = 3000,
                            .l1_access = 4000,
                            .l1_fill = 6000,
                            .l2_read = 7000,
                            .l2_write = 8000,
                            .icnt_flit = 9000};
    const EnergyCounts n = {.shared_words = 2,
                            .constant_accesses = 3,
                            .constant_fills = 4,
                            .texture_accesses = 5,
                            .texture_fills = 6,
                            .l1_accesses = 7,
                            .l1_fills = 8,
                            .l2_reads = 9,
                            .l2_writes = 10,
                            .flits = 11,
                            .khz = 1};
    const Energy e = energy_of(&c, &n);
    ck_assert_uint_eq(e.pj[ENERGY_shared], 20);
    ck_assert_uint_eq(e.pj[ENERGY_constant], 23);
    ck_assert_uint_eq(e.pj[ENERGY_texture], 28);
    ck_assert_uint_eq(e.pj[ENERGY_l1], 76);
    ck_assert_uint_eq(e.pj[ENERGY_l2], 143);
    ck_assert_uint_eq(e.pj[ENERGY_interconnect], 99);
    ck_assert_uint_eq(sum_of(&e), 20 + 23 + 28 + 76 + 143 + 99);
}
END_TEST

/* DRAM: 3 x 9200 + 2 x 5200 + 1 x 10800 = 48,800. Arithmetic: 1 x 2 + 2 x 30 + 3 x 400 + 4 x 5000 = 21,262. Issue: 5 x 779. */
START_TEST(memory_and_arithmetic)
{
    const EnergyConfig c = {.dram_read = 9200000,
                            .dram_write = 5200000,
                            .dram_activate = 10800000,
                            .op_int = 2000,
                            .op_float = 30000,
                            .op_sfu = 400000,
                            .op_double = 5000000,
                            .issue = 779000};
    const EnergyCounts n = {.dram_reads = 3,
                            .dram_writes = 2,
                            .activates = 1,
                            .ops_int = 1,
                            .ops_float = 2,
                            .ops_sfu = 3,
                            .ops_double = 4,
                            .instructions = 5,
                            .khz = 1};
    const Energy e = energy_of(&c, &n);
    ck_assert_uint_eq(e.pj[ENERGY_dram], 48800);
    ck_assert_uint_eq(e.pj[ENERGY_alu], 21262);
    ck_assert_uint_eq(e.pj[ENERGY_issue], 3895);
}
END_TEST

/* 16 SMs of 1.54 W and 0.36 W more are 25 W; 1,350,000 cycles at 1.35 GHz are 1 ms: 25 mJ. Twice the cycles, twice that. */
START_TEST(leakage_is_power_times_time)
{
    const EnergyConfig c = {.leakage_sm_mw = 1540, .leakage_chip_mw = 360};
    EnergyCounts n = {.cycles = 1350000, .khz = 1350000, .sms = 16};
    ck_assert_uint_eq(energy_of(&c, &n).pj[ENERGY_leakage], UINT64_C(25000000000));
    n.cycles *= 2;
    ck_assert_uint_eq(energy_of(&c, &n).pj[ENERGY_leakage], UINT64_C(50000000000));
    n.khz *= 2;
    ck_assert_uint_eq(energy_of(&c, &n).pj[ENERGY_leakage], UINT64_C(25000000000));
}
END_TEST

/* 2^62 events of 1 uJ are 4.6 x 10^24 pJ, more than 2^64; 2^40 are 2^40 x 10^6 pJ, although not in femtojoules of 64 bits. */
START_TEST(large_numbers)
{
    const EnergyConfig c = {.dram_read = 1000000000};
    EnergyCounts n = {.dram_reads = UINT64_C(1) << 62, .khz = 1};
    ck_assert_uint_eq(energy_of(&c, &n).pj[ENERGY_dram], UINT64_MAX);
    n.dram_reads = UINT64_C(1) << 40;
    ck_assert_uint_eq(energy_of(&c, &n).pj[ENERGY_dram], (UINT64_C(1) << 40) * 1000000);
}
END_TEST

START_TEST(known)
{
    EnergyConfig c = NONE;
    ck_assert(!energy_known(&c));
    c.leakage_chip_mw = 1; /* the last */
    ck_assert(energy_known(&c));
    c = NONE;
    c.register_read = 1; /* the first */
    ck_assert(energy_known(&c));
}
END_TEST

START_TEST(names)
{
    ck_assert_str_eq(energy_part_name(ENERGY_register), "register");
    ck_assert_str_eq(energy_part_name(ENERGY_leakage), "leakage");
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, registers);
    tcase_add_test(tcase, on_the_chip);
    tcase_add_test(tcase, memory_and_arithmetic);
    tcase_add_test(tcase, leakage_is_power_times_time);
    tcase_add_test(tcase, large_numbers);
    tcase_add_test(tcase, known);
    tcase_add_test(tcase, names);
}

int main(void)
{
    return unit_main("energy", add);
}
