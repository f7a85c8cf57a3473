#include "unit.h"

#include "mem/link.h"

static const IcntConfig HALF = {.khz = 500000, .request_cycles = 1, .reply_cycles = 1};
static const IcntConfig G80 = {.khz = 575000, .request_cycles = 1, .reply_cycles = 1};

START_TEST(a_flit_takes_one_clock_of_the_interconnect)
{
    Link link = link_make(&HALF, 1000000);
    ck_assert_uint_eq(link_send(&link, 10, 1), 12);
}
END_TEST

START_TEST(a_packet_waits_for_the_port)
{
    Link link = link_make(&HALF, 1000000);
    ck_assert_uint_eq(link_send(&link, 10, 3), 16);
    ck_assert_uint_eq(link_send(&link, 11, 1), 18);
}
END_TEST

/* Three flits of 54/23 cycles, ready at cycle 10, have passed at 10 + 162/23 = 17.04: within cycle 17, before 18. */
START_TEST(a_port_is_free_once_all_has_passed)
{
    Link link = link_make(&G80, 1350000);
    ck_assert(link_is_free(&link, 1));
    link_send(&link, 10, 3);
    ck_assert(!link_is_free(&link, 17));
    ck_assert(link_is_free(&link, 18));
}
END_TEST

static const struct {
    Cycle now, passed;
} AFTER_16[] = {{15, 18}, {16, 18}, {17, 19}};

START_TEST(a_packet_that_comes_when_the_port_is_free_does_not_wait)
{
    Link link = link_make(&HALF, 1000000);
    link_send(&link, 10, 3);
    ck_assert_uint_eq(link_send(&link, AFTER_16[_i].now, 1), AFTER_16[_i].passed);
}
END_TEST

/* 1350 MHz to 575 MHz: 54/23 = 2.35 cycles a flit. The ratio is exact: 23 flits take 54 cycles, however they are cut into
 * packets. */
START_TEST(no_time_is_lost_to_rounding)
{
    Link link = link_make(&G80, 1350000);
    Cycle passed = 0;
    for (unsigned flit = 0; flit < 23000; flit++)
        passed = link_send(&link, 0, 1);
    ck_assert_uint_eq(passed, 54000);
    ck_assert_uint_eq(link_send(&link, 0, 1), 54003);
}
END_TEST

START_TEST(an_odd_ratio_of_clocks_is_exact_over_a_long_run)
{
    const IcntConfig odd = {.khz = 612001, .request_cycles = 1, .reply_cycles = 1};
    Link link = link_make(&odd, 1511999);
    Cycle passed = 0;
    for (unsigned flit = 0; flit < 612001; flit++)
        passed = link_send(&link, 0, 1);
    ck_assert_uint_eq(passed, 1511999);
}
END_TEST

static const struct {
    bool write;
    unsigned width, bytes, request, reply;
} FLITS[] = {
    {false, 32, 32, 1, 1}, {false, 32, 64, 1, 2}, {false, 32, 128, 1, 4},  {true, 32, 32, 2, 1}, {true, 32, 33, 3, 1},
    {true, 32, 64, 3, 1},  {true, 32, 128, 5, 1}, {false, 128, 128, 1, 1}, {true, 4, 32, 9, 1},
};

START_TEST(data_travels_with_write_requests_and_read_replies)
{
    ck_assert_uint_eq(link_request_flits(FLITS[_i].width, LINK_HEADER_FLIT, FLITS[_i].write, FLITS[_i].bytes), FLITS[_i].request);
    ck_assert_uint_eq(link_reply_flits(FLITS[_i].width, FLITS[_i].write, FLITS[_i].bytes), FLITS[_i].reply);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, a_flit_takes_one_clock_of_the_interconnect);
    tcase_add_test(tcase, a_port_is_free_once_all_has_passed);
    tcase_add_test(tcase, a_packet_waits_for_the_port);
    tcase_add_loop_test(tcase, a_packet_that_comes_when_the_port_is_free_does_not_wait, 0, G_N_ELEMENTS(AFTER_16));
    tcase_add_test(tcase, no_time_is_lost_to_rounding);
    tcase_add_test(tcase, an_odd_ratio_of_clocks_is_exact_over_a_long_run);
    tcase_add_loop_test(tcase, data_travels_with_write_requests_and_read_replies, 0, G_N_ELEMENTS(FLITS));
}

int main(void)
{
    return unit_main("link", add);
}
