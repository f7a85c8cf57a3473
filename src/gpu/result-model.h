#pragma once
/* What closed forms make of a kernel's counts: its place under the machine's roofline, and its energy. */
#include "gpu/result.h"

/* Fills in result->roofline and result->energy from the counts, which are all there. */
void result_model(const MachineConfig *config, KernelResult *result);
