#pragma once
/* The launches of a workload on a machine: compiled one by one, and checked before the first one runs. */
#include "cli/inputs.h"
#include "gpu/mwp-cwp-launch.h"
#include "trace/program.h"

/* The program of the launch; NULL with a fault. */
Program *launches_compile(const MachineConfig *config, const Workload *workload, unsigned index, GError **error);

/* Tells at once what is wrong with a late launch; beyond a thousand different ones it is told when its turn comes. */
bool launches_check(const MachineConfig *config, const Workload *workload, GError **error);

/* All that a launch's program depends on, as a key. */
GBytes *launches_identity(const Workload *workload, unsigned index);

typedef struct {
    uint64_t blocks; /* that were walked */
    MwpCwpInput input;
    MwpCwp result;
} LaunchModel;

/* The closed form of a launch; its warps are walked, not simulated: those of `most_blocks` blocks at the most. */
bool launches_model_program(const MachineConfig *config, const Program *program, uint64_t most_blocks, LaunchModel *ret,
                            GError **error);

/* The same by its number, of all its blocks. */
bool launches_model(const MachineConfig *config, const Workload *workload, unsigned index, LaunchModel *ret, GError **error);
