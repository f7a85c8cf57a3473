#pragma once
/*
 * The simulations behind a comparison: each workload with its parameters once, however many rows are about it, and several at a time on
 * host threads (simulations.h).
 */
#include "cli/compare-rows.h"
#include "gpu/result.h"

typedef struct CompareRuns CompareRuns;

/* `folders` are searched for traces in their order: NAME, then NAME.trace; NULL-terminated. Both outlive the runs. */
CompareRuns *compare_runs_new(const Machine *machine, const char *const *folders);
void compare_runs_free(CompareRuns *runs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CompareRuns, compare_runs_free)

/* Gives the rows of the machine their runs, loaded and checked. False when something is wrong: with rows (set->faults, all of them), or
 * with a trace. */
bool compare_runs_prepare(CompareRuns *runs, CompareSet *set, GError **error);

/* How many simulations they come to. */
unsigned compare_runs_count(const CompareRuns *runs);

/* Simulates on `threads` host threads. False with the fault of the first run, in the order of the file, that has one. */
bool compare_runs_simulate(CompareRuns *runs, unsigned threads, bool progress, GError **error);

/* Sets predicted and error of the rows that have runs. False where a row asks for what its run has nothing of. */
bool compare_predict(CompareSet *set, GError **error);
