#pragma once
/* Why an access takes the transactions it does, by which rule, and what would spare some of them: paragraphs for `coalesce`. */
#include <stdio.h>

#include "mem/coalescer.h"

void coalesce_print_rule(FILE *out, const CoalescerConfig *config, const LaneAccess *access);
void coalesce_print_why(FILE *out, const CoalescerConfig *config, const LaneAccess *access, const Coalesced *result);
void coalesce_print_cure(FILE *out, const CoalescerConfig *config, const LaneAccess *access, const Coalesced *result);
