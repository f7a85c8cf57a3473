#pragma once
/* The launches of a workload on a machine: compiled one by one, and checked before the first one runs. */
#include "cli/inputs.h"
#include "gpu/mwp-cwp-launch.h"
#include "trace/program.h"

/* The program of the launch; NULL with a fault. */
Program *launches_compile(const MachineConfig *config, const Workload *workload, unsigned index, GError **error);

/* Tells at once what is wrong with a late launch; beyond a thousand different ones it is told when its turn comes. */
bool launches_check(const MachineConfig *config, const Workload *workload, GError **error);

typedef struct {
    MwpCwpInput input;
    MwpCwp result;
} LaunchModel;

/* The closed form of a launch; its warps are walked, not simulated. */
bool launches_model(const MachineConfig *config, const Workload *workload, unsigned index, LaunchModel *ret, GError **error);
