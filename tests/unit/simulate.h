#pragma once
/*
 * For the analytic tests: runs the text of a trace on the simulated GPU and returns what it counted. The machine is the default one,
 * a GeForce 8800 GTX. Settings and overrides are words with blanks between them: "N=64 T=16", "sm.lanes=16 dram.page=closed".
 */
#include "unit.h"

#include "gpu/gpu.h"

/* launch.dispatch_cycles: no instruction issues before. */
enum { DISPATCH = 48 };

/* For a test of each of many things with each of many others. With sanitizers, which look at what is run and not at what comes out, ONE_OF
 * is 3, and a pair has its turn where i + j is a multiple of that: each i still meets a third of all j, and each j a third of all i.
 * Otherwise ONE_OF is 1, and every pair has its turn. */
#define HAS_TURN(i, j) (((unsigned)(i) + (unsigned)(j)) % ONE_OF == 0)

/* All launches of the trace together; a fault of any kind fails the test. `window`: 0 for the longest. Free with result_clear. */
KernelResult simulate(const char *text, const char *settings, const char *overrides, Cycle window);

/* The same for a run that may fail. */
bool simulate_or_fail(const char *text, const char *settings, const char *overrides, Cycle window, KernelResult *ret,
                      GError **error);

/* The same on configs/CONFIG.ini; CONFIG NULL: the default machine. */
KernelResult simulate_on(const char *config, const char *text, const char *settings, const char *overrides, Cycle window);
bool simulate_on_or_fail(const char *config, const char *text, const char *settings, const char *overrides, Cycle window,
                         KernelResult *ret, GError **error);

/* As simulate_on, with detail. */
KernelResult simulate_detail(const char *config, const char *text, const char *settings, const char *overrides, Cycle window);

/* Cycles of all launches; the settings are a format. */
Cycle simulate_cycles(const char *text, const char *overrides, const char *settings, ...) G_GNUC_PRINTF(3, 4);

/* The text of workloads/NAME.trace. Free with g_free. */
char *simulate_workload(const char *name);

/* What a line of the trace counted; its first line is 1. */
const LineResult *simulate_line(const KernelResult *result, int line);
