#pragma once
/*
 * The input of the closed form (model/mwp-cwp.h) from a launch: counts of a walk of every warp through the program, without time, and the
 * machine's numbers.
 *
 * Accesses to global and local memory by loads and stores, with one lane at least, are the memory instructions. One is uncoalesced when it
 * takes more transactions than its lanes would where lane k accesses word k of an aligned segment: by the machine's own rule, and for
 * elements of less than a word no more than for words. Caches are not looked at. All else that issues is computation: textures, constants,
 * shared memory whatever its conflicts, atomics, fences, branches. Barriers are counted by themselves and take no issue, as in the
 * worked example (sources D9).
 */
#include "gpu/machine-config.h"
#include "model/mwp-cwp.h"
#include "trace/program.h"

/* Of all warps of the blocks that were walked. */
typedef struct {
    uint64_t blocks;
    uint64_t compute, barriers;
    uint64_t coalesced, uncoalesced; /* accesses */
    uint64_t transactions;           /* of the uncoalesced ones */
    uint64_t bytes;                  /* asked for by all */
} MwpCwpCounts;

/* Walks the blocks of a launch or, where it has more than `most`, one somewhere in each of `most` equal parts of the grid: the same ones
 * whenever it is asked. False with the fault that stopped a warp. */
bool mwp_cwp_count(const MachineConfig *config, const Program *program, uint64_t most, MwpCwpCounts *ret, GError **error);

MwpCwpInput mwp_cwp_input(const MachineConfig *config, const Program *program, const MwpCwpCounts *counts);

/* Cycles of an unloaded load of one word from DRAM, from the machine's stages: what [mwp-cwp] mem_latency = 0 stands for. No TLB miss. */
uint64_t machine_unloaded_latency(const MachineConfig *config);
