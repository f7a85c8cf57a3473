#pragma once
/*
 * [ideal]: bottlenecks that are not there. No chip is so; a simulation without one of them says what it costs. The keys are answers of yes
 * or no, all independent. What a component can only do itself it is told by a member of its own configuration (coalescing, bank conflicts,
 * constants, atomics, DRAM bandwidth), divergence is a matter of the compiled program, and the others are ordinary keys at their best values.
 */
#include "base/config.h"

typedef struct {
    bool coalescing;     /* loads and stores of global and local memory take the fewest transactions (mem/coalescer-ideal.c) */
    bool bank_conflicts; /* every access to shared memory, atomic or not, takes one pass for each group of lanes */
    bool constants;      /* every access to constant memory takes one pass for each group of lanes */
    bool atomics;        /* those on global memory take what stores take and wait for no other */
    bool dram_bandwidth; /* every request to the DRAM is served at once, from an open row (mem/dram-ideal.c) */
    bool memory_latency; /* ways, pipelines and look-ups of all memories take the least that their keys allow */
    bool registers;      /* residency is never limited by registers */
    bool divergence;     /* of the two sides of an `if` that a warp diverges at, the one with fewer instructions is left out */
} IdealConfig;

extern const GsConfigTable ideal_config;

struct MachineConfig;
/* Carries out what config->ideal says, in the other members. */
void ideal_apply(struct MachineConfig *config);
