#pragma once
/*
 * What bounds a kernel, by a few rules on its counters, in this order:
 *   1. of several launches, most of the time is the host's: launch overhead;
 *   2. the DRAM buses are busy most of the time: DRAM bandwidth; one partition's is, the others' not: partition camping;
 *   3. in a tenth of their cycles or more, SMs that have a block wait for a special-function or double-precision unit, and that is most of the
 *      time in which they do not issue: the unit, however often they issue;
 *   4. SMs that have a block hold their issue ports most of the time: instruction issue, or bank conflicts if most of that is instructions that
 *      issue again for them;
 *   5. else what those SMs wait for, if it takes at least half of the cycles in which they do not issue; else no single bound.
 * A wait is told apart by what the kernel uses: that for caches by textures and constants, that for memory by the share of atomics.
 * Cycles in which an instruction issues again for bank conflicts count as
 * issued here, those of schedulers without a block are left out of 3 to 5 and told beside the verdict. The rules name the largest share, not a cause:
 * a kernel near two limits is named after one.
 */
#include "gpu/result.h"

typedef enum {
    VERDICT_LAUNCH,
    VERDICT_DRAM,
    VERDICT_CAMPING,
    VERDICT_ISSUE,
    VERDICT_MIXED,
    VERDICT_DISPATCH,
    VERDICT_ALU,
    VERDICT_MEMORY, /* latency of global and local memory */
    VERDICT_SHARED, /* latency of shared memory: nothing else is waited for */
    VERDICT_ATOMIC, /* memory is waited for, and most transactions are atomic */
    VERDICT_BARRIER,
    VERDICT_BANK_CONFLICT,
    VERDICT_PASSES, /* shared memory is waited for, and hardly any of its passes are for conflicts */
    VERDICT_MEMORY_PIPE,
    VERDICT_UNIT,
    VERDICT_TEXTURE,  /* no constants are used */
    VERDICT_CONSTANT, /* no textures are */
    VERDICT_CACHE,    /* both are: which of them is waited for is not counted */
    VERDICT_OPERAND,
    VERDICT_BRANCH,
    VERDICT_N,
} VerdictKind;

typedef struct {
    VerdictKind kind;
    double share; /* the number that shows it: of time, of peak or of the cycles of SMs that have a block */
} Verdict;

/* From these shares on, a bus or a port counts as busy most of the time. */
#define VERDICT_DRAM_BUSY 0.6
#define VERDICT_CAMPING_BUSY 0.75
#define VERDICT_ISSUE_BUSY 0.6
#define VERDICT_UNIT_WAIT 0.1
#define VERDICT_WAIT_PART 0.5 /* of the cycles not issued */
#define VERDICT_CONFLICTS 0.1 /* of the passes of shared memory: fewer, and it is not for conflicts that it is waited for */

Verdict verdict_of(const KernelResult *result);

/* The part of all cycles in which an SM has a block: a share of those cycles, times this, is one of all. */
double verdict_occupied(const KernelResult *result);

/* Of the cycles of SMs that have a block: how many instructions issue again in for bank conflicts. */
double verdict_replays(const KernelResult *result);

/* Two or three words: "DRAM bandwidth". */
const char *verdict_name(VerdictKind kind);

/* One or two sentences with the numbers. Free with g_free. */
char *verdict_text(const KernelResult *result);
