#pragma once
/*
 * Results of the coalescer and of the bank rules, remembered: they depend on a lane pattern, on the lanes that are on and on the base
 * address modulo the policy's period, which repeat from iteration to iteration and from warp to warp. For each pattern of a program a
 * few entries, found by the low bits of the base; an entry that another overwrites is worked out again.
 */
#include "mem/coalescer.h"
#include "sm/shared.h"
#include "trace/cursor.h"

typedef struct PatternCache PatternCache;

PatternCache *pattern_cache_new(const CoalescerConfig *coalescer, const SharedConfig *shared);
void pattern_cache_free(PatternCache *cache);

/* From now on the passes that shared memory would take are known of global accesses, too: an L1 that lies in its banks asks for them. */
void pattern_cache_count_passes(PatternCache *cache);

/* Those of an access, from what pattern_cache_coalesce or pattern_cache_coalesced has given; pattern_cache_count_passes comes before. */
unsigned pattern_cache_passes(const Coalesced *result);

/* Forgets everything and makes room for a program's patterns. */
void pattern_cache_begin(PatternCache *cache, const Program *program);

/* The transactions of an access; their addresses are relative: add *ret_base. Valid until the next call. */
const Coalesced *pattern_cache_coalesce(PatternCache *cache, const AccessLanes *lanes, unsigned width, MemOp op, Addr *ret_base);

/* The same for an access of this pattern and base, if its transactions are remembered; else NULL. */
const Coalesced *pattern_cache_coalesced(const PatternCache *cache, uint32_t pattern, Addr base, unsigned width, LaneMask mask,
                                         Addr *ret_base);

/* The passes of a shared access whose address need not be known: its width is the policy's period, so pattern and mask decide. NULL
 * when they are not remembered, or the access is not of that kind (pattern: PATTERN_NONE). */
const SharedPasses *pattern_cache_known(const PatternCache *cache, uint32_t pattern, unsigned width, LaneMask mask);

/* The passes of a shared access. Valid until the next call. */
const SharedPasses *pattern_cache_shared(PatternCache *cache, const AccessLanes *lanes, unsigned width, MemOp op);
