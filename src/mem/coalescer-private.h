#pragma once
/* Shared by the coalescing rules; of no use outside them. */
#include "mem/coalescer.h"

enum { COALESCER_MERGE_NONE, COALESCER_MERGE_WORD, COALESCER_MERGE_SECTOR };

/* Appends a transaction and counts its bytes as moved. */
void coalescer_emit(Coalesced *ret, Addr addr, unsigned bytes, unsigned lanes);
