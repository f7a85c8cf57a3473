/* Tiled matrix multiplication: course exercises 4.1 and 4.3, and edges by hand. */
#include "model/tiling.h"

#include "unit.h"

/* 2 * 2048^3; 128 tiles along an edge: 2 * 2048^2 * 128. A tile is 16 * 16 * 4 bytes. */
START_TEST(the_exercise)
{
    const Tiling t = tiling(2048, 16);
    ck_assert_uint_eq(t.tiles, 128);
    ck_assert_uint_eq(t.reads_naive, 17179869184);
    ck_assert_uint_eq(t.reads_tiled, 1073741824);
    ck_assert_double_eq(t.reduction, 16);
    ck_assert_uint_eq(t.tile_bytes, 1024);
    ck_assert_uint_eq(t.block_bytes, 2048);
}
END_TEST

/* A tile of one word saves nothing; one of the whole matrix reads A and B once. */
START_TEST(extreme_tiles)
{
    ck_assert_uint_eq(tiling(10, 1).reads_tiled, 2000);
    ck_assert_double_eq(tiling(10, 1).reduction, 1);
    ck_assert_uint_eq(tiling(10, 10).reads_tiled, 200);
    ck_assert_double_eq(tiling(10, 10).reduction, 10);
    ck_assert_uint_eq(tiling(1, 1).reads_naive, 2);
}
END_TEST

/* n = 5 in tiles of 2, 2 and 1: three rows of tiles of C take the 25 words of B each, three columns those of A: 150. */
START_TEST(a_tile_that_does_not_divide)
{
    const Tiling t = tiling(5, 2);
    ck_assert_uint_eq(t.tiles, 3);
    ck_assert_uint_eq(t.reads_naive, 250);
    ck_assert_uint_eq(t.reads_tiled, 150);
    ck_assert_double_eq_tol(t.reduction, 5. / 3, 1e-12);
}
END_TEST

/* 8 * 10^18 bytes are fewer than 2^63. */
START_TEST(the_largest_is_exact)
{
    const Tiling t = tiling(TILING_N_MAX, 1000);
    ck_assert_uint_eq(t.reads_naive, 2000000000000000000);
    ck_assert_uint_eq(t.reads_tiled, 2000000000000000);
    ck_assert(t.reads_naive * TILING_WORD_BYTES < (uint64_t)1 << 63);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, the_exercise);
    tcase_add_test(tcase, extreme_tiles);
    tcase_add_test(tcase, a_tile_that_does_not_divide);
    tcase_add_test(tcase, the_largest_is_exact);
}

int main(void)
{
    return unit_main("tiling", add);
}
