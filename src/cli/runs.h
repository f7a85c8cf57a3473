#pragma once
/*
 * Repeated runs: the launches of a trace several times on one machine. What caches, TLBs and DRAM rows hold goes from run to run, unless
 * every run is to begin cold: with all caches and TLBs emptied, or with the arrays at addresses that no run has touched.
 */
#include "cli/command.h"
#include "cli/inputs.h"
#include "gpu/gpu.h"

enum { RUNS_MAX = 1000 };

typedef enum { RUNS_WARM, RUNS_FLUSH, RUNS_REALLOC } RunsCold;

typedef struct {
    uint64_t cycles;      /* of all launches */
    uint64_t dirty_bytes; /* that the caches held at its end and the DRAM lacked */
} RunsRow;

typedef struct {
    bool repeated; /* --repeat was given */
    uint64_t n;    /* runs there will be */
    RunsCold cold;
    uint64_t step; /* RUNS_REALLOC: by which the arrays move */
    GArray *rows;  /* of RunsRow: the runs there have been */
} Runs;

/* The values of --repeat and --cold, NULL for none. OPTIONS_GO_ON, or the exit status when they are wrong. */
int runs_parse(const Command *command, const char *repeat, const char *cold, Runs *ret);
void runs_clear(Runs *runs);

/* Looks for room for the arrays of all runs. */
bool runs_place(Runs *runs, const MachineConfig *config, const LaunchPlan *plan, GError **error);

/* What comes before the next run. */
void runs_prepare(const Runs *runs, Gpu *gpu, LaunchPlan *plan);
void runs_add(Runs *runs, const Gpu *gpu, uint64_t cycles);

/* `flush`, `realloc`; NULL for warm runs. */
const char *runs_cold_name(const Runs *runs);
/* Whether a run, by its place in `rows`, found nothing of the arrays in any cache. */
bool runs_is_cold(const Runs *runs, unsigned index);
const RunsRow *runs_row(const Runs *runs, unsigned index);
uint64_t runs_minimum(const Runs *runs);
uint64_t runs_mean(const Runs *runs); /* the nearest integer */
