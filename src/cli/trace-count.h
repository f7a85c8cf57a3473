#pragma once
/* What a workload does, counted by walking every warp through its program without any timing. */
#include "cli/inputs.h"
#include "cli/progress.h"
#include "trace/program.h"

typedef struct {
    uint64_t warp, thread;
} IssueCount;

typedef struct {
    uint64_t requests; /* of warps with a lane that takes part */
    uint64_t bytes;    /* lanes times width */
} AccessCount;

enum { MEM_OPS = MEM_ATOMIC + 1, SECTOR_BYTES = 32 };

typedef struct {
    uint64_t launches, blocks, warps, threads;
    IssueCount by_class[OP_CLASS_N];   /* arithmetic and branches */
    IssueCount by_kind[INSN_ISSUES_N]; /* all; INSN_MEM is split below */
    IssueCount by_mem[MEM_OPS];
    AccessCount access[SPACE_N][MEM_OPS]; /* operands of arithmetic included */
    uint64_t shared_bytes, local_bytes;   /* of a block and of a thread: the largest of all launches */
    GPtrArray *touched;                   /* of GHashTable: for each array of the trace, its pages of touched sectors */
} TraceCount;

bool trace_count(const Workload *workload, Progress *progress, TraceCount *ret, GError **error);
void trace_count_clear(TraceCount *count);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TraceCount, trace_count_clear)

IssueCount trace_count_all(const TraceCount *count);

/* What the arrays of one space take. */
typedef struct {
    uint64_t bytes;   /* of the file's arrays; shared memory: of a block; local memory: of a thread */
    uint64_t touched; /* in sectors of SECTOR_BYTES */
    bool whole;       /* one memory for the whole grid: `touched` is known */
} SpaceFootprint;

SpaceFootprint trace_count_space(const TraceCount *count, const Workload *workload, Space space);

/* Sectors of SECTOR_BYTES of array number `index` of the trace that some access touches. */
uint64_t trace_count_sectors(const TraceCount *count, unsigned index);
