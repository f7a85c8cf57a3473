#pragma once
/*
 * What the memory instructions of a trace do, found by walking a sample of its blocks without timing: of each launch some blocks spread
 * evenly, the first and the last among them, with all their warps and all iterations. Instructions are told apart by their line, over all
 * launches.
 */
#include "cli/explain-access.h"
#include "cli/inputs.h"

enum { EXPLAIN_BLOCKS = 64, EXPLAIN_LAUNCHES = 64, EXPLAIN_KINDS = 12 };

typedef struct {
    AccessPattern pattern;
    uint64_t seen;
    LaneAccess example; /* the first one */
    AccessCost cost;    /* of it */
} AccessKind;

typedef struct {
    uint64_t sum;
    uint32_t least, most;
} CostRange;

typedef struct {
    int line;
    Insn insn;        /* its space, operation and width */
    ArrayPlace place; /* in the launch that came first */
    uint64_t seen, lanes;
    uint64_t lowest, highest; /* addresses, of all lanes that were seen */
    uint32_t depth;           /* atomics: the most operations on one word */
    CostRange now, fewest;
    uint64_t moved, needed;          /* bytes, as of AccessCost */
    AccessKind kinds[EXPLAIN_KINDS]; /* the most frequent first, once all are counted; later ones are seen, but not told apart */
    unsigned n_kinds;
} ExplainInsn;

typedef struct {
    const AstTrace *trace;
    GArray *insns;                    /* of ExplainInsn, by line */
    uint64_t launches, launches_seen; /* of the trace; of them walked */
    uint64_t blocks, blocks_seen;
    double instructions; /* warp instructions of all launches, by the sample */
    bool cut;            /* the walk ended early: a long trace */
} ExplainCount;

bool explain_count(const MachineConfig *config, const Workload *workload, ExplainCount *ret, GError **error);
void explain_count_clear(ExplainCount *count);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ExplainCount, explain_count_clear)

static inline const ExplainInsn *explain_insn(const ExplainCount *count, unsigned index)
{
    return &g_array_index(count->insns, ExplainInsn, index);
}

/* Whether all lanes that were seen, of all warps, touch the same element. */
bool explain_one_word(const ExplainInsn *insn);

/* Share of its transactions, passes ... or of its bytes, whichever is more, that would be spared, were each execution as cheap as it can
 * be. */
double explain_excess(const ExplainInsn *insn);
