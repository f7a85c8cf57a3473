#pragma once
/* A workload with blocks of half and of double the size, where a parameter of the trace sets it. */
#include "cli/inputs.h"

typedef struct {
    const char *name; /* of the parameter; the trace's */
    int64_t before, value;
    LaunchPlan *plan; /* the caller's */
} BlockVariant;

/* One variant for each parameter that a block is sized with, halved and doubled, that the trace and the machine accept and that has as many
 * threads as before, give or take one in twenty. Free with g_array_unref. */
GArray *block_variants(const MachineConfig *config, const Workload *workload, const char *const *settings); /* of BlockVariant */
