/* Reading a stream: course exercises 3.1 and 5.3, and patterns by hand. */
#include "model/stream.h"

#include "unit.h"

static StreamInput words(uint64_t threads, uint64_t stride)
{
    return (StreamInput){.threads = threads,
                         .bytes_per_thread = 4,
                         .accesses = 1,
                         .warp = stream_segments(LANES, stride, 4),
                         .rest = stream_segments(threads % LANES, stride, 4),
                         .bytes_per_second = 500e9};
}

/* 4,194,304 bytes at 500 GB/s; 32 segments for the one that a warp's words would take. */
START_TEST(the_exercise)
{
    const StreamInput in = words(1048576, 128);
    const Stream s = stream(&in);
    ck_assert_uint_eq(s.warps, 32768);
    ck_assert_uint_eq(s.bytes, 4194304);
    ck_assert_double_eq_tol(s.floor_us, 8.388608, 1e-9);
    ck_assert_uint_eq(s.transactions, 1048576);
    ck_assert_uint_eq(s.bytes_moved, 134217728);
    ck_assert_double_eq_tol(s.estimate_us, 268.435456, 1e-9);
}
END_TEST

START_TEST(coalesced_words_are_the_floor)
{
    const StreamInput in = words(1048576, 4);
    const Stream s = stream(&in);
    ck_assert_uint_eq(s.bytes_moved, s.bytes);
    ck_assert_double_eq(s.estimate_us, s.floor_us);
}
END_TEST

/* Stride 8: 252 bytes. 124: the last word is at 3844, in segment 30, and every segment before has one. 132: 32 words in different ones.
 * 256: every second segment. 0: one word. 16 bytes in order: 512. */
START_TEST(segments_of_a_warp)
{
    ck_assert_uint_eq(stream_segments(LANES, 4, 4).transactions, 1);
    ck_assert_uint_eq(stream_segments(LANES, 8, 4).transactions, 2);
    ck_assert_uint_eq(stream_segments(LANES, 124, 4).transactions, 31);
    ck_assert_uint_eq(stream_segments(LANES, 128, 4).transactions, 32);
    ck_assert_uint_eq(stream_segments(LANES, 132, 4).transactions, 32);
    ck_assert_uint_eq(stream_segments(LANES, 256, 4).transactions, 32);
    ck_assert_uint_eq(stream_segments(LANES, 0, 4).transactions, 1);
    ck_assert_uint_eq(stream_segments(LANES, 16, 16).transactions, 4);
    ck_assert_uint_eq(stream_segments(LANES, 1, 1).transactions, 1);
    ck_assert_uint_eq(stream_segments(0, 4, 4).transactions, 0);
    ck_assert_uint_eq(stream_segments(3, 128, 4).bytes, 384);
}
END_TEST

/* 33 threads, 128 bytes apart: 32 segments and 1. Two words of each: twice that. */
START_TEST(a_part_of_a_warp)
{
    StreamInput in = words(33, 128);
    ck_assert_uint_eq(stream(&in).warps, 2);
    ck_assert_uint_eq(stream(&in).transactions, 33);
    in.bytes_per_thread = 8;
    in.accesses = stream_accesses(8);
    ck_assert_uint_eq(stream(&in).bytes, 264);
    ck_assert_uint_eq(stream(&in).transactions, 66);
}
END_TEST

START_TEST(accesses_of_a_thread)
{
    ck_assert_uint_eq(stream_accesses(1), 1);
    ck_assert_uint_eq(stream_accesses(4), 1);
    ck_assert_uint_eq(stream_accesses(64), 16);
}
END_TEST

/* 2^55 bytes, a segment for each: 2^62. */
START_TEST(the_largest_is_exact)
{
    StreamInput in = words(STREAM_BYTES_MAX, 128);
    in.bytes_per_thread = 1;
    ck_assert_uint_eq(stream(&in).bytes_moved, (uint64_t)1 << 62);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, the_exercise);
    tcase_add_test(tcase, coalesced_words_are_the_floor);
    tcase_add_test(tcase, segments_of_a_warp);
    tcase_add_test(tcase, a_part_of_a_warp);
    tcase_add_test(tcase, accesses_of_a_thread);
    tcase_add_test(tcase, the_largest_is_exact);
}

int main(void)
{
    return unit_main("stream", add);
}
