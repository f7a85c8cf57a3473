#pragma once
/*
 * The main program of a unit test: runs the tests that `add` puts in, prints TAP and nothing else to stdout, and returns
 * non-zero when a test failed or none ran. A warning of GLib is a failure. A test file has these three parts, and a row in
 * meson.build:
 *   START_TEST(two_reads_hit_one_row) { ck_assert_uint_eq(hits(2), 1); } END_TEST      (one question each)
 *   static void add(TCase *tcase) { tcase_add_test(tcase, two_reads_hit_one_row); }    (or tcase_add_loop_test over a table)
 *   int main(void) { return unit_main("dram", add); }
 */
#include <stdlib.h>

#include <check.h>
#include <glib.h>

enum { UNIT_TIMEOUT_S = 100 };

static inline int unit_main(const char *name, void (*add)(TCase *tcase))
{
    g_log_set_always_fatal(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, UNIT_TIMEOUT_S);
    add(tcase);
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    const int run = srunner_ntests_run(runner), failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return run > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
