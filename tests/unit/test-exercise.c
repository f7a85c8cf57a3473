/*
 * The machine of exercise.ini, which has the numbers of a textbook exercise: 500 GB/s of DRAM, transactions of 128 bytes. A coalesced read of
 * much memory takes at least, and little above, its bytes / 500 GB/s; the same words 128 bytes apart move 32 times the bytes.
 */
#include "simulate.h"

/* Each warp reads U rows of 32 words, all under way together; a word lies at its number * stride. */
static const char READ[] = "g80trace 1\nparam words = 1\nparam stride = 1\nparam U = 16\nglobal data[words*stride] : f32\n"
                           "kernel read\n  grid words/(256*U)\n  block 256\n  regs 16\n"
                           "  for u = 0 to U-1\n    ld r[u], data[((ctaid.x*U + u)*256 + tid.x)*stride]\n  end\nend\n";

enum { KHZ = 1562500, MIB = 1 << 20 };

static KernelResult read_words(unsigned words, unsigned stride)
{
    g_autofree char *settings = g_strdup_printf("words=%u stride=%u", words, stride);
    return simulate_on("exercise", READ, settings, "", 0);
}

/* 1.5625 GHz * 320 bytes a cycle are 500 GB/s; 10 partitions of 8 bytes and 4 transfers a clock. Bytes / 320 are the least cycles. */
START_TEST(a_coalesced_read_takes_its_bytes_by_the_bandwidth)
{
    static const unsigned SIZES[] = {64, 128};
    const uint64_t bytes = (uint64_t)SIZES[_i] * MIB;
    KernelResult r = read_words((unsigned)(bytes / 4), 1);
    ck_assert_uint_eq(r.kernel.khz, KHZ);
    ck_assert_uint_eq(r.dram.bytes, bytes);
    ck_assert_uint_eq(r.global_load.transactions, bytes / 128);
    ck_assert_uint_ge(r.kernel.cycles, bytes / 320);
    ck_assert_uint_le(r.kernel.cycles * 100, bytes / 320 * 115);
    result_clear(&r);
}
END_TEST

START_TEST(a_stride_of_128_bytes_moves_32_times_the_bytes)
{
    const unsigned words = 2 * MIB / 4;
    KernelResult rows = read_words(words, 1), apart = read_words(words, 32);
    ck_assert_uint_eq(rows.dram.bytes, 2 * MIB);
    ck_assert_uint_eq(apart.dram.bytes, 32 * rows.dram.bytes);
    ck_assert_uint_eq(apart.global_load.transactions, 32 * rows.global_load.transactions);
    ck_assert_uint_eq(apart.global_load.bytes_requested, rows.global_load.bytes_requested);
    ck_assert_uint_ge(apart.kernel.cycles, apart.dram.bytes / 320);
    ck_assert_uint_le(apart.kernel.cycles * 100, apart.dram.bytes / 320 * 115);
    result_clear(&rows);
    result_clear(&apart);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, a_coalesced_read_takes_its_bytes_by_the_bandwidth, 0, 2);
    tcase_add_test(tcase, a_stride_of_128_bytes_moves_32_times_the_bytes);
}

int main(void)
{
    return unit_main("exercise", add);
}
