#pragma once
/* What a machine of some compute capability cannot do at all: atomic operations before 1.1, double precision before 1.3 (sources B3, A2). */
#include "gpu/machine-config.h"
#include "trace/program.h"

/* NULL, or in words what it takes for atomic operations on `space`, global or shared, on words of `width` bytes. Free with g_free. */
char *capability_atomic_refusal(const MachineConfig *config, Space space, unsigned width);

/* False: the program has an instruction that this machine has not; the error names its line and who has it. */
bool capability_check(const MachineConfig *config, const Program *program, GError **error);
