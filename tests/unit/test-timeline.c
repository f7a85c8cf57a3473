#include "unit.h"

#include "sm/timeline.h"

static uint64_t sum_of(const Timeline *t)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < TIMELINE_BUCKETS; i++)
        sum += t->warp_cycles[i];
    return sum;
}

static void want(const Timeline *t, Cycle width, unsigned bucket, uint64_t warp_cycles)
{
    ck_assert_uint_eq(t->width, width);
    ck_assert_uint_eq(t->warp_cycles[bucket], warp_cycles);
}

/* 64 cycles are 64 buckets of 1; one cycle more, and they are 33 of 2. */
START_TEST(buckets_double_when_they_are_outgrown)
{
    Timeline t;
    timeline_init(&t);
    timeline_add(&t, 0, 64, 3);
    want(&t, 1, 0, 3);
    want(&t, 1, 63, 3);
    timeline_add(&t, 64, 65, 5);
    want(&t, 2, 0, 6);
    want(&t, 2, 31, 6);
    want(&t, 2, 32, 5);
    want(&t, 2, 33, 0);
    ck_assert_uint_eq(sum_of(&t), 64 * 3 + 5);
}
END_TEST

/* 256 cycles: width 4. [6, 17) x 2: 2 cycles of bucket 1, buckets 2 and 3, 1 cycle of bucket 4. */
START_TEST(an_interval_is_spread_over_its_buckets)
{
    Timeline t;
    timeline_init(&t);
    timeline_reach(&t, 256);
    timeline_add(&t, 6, 17, 2);
    want(&t, 4, 0, 0);
    want(&t, 4, 1, 4);
    want(&t, 4, 2, 8);
    want(&t, 4, 3, 8);
    want(&t, 4, 4, 2);
    want(&t, 4, 5, 0);
}
END_TEST

START_TEST(the_order_of_growing_and_adding_does_not_matter)
{
    Timeline before, after;
    timeline_init(&before);
    timeline_init(&after);
    timeline_reach(&before, 1000);
    for (Cycle at = 0; at < 60; at += 7) {
        timeline_add(&before, at, at + 5, at);
        timeline_add(&after, at, at + 5, at);
    }
    timeline_reach(&after, 1000); /* 64 x 16 = 1024 */
    ck_assert_uint_eq(after.width, 16);
    ck_assert_mem_eq(&before, &after, sizeof before);
}
END_TEST

/* A sum has the width of the wider, whichever comes first. */
START_TEST(sums_take_the_wider_buckets)
{
    Timeline narrow, wide, sum;
    timeline_init(&narrow);
    timeline_init(&wide);
    timeline_add(&narrow, 0, 10, 1);
    timeline_add(&wide, 0, 128, 4); /* width 2 */
    sum = narrow;
    timeline_merge(&sum, &wide);
    want(&sum, 2, 0, 2 + 8);
    want(&sum, 2, 5, 8);
    timeline_merge(&wide, &narrow);
    ck_assert_mem_eq(&sum, &wide, sizeof sum);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, buckets_double_when_they_are_outgrown);
    tcase_add_test(tcase, an_interval_is_spread_over_its_buckets);
    tcase_add_test(tcase, the_order_of_growing_and_adding_does_not_matter);
    tcase_add_test(tcase, sums_take_the_wider_buckets);
}

int main(void)
{
    return unit_main("timeline", add);
}
