#pragma once
/* Shared by the coalescing rules; of no use outside them. */
#include "mem/coalescer.h"
#include "mem/message.h"

enum { COALESCER_MERGE_NONE, COALESCER_MERGE_WORD, COALESCER_MERGE_SECTOR };

/* Appends a transaction that serves these lanes, all of whose words lie in it, and counts its bytes as moved. */
void coalescer_emit(Coalesced *ret, const LaneAccess *access, LaneMask lanes, Addr addr, unsigned bytes);

/* Appends one transaction for each aligned line of `bytes` that the lanes touch, in the order of the lowest lane on it. */
void coalescer_emit_lines(Coalesced *ret, const LaneAccess *access, LaneMask lanes, unsigned bytes);

/* The number of different addresses of these lanes. */
unsigned coalescer_distinct(const LaneAccess *access, LaneMask lanes);

/* No rule of a chip: the fewest transactions of the policy's groups and sizes that the bytes need (coalescer-ideal.c). */
void coalescer_ideal(const CoalescerConfig *config, const LaneAccess *access, Coalesced *ret);

/* The rule of atomics (coalescer-atomic.c), each group of `group_lanes` lanes by itself. */
void coalescer_atomic(const LaneAccess *access, unsigned group_lanes, Coalesced *ret);
