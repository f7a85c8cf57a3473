#pragma once
/* What --detail adds to the report: stalls of schedulers, warps of a block, warps that could issue, warps over time. */
#include <stdio.h>

#include "gpu/result.h"

/* result->detail is there. */
void report_detail(FILE *out, const KernelResult *result);
