#pragma once
/* Shared by the coalescing rules; of no use outside them. */
#include "mem/coalescer.h"
#include "mem/message.h"

enum { COALESCER_MERGE_NONE, COALESCER_MERGE_WORD, COALESCER_MERGE_SECTOR };

/* Appends a transaction and counts its bytes as moved. */
void coalescer_emit(Coalesced *ret, Addr addr, unsigned bytes, unsigned lanes);

/* Appends one transaction for each aligned line of `bytes` that the lanes touch, in the order of the lowest lane on it. */
void coalescer_emit_lines(Coalesced *ret, const LaneAccess *access, LaneMask lanes, unsigned bytes);
