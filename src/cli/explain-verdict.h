#pragma once
/*
 * The bottleneck in one sentence: the verdict of the timing simulation (verdict.h), traced back to what causes it. The path to memory, its
 * buses or its latency are put down to accesses that take more transactions than they could, to partition camping, or to spilled
 * registers, in this order, then to bandwidth or latency by whether requests queue; issue ports to passes of constant memory or to lanes that
 * are off. What none of these explains keeps the verdict's own name. Without a simulation it is the largest waste of the accesses.
 */
#include "cli/explain-count.h"
#include "cli/explain-launch.h"
#include "gpu/result.h"

typedef struct {
    const char *name; /* `uncoalesced accesses`; `bank conflicts`; else a verdict's */
    int line;         /* that shows it most; 0: none in particular */
    char *text;       /* the sentence, without a point at its end */
} Bottleneck;

/* `result`: of all launches, or NULL when nothing was simulated. */
Bottleneck explain_bottleneck(const MachineConfig *config, const ExplainCount *count, const Camping *camping,
                              const KernelResult *result);
void bottleneck_clear(Bottleneck *bottleneck);
