#pragma once
/* By which rule an access to shared memory takes its passes, in words. */
#include <stdio.h>

#include "sm/shared.h"

void banks_print_rule(FILE *out, const SharedConfig *config, const LaneAccess *access);
