#pragma once
/*
 * Simulations of whole workloads that do not depend on each other, several at a time on host threads. Each has a GPU, programs and a result
 * of its own and shares only what does not change (the machine, the trace), so that no result depends on the number of threads.
 */
#include "cli/inputs.h"
#include "gpu/result.h"

typedef struct {
    const MachineConfig *config;
    const Workload *workload;    /* its launches are checked already */
    bool optional;               /* a fault of it is kept in `error` and stops nothing */
    KernelResult total;          /* of all launches; its limiter is that of the first */
    uint64_t useful_overhead_ns; /* of the launches that state useful bytes */
    GError *error;
} Simulation;

/* Frees the result and the fault. */
void simulation_clear(Simulation *simulation);

/* Runs all of them, on 1..threads host threads. False with the fault of the first, in their order, that has one and is not optional;
 * *ret_failed says which. */
bool simulations_run(Simulation *const *all, unsigned n, unsigned threads, bool progress, unsigned *ret_failed, GError **error);
